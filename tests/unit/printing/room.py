"""Whether everything on paper has room: on the page, and not on top of each other."""

from collections.abc import Iterator
from operator import attrgetter

from pdf_reading import Rule, Word, rules_of, sizes_of, words_of

# The box of a word goes from the highest accent to the lowest tail of its font, and lines may be closer than
# that; what is left of the box is about as high as a small letter.
_KEPT = 0.55
_CUT = (1 - _KEPT) / 2
_TOUCHING = 0.3
# No text is as high as the letters of a mark.
_MARK = 24


def off_the_page(pdf: bytes) -> list[Word]:
    """Words that are not wholly on their page."""
    sizes = sizes_of(pdf)
    return [word for word in words_of(pdf) if not _is_within(word, *sizes[word.page])]


def overlapping(pdf: bytes) -> list[tuple[Word, Word]]:
    """Words that are drawn over each other."""
    words = sorted(_texts(pdf), key=attrgetter("page", "y0"))
    return [pair for place, word in enumerate(words) for pair in _covering(word, words, place + 1)]


def _covering(word: Word, words: list[Word], place: int) -> Iterator[tuple[Word, Word]]:
    """Those that begin before a word ends, of words in the order of their upper edges."""
    while place < len(words) and words[place].page == word.page and words[place].y0 < word.y1:
        other = words[place]
        if min(word.x1, other.x1) - max(word.x0, other.x0) > _TOUCHING:
            yield word, other
        place += 1


def _texts(pdf: bytes) -> Iterator[Word]:
    """Words with the middle of their boxes; marks lie under the others and are none of them."""
    for word in words_of(pdf):
        height = word.y1 - word.y0
        if height < _MARK:
            yield word._replace(y0=word.y0 + height * _CUT, y1=word.y1 - height * _CUT)


def _is_within(word: Word, width: float, height: float) -> bool:
    return 0 <= word.x0 <= word.x1 <= width and 0 <= word.y0 <= word.y1 <= height


def crossed(pdf: bytes, pages: int) -> list[tuple[Word, Rule]]:
    """Words of the first pages that a line goes through: they have left their box."""
    words = [word for word in _texts(pdf) if word.page < pages]
    return [pair for page in range(pages) for pair in _crossed(words, rules_of(pdf, page))]


def _crossed(words: list[Word], rules: set[Rule]) -> Iterator[tuple[Word, Rule]]:
    for rule in rules:
        left, upper, right, lower, page = rule
        left, right = left + _TOUCHING, right - _TOUCHING
        for word in words:
            if word.y1 >= upper and word.y0 <= lower and word.x1 >= left and word.x0 <= right:
                yield from [(word, rule)] if word.page == page else ()
