"""Helpers of repositories: named parameters, searches, deleting in batches, and reading JSON columns."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import structlog

from carimbo.storage.connection import Connection

_log = structlog.get_logger("carimbo.records")
# Not a cast (`::text`), and not a colon that ends a quoted text (`'key:'`).
_NAMED = re.compile(r"(?<![:\w]):([a-z]\w*)")
_POSITIONAL = re.compile(r"\$(\d+)")
_BATCH_SIZE = 1000


class NamedSql:
    """A statement with named parameters, written `:name`; for statements with more than a few parameters.

    The names are translated to PostgreSQL's `$1`, `$2`... once, when the module is imported: asyncpg keeps
    prepared statements by their text, so the text must be the same in every call. Parameters that are written
    `$1` already, such as those of `work.WHERE_HELD`, keep their numbers, and the named ones come after them:

        _RENAME = NamedSql("update plans set name = :new_name where name = $1")
        await connection.execute(_RENAME.text, name, *_RENAME.arguments({"new_name": new_name}))
    """

    __slots__ = ("_names", "text")

    def __init__(self, sql: str) -> None:
        self._names = tuple(dict.fromkeys(_NAMED.findall(sql)))
        first = max((int(number) for number in _POSITIONAL.findall(sql)), default=0) + 1
        numbers = {name: f"${number}" for number, name in enumerate(self._names, first)}
        self.text = _NAMED.sub(lambda match: numbers[match[1]], sql)

    def arguments(self, values: Mapping[str, Any]) -> list[Any]:
        """Returns the values of the named parameters in their order; values of other names are left out.

        Raises KeyError if a value is missing.
        """
        return [values[name] for name in self._names]


def search_condition(parameter: str) -> str:
    r"""Returns the SQL condition that a search, such as `$3`, matches a row's `searched` column.

    Every word of the search must occur in the column. A search of null matches all rows. A search of
    punctuation alone matches none, because it has no words. Words lose their punctuation, and so any wildcard
    of LIKE. The parts of the column are separated by a space, which no word has, so no word matches across
    two parts. The patterns are made in a subquery: once, and not for every row.
    """
    words = f"regexp_split_to_table({parameter}::text, '\\s+') as word where searchable(word) <> ''"
    patterns = f"(select array_agg('%' || searchable(word) || '%') from {words})::text[]"
    return f"({parameter}::text is null or searched like all ({patterns}))"


async def delete_batch(connection: Connection, deletion: str, *arguments: Any) -> bool:
    """Deletes a batch of old rows, whose size is the last parameter; returns whether there may be more.

    Batches are small, so that nobody waits long for the locks of their rows.
    """
    result = await connection.execute(deletion, *arguments, _BATCH_SIZE)
    return bool(result == f"DELETE {_BATCH_SIZE}")


def json_object(table: str, row_id: UUID | str, column: str, stored: Any) -> dict[str, Any] | None:
    """Returns a stored JSON object; logs an error and returns None if the JSON is not an object."""
    if stored is None or isinstance(stored, dict):
        return stored
    _log_unreadable(table, row_id, column)
    return None


def json_objects(table: str, row_id: UUID | str, column: str, stored: Any) -> list[dict[str, Any]]:
    """Returns the objects of a stored JSON list; logs an error and returns none for any other JSON."""
    if isinstance(stored, list) and all(isinstance(item, dict) for item in stored):
        return stored
    _log_unreadable(table, row_id, column)
    return []


def _log_unreadable(table: str, row_id: UUID | str, column: str) -> None:
    _log.error("row_unreadable", table=table, id=str(row_id), error="UnexpectedJson", fields=[column])
