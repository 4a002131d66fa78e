"""TrueType fonts: parsed completely or refused, and reduced to subsets."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.printing.engine.truetype import Font, FontUnusable
from unit.printing.fonts import OWN, SERIF

DATA = SERIF.read_bytes()
FONT = Font(DATA)
REQUIRED = ("cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp")
SUBSET_TABLES = {"glyf", "head", "hhea", "hmtx", "loca", "maxp"}


def tables_of(font: bytes) -> dict[str, bytes]:
    """Returns the tables of a font by name."""
    entries = (struct.unpack_from(">4sIII", font, 12 + 16 * number) for number in range(_count(font)))
    return {tag.decode(): font[start : start + length] for tag, _, start, length in entries}


def renamed(tag: str) -> bytes:
    """Returns the font without one of its tables."""
    return DATA.replace(tag.encode(), b"none", 1)


def with_units(units: int) -> bytes:
    """Returns the font with another number of units per em."""
    changed = bytearray(DATA)
    struct.pack_into(">H", changed, DATA.index(tables_of(DATA)["head"]) + 18, units)
    return bytes(changed)


def _count(font: bytes) -> int:
    count: int = struct.unpack_from(">H", font, 4)[0]
    return count


class TestFont:
    def test_font_has_a_glyph_and_a_width_for_its_characters(self) -> None:
        assert FONT.glyphs[ord("A")] != FONT.glyphs[ord("B")]
        assert FONT.widths[ord("W")] > FONT.widths[ord("i")] > 0

    def test_font_has_the_widths_of_its_design(self) -> None:
        """Liberation Serif has the measures of Times New Roman."""
        assert FONT.widths[ord("0")] == pytest.approx(0.5)
        assert FONT.widths[ord(" ")] == pytest.approx(0.25)

    def test_font_extends_above_and_below_its_baseline(self) -> None:
        assert FONT.shape.ascent > 500
        assert FONT.shape.descent < 0
        assert len(FONT.shape.bounds) == 4


class TestFontUnusable:
    def test_truncated_font_is_refused(self) -> None:
        for part in range(64):
            with pytest.raises(FontUnusable):
                Font(DATA[: len(DATA) * part // 64])

    def test_font_without_its_last_byte_is_refused(self) -> None:
        with pytest.raises(FontUnusable):
            Font(DATA.rstrip(b"\0")[:-1])

    @given(st.binary(max_size=400))
    def test_file_that_is_no_font_is_refused(self, data: bytes) -> None:
        with pytest.raises(FontUnusable):
            Font(data)

    @pytest.mark.parametrize("tag", REQUIRED)
    def test_font_without_a_required_table_is_refused(self, tag: str) -> None:
        with pytest.raises(FontUnusable):
            Font(renamed(tag))

    def test_font_without_a_size_is_refused(self) -> None:
        with pytest.raises(FontUnusable):
            Font(with_units(0))

    def test_font_without_letters_is_refused(self) -> None:
        cmap = tables_of(DATA)["cmap"]
        with pytest.raises(FontUnusable):
            Font(DATA.replace(cmap, bytes(len(cmap))))

    def test_missing_font_file_is_reported(self, tmp_path: Path) -> None:
        with pytest.raises(FontUnusable, match=r"A fonte .*nenhuma\.ttf não pode ser usada"):
            Font.of_file(tmp_path / "nenhuma.ttf")


class TestSubset:
    def test_subset_has_exactly_the_tables_that_a_pdf_needs(self) -> None:
        assert tables_of(FONT.subset([0, FONT.glyphs[ord("A")]])).keys() == SUBSET_TABLES

    def test_subset_is_much_smaller(self) -> None:
        assert len(FONT.subset([0, FONT.glyphs[ord("A")]])) < len(DATA) / 50

    def test_subset_counts_its_glyphs_and_the_parts_of_accented_ones(self) -> None:
        plain = tables_of(FONT.subset([0, FONT.glyphs[ord("A")]]))
        accented = tables_of(FONT.subset([0, FONT.glyphs[ord("Á")]]))
        counts = [struct.unpack_from(">H", tables["maxp"], 4)[0] for tables in (plain, accented)]
        assert counts[0] == 2
        assert counts[1] > 2

    @pytest.mark.parametrize(
        "font", [FONT, OWN.regular.font, OWN.bold.font], ids=["serif", "own", "own bold"]
    )
    def test_subset_has_an_outline_and_a_width_for_each_glyph(self, font: Font) -> None:
        glyphs = [0, *(font.glyphs[ord(letter)] for letter in "AçÃ½")]
        tables = tables_of(font.subset(glyphs))
        count = struct.unpack_from(">H", tables["maxp"], 4)[0]
        places = struct.unpack(f">{count + 1}I", tables["loca"][: 4 * count + 4])
        assert list(places) == sorted(places)
        assert places[-1] == len(tables["glyf"])
        assert len(tables["hmtx"]) == 4 * count

    def test_subset_is_deterministic(self) -> None:
        glyphs = [0, *(FONT.glyphs[ord(letter)] for letter in "Carimbo")]
        assert FONT.subset(glyphs) == FONT.subset(glyphs)
