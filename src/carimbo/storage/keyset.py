"""Reads long lists page by page: each page begins after the last row of the page before.

So no row is read twice or left out when rows are added meanwhile, and no page reads the rows before it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Position = tuple[Any, Any]
"""The place of a row in a list: the value that orders the list, and the id of the row."""


@dataclass(frozen=True)
class KeysetPage(Generic[T]):
    """A page of a list."""

    rows: list[T]
    next: Position | None
    """The place after which the next page begins; None if this is the last page."""


def keyset_page(rows: list[T], size: int, position: Callable[[T], Position]) -> KeysetPage[T]:
    """Returns a page of rows that were read with a limit."""
    return KeysetPage(rows, position(rows[-1]) if len(rows) == size else None)


def older_than(after: Position | None, columns: str, values: list[Any]) -> str:
    """Returns the SQL condition of the rows after a place in a list, newest first; adds to `values`."""
    return _beyond(after, columns, "<", values)


def newer_than(after: Position | None, columns: str, values: list[Any]) -> str:
    """Returns the SQL condition of the rows after a place in a list, oldest first; adds to `values`."""
    return _beyond(after, columns, ">", values)


def _beyond(after: Position | None, columns: str, comparison: str, values: list[Any]) -> str:
    if after is None:
        return ""
    values += after
    return f" and ({columns}) {comparison} (${len(values) - 1}, ${len(values)})"
