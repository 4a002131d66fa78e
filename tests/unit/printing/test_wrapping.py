"""Texts in widths: nothing is lost, and nothing is wider than it may be."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from carimbo.printing.canvas import POINT
from carimbo.printing.wrapping import fitted, wrapped
from unit.printing.fonts import OWN

FACE = OWN.regular
TEXTS = st.text(max_size=300) | st.text("ab W.,-\n\u00a0çÁ", max_size=300)
WIDTHS = st.floats(3, 200)
SIZES = st.floats(4, 14)
ROUNDING = 1e-6


def visible(text: str) -> str:
    """What is to be seen of a text, wherever its lines end."""
    return "".join(FACE.legible(text).split())


def width_of(line: str, size: float) -> float:
    return FACE.width(line) * size * POINT


class TestWrapped:
    @given(TEXTS, WIDTHS, SIZES)
    @example("\x1c\x85\u2028", 10, 7)
    @example("a\u0301" * 50, 3, 4)
    def test_loses_no_visible_character(self, text: str, width: float, size: float) -> None:
        assert visible("".join(wrapped(FACE, text, width, size))) == visible(text)

    @given(TEXTS, WIDTHS, SIZES)
    def test_has_no_line_that_is_wider_than_asked_but_of_one_character(
        self, text: str, width: float, size: float
    ) -> None:
        for line in wrapped(FACE, text, width, size):
            assert len(line) <= 1 or width_of(line, size) <= width + ROUNDING

    @given(TEXTS, WIDTHS, SIZES)
    def test_has_at_least_one_line(self, text: str, width: float, size: float) -> None:
        assert wrapped(FACE, text, width, size)

    def test_breaks_between_words(self) -> None:
        assert wrapped(FACE, "uma frase de seis palavras curtas", 20, 9) == (
            "uma frase de",
            "seis palavras",
            "curtas",
        )

    def test_keeps_the_lines_of_who_wrote_it(self) -> None:
        assert wrapped(FACE, "primeira\r\nsegunda\n\nquarta", 100, 9) == ("primeira", "segunda", "", "quarta")

    def test_breaks_a_word_only_if_it_is_wider_than_a_line(self) -> None:
        lines = wrapped(FACE, f"ver {'W' * 40} fim", 30, 9)
        assert lines[0] == "ver"
        assert "".join(lines[1:]) == f"{'W' * 40} fim"

    def test_fills_lines_as_far_as_words_fit(self) -> None:
        words = ["palavra"] * 40
        lines = wrapped(FACE, " ".join(words), 50, 8)
        assert all(width_of(f"{line} palavra", 8) > 50 for line in lines[:-1])


class TestFitted:
    @given(TEXTS, WIDTHS)
    def test_loses_no_visible_character(self, text: str, width: float) -> None:
        assert visible("".join(fitted(FACE, text, width, 9, 6.5).lines)) == visible(text)

    @given(TEXTS, WIDTHS)
    def test_is_neither_wider_nor_larger_nor_smaller_than_asked(self, text: str, width: float) -> None:
        lines, size = fitted(FACE, text, width, 9, 6.5)
        assert 6.5 <= size <= 9
        assert all(len(line) <= 1 or width_of(line, size) <= width + ROUNDING for line in lines)

    def test_of_what_fits_is_as_large_as_asked(self) -> None:
        assert fitted(FACE, "curto", 100, 9, 6.5) == (("curto",), 9)

    def test_of_what_nearly_fits_is_a_little_smaller(self) -> None:
        text = "um texto que quase cabe"
        lines, size = fitted(FACE, text, width_of(text, 8), 9, 6.5)
        assert lines == (text,)
        assert 7.5 < size <= 8

    def test_of_what_would_be_too_small_is_several_lines_of_the_least_size(self) -> None:
        lines, size = fitted(FACE, "um texto " * 10, 20, 9, 6.5)
        assert len(lines) > 2
        assert size == pytest.approx(6.5)
