"""Finds the column of each title in the first line of a file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from carimbo.fiscal.problems import quoted
from carimbo.service.imports.cells import folded
from carimbo.service.imports.columns import (
    REFUSAL_REASON,
    REFUSED_LINE,
    ImportColumn,
    ImportColumns,
)
from carimbo.service.imports.reading import UnreadableFile
from carimbo.service.words import enumeration

_MAX_NAMED = 10
"""How many unknown titles a refusal names: a file with another separator may have very many."""


@dataclass(frozen=True)
class ColumnPositions:
    """Where the cells of a record belong."""

    columns: Mapping[int, ImportColumn]
    """The columns by the positions of their cells."""
    titled: frozenset[int]
    """The positions that have a title, also one that an import ignores."""


def find_columns(columns: ImportColumns, titles: Sequence[str]) -> ColumnPositions:
    """Returns the columns of a file by its titles, which may also be names of the JSON.

    Raises UnreadableFile if titles are unknown, repeated or missing.
    """
    by_name, ignored = _columns_by_name(columns), _ignored_names(columns)
    names = {position: folded(title) for position, title in enumerate(titles) if title.strip()}
    unknown = [
        titles[at].strip() for at, name in names.items() if name not in by_name and name not in ignored
    ]
    found_columns = {at: by_name[name] for at, name in names.items() if name in by_name}
    counts = Counter(column.title for column in found_columns.values())
    missing = [column.title for column in columns.required if not counts[column.title]]
    repeated = [title for title, count in counts.items() if count > 1]
    problems = [
        *_sentence(unknown[:_MAX_NAMED], "Coluna desconhecida", "Colunas desconhecidas"),
        *_sentence(missing, "Falta a coluna", "Faltam as colunas"),
        *_sentence(repeated, "Coluna repetida", "Colunas repetidas"),
    ]
    if problems:
        usual = enumeration([column.title for column in columns.columns])
        raise UnreadableFile(f"{' '.join(problems)} As colunas deste arquivo são: {usual}.")
    return ColumnPositions(found_columns, frozenset(names))


def _sentence(titles: Sequence[str], singular: str, plural: str) -> list[str]:
    names = enumeration([quoted(title) for title in titles])
    return [f"{singular if len(titles) == 1 else plural}: {names}."] if titles else []


def _columns_by_name(columns: ImportColumns) -> Mapping[str, ImportColumn]:
    """Returns the columns by their folded titles, their paths, and the ends of their paths."""
    ends = [folded(column.path.rpartition(".")[2]) for column in columns.columns]
    by_end = {end: column for end, column in zip(ends, columns.columns, strict=True) if ends.count(end) == 1}
    by_path = {folded(column.path): column for column in columns.columns}
    return by_end | by_path | {folded(column.title): column for column in columns.columns}


def _ignored_names(columns: ImportColumns) -> frozenset[str]:
    return frozenset(map(folded, (*columns.exported_only, REFUSED_LINE, REFUSAL_REASON)))
