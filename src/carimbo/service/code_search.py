"""Looking up official codes of goods and operations, by how they begin or by what they stand for."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, TypeVar

from pydantic import Field

from carimbo.fiscal.fields import Record
from carimbo.fiscal.tables.cest import CESTS, Cest
from carimbo.fiscal.tables.cfop import CFOPS, Cfop
from carimbo.fiscal.tables.ncm import NCMS, Ncm
from carimbo.fiscal.tables.table import Derived, Table
from carimbo.service.code_search_index import WordIndex, folded, index_of, words_of
from carimbo.service.pages import Page, PageRequest

Row = TypeVar("Row")
Told = TypeVar("Told", bound="CodeRecord")

_AFTER_DIGITS = chr(ord("9") + 1)


class CodeRecord(Record):
    """A code with what it stands for."""

    code: str = Field(description="Código, só com dígitos.", examples=["5102"])
    description: str = Field(description="O que o código significa.")
    valid_from: date | None = Field(description="Primeiro dia de vigência; nulo se a tabela não o informa.")
    valid_until: date | None = Field(description="Último dia de vigência; nulo se não há fim previsto.")


class NcmRecord(CodeRecord):
    """A code of goods."""

    code: str = Field(description="Código de oito dígitos.", examples=["69120000"])
    description: str = Field(description="Descrição com as da posição e das subposições acima.")
    unit: str | None = Field(description="Unidade estatística.", examples=["KG"])


class CestRecord(CodeRecord):
    """A code of goods under tax substitution."""

    code: str = Field(description="Código de sete dígitos.", examples=["0100300"])
    ncms: list[str] = Field(
        description="Inícios dos códigos NCM que ele abrange; vazio se abrange qualquer um.",
        examples=[["38151210", "3815129"]],
    )


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
        table: Table[str, Row],
        record: type[Told],
        tell: Callable[[Row], Told],
        text: Callable[[Row], str],
    ) -> None:
        self.name = table.name
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


def _tell_ncm(row: Ncm) -> NcmRecord:
    return NcmRecord(
        code=row.code,
        description=row.description,
        valid_from=row.since,
        valid_until=row.until,
        unit=row.unit,
    )


def _tell_cfop(row: Cfop) -> CodeRecord:
    return CodeRecord(code=row.code, description=row.name, valid_from=row.since, valid_until=row.until)


def _tell_cest(row: Cest) -> CestRecord:
    return CestRecord(
        code=row.code,
        description=row.description,
        valid_from=row.since,
        valid_until=row.until,
        ncms=list(row.ncm_prefixes),
    )


NCM_LOOKUP = Lookup(NCMS, NcmRecord, _tell_ncm, lambda row: row.description)
CFOP_LOOKUP = Lookup(CFOPS, CodeRecord, _tell_cfop, lambda row: row.name)
CEST_LOOKUP = Lookup(CESTS, CestRecord, _tell_cest, lambda row: row.description)
LOOKUPS: tuple[Lookup[Any, Any], ...] = (NCM_LOOKUP, CFOP_LOOKUP, CEST_LOOKUP)
