"""Searches official tables by the prefix of a code or by words of its description.

An index by words makes a search independent of the number of texts.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain
from typing import Generic, TypeVar

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.tables.table import Derived, Table
from carimbo.service.listing import Page, PageRequest

_ACCENTS = re.compile(r"[\u0300-\u036f]")
_WORD = re.compile(r"\w+")
_PLURALS = ("", "s", "es")
_MIN_PART_LENGTH = 3
"""Shorter texts are part of nearly every word, so they match only whole words."""
_BETWEEN, _AFTER_ALL = "\n", chr(0x10FFFF)
_PLACE, _START = "H", "I"
"""Two bytes for the place of a text: the largest table has eleven thousand texts."""


def folded(text: str) -> str:
    """Returns a text in lower case and without accents."""
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def words_of(text: str) -> list[str]:
    """Returns the words of a text, folded, each once; `credit_card` is the same word as `creditCard`."""
    return list(dict.fromkeys(_WORD.findall(folded(text).replace("_", ""))))


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The sorted words of an index; a word is identified by its number.

    All words are one string, which takes less memory than ten thousand strings and is searched faster.
    """

    joined: str
    starts: "array[int]"
    """Where each word begins; the last entry is the end of the last word."""

    def word(self, number: int) -> str:
        return self.joined[self.starts[number] : self.starts[number + 1] - len(_BETWEEN)]

    def equal(self, word: str) -> list[int]:
        """Returns a word and its plurals: people search in the singular, descriptions often have plurals."""
        forms = [word + ending for ending in _PLURALS]
        numbers = map(self._first_from, forms)
        count = len(self.starts) - 1
        return [
            number
            for number, form in zip(numbers, forms, strict=True)
            if number < count and self.word(number) == form
        ]

    def with_prefix(self, prefix: str) -> range:
        """Returns the words with a prefix."""
        return range(self._first_from(prefix), self._first_from(prefix + _AFTER_ALL))

    def containing(self, part: str) -> Iterator[int]:
        """Yields the words that contain a text."""
        at = self.joined.find(part)
        while at >= 0:
            number = bisect_right(self.starts, at) - 1
            yield number
            at = self.joined.find(part, self.starts[number + 1])

    def _first_from(self, word: str) -> int:
        return bisect_left(range(len(self.starts) - 1), word, key=self.word)


@dataclass(frozen=True, slots=True)
class _Postings:
    """The texts that contain each word, as places in the list of texts.

    Flat arrays, because objects for a quarter of a million pairs would take more memory than the texts.
    """

    starts: "array[int]"
    """Where the places of each word begin; they end where those of the next word begin."""
    places: "array[int]"

    def of(self, words: range) -> "array[int]":
        return self.places[self.starts[words.start] : self.starts[words.stop]]

    def of_all(self, words: Iterable[int]) -> Iterator[int]:
        return chain.from_iterable(self.of(range(word, word + 1)) for word in words)


@dataclass(frozen=True, slots=True)
class WordIndex:
    """An index of texts by their words."""

    vocabulary: _Vocabulary
    postings: _Postings
    openings: _Postings
    """The texts that begin with each word."""

    def ranked(self, words: Iterable[str]) -> list[int]:
        """Returns the texts that have all these words, best first.

        Whole words rank before prefixes, and those before other parts of a word; then texts that begin with
        one of the words rank first; then their order counts.
        """
        longest_first = sorted(words, key=len, reverse=True)
        matching = self._texts_with_all(longest_first)
        levels, opening = [matching], set[int]()
        for word in longest_first:
            whole_word = self.postings.of_all(self.vocabulary.equal(word))
            levels = _split_levels(levels, matching.intersection(whole_word))
            if len(word) >= _MIN_PART_LENGTH:
                with_prefix = self.vocabulary.with_prefix(word)
                levels = _split_levels(levels, matching.intersection(self.postings.of(with_prefix)))
                opening.update(matching.intersection(self.openings.of(with_prefix)))
        parts = (part for level in levels for part in (level & opening, level - opening))
        return [place for part in parts for place in sorted(part)]

    def _texts_with_all(self, words: Sequence[str]) -> set[int]:
        """Returns the texts with all words. Starts with the longest word, which is in the fewest texts."""
        texts = map(self._texts_with, words)
        first = set(next(texts, ()))
        return reduce(set.intersection, texts, first)

    def _texts_with(self, word: str) -> Iterator[int]:
        may_be_part = len(word) >= _MIN_PART_LENGTH
        words = self.vocabulary.containing(word) if may_be_part else self.vocabulary.equal(word)
        return self.postings.of_all(words)


