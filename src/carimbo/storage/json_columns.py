"""Columns of JSON: what was stored may have another form than the code expects."""

from typing import Any
from uuid import UUID

import structlog

_log = structlog.get_logger("carimbo.records")


def json_object(table: str, row_id: UUID | str, column: str, stored: Any) -> dict[str, Any] | None:
    """Returns a stored JSON object; None, with a line in the log, for JSON that is no object."""
    if stored is None or isinstance(stored, dict):
        return stored
    _log_unreadable(table, row_id, column)
    return None


def json_objects(table: str, row_id: UUID | str, column: str, stored: Any) -> list[dict[str, Any]]:
    """Returns the objects of a stored JSON list; none, with a line in the log, for any other JSON."""
    if isinstance(stored, list) and all(isinstance(one, dict) for one in stored):
        return stored
    _log_unreadable(table, row_id, column)
    return []


def _log_unreadable(table: str, row_id: UUID | str, column: str) -> None:
    _log.error("row_unreadable", table=table, id=str(row_id), error="UnexpectedJson", fields=[column])
