"""Searches official tables by the beginning of a code or by words of its description."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import Field

from carimbo.fiscal.fields import Record
from carimbo.fiscal.tables.table import Derived, Table
from carimbo.service.code_search_index import WordIndex, folded, index_of, words_of
from carimbo.service.pages import Page, PageRequest

Row = TypeVar("Row")
Told = TypeVar("Told", bound="TableEntry")

_AFTER_DIGITS = chr(ord("9") + 1)


class TableEntry(Record):
    """A code with its description."""

    code: str = Field(description="Código, só com dígitos.", examples=["5102"])
    description: str = Field(description="O que o código significa.")


@dataclass(frozen=True, slots=True)
class _Index:
    codes: Sequence[str]
    shortest_first: Sequence[str]
    """The same codes by the length of their texts: the more words a text has, the less it is about each."""
    words: WordIndex

    def search(self, search: str) -> Sequence[str]:
        """Without a letter it is how a code begins, with its marks or without them."""
        plain = folded(search)
        if any(map(str.isalpha, plain)):
            return [self.shortest_first[place] for place in self.words.ranked(words_of(plain))]
        return self._begun("".join(filter(str.isdecimal, plain)))

    def _begun(self, digits: str) -> Sequence[str]:
        return self.codes[bisect_left(self.codes, digits) : bisect_left(self.codes, digits + _AFTER_DIGITS)]


class Lookup(Generic[Row, Told]):
    """A table that callers may search."""

    def __init__(
        self,
        path: str,
        title: str,
        example: str,
        table: Table[str, Row],
        record: type[Told],
        tell: Callable[[Row], Told],
        text: Callable[[Row], str],
    ) -> None:
        self.path = path
        """The last part of its path, such as `payment-methods`."""
        self.title = title
        """The table's name in Portuguese, to follow the word "tabela"."""
        self.example = example
        """A search that finds something."""
        self.record = record
        self._table = table
        self._tell = tell
        self._text = text
        self._index = Derived(self._make_index)

    @property
    def is_ready(self) -> bool:
        """Whether the index is made, which takes longer than a thousand searches."""
        return self._index.is_made

    def search(self, search: str, request: PageRequest) -> Page[Told]:
        """Codes that begin so, in their order, or whose text has every word, the likeliest first."""
        found = self._index.value.search(search)
        shown = found[request.offset : request.offset + request.page_size]
        return Page([self._tell(self._table.rows[code]) for code in shown], len(found), request)

    def _make_index(self) -> _Index:
        texts = {code: self._text(row) for code, row in sorted(self._table.rows.items())}
        shortest_first = sorted(texts, key=lambda code: len(texts[code]))
        return _Index(tuple(texts), tuple(shortest_first), index_of([texts[code] for code in shortest_first]))
