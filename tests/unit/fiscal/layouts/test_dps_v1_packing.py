"""Documents packed for the national environment, and unpacked even if they are damaged."""

import base64
import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.layouts.dps_v1.answer_part import pack_xml
from carimbo.fiscal.layouts.packed import unpack

XML = '<DPS xmlns="http://www.sped.fazenda.gov.br/nfse">ação</DPS>'.encode()
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
MAX_BYTES = 4 * 1024 * 1024


def zipped(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data)).decode()


class TestPacked:
    def test_package_has_the_document_with_a_declaration(self) -> None:
        assert gzip.decompress(base64.b64decode(pack_xml(XML))) == DECLARATION + XML

    def test_package_of_the_same_document_is_the_same(self) -> None:
        assert pack_xml(XML) == pack_xml(XML)
        assert base64.b64decode(pack_xml(XML))[4:8] == bytes(4)

    @given(xml=st.binary(max_size=2_000))
    def test_package_is_unpacked_to_the_same_document(self, xml: bytes) -> None:
        assert unpack(pack_xml(xml)) == DECLARATION + xml


class TestUnpacked:
    def test_package_may_be_encoded_in_base64_twice(self) -> None:
        assert unpack(base64.b64encode(pack_xml(XML).encode()).decode()) == DECLARATION + XML

    def test_package_may_have_line_breaks(self) -> None:
        text = pack_xml(XML)
        assert unpack(f" {text[:20]}\r\n{text[20:]}\n") == DECLARATION + XML

    def test_package_may_be_as_large_as_the_largest_document(self) -> None:
        assert unpack(zipped(bytes(MAX_BYTES))) == bytes(MAX_BYTES)
        assert unpack(zipped(bytes(MAX_BYTES + 1))) is None

    def test_package_is_not_unpacked_beyond_the_largest_size(self) -> None:
        bomb = zipped(bytes(200_000_000))
        tracemalloc.start()
        try:
            assert unpack(bomb) is None
            assert tracemalloc.get_traced_memory()[1] < 3 * MAX_BYTES
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "x",
            "ção",
            "H4sI",
            base64.b64encode(XML).decode(),
            base64.b64encode(zlib.compress(XML)).decode(),
            base64.b64encode(b"\x1f\x8b" + XML).decode(),
        ],
        ids=["empty", "short", "letters", "only a beginning", "not zipped", "zlib", "damaged"],
    )
    def test_text_that_is_no_package_gives_nothing(self, text: str) -> None:
        assert unpack(text) is None

    def test_package_that_is_cut_off_gives_nothing(self) -> None:
        text = pack_xml(XML)
        assert {unpack(text[:end]) for end in range(len(text) - 1)} == {None}

    @given(text=st.text(max_size=200))
    def test_unpacking_never_raises(self, text: str) -> None:
        assert unpack(text) is None or isinstance(unpack(text), bytes)
