"""Texts are wrapped to a width: nothing is lost, and no line is too wide."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from carimbo.printing.engine.canvas import POINT
from carimbo.printing.engine.wrapping import fit_text, wrap_text
from unit.printing.fonts import OWN

FACE = OWN.regular
TEXTS = st.text(max_size=300) | st.text("ab W.,-\n\u00a0çÁ", max_size=300)
WIDTHS = st.floats(3, 200)
SIZES = st.floats(4, 14)
ROUNDING = 1e-6


def visible(text: str) -> str:
    """Returns the visible characters of a text, regardless of line breaks."""
    return "".join(FACE.legible(text).split())


def width_of(line: str, size: float) -> float:
    return FACE.width(line) * size * POINT


class TestWrapped:
    @given(TEXTS, WIDTHS, SIZES)
    @example("\x1c\x85\u2028", 10, 7)
    @example("a\u0301" * 50, 3, 4)
    def test_wrapped_text_loses_no_visible_character(self, text: str, width: float, size: float) -> None:
        assert visible("".join(wrap_text(FACE, text, width, size))) == visible(text)

    @given(TEXTS, WIDTHS, SIZES)
    def test_wrapped_line_is_too_wide_only_if_it_is_one_character(
        self, text: str, width: float, size: float
    ) -> None:
        for line in wrap_text(FACE, text, width, size):
            assert len(line) <= 1 or width_of(line, size) <= width + ROUNDING

    @given(TEXTS, WIDTHS, SIZES)
    def test_wrapped_text_has_at_least_one_line(self, text: str, width: float, size: float) -> None:
        assert wrap_text(FACE, text, width, size)

    def test_text_is_broken_between_words(self) -> None:
        assert wrap_text(FACE, "uma frase de seis palavras curtas", 20, 9) == (
            "uma frase de",
            "seis palavras",
            "curtas",
        )

    def test_line_breaks_of_the_author_are_kept(self) -> None:
        assert wrap_text(FACE, "primeira\r\nsegunda\n\nquarta", 100, 9) == (
            "primeira",
            "segunda",
            "",
            "quarta",
        )

    def test_word_is_broken_only_if_it_is_wider_than_a_line(self) -> None:
        lines = wrap_text(FACE, f"ver {'W' * 40} fim", 30, 9)
        assert lines[0] == "ver"
        assert "".join(lines[1:]) == f"{'W' * 40} fim"

    def test_lines_are_filled_as_far_as_words_fit(self) -> None:
        words = ["palavra"] * 40
        lines = wrap_text(FACE, " ".join(words), 50, 8)
        assert all(width_of(f"{line} palavra", 8) > 50 for line in lines[:-1])


class TestFitted:
    @given(TEXTS, WIDTHS)
    def test_fitted_text_loses_no_visible_character(self, text: str, width: float) -> None:
        assert visible("".join(fit_text(FACE, text, width, 9, 6.5).lines)) == visible(text)

    @given(TEXTS, WIDTHS)
    def test_fitted_text_respects_width_and_font_sizes(self, text: str, width: float) -> None:
        lines, size = fit_text(FACE, text, width, 9, 6.5)
        assert 6.5 <= size <= 9
        assert all(len(line) <= 1 or width_of(line, size) <= width + ROUNDING for line in lines)

    def test_text_that_fits_keeps_its_size(self) -> None:
        assert fit_text(FACE, "curto", 100, 9, 6.5) == (("curto",), 9)

    def test_text_that_nearly_fits_is_a_little_smaller(self) -> None:
        text = "um texto que quase cabe"
        lines, size = fit_text(FACE, text, width_of(text, 8), 9, 6.5)
        assert lines == (text,)
        assert 7.5 < size <= 8

    def test_text_that_would_be_too_small_is_wrapped_at_the_least_size(self) -> None:
        lines, size = fit_text(FACE, "um texto " * 10, 20, 9, 6.5)
        assert len(lines) > 2
        assert size == pytest.approx(6.5)
