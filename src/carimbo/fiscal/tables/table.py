"""Official tables: mappings from code to row, read at first use from our file or the operator's newer one."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from carimbo.fiscal.tables.table_file import (
    TableFile,
    TableUnusable,
    cell_of,
    cells_of,
    open_table_file,
    optional_cells_of,
    table_text,
    unusable,
)

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")
Value = TypeVar("Value")

_BUILT_IN = Path(__file__).parent
_SHARED = "shared"


@dataclass(frozen=True, slots=True)
class TableInfo:
    """The origin and size of a table in force."""

    name: str
    source: str
    date: date
    rows: int
    file: Path | None
    """The operator's file; None if ours is in force."""
    older_file: Path | None
    """An operator's file that was ignored because ours is newer."""


class _ProcessState:
    """State of the whole process: the operator's folder, and all tables."""

    folder: Path | None = None
    tables: ClassVar[list["Table[Any, Any]"]] = []
    revision = 0
    """Changes with the tables in force; derived values of older revisions are computed again."""


def use_tables_of(folder: Path | None) -> None:
    """Sets the operator's folder for the whole process, and forgets tables that it changes.

    It is process-wide because validators of request bodies look up codes and take no arguments. Call it once,
    before work begins.
    """
    _require_folder(folder)
    _ProcessState.folder = folder
    for table in _ProcessState.tables:
        table.forget()


@dataclass(frozen=True, slots=True)
class FreshTable:
    """A table that was read again, and is not in force yet."""

    table: "Table[Any, Any]"
    content: tuple[dict[Any, Any], TableInfo]
    is_changed: bool
    """Whether it differs from the table in force; False if that was never read."""


def read_again(tables: Iterable["Table[Any, Any]"]) -> tuple[FreshTable, ...]:
    """Reads tables without putting them in force; raises TableUnusable if one can't be used."""
    _require_folder(_ProcessState.folder)
    return tuple(table.read_again() for table in tables)


def put_in_force(tables: Iterable[FreshTable]) -> None:
    """Replaces the tables in force; a document that is being made may see old and new ones."""
    for fresh in tables:
        fresh.table.replace_content(fresh.content)
    _ProcessState.revision += 1


