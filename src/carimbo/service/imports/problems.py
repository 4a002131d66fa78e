"""Describes why lines of a file were refused, with the titles of columns in place of paths of the JSON."""

import re
from collections.abc import Iterator

from carimbo.service.errors import Refusal
from carimbo.service.imports.columns import PRODUCT_LINES, ImportColumns
from carimbo.service.imports.entries import CellProblem, ImportEntry
from carimbo.service.imports.reading import CsvRecord
from carimbo.storage.imports import ImportProblem

_MAX_OF_ENTRY = 20
_MAX_MESSAGE_LENGTH = 500
_SHOWN_CELLS, _SHOWN_LENGTH = 4, 40
_WHOLE_BODY = "body"
"""The path of a problem that belongs to no field of a body."""
_INDEX = re.compile(r"\[([0-9]+)\]")
# A name of several words; one of a single word may be a word of the sentence.
_JSON_NAME = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b")


def problems_of_cells(columns: ImportColumns, entry: ImportEntry) -> list[ImportProblem]:
    """Returns the problems of an entry whose cells contradict each other."""
    return _numbered(columns, [*entry.contradictions, *entry.unreadable])


def problems_of_refusal(columns: ImportColumns, entry: ImportEntry, refusal: Refusal) -> list[ImportProblem]:
    """Returns the problems of an entry that a use case refused; unreadable cells keep their own messages."""
    unreadable = {problem.path for problem in entry.unreadable}
    refused = [problem for problem in _refused(entry, refusal) if problem.path not in unreadable]
    return _numbered(columns, [*entry.unreadable, *refused])


def _refused(entry: ImportEntry, refusal: Refusal) -> Iterator[CellProblem]:
    """Yields the invalid fields and the broken rules of a refusal; the refusal itself if it has none."""
    details = refusal.details or {}
    fields, rules = details.get("fields", ()), details.get("rules", ())
    for field in fields:
        yield CellProblem(_record_at(entry, field["field"]), field["field"], field["error"])
    for rule in rules:
        message = " ".join(filter(None, (rule["message"], rule["hint"])))
        yield CellProblem(_record_at(entry, rule["field"]), rule["field"], message)
    if not fields and not rules:
        yield CellProblem(entry.records[0], details.get("field"), refusal.message)


def _record_at(entry: ImportEntry, path: str) -> CsvRecord:
    """Returns the record of a path, which may be in a line of a sale; else the first record."""
    index = _INDEX.match(path.removeprefix(PRODUCT_LINES)) if path.startswith(PRODUCT_LINES) else None
    position = int(index[1]) if index else 0
    return entry.records[position] if position < len(entry.records) else entry.records[0]


def _numbered(columns: ImportColumns, problems: list[CellProblem]) -> list[ImportProblem]:
    """Returns the problems to store, in the order of their lines."""
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: problem.record.line)
    return [
        ImportProblem(
            line=problem.record.line,
            position=position,
            field=_title(columns, problem.path),
            message=_in_titles(columns, problem.message)[:_MAX_MESSAGE_LENGTH],
            cells=[cell.strip()[:_SHOWN_LENGTH] for cell in problem.record.cells[:_SHOWN_CELLS]],
        )
        for position, problem in enumerate(ordered[:_MAX_OF_ENTRY])
    ]


def _title(columns: ImportColumns, path: str | None) -> str | None:
    """Returns the title of a field, its path if it has none, or None for the line as a whole."""
    if path is None or path == _WHOLE_BODY:
        return None
    path = _INDEX.sub("", path)
    return columns.titles.get(path, path)


def _in_titles(columns: ImportColumns, message: str) -> str:
    """Returns a message with the titles of columns in place of their names in the JSON."""
    titles = columns.titles_by_name
    return _JSON_NAME.sub(lambda name: f"“{titles[name[0]]}”" if name[0] in titles else name[0], message)
