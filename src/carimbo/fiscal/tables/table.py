"""Official tables: mappings from code to row, read at first use from our file or the operator's newer one."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from carimbo.fiscal.tables.cells import cell_of, cells_of, optional_cells_of
from carimbo.fiscal.tables.table_file import TableFile, TableUnusable, open_table_file, unusable, written

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")
Value = TypeVar("Value")

_BUILT_IN = Path(__file__).parent
_SHARED = "shared"


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a table in force."""

    name: str
    source: str
    date: date
    rows: int
    file: Path | None
    """The operator's file; None when ours is in force."""
    older_file: Path | None
    """An operator's file that was passed over, because ours is newer."""


class _Process:
    """The operator's folder, and the tables that were read from it."""

    folder: Path | None = None
    tables: ClassVar[list["Table[Any, Any]"]] = []
    revision = 0
    """Changes with the tables in force: values that were made of other tables are made again."""


def use_tables_of(folder: Path | None) -> None:
    """Choose the operator's folder for the whole process, and forget tables that it changes.

    Process-wide, because validators of request bodies look codes up and take no arguments; to be called once,
    before work begins.
    """
    _require_folder(folder)
    _Process.folder = folder
    for table in _Process.tables:
        table.forget()


@dataclass(frozen=True, slots=True)
class FreshTable:
    """A table that was read again and is not in force yet."""

    table: "Table[Any, Any]"
    content: tuple[dict[Any, Any], About]
    is_changed: bool
    """Whether it differs from what is in force; False if that was never read."""


def read_again(tables: Iterable["Table[Any, Any]"]) -> tuple[FreshTable, ...]:
    """Reads tables without putting them in force; raises TableUnusable if any can't be used."""
    _require_folder(_Process.folder)
    return tuple(table.read_again() for table in tables)


def put_in_force(tables: Iterable[FreshTable]) -> None:
    """Replaces the tables in force at once; a document that is being made may see both."""
    for fresh in tables:
        fresh.table.replace_content(fresh.content)
    _Process.revision += 1


def _require_folder(folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise TableUnusable(f"A pasta de tabelas {folder} não existe.")


class Table(Mapping[Key, Row]):
    """A table by its key, usually the code; the columns of its file are the fields of its rows.

    Long texts that resemble each other may be front coded: then the column `shared` tells how many characters
    a text takes over from the beginning of the one above; an empty cell, or no such column, means none.
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
        """`required` are the keys that every file must have, because code asks for them."""
        _Process.tables.append(self)
        self.name = name
        self.row = row
        self._key = key
        self._front_coded = front_coded
        self._required = required

    @cached_property
    def rows(self) -> dict[Key, Row]:
        """The plain dictionary, in the order of the file, for loops that count every attribute access."""
        return self._content[0]

    @property
    def about(self) -> About:
        """Source, date and size of the table in force."""
        return self._content[1]

    def load(self) -> None:
        """Read the table now, or raise TableUnusable."""
        len(self.rows)

    def forget(self) -> None:
        """Forgets what was read, so that the next use reads it again; our own file is kept in force."""
        content = vars(self).get("_content")
        if content is None:
            return
        was_ours_alone = content[1].file is None and content[1].older_file is None
        if was_ours_alone and self._operators_file() is None:
            return
        for name in ("rows", "_content"):
            vars(self).pop(name, None)
        _Process.revision += 1

    def read_again(self) -> FreshTable:
        """Reads the table without putting it in force, or raises TableUnusable."""
        content = self._read_content()
        return FreshTable(self, content, vars(self).get("_content", content) != content)

    def replace_content(self, content: tuple[dict[Key, Row], About]) -> None:
        """Puts other rows in force."""
        vars(self).update(rows=content[0], _content=content)

    def rows_in(self, file: Path) -> dict[Key, Row]:
        """Read a file that is not in force, or raise TableUnusable."""
        return self._read(open_table_file(file))

    def text_of(self, source: str, day: date, rows: Iterable[Row]) -> str:
        """The text of a file with these rows, none of them front coded."""
        own = tuple(cells_of(self.row))
        return written(source, day, own, ([cell_of(getattr(row, column)) for column in own] for row in rows))

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
    def _content(self) -> tuple[dict[Key, Row], About]:
        return self._read_content()

    def _read_content(self) -> tuple[dict[Key, Row], About]:
        file, operators = self._files()
        rows = self._read(file)
        used = operators if file.path == operators else None
        passed_over = operators if used is None else None
        return rows, About(self.name, file.source, file.date, len(rows), used, passed_over)

    def _files(self) -> tuple[TableFile, Path | None]:
        """The file in force, and the operator's if there is one."""
        ours = open_table_file(_BUILT_IN / f"{self.name}.csv")
        path = self._operators_file()
        if path is None:
            return ours, None
        theirs = open_table_file(path)
        return (theirs if theirs.date >= ours.date else ours), path

    def _operators_file(self) -> Path | None:
        path = _Process.folder and _Process.folder / f"{self.name}.csv"
        return path if path is not None and path.exists() else None

    def _read(self, file: TableFile) -> dict[Key, Row]:
        rows: dict[Key, Row] = {}
        for line, row in self._rows_of(file):
            key = self._key(row)
            if key in rows:
                raise unusable(file.path, line, f"o código {_told(key)} está repetido")
            rows[key] = row
        if not rows:
            raise unusable(file.path, file.comments + 1, "a tabela não tem linhas")
        missing = [_told(key) for key in self._required if key not in rows]
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


def _told(key: object) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


class Derived(Generic[Value]):
    """What is made of tables at first use, such as a dictionary by name."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._made: tuple[int, Value] | None = None

    @property
    def value(self) -> Value:
        """The thing itself, made of the tables in force."""
        made = self._made
        if made is None or made[0] != _Process.revision:
            # The revision is read first: tables may be replaced while another thread makes the value.
            revision = _Process.revision
            made = self._made = revision, self._make()
        return made[1]

    @property
    def is_made(self) -> bool:
        """Whether it is at hand, and nobody has to wait for it."""
        return self._made is not None and self._made[0] == _Process.revision
