"""Looking up official codes of goods and operations, by how they begin or by what they stand for."""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from carimbo.fiscal.fields import Record
from carimbo.fiscal.tables.cest import CESTS
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.ncm import NCMS
from carimbo.fiscal.tables.table import Derived, Table
from carimbo.service.pages import Page, PageRequest


class CodeRecord(Record):
    """A code with what it stands for."""

    code: str = Field(examples=["69120000"])
    description: str


@dataclass(frozen=True, slots=True)
class _Entry:
    code: str
    description: str
    words: str


def _entries(table: Table[str, Any], described: Callable[[Any], str]) -> Derived[tuple[_Entry, ...]]:
    def read() -> tuple[_Entry, ...]:
        rows = sorted(table.items())
        return tuple(_Entry(code, described(row), _folded(described(row))) for code, row in rows)

    return Derived(read)


_TABLES: Mapping[str, Derived[tuple[_Entry, ...]]] = {
    "ncm": _entries(NCMS, lambda row: str(row.description)),
    "cfop": _entries(CFOPS, lambda row: str(row.name)),
    "cest": _entries(CESTS, lambda row: str(row.description)),
}
CODE_TABLES = tuple(_TABLES)


def search_codes(table: str, search: str, request: PageRequest) -> Page[CodeRecord]:
    """Codes that begin so, or whose description has every word, whatever its case and accents."""
    digits, words = "".join(filter(str.isdigit, search)), _folded(search).split()
    by_code = bool(digits) and not any(map(str.isalpha, search))
    found = [
        entry
        for entry in _TABLES[table].value
        if (entry.code.startswith(digits) if by_code else all(word in entry.words for word in words))
    ]
    shown = found[request.offset : request.offset + request.page_size]
    records = [CodeRecord(code=entry.code, description=entry.description) for entry in shown]
    return Page(records, len(found), request)


def _folded(text: str) -> str:
    """Text without case and accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
