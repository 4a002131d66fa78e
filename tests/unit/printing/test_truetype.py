"""TrueType fonts: read whole or refused, and made smaller without harm."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.printing.truetype import Font, FontUnusable
from unit.printing.fonts import OWN, SERIF

DATA = SERIF.read_bytes()
FONT = Font(DATA)
REQUIRED = ("cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp")
SUBSET_TABLES = {"glyf", "head", "hhea", "hmtx", "loca", "maxp"}


def tables_of(font: bytes) -> dict[str, bytes]:
    """The tables of a font by their names."""
    entries = (struct.unpack_from(">4sIII", font, 12 + 16 * number) for number in range(_count(font)))
    return {tag.decode(): font[start : start + length] for tag, _, start, length in entries}


def renamed(tag: str) -> bytes:
    """The font without one of its tables."""
    return DATA.replace(tag.encode(), b"none", 1)


def with_units(units: int) -> bytes:
    """The font with another number of units for its size."""
    changed = bytearray(DATA)
    struct.pack_into(">H", changed, DATA.index(tables_of(DATA)["head"]) + 18, units)
    return bytes(changed)


def _count(font: bytes) -> int:
    count: int = struct.unpack_from(">H", font, 4)[0]
    return count


class TestFont:
    def test_has_a_glyph_and_a_width_for_its_characters(self) -> None:
        assert FONT.glyphs[ord("A")] != FONT.glyphs[ord("B")]
        assert FONT.widths[ord("W")] > FONT.widths[ord("i")] > 0

    def test_measures_as_its_designer_says(self) -> None:
        """Liberation Serif has the measures of Times New Roman."""
        assert FONT.widths[ord("0")] == pytest.approx(0.5)
        assert FONT.widths[ord(" ")] == pytest.approx(0.25)

    def test_goes_from_above_its_line_to_below_it(self) -> None:
        assert FONT.shape.ascent > 500
        assert FONT.shape.descent < 0
        assert len(FONT.shape.bounds) == 4


class TestFontUnusable:
    def test_is_any_that_was_cut_off(self) -> None:
        for part in range(64):
            with pytest.raises(FontUnusable):
                Font(DATA[: len(DATA) * part // 64])

    def test_is_one_without_its_last_byte(self) -> None:
        with pytest.raises(FontUnusable):
            Font(DATA.rstrip(b"\0")[:-1])

    @given(st.binary(max_size=400))
    def test_is_any_file_that_is_no_font(self, data: bytes) -> None:
        with pytest.raises(FontUnusable):
            Font(data)

    @pytest.mark.parametrize("tag", REQUIRED)
    def test_is_one_without_a_table_that_paper_needs(self, tag: str) -> None:
        with pytest.raises(FontUnusable):
            Font(renamed(tag))

    def test_is_one_that_has_no_size(self) -> None:
        with pytest.raises(FontUnusable):
            Font(with_units(0))

    def test_is_one_without_letters(self) -> None:
        cmap = tables_of(DATA)["cmap"]
        with pytest.raises(FontUnusable):
            Font(DATA.replace(cmap, bytes(len(cmap))))

    def test_is_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FontUnusable, match=r"A fonte .*nenhuma\.ttf não pode ser usada"):
            Font.of_file(tmp_path / "nenhuma.ttf")


class TestSubset:
    def test_has_the_tables_that_a_pdf_needs_and_no_other(self) -> None:
        assert tables_of(FONT.subset([0, FONT.glyphs[ord("A")]])).keys() == SUBSET_TABLES

    def test_is_much_smaller(self) -> None:
        assert len(FONT.subset([0, FONT.glyphs[ord("A")]])) < len(DATA) / 50

    def test_counts_its_own_glyphs_and_the_parts_of_accented_ones(self) -> None:
        plain = tables_of(FONT.subset([0, FONT.glyphs[ord("A")]]))
        accented = tables_of(FONT.subset([0, FONT.glyphs[ord("Á")]]))
        counts = [struct.unpack_from(">H", tables["maxp"], 4)[0] for tables in (plain, accented)]
        assert counts[0] == 2
        assert counts[1] > 2

    @pytest.mark.parametrize(
        "font", [FONT, OWN.regular.font, OWN.bold.font], ids=["serif", "own", "own bold"]
    )
    def test_has_an_outline_and_a_width_for_each_glyph(self, font: Font) -> None:
        glyphs = [0, *(font.glyphs[ord(letter)] for letter in "AçÃ½")]
        tables = tables_of(font.subset(glyphs))
        count = struct.unpack_from(">H", tables["maxp"], 4)[0]
        places = struct.unpack(f">{count + 1}I", tables["loca"][: 4 * count + 4])
        assert list(places) == sorted(places)
        assert places[-1] == len(tables["glyf"])
        assert len(tables["hmtx"]) == 4 * count

    def test_is_the_same_every_time(self) -> None:
        glyphs = [0, *(FONT.glyphs[ord(letter)] for letter in "Carimbo")]
        assert FONT.subset(glyphs) == FONT.subset(glyphs)
