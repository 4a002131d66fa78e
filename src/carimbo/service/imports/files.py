"""A file to import, as a whole: its table, the positions of its columns, and its entries."""

from collections.abc import Iterator
from dataclasses import dataclass

from carimbo.service.imports.columns import COLUMNS, ImportColumns
from carimbo.service.imports.entries import ImportEntry, entries_of, sale_entries
from carimbo.service.imports.reading import CsvTable, read_table
from carimbo.service.imports.titles import ColumnPositions, find_columns
from carimbo.storage.imports import ImportKind


@dataclass(frozen=True)
class ImportFile:
    """A file whose titles are those of its kind."""

    columns: ImportColumns
    table: CsvTable
    positions: ColumnPositions

    def entries(self, after: int = 0) -> Iterator[ImportEntry]:
        """Yields the entries after a number of records."""
        are_sales = self.columns.kind is ImportKind.SALES
        return (sale_entries if are_sales else entries_of)(self.table.records[after:], self.positions)


def open_file(kind: ImportKind, content: bytes) -> ImportFile:
    """Reads a file. Raises UnreadableFile. It takes some tens of milliseconds, so call it in a thread."""
    columns, table = COLUMNS[kind], read_table(content)
    return ImportFile(columns, table, find_columns(columns, table.titles))
