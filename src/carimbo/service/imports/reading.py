"""Reads an uploaded CSV file: its encoding, its separator, its titles and its records."""

import csv
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from itertools import islice

from carimbo.service.exports.csv_lines import TEXT_MARK, original_text

MAX_BYTES = 5 * 1024 * 1024
MAX_LINES = 20_000
# `utf-8-sig` reads a file without a byte order mark too. Nearly every file is valid Windows-1252, so UTF-8 is
# tried first.
_ENCODINGS = ("utf-8-sig", "cp1252")
_SEPARATORS = (";", ",", "\t")
# The first bytes of the files of spreadsheet programs: .xlsx and .ods, and .xls.
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_SAVE_AS_CSV = "na planilha, salve-o como “CSV UTF-8” e envie esse arquivo."


class UnreadableFile(Exception):
    """A file can't be imported as a whole. The message is for the person who uploaded it."""


@dataclass(frozen=True, slots=True)
class CsvRecord:
    """A record of a file: one line, or several if a quoted cell has line breaks."""

    line: int
    """The line on which it begins, counted from 1."""
    cells: tuple[str, ...]


@dataclass(frozen=True)
class CsvTable:
    """The titles of a file, and its records without the blank ones."""

    titles: tuple[str, ...]
    records: tuple[CsvRecord, ...]


def read_table(content: bytes) -> CsvTable:
    """Returns the titles and the records of a file. Raises UnreadableFile."""
    text = _text_of(content)
    records = _records(text, _separator_of(text))
    titles = next(records, None)
    lines = tuple(islice(records, MAX_LINES + 1))
    if titles is None or not lines:
        raise UnreadableFile("O arquivo não tem nenhuma linha abaixo da linha dos títulos.")
    if len(lines) > MAX_LINES:
        raise UnreadableFile(f"O arquivo tem mais de {MAX_LINES} linhas: divida-o em partes.")
    return CsvTable(titles.cells, lines)


def _text_of(content: bytes) -> str:
    if len(content) > MAX_BYTES:
        raise UnreadableFile(f"O arquivo tem mais de {MAX_BYTES // 1024**2} MB: divida-o em partes.")
    if not content.strip():
        raise UnreadableFile("O arquivo está vazio.")
    if content.startswith(_SPREADSHEETS):
        raise UnreadableFile(f"O arquivo é uma planilha, e não um CSV: {_SAVE_AS_CSV}")
    for encoding in _ENCODINGS:
        with suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            # PostgreSQL can't store this character. It is also in every file in UTF-16.
            if "\0" not in text:
                return text
    raise UnreadableFile(f"As letras do arquivo não puderam ser lidas: {_SAVE_AS_CSV}")


def _separator_of(text: str) -> str:
    """Returns the separator that divides the titles into the most cells."""
    return max(_SEPARATORS, key=lambda separator: _count_titles(text, separator))


def _count_titles(text: str, separator: str) -> int:
    # With a wrong separator, the quotation marks of titles are in the wrong places.
    with suppress(UnreadableFile):
        titles = next(_records(text, separator), None)
        return len(titles.cells) if titles else 0
    return 0


def _records(text: str, separator: str) -> Iterator[CsvRecord]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    # Most files have none, and looking into every cell takes longer than all the rest.
    has_marks = TEXT_MARK in text
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield CsvRecord(line, tuple(map(original_text, cells) if has_marks else cells))
            line = reader.line_num + 1
    except csv.Error:
        raise UnreadableFile(
            f"A linha {line} não pôde ser lida: falta fechar aspas, há texto depois delas, ou o texto de uma"
            " célula é longo demais."
        ) from None
