"""BER as Java libraries write it, and malicious BER that would keep the server busy."""

from collections.abc import Callable

import pytest

from carimbo.fiscal.identity.ber import MAX_DEPTH, MAX_ELEMENTS, OCTET_STRING, SEQUENCE, BerElement, parse

NULL = b"\x05\x00"
OCTETS, PIECES = 0x04, 0x24
END = b"\0\0"


def ber(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return bytes([tag, 0x83]) + len(content).to_bytes(3) + content


def open_ended(tag: int, *parts: bytes) -> bytes:
    return bytes([tag, 0x80]) + b"".join(parts) + END


def nested(tag: int, levels: int, core: bytes = NULL) -> bytes:
    return core if levels == 0 else ber(tag, nested(tag, levels - 1, core))


def tags(element: BerElement) -> list[int]:
    return [inner.tag for inner in element.walk()]


class TestOctetStringInPieces:
    @pytest.mark.parametrize("constructed", [ber, open_ended])
    def test_joined_content_of_pieces_is_parsed(self, constructed: Callable[..., bytes]) -> None:
        whole = ber(SEQUENCE, NULL)
        element = parse(constructed(PIECES, ber(OCTETS, whole[:3]), ber(OCTETS, whole[3:])))
        assert (element.content, tags(element)) == (whole, [OCTET_STRING, SEQUENCE, 0x05])

    def test_pieces_may_be_in_pieces(self) -> None:
        element = parse(ber(PIECES, open_ended(PIECES, ber(OCTETS, b"\x05")), ber(OCTETS, b"\x00")))
        assert tags(element) == [OCTET_STRING, 0x05]

    def test_single_piece_is_not_parsed(self) -> None:
        element = parse(ber(PIECES, ber(OCTETS, b"\xff"), ber(OCTETS, ber(SEQUENCE, NULL))))
        assert tags(element) == [OCTET_STRING]

    @pytest.mark.parametrize("piece", [NULL, ber(SEQUENCE), ber(0x0C, b"text")])
    def test_only_octet_strings_are_pieces(self, piece: bytes) -> None:
        with pytest.raises(ValueError, match="piece"):
            parse(ber(PIECES, ber(OCTETS, b"text"), piece))

    def test_pieces_within_pieces_are_read_once(self) -> None:
        content = b""
        for _ in range(MAX_DEPTH - 2):
            content = ber(PIECES, ber(PIECES, ber(OCTETS, content)))
        assert tags(parse(content)) == [OCTET_STRING] * (MAX_DEPTH - 2)


class TestLimits:
    def test_as_many_elements_as_allowed_are_read(self) -> None:
        assert len(tags(parse(ber(SEQUENCE, NULL * (MAX_ELEMENTS - 1))))) == MAX_ELEMENTS

    @pytest.mark.parametrize(
        "content",
        [
            ber(SEQUENCE, NULL * MAX_ELEMENTS),
            open_ended(SEQUENCE, open_ended(SEQUENCE) * MAX_ELEMENTS),
            ber(PIECES, b"\x04\x00" * MAX_ELEMENTS),
            ber(SEQUENCE, ber(OCTETS, b"\x05") * (MAX_ELEMENTS // 2)),
            ber(OCTETS, ber(SEQUENCE, NULL * MAX_ELEMENTS)),
        ],
        ids=["sequence", "open", "pieces", "octet strings without structure", "octet string"],
    )
    def test_too_many_elements_are_refused(self, content: bytes) -> None:
        with pytest.raises(ValueError, match="too many"):
            parse(content)

    @pytest.mark.parametrize("tag", [SEQUENCE, OCTETS])
    def test_allowed_depth_is_read(self, tag: int) -> None:
        assert tags(parse(nested(tag, MAX_DEPTH))) == [tag] * MAX_DEPTH + [0x05]

    @pytest.mark.parametrize("tag", [SEQUENCE, OCTETS])
    def test_greater_depth_is_refused_within_an_octet_string_too(self, tag: int) -> None:
        with pytest.raises(ValueError, match="deeply"):
            parse(ber(OCTETS, nested(tag, MAX_DEPTH)))

    def test_greater_depth_of_pieces_is_refused(self) -> None:
        with pytest.raises(ValueError, match="deeply"):
            parse(nested(PIECES, MAX_DEPTH + 1, ber(OCTETS)))


class TestMalformed:
    @pytest.mark.parametrize(
        "content",
        [
            "",
            "30",
            "3001",
            "308205",
            "3080",
            "30800500",
            "0480",
            "0580050000",
            "30020503000000",
            "300430800500" + "0000",
        ],
    )
    def test_malformed_ber_is_refused(self, content: str) -> None:
        with pytest.raises(ValueError, match=r"cut short|open"):
            parse(bytes.fromhex(content))

    def test_octet_string_may_hold_malformed_ber(self) -> None:
        assert parse(ber(OCTETS, b"0" * 1000)) == (OCTET_STRING, b"0" * 1000, ())
