"""Documents packed for the national environment, and opened again whatever was done to them."""

import base64
import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.layouts.dps_v1.packing import packed, unpacked

XML = '<DPS xmlns="http://www.sped.fazenda.gov.br/nfse">ação</DPS>'.encode()
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
LARGEST = 4 * 1024 * 1024


def zipped(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data)).decode()


class TestPacked:
    def test_has_the_document_with_a_declaration(self) -> None:
        assert gzip.decompress(base64.b64decode(packed(XML))) == DECLARATION + XML

    def test_is_the_same_for_the_same_document(self) -> None:
        assert packed(XML) == packed(XML)
        assert base64.b64decode(packed(XML))[4:8] == bytes(4)

    @given(xml=st.binary(max_size=2_000))
    def test_is_opened_to_what_it_was(self, xml: bytes) -> None:
        assert unpacked(packed(xml)) == DECLARATION + xml


class TestUnpacked:
    def test_may_have_been_in_base64_twice(self) -> None:
        assert unpacked(base64.b64encode(packed(XML).encode()).decode()) == DECLARATION + XML

    def test_may_stand_in_lines(self) -> None:
        text = packed(XML)
        assert unpacked(f" {text[:20]}\r\n{text[20:]}\n") == DECLARATION + XML

    def test_may_be_as_large_as_a_document_can_be(self) -> None:
        assert unpacked(zipped(bytes(LARGEST))) == bytes(LARGEST)
        assert unpacked(zipped(bytes(LARGEST + 1))) is None

    def test_is_not_opened_further_than_that(self) -> None:
        bomb = zipped(bytes(200_000_000))
        tracemalloc.start()
        try:
            assert unpacked(bomb) is None
            assert tracemalloc.get_traced_memory()[1] < 3 * LARGEST
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
    def test_is_nothing_if_it_is_no_package(self, text: str) -> None:
        assert unpacked(text) is None

    def test_is_nothing_if_it_is_cut(self) -> None:
        text = packed(XML)
        assert {unpacked(text[:end]) for end in range(len(text) - 1)} == {None}

    @given(text=st.text(max_size=200))
    def test_never_raises(self, text: str) -> None:
        assert unpacked(text) is None or isinstance(unpacked(text), bytes)
