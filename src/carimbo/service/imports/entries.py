"""Turns records of a file into JSON bodies: one for each line, or for the lines of a sale."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

from carimbo.service.imports.cells import UnreadableCell
from carimbo.service.imports.columns import PRODUCT_LINES, ImportColumn
from carimbo.service.imports.reading import CsvRecord
from carimbo.service.imports.titles import ColumnPositions
from carimbo.service.sales.body import EmitWhen

_EXTERNAL_ID = "externalId"
_OF_LINE = f"{PRODUCT_LINES}."
_EXTRA_CELLS = "A linha tem mais células do que títulos: confira as aspas e os separadores."


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A cell that makes its entry invalid."""

    record: CsvRecord
    path: str | None
    """The path of the field in the body; None for a cell without a title."""
    message: str


@dataclass(frozen=True)
class ImportEntry:
    """Records that become one customer, product or sale."""

    records: tuple[CsvRecord, ...]
    body: Mapping[str, Any]
    """As the API gets it, without blank cells. An unreadable cell is its text, which no field accepts."""
    unreadable: tuple[CellProblem, ...]
    """Cells that do not have the form of their field."""
    contradictions: tuple[CellProblem, ...]
    """Cells that do not fit their titles, or the other lines of the sale; then the body is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A cell that is not blank, with the place of its field in the body."""

    record: CsvRecord
    cell: str
    is_of_line: bool
    """Whether it is a field of a line of a sale."""
    name: str
    """The path of the field in the body, or in the line of a sale."""
    path: str
    """The path of the field in the body."""
    content: Any
    message: str | None = None
    """Why the cell can't be read."""


def entries_of(records: Iterable[CsvRecord], positions: ColumnPositions) -> Iterator[ImportEntry]:
    """Yields an entry for each record."""
    for record in records:
        values = _values(record, positions)
        yield ImportEntry((record,), _nested(values), _unreadable(values), _extra_cells([record], positions))


def sale_entries(records: Iterable[CsvRecord], positions: ColumnPositions) -> Iterator[ImportEntry]:
    """Yields an entry for each sale: neighbouring records with the same number are one sale."""
    numbers = [at for at, column in positions.columns.items() if column.path == _EXTERNAL_ID]

    def number_or_line(record: CsvRecord) -> str | int:
        number = next((record.cells[at].strip() for at in numbers if at < len(record.cells)), "")
        return number or record.line

    for _, lines in groupby(records, number_or_line):
        yield _sale_entry(tuple(lines), positions)


def _sale_entry(records: tuple[CsvRecord, ...], positions: ColumnPositions) -> ImportEntry:
    """Returns the entry of a sale; a field of the whole sale is that of the first record that has it."""
    by_record = [_values(record, positions, index) for index, record in enumerate(records)]
    lines = [[value for value in values if value.is_of_line] for values in by_record]
    own = [value for values in by_record for value in values if not value.is_of_line]
    first = {value.path: value for value in reversed(own)}
    body = {
        "emitWhen": EmitWhen.MANUAL.value,
        **_nested(first.values()),
        PRODUCT_LINES: [_nested(line) for line in lines],
    }
    contradictions = [
        CellProblem(
            value.record,
            value.path,
            f"Na linha {first[value.path].record.line}, que é da mesma venda, está outro valor.",
        )
        for value in own
        if value.cell.strip() != first[value.path].cell.strip()
    ]
    return ImportEntry(
        records,
        body,
        _unreadable([*first.values(), *chain.from_iterable(lines)]),
        (*_extra_cells(records, positions), *contradictions),
    )


def _values(record: CsvRecord, positions: ColumnPositions, index: int = 0) -> list[_Value]:
    """Returns the cells of a record that are not blank; `index` is its place among the lines of a sale."""
    return [
        _value(record, column, record.cells[at], index)
        for at, column in positions.columns.items()
        if at < len(record.cells) and record.cells[at].strip()
    ]


def _value(record: CsvRecord, column: ImportColumn, cell: str, index: int) -> _Value:
    name = column.path.removeprefix(_OF_LINE)
    is_of_line = name != column.path
    path = f"{PRODUCT_LINES}[{index}].{name}" if is_of_line else name
    try:
        content, message = column.read(cell), None
    except UnreadableCell as problem:
        content, message = cell, str(problem)
    return _Value(
        record=record,
        cell=cell,
        is_of_line=is_of_line,
        name=name,
        path=path,
        content=content,
        message=message,
    )


def _nested(values: Iterable[_Value]) -> dict[str, Any]:
    """Returns a JSON object with values at their paths."""
    body: dict[str, Any] = {}
    for value in values:
        *parents, name = value.name.split(".")
        inner = body
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = value.content
    return body


def _unreadable(values: Iterable[_Value]) -> tuple[CellProblem, ...]:
    return tuple(
        CellProblem(value.record, value.path, value.message) for value in values if value.message is not None
    )


def _extra_cells(records: Iterable[CsvRecord], positions: ColumnPositions) -> tuple[CellProblem, ...]:
    """Returns a problem for each record that has a cell without a title."""
    return tuple(
        CellProblem(record, None, _EXTRA_CELLS)
        for record in records
        if any(cell.strip() for at, cell in enumerate(record.cells) if at not in positions.titled)
    )
