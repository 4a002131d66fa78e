"""Fits texts into widths: with a smaller size first, then on several lines; no text is ever cut off."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from carimbo.printing.engine.canvas import POINT
from carimbo.printing.engine.typeface import Face

_MIN_STEP = 0.05


class FittedText(NamedTuple):
    """Lines and the font size at which they fit."""

    lines: tuple[str, ...]
    size: float


def fit_text(face: Face, text: str, width: float, size: float, least: float) -> FittedText:
    """Returns the text on one line, no smaller than `least`, or on several lines of that size."""
    text = face.legible(text)
    needed = face.width(text) * POINT
    if needed * size <= width:
        return FittedText((text,), size)
    fitting = width / needed - _MIN_STEP
    if fitting >= least:
        return FittedText((text,), round(fitting, 2))
    return FittedText(wrap_text(face, text, width, least), least)


def largest_fit(face: Face, text: str, width: float, sizes: Sequence[float]) -> FittedText:
    """Returns the text in the largest size that fits on two lines, or else on the fewest lines."""
    each = (FittedText(wrap_text(face, text, width, size), size) for size in sizes)
    return min(each, key=lambda fitted: (max(len(fitted.lines), 2), -fitted.size))


def wrap_text(face: Face, text: str, width: float, size: float) -> tuple[str, ...]:
    """Breaks a text into lines between words; a word wider than a line is broken inside."""
    room = width / (size * POINT)
    lines = [line for paragraph in text.splitlines() for line in _lines(face, face.legible(paragraph), room)]
    return tuple(lines) or ("",)


def _lines(face: Face, paragraph: str, room: float) -> Iterator[str]:
    if face.width(paragraph) <= room:
        yield paragraph
        return
    space, line, taken = face.width(" "), "", 0.0
    for word in _words(face, paragraph, room):
        width = face.width(word)
        if line and taken + space + width > room:
            yield line
            line, taken = word, width
        elif line:
            line, taken = f"{line} {word}", taken + space + width
        else:
            line, taken = word, width
    yield line


def _words(face: Face, paragraph: str, room: float) -> Iterator[str]:
    for word in re.split(" +", paragraph.strip(" ")):
        if face.width(word) <= room:
            yield word
        else:
            yield from _broken(face, word, room)


def _broken(face: Face, word: str, room: float) -> Iterator[str]:
    """Cuts a word that is wider than a line."""
    piece, taken = "", 0.0
    for character in word:
        width = face.width(character)
        if piece and taken + width > room:
            yield piece
            piece, taken = "", 0.0
        piece, taken = piece + character, taken + width
    yield piece
