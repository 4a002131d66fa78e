"""Searches official tables by the prefix of a code or by words of its description.

An index by words makes a search independent of the number of texts.
"""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
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
_AFTER_DIGITS = chr(ord("9") + 1)


def folded(text: str) -> str:
    """Returns a text in lower case and without accents."""
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def words_of(text: str) -> list[str]:
    """Returns the words of a text, folded, each once; `credit_card` is the same word as `creditCard`."""
    return list(dict.fromkeys(_WORD.findall(folded(text).replace("_", ""))))


Places = Mapping[str, "array[int]"]
"""Texts by word, as positions in the list of texts; arrays take the least memory."""


@dataclass(frozen=True, slots=True)
class WordIndex:
    """An index of texts by their words."""

    containing: Places
    """The texts that have each word."""
    beginning: Places
    """The texts that begin with each word."""
    vocabulary: str
    """All words, one in each line: one string is searched faster than ten thousand."""

    def ranked(self, words: Iterable[str]) -> list[int]:
        """Returns the texts that have all these words, best first.

        Whole words rank before prefixes, and those before other parts of a word; then texts that begin with
        one of the words rank first; then their order counts.
        """
        # The longest word is in the fewest texts.
        matches = {word: self._matches(word) for word in sorted(words, key=len, reverse=True)}
        texts = (_texts(self.containing, similar) for similar in matches.values())
        matching = reduce(set.intersection, texts, set(next(texts, ())))
        levels, opening = [matching], set[int]()
        for word, similar in matches.items():
            if len(word) < _MIN_PART_LENGTH:
                continue
            prefixed = [match for match in similar if match.startswith(word)]
            for better in (self._whole(word), prefixed):
                levels = _split_levels(levels, matching.intersection(_texts(self.containing, better)))
            opening.update(_texts(self.beginning, prefixed))
        parts = (part for level in levels for part in (level & opening, level - opening))
        return [place for part in parts for place in sorted(part)]

    def _matches(self, word: str) -> list[str]:
        """Returns the words of the texts that match a word of a search."""
        return list(self._with_part(word)) if len(word) >= _MIN_PART_LENGTH else self._whole(word)

    def _whole(self, word: str) -> list[str]:
        """Returns a word and its plurals: people search in the singular, descriptions often have plurals."""
        return [form for form in (word + ending for ending in _PLURALS) if form in self.containing]

    def _with_part(self, part: str) -> Iterator[str]:
        at = self.vocabulary.find(part)
        while at >= 0:
            end = self.vocabulary.index("\n", at)
            yield self.vocabulary[self.vocabulary.rfind("\n", 0, at) + 1 : end]
            at = self.vocabulary.find(part, end)


def _texts(places: Places, words: Iterable[str]) -> Iterator[int]:
    return chain.from_iterable(places.get(word, ()) for word in words)


def _split_levels(levels: Sequence[set[int]], better: set[int]) -> list[set[int]]:
    """Moves the texts that are not among the better ones one level down."""
    staying = [*(level & better for level in levels), set[int]()]
    sinking = [set[int](), *(level - better for level in levels)]
    return [stays | sinks for stays, sinks in zip(staying, sinking, strict=True)]


def build_word_index(texts: Iterable[str]) -> WordIndex:
    """Builds the index of texts; the place of a text is its position."""
    containing: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    beginning: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for place, text in enumerate(texts):
        words = words_of(text)
        for word in words:
            containing[word].append(place)
        for word in words[:1]:
            beginning[word].append(place)
    return WordIndex(dict(containing), dict(beginning), "".join(f"{word}\n" for word in containing))


RowT = TypeVar("RowT")
EntryT = TypeVar("EntryT", bound="TableEntry")


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
