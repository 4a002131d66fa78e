"""Whether everything on paper has room: on the page, and not on top of each other."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import attrgetter

from pdf_reading import Rule, Word, drawn_rules_of, sizes_of, words_of

# The box of a word goes from the highest accent to the lowest tail of its font, and lines may be closer than
# that; what is left of the box is about as high as a small letter.
_KEPT = 0.55
_CUT = (1 - _KEPT) / 2
_TOUCHING = 0.3
# No text is as high as the letters of a mark.
_MARK = 24


def room_faults(pdf: bytes) -> dict[str, list[tuple[Word | Rule, ...]]]:
    """Returns the words that have no room, by what is wrong with them."""
    faults = {
        "off the page": [(word,) for word in off_the_page(pdf)],
        "over each other": overlapping(pdf),
        "crossed by a line": crossed(pdf),
    }
    return {fault: list(words) for fault, words in faults.items() if words}


def off_the_page(pdf: bytes) -> list[Word]:
    """Returns words that are not wholly on their page."""
    sizes = sizes_of(pdf)
    return [word for word in words_of(pdf) if not _is_within(word, *sizes[word.page])]


def overlapping(pdf: bytes) -> list[tuple[Word, Word]]:
    """Returns words that are drawn over each other."""
    words = sorted(_texts(pdf), key=attrgetter("page", "y0"))
    return [pair for place, word in enumerate(words) for pair in _covering(word, words, place + 1)]


def crossed(pdf: bytes) -> list[tuple[Word, Rule]]:
    """Returns words that a line goes through: they have left their box."""
    words = sorted(_texts(pdf), key=attrgetter("page", "y0"))
    starts = [(word.page, word.y0) for word in words]
    tallest = max((word.y1 - word.y0 for word in words), default=0)
    return [
        (word, rule)
        for rule in sorted(set(drawn_rules_of(pdf)))
        for word in words[
            bisect_left(starts, (rule.page, rule.y0 - tallest)) : bisect_right(starts, (rule.page, rule.y1))
        ]
        if word.y1 >= rule.y0 and word.x1 >= rule.x0 + _TOUCHING and word.x0 <= rule.x1 - _TOUCHING
    ]


def _covering(word: Word, words: list[Word], place: int) -> Iterator[tuple[Word, Word]]:
    """Yields those that begin before a word ends, of words in the order of their upper edges."""
    _, left, _, right, bottom, page = word
    while place < len(words) and (other := words[place]).y0 < bottom and other.page == page:
        if min(right, other.x1) - max(left, other.x0) > _TOUCHING:
            yield word, other
        place += 1


def _texts(pdf: bytes) -> list[Word]:
    """Returns words with the middle of their boxes, without the large letters of marks under them."""
    return [
        Word(text, x0, y0 + (y1 - y0) * _CUT, x1, y1 - (y1 - y0) * _CUT, page)
        for text, x0, y0, x1, y1, page in words_of(pdf)
        if y1 - y0 < _MARK
    ]


def _is_within(word: Word, width: float, height: float) -> bool:
    return 0 <= word.x0 <= word.x1 <= width and 0 <= word.y0 <= word.y1 <= height
