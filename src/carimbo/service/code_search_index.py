"""An index of texts by their words, so that a search looks at its words and not at every text."""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain

_ACCENTS = re.compile(r"[\u0300-\u036f]")
_WORD = re.compile(r"\w+")
_PLURALS = ("", "s", "es")
_SHORTEST_PART = 3
"""Fewer letters begin or are inside nearly every word: they count only as a word of their own."""
_BETWEEN, _AFTER_ALL = "\n", chr(0x10FFFF)
_PLACE, _START = "H", "I"
"""Two bytes for a place: the largest table has eleven thousand texts."""


def folded(text: str) -> str:
    """Text without case and accents."""
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def words_of(text: str) -> list[str]:
    """Returns the words of a text, folded, each once; `credit_card` is the same word as `creditCard`."""
    return list(dict.fromkeys(_WORD.findall(folded(text).replace("_", ""))))


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """Words in order; a word is told by its number.

    They are one text, which takes less memory than ten thousand, and is searched faster.
    """

    joined: str
    starts: "array[int]"
    """Where each word begins, and behind them all where one more would."""

    def word(self, number: int) -> str:
        return self.joined[self.starts[number] : self.starts[number + 1] - len(_BETWEEN)]

    def equal(self, word: str) -> list[int]:
        """The word itself and its plurals: people search for one thing, descriptions tell of many."""
        forms = [word + ending for ending in _PLURALS]
        numbers = map(self._first_from, forms)
        return [number for number, form in zip(numbers, forms, strict=True) if self._is(number, form)]

    def begun(self, beginning: str) -> range:
        """The words that begin so."""
        return range(self._first_from(beginning), self._first_from(beginning + _AFTER_ALL))

    def having(self, part: str) -> Iterator[int]:
        """The words that have a part, at their beginning or further on."""
        at = self.joined.find(part)
        while at >= 0:
            number = bisect_right(self.starts, at) - 1
            yield number
            at = self.joined.find(part, self.starts[number + 1])

    def _first_from(self, word: str) -> int:
        return bisect_left(range(len(self.starts) - 1), word, key=self.word)

    def _is(self, number: int, word: str) -> bool:
        return number < len(self.starts) - 1 and self.word(number) == word


@dataclass(frozen=True, slots=True)
class _Holders:
    """The texts of each word, told by their places.

    Flat arrays, because objects for a quarter of a million pairs would take more memory than the texts.
    """

    starts: "array[int]"
    """Where those of each word begin; they end where those of the next one begin."""
    places: "array[int]"

    def of(self, words: range) -> "array[int]":
        return self.places[self.starts[words.start] : self.starts[words.stop]]

    def of_all(self, words: Iterable[int]) -> Iterator[int]:
        return chain.from_iterable(self.of(range(word, word + 1)) for word in words)


@dataclass(frozen=True, slots=True)
class WordIndex:
    """Which texts have which words."""

    vocabulary: _Vocabulary
    holders: _Holders
    openings: _Holders
    """Of each word, the texts that begin with it."""

    def ranked(self, words: Iterable[str]) -> list[int]:
        """The texts that have all these words.

        Whole words count more than beginnings, and those more than what is inside a word; then come texts
        that begin with a word, and then their places.
        """
        longest_first = sorted(words, key=len, reverse=True)
        found = self._having_all(longest_first)
        levels, opening = [found], set[int]()
        for word in longest_first:
            levels = _parted(levels, found.intersection(self.holders.of_all(self.vocabulary.equal(word))))
            if len(word) >= _SHORTEST_PART:
                begun = self.vocabulary.begun(word)
                levels = _parted(levels, found.intersection(self.holders.of(begun)))
                opening.update(found.intersection(self.openings.of(begun)))
        parts = (part for level in levels for part in (level & opening, level - opening))
        return [place for part in parts for place in sorted(part)]

    def _having_all(self, words: Sequence[str]) -> set[int]:
        """Later words, being shorter and in more texts, only have to be looked for in what was found."""
        having = map(self._having, words)
        found = set(next(having, ()))
        return reduce(set.intersection, having, found)

    def _having(self, word: str) -> Iterator[int]:
        is_part = len(word) >= _SHORTEST_PART
        return self.holders.of_all(self.vocabulary.having(word) if is_part else self.vocabulary.equal(word))


def _parted(levels: Sequence[set[int]], better: set[int]) -> list[set[int]]:
    """Put what is not among the better ones one level down."""
    kept = [*(level & better for level in levels), set[int]()]
    sunk = [set[int](), *(level - better for level in levels)]
    return [stays | comes for stays, comes in zip(kept, sunk, strict=True)]


def index_of(texts: Iterable[str]) -> WordIndex:
    """Make the index; the place of a text is how many come before it."""
    holders: defaultdict[str, array[int]] = defaultdict(lambda: array(_PLACE))
    openings: defaultdict[str, array[int]] = defaultdict(lambda: array(_PLACE))
    for place, text in enumerate(texts):
        words = words_of(text)
        for word in words:
            holders[word].append(place)
        for word in words[:1]:
            openings[word].append(place)
    ordered = sorted(holders)
    return WordIndex(_vocabulary(ordered), _flat(ordered, holders), _flat(ordered, openings))


def _vocabulary(words: Sequence[str]) -> _Vocabulary:
    lengths = (len(word) + len(_BETWEEN) for word in words)
    return _Vocabulary(_BETWEEN.join(words), array(_START, accumulate(lengths, initial=0)))


def _flat(words: Sequence[str], holders: Mapping[str, "array[int]"]) -> _Holders:
    own = [holders.get(word, array(_PLACE)) for word in words]
    starts = accumulate(map(len, own), initial=0)
    return _Holders(array(_START, starts), array(_PLACE, chain.from_iterable(own)))
