"""Finds text that does not fit: off the page, overlapping, or crossed by a line."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter

from pdf_reading import Rule, Word, drawn_rules_of, sizes_of, words_of

# The box of a word goes from the highest accent to the lowest tail of its font, and lines may be closer than
# that; the part of the box that is kept is about as high as a small letter.
_KEPT = 0.55
_CUT = (1 - _KEPT) / 2
_TOUCHING = 0.3
# No text is as high as the letters of a mark.
_MARK = 24


def room_faults(pdf: bytes) -> dict[str, Sequence[Word | tuple[Word, Word | Rule]]]:
    """Returns the words that do not fit, by fault."""
    faults: dict[str, Sequence[Word | tuple[Word, Word | Rule]]] = {
        "off the page": off_the_page(pdf),
        "over each other": overlapping(pdf),
        "crossed by a line": crossed(pdf),
    }
    return {fault: words for fault, words in faults.items() if words}


def off_the_page(pdf: bytes) -> list[Word]:
    """Returns words that are not wholly on their page."""
    sizes = sizes_of(pdf)
    return [word for word in words_of(pdf) if not _is_within(word, *sizes[word.page])]


def overlapping(pdf: bytes) -> list[tuple[Word, Word]]:
    """Returns words that are drawn over each other."""
    words, starts = _texts(pdf)
    pairs = []
    for place, word in enumerate(words, 1):
        _, x0, _, x1, y1, page = word
        for other in words[place : bisect_left(starts, (page, y1), place)]:
            if other.x1 > x0 and other.x0 < x1 and min(x1, other.x1) - max(x0, other.x0) > _TOUCHING:
                pairs.append((word, other))
    return pairs


def crossed(pdf: bytes) -> list[tuple[Word, Rule]]:
    """Returns words that are crossed by a line, so they do not fit into their box."""
    words, starts = _texts(pdf)
    tallest = max((word.y1 - word.y0 for word in words), default=0)
    pairs = []
    for rule in sorted(set(drawn_rules_of(pdf))):
        x0, y0, x1, y1, page = rule
        first, last = bisect_left(starts, (page, y0 - tallest)), bisect_right(starts, (page, y1))
        for word in words[first:last]:
            if word.y1 >= y0 and word.x1 >= x0 + _TOUCHING and word.x0 <= x1 - _TOUCHING:
                pairs.append((word, rule))
    return pairs


@lru_cache(1)
def _texts(pdf: bytes) -> tuple[list[Word], list[tuple[int, float]]]:
    """Returns words with the middle of their boxes, from above, and the page and height where each begins.

    The large letters of watermarks lie under all others, and are left out.
    """
    words = [
        Word(text, x0, y0 + (y1 - y0) * _CUT, x1, y1 - (y1 - y0) * _CUT, page)
        for text, x0, y0, x1, y1, page in words_of(pdf)
        if y1 - y0 < _MARK
    ]
    words.sort(key=attrgetter("page", "y0"))
    return words, [(word.page, word.y0) for word in words]


def _is_within(word: Word, width: float, height: float) -> bool:
    return 0 <= word.x0 <= word.x1 <= width and 0 <= word.y0 <= word.y1 <= height
