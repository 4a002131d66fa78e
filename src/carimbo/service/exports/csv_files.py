"""Lists as CSV files: columns, and the lines of a file while the list is read page by page."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from carimbo.service.exports.csv_lines import BYTE_ORDER_MARK, Cell, csv_lines
from carimbo.service.stored_records import READING_ERRORS
from carimbo.storage.database import Database, Tenant
from carimbo.storage.keyset import KeysetPage, Position

T = TypeVar("T")
R = TypeVar("R")
_PAGE_SIZE = 250
"""How many rows become lines at once: this takes some milliseconds, in which nothing else runs."""


@dataclass(frozen=True)
class CsvColumn(Generic[T]):
    """A column of a CSV file."""

    heading: str
    """In Portuguese."""
    cell: Callable[[T], Cell]


@dataclass(frozen=True)
class CsvFile:
    """A CSV file that is made while it is sent."""

    name: str
    chunks: AsyncGenerator[bytes, None]


PageReader = Callable[[Tenant, Position | None, int], Awaitable[KeysetPage[T]]]
"""Returns the rows after a place in a list, at most so many."""


async def all_pages(
    database: Database, subscription_id: UUID, read: PageReader[R], record: Callable[[R], T]
) -> AsyncIterator[list[T]]:
    """Yields the pages of a list. No connection is held between them: the receiver may be slow."""
    place: Position | None = None
    while True:
        async with database.autocommit(subscription_id) as tenant:
            page = await read(tenant, place, _PAGE_SIZE)
        yield [record(row) for row in page.rows]
        if page.next is None:
            return
        place = page.next


async def csv_chunks(
    columns: Sequence[CsvColumn[T]], pages: AsyncIterator[Iterable[T]], state: str | None
) -> AsyncGenerator[bytes, None]:
    """Yields the parts of a CSV file; moments are in the time zone of a state."""
    yield BYTE_ORDER_MARK + csv_lines([[column.heading for column in columns]], state)
    async for page in pages:
        yield csv_lines(([_cell(column, row) for column in columns] for row in page), state)


def _cell(column: CsvColumn[T], row: T) -> Cell:
    """Returns a cell of a row; an empty one if the stored value can't be read."""
    try:
        return column.cell(row)
    except READING_ERRORS:
        return None
