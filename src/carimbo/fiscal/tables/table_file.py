"""The files of official tables: comment lines with source and date, a line with the columns, then rows."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from pathlib import Path

_COMMENT = "#"
_NOTE = re.compile(r"#\s*(source|date):\s*(.*\S)\s*")


class TableUnusable(Exception):
    """A table that can't be read; the message names file and line, in Portuguese.

    It is no ValueError: validators of bodies would tell it as the caller's fault.
    """


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file whose source and date are known and whose rows are still text."""

    path: Path
    source: str
    date: date
    comments: int
    """How many lines stand before the line with the columns."""
    lines: tuple[str, ...]

    def records(
        self, columns: Collection[str], optional: Collection[str] = ()
    ) -> Iterator[tuple[int, dict[str, str]]]:
        """Every row by column, with its line; the columns must be exactly these, in any order.

        An optional one that the file leaves out is empty in every row.
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
    """Read a file and what it says of itself, or raise TableUnusable."""
    lines = tuple(_text(path))
    comments = tuple(takewhile(lambda line: line.startswith(_COMMENT), lines))
    notes = {found[1]: found[2] for found in map(_NOTE.fullmatch, comments) if found}
    if not notes.keys() >= {"source", "date"}:
        reason = "faltam as linhas “# source: …” e “# date: AAAA-MM-DD” no começo"
        raise unusable(path, len(comments) + 1, reason)
    try:
        day = date.fromisoformat(notes["date"])
    except ValueError:
        line = next(number for number, text in enumerate(comments, 1) if "date:" in text)
        raise unusable(path, line, f"“{notes['date']}” não é uma data AAAA-MM-DD") from None
    return TableFile(path, notes["source"], day, len(comments), lines[len(comments) :])


def written(source: str, day: date, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The text of a file, as it is read."""
    text = io.StringIO(newline="")
    text.write(f"# source: {source}\n# date: {day}\n")
    csv.writer(text, lineterminator="\n").writerows([columns, *rows])
    return text.getvalue()


def unusable(path: Path, line: int, reason: str) -> TableUnusable:
    """The error that says where a file is wrong."""
    return TableUnusable(f"A tabela {path} não pode ser usada: linha {line}: {reason}.")


def _text(path: Path) -> io.StringIO:
    """The lines of a file, whichever ends they have; spreadsheets write a mark before the first one."""
    try:
        return io.StringIO(path.read_text(encoding="utf-8-sig"), newline=None)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise unusable(path, line, "o texto não está em UTF-8") from error
    except OSError as error:
        raise TableUnusable(f"A tabela {path} não pode ser lida: {error.strerror}.") from error