def _split_levels(levels: Sequence[set[int]], better: set[int]) -> list[set[int]]:
    """Moves the texts that are not among the better ones one level down."""
    staying = [*(level & better for level in levels), set[int]()]
    sinking = [set[int](), *(level - better for level in levels)]
    return [stays | sinks for stays, sinks in zip(staying, sinking, strict=True)]


def build_word_index(texts: Iterable[str]) -> WordIndex:
    """Builds the index of texts; the place of a text is its position."""
    postings: defaultdict[str, array[int]] = defaultdict(lambda: array(_PLACE))
    openings: defaultdict[str, array[int]] = defaultdict(lambda: array(_PLACE))
    for place, text in enumerate(texts):
        words = words_of(text)
        for word in words:
            postings[word].append(place)
        for word in words[:1]:
            openings[word].append(place)
    ordered = sorted(postings)
    lengths = (len(word) + len(_BETWEEN) for word in ordered)
    vocabulary = _Vocabulary(_BETWEEN.join(ordered), array(_START, accumulate(lengths, initial=0)))
    return WordIndex(vocabulary, _flat(ordered, postings), _flat(ordered, openings))


def _flat(words: Sequence[str], postings: Mapping[str, "array[int]"]) -> _Postings:
    own = [postings.get(word, array(_PLACE)) for word in words]
    starts = accumulate(map(len, own), initial=0)
    return _Postings(array(_START, starts), array(_PLACE, chain.from_iterable(own)))


RowT = TypeVar("RowT")
EntryT = TypeVar("EntryT", bound="TableEntry")

_AFTER_DIGITS = chr(ord("9") + 1)


class TableEntry(Record):
    """A code with its description."""

    code: str = Field(description="Código, só com dígitos.", examples=["5102"])
    description: str = Field(description="O que o código significa.")


@dataclass(frozen=True, slots=True)
class _Index:
    codes: Sequence[str]
    shortest_first: Sequence[str]
    """The codes sorted by the length of their texts: a short text fits a search word better."""
    words: WordIndex

    def search(self, search: str) -> Sequence[str]:
        """Returns the codes of a search. A search without letters is a code prefix, with or without dots."""
        plain = folded(search)
        if any(map(str.isalpha, plain)):
            return [self.shortest_first[place] for place in self.words.ranked(words_of(plain))]
        digits = "".join(filter(str.isdecimal, plain))
        return self.codes[bisect_left(self.codes, digits) : bisect_left(self.codes, digits + _AFTER_DIGITS)]


class Lookup(Generic[RowT, EntryT]):
    """A table that callers can search."""

    def __init__(
        self,
        path: str,
        title: str,
        example: str,
        table: Table[str, RowT],
        record: type[EntryT],
        to_record: Callable[[RowT], EntryT],
        text: Callable[[RowT], str],
    ) -> None:
        self.path = path
        """The last part of its path, such as `payment-methods`."""
        self.title = title
        """The table's name in Portuguese, to follow the word "tabela"."""
        self.example = example
        """A search that finds something."""
        self.record = record
        self._table = table
        self._to_record = to_record
        self._text = text
        self._index = Derived(self._make_index)

    @property
    def is_ready(self) -> bool:
        """Whether the index is built, which takes longer than a thousand searches."""
        return self._index.is_computed

    def search(self, search: str, request: PageRequest) -> Page[EntryT]:
        """Returns the codes with a prefix, in order, or those whose text has all words, best match first."""
        codes = self._index.value.search(search)
        page = codes[request.offset : request.offset + request.page_size]
        return Page([self._to_record(self._table.rows[code]) for code in page], len(codes), request)

    def _make_index(self) -> _Index:
        texts = {code: self._text(row) for code, row in sorted(self._table.rows.items())}
        shortest_first = sorted(texts, key=lambda code: len(texts[code]))
        return _Index(
            tuple(texts), tuple(shortest_first), build_word_index([texts[code] for code in shortest_first])
        )