def _require_folder(folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise TableUnusable(f"A pasta de tabelas {folder} não existe.")


class Table(Mapping[Key, Row]):
    """A table by its key, usually the code; the columns of its file are the fields of its rows.

    Long texts that resemble each other may be front coded: then the column `shared` has the number of leading
    characters that a text shares with the one above. An empty cell, or no such column, means none.
    """

    def __init__(
        self,
        name: str,
        row: type[Row],
        key: Callable[[Row], Key],
        *,
        front_coded: str | None = None,
        required: Collection[Key] = (),
    ) -> None:
        """`required` are keys that code refers to: every file must have them."""
        _ProcessState.tables.append(self)
        self.name = name
        self.row = row
        self._key = key
        self._front_coded = front_coded
        self._required = required

    @cached_property
    def rows(self) -> dict[Key, Row]:
        """The plain dictionary, in the order of the file: for loops in which attribute access counts."""
        return self._content[0]

    @property
    def about(self) -> TableInfo:
        """Source, date and size of the table in force."""
        return self._content[1]

    def load(self) -> None:
        """Reads the table now; raises TableUnusable."""
        len(self.rows)

    def forget(self) -> None:
        """Forgets the content, so that the next use reads it again; our own file stays in force."""
        content = vars(self).get("_content")
        if content is None:
            return
        has_only_our_file = content[1].file is None and content[1].older_file is None
        if has_only_our_file and self._operators_file() is None:
            return
        for name in ("rows", "_content"):
            vars(self).pop(name, None)
        _ProcessState.revision += 1

    def read_again(self) -> FreshTable:
        """Reads the table without putting it in force; raises TableUnusable."""
        content = self._read_content()
        return FreshTable(self, content, vars(self).get("_content", content) != content)

    def replace_content(self, content: tuple[dict[Key, Row], TableInfo]) -> None:
        """Puts other rows in force."""
        vars(self).update(rows=content[0], _content=content)

    def rows_in(self, file: Path) -> dict[Key, Row]:
        """Reads a file that is not in force; raises TableUnusable."""
        return self._read(open_table_file(file))

    def text_of(self, source: str, day: date, rows: Iterable[Row]) -> str:
        """Returns the text of a file with these rows, without front coding."""
        own = tuple(cells_of(self.row))
        return table_text(
            source, day, own, ([cell_of(getattr(row, column)) for column in own] for row in rows)
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a file of this table may have."""
        own = tuple(cells_of(self.row))
        return (*own, _SHARED) if self._front_coded else own

    def __getitem__(self, key: Key) -> Row:
        return self.rows[key]

    def __contains__(self, key: object) -> bool:
        return key in self.rows

    def __iter__(self) -> Iterator[Key]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _content(self) -> tuple[dict[Key, Row], TableInfo]:
        return self._read_content()

    def _read_content(self) -> tuple[dict[Key, Row], TableInfo]:
        file = open_table_file(_BUILT_IN / f"{self.name}.csv")
        used, ignored = None, self._operators_file()
        if ignored is not None:
            theirs = open_table_file(ignored)
            if theirs.date >= file.date:
                file, used, ignored = theirs, ignored, None
        rows = self._read(file)
        return rows, TableInfo(self.name, file.source, file.date, len(rows), used, ignored)

    def _operators_file(self) -> Path | None:
        path = _ProcessState.folder and _ProcessState.folder / f"{self.name}.csv"
        return path if path is not None and path.exists() else None

    def _read(self, file: TableFile) -> dict[Key, Row]:
        rows: dict[Key, Row] = {}
        for line, row in self._rows_of(file):
            key = self._key(row)
            if key in rows:
                raise unusable(file.path, line, f"o código {_key_text(key)} está repetido")
            rows[key] = row
        if not rows:
            raise unusable(file.path, file.comments + 1, "a tabela não tem linhas")
        missing = [_key_text(key) for key in self._required if key not in rows]
        if missing:
            raise unusable(file.path, file.comments + 1, f"faltam as linhas {', '.join(sorted(missing))}")
        return rows

    def _rows_of(self, file: TableFile) -> Iterator[tuple[int, Row]]:
        cells = cells_of(self.row)
        above = ""
        optional = optional_cells_of(self.row).union([_SHARED] if self._front_coded else [])
        for line, record in file.records(self.columns, optional):
            if self._front_coded:
                above = record[self._front_coded] = _restored(file, line, above, record, self._front_coded)
            values = {}
            for column, read in cells.items():
                try:
                    values[column] = read(record[column])
                except ValueError:
                    reason = f"“{record[column]}” não serve na coluna {column}"
                    raise unusable(file.path, line, reason) from None
            try:
                row = self.row(**values)
            except ValueError as error:
                raise unusable(file.path, line, str(error)) from None
            yield line, row


def _restored(file: TableFile, line: int, above: str, record: Mapping[str, str], column: str) -> str:
    shared = record[_SHARED] or "0"
    if not shared.isdecimal() or int(shared) > len(above):
        raise unusable(file.path, line, f"“{shared}” não serve na coluna {_SHARED}")
    return above[: int(shared)] + record[column]


def _key_text(key: object) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


class Derived(Generic[Value]):
    """A value computed from tables at first use, such as a dictionary by name."""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute = compute
        self._cached: tuple[int, Value] | None = None

    @property
    def value(self) -> Value:
        """The value for the tables in force."""
        cached = self._cached
        if cached is None or cached[0] != _ProcessState.revision:
            # The revision is read first: tables may be replaced while this thread computes the value.
            revision = _ProcessState.revision
            cached = self._cached = revision, self._compute()
        return cached[1]

    @property
    def is_computed(self) -> bool:
        """Whether the value is computed already."""
        return self._cached is not None and self._cached[0] == _ProcessState.revision
