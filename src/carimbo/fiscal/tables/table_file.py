"""The CSV files of official tables: comments with source and date, a line of columns, then rows."""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import date
from decimal import Decimal
from itertools import takewhile
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

_COMMENT = "#"
_NOTE = re.compile(r"#\s*(source|date):\s*(.*\S)\s*")

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_TRUTH = {"yes": True, "no": False}


class TableUnusable(Exception):
    """A table that can't be read; the message has file and line, in Portuguese.

    It is no ValueError: validators of bodies would report it as an error of the caller.
    """


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file with its source and date; the rows are still text."""

    path: Path
    source: str
    date: date
    comments: int
    """The number of lines before the line with the columns."""
    lines: tuple[str, ...]

    def records(
        self, columns: Collection[str], optional: Collection[str] = ()
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """Yields every row by column, with its line. The file must have exactly these columns, in any order.

        An optional column that the file omits is empty in every row.
        """
        reader = csv.reader(self.lines, strict=True)
        try:
            header = next(reader, [])
            if sorted({*header, *optional}) != sorted(columns) or len(header) != len(set(header)):
                raise unusable(self.path, self.comments + 1, f"as colunas devem ser {', '.join(columns)}")
            left_out = dict.fromkeys(set(optional).difference(header), "")
            for cells in filter(None, reader):
                line = self.comments + reader.line_num
                if len(cells) != len(header):
                    raise unusable(self.path, line, f"são {len(cells)} valores para {len(header)} colunas")
                yield line, left_out | dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise unusable(self.path, self.comments + reader.line_num, str(error)) from error


def open_table_file(path: Path) -> TableFile:
    """Reads a file with its source and date; raises TableUnusable."""
    lines = tuple(_text(path))
    comments = tuple(takewhile(lambda line: line.startswith(_COMMENT), lines))
    notes = {match[1]: match[2] for match in map(_NOTE.fullmatch, comments) if match}
    if not notes.keys() >= {"source", "date"}:
        reason = "faltam as linhas “# source: …” e “# date: AAAA-MM-DD” no começo"
        raise unusable(path, len(comments) + 1, reason)
    try:
        day = date.fromisoformat(notes["date"])
    except ValueError:
        line = next(number for number, text in enumerate(comments, 1) if "date:" in text)
        raise unusable(path, line, f"“{notes['date']}” não é uma data AAAA-MM-DD") from None
    return TableFile(path, notes["source"], day, len(comments), lines[len(comments) :])


def table_text(source: str, day: date, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns the text of a file."""
    text = io.StringIO(newline="")
    text.write(f"# source: {source}\n# date: {day}\n")
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    return text.getvalue()


def unusable(path: Path, line: int, reason: str) -> TableUnusable:
    """Returns the error for a line of a file."""
    return TableUnusable(f"A tabela {path} não pode ser usada: linha {line}: {reason}.")


def _text(path: Path) -> io.TextIOBase:
    """Returns the lines of a file with any line ends; spreadsheets write a byte order mark."""
    try:
        content = path.read_bytes()
        # All at once, so that an error has its line. Not as a StringIO, which takes four bytes a character.
        content.decode()
        return io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=None)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise unusable(path, line, "o texto não está em UTF-8") from error
    except OSError as error:
        raise TableUnusable(f"A tabela {path} não pode ser lida: {error.strerror}.") from error


Cell = Callable[[str], Any]


def cells_of(row: type) -> dict[str, Cell]:
    """Returns the reader of each column of a row type; readers raise ValueError for invalid values."""
    hints = get_type_hints(row, include_extras=True)
    return {field.name: _cell(hints[field.name]) for field in fields(row)}


def optional_cells_of(row: type) -> frozenset[str]:
    """Returns the columns that a file may omit: those of fields with a default."""
    return frozenset(field.name for field in fields(row) if field.default is not MISSING)


def cell_of(value: Any) -> str:
    """Returns the text of a value in a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _cell(hint: Any) -> Cell:
    """Returns the reader of a type: `Annotated[str, pattern]` needs a form, `X | None` may be empty."""
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
