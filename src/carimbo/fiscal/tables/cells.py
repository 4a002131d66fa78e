"""How the cells of a table become the values of a row, by the types of its dataclass, and the way back."""

import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from datetime import date
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

Cell = Callable[[str], Any]

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_TRUTH = {"yes": True, "no": False}


def cells_of(row: type) -> dict[str, Cell]:
    """What reads each column of a row; a value that is none of its type raises ValueError."""
    hints = get_type_hints(row, include_extras=True)
    return {field.name: _cell(hints[field.name]) for field in fields(row)}


def optional_cells_of(row: type) -> frozenset[str]:
    """The columns that a file may leave out: those of fields with a default."""
    return frozenset(field.name for field in fields(row) if field.default is not MISSING)


def cell_of(value: Any) -> str:
    """The cell that is read as this value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _cell(hint: Any) -> Cell:
    """A reader by type: `Annotated[str, pattern]` asks for a form, `X | None` lets a cell be empty."""
    if get_origin(hint) is Annotated:
        return _shaped(re.compile(get_args(hint)[1]))
    if get_origin(hint) in (Union, UnionType):
        given = _cell(get_args(hint)[0])
        return lambda text: given(text) if text else None
    if hint == tuple[str, ...]:
        return lambda text: tuple(text.split())
    return _READERS.get(hint, hint)  # type: ignore[no-any-return]


def _shaped(pattern: re.Pattern[str]) -> Cell:
    def read(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(text)
        return text

    return read


def _truth(text: str) -> bool:
    if text not in _TRUTH:
        raise ValueError(text)
    return _TRUTH[text]


def _number(text: str) -> Decimal:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return Decimal(text)


_READERS: dict[Any, Cell] = {
    str: _shaped(re.compile(r"(?s).+")),
    bool: _truth,
    Decimal: _number,
    date: date.fromisoformat,
}
