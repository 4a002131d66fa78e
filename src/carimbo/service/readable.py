"""Records of stored rows that may be unreadable: written by another version, or changed by hand."""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

import structlog
from pydantic import ValidationError

T = TypeVar("T")
UNREADABLE = "Parte deste registro não pôde ser lida e foi omitida: avise quem opera o serviço."
_log = structlog.get_logger("carimbo.records")


def readable(table: str, row_id: UUID | str, build: Callable[[], T], build_from_known: Callable[[], T]) -> T:
    """Builds the record of a row; if it can't be read, the record of what is known of it.

    So one bad row does not turn a whole list into an internal error. The log names the row and the fields,
    but no values, which may be personal data.
    """
    try:
        return build()
    except (ValueError, LookupError) as error:
        log_unreadable(table, row_id, error)
        return build_from_known()


def log_unreadable(table: str, row_id: UUID | str, error: Exception) -> None:
    """Writes a log line about a row that can't be read."""
    errors = error.errors() if isinstance(error, ValidationError) else []
    fields = sorted({str(one["loc"][0]) for one in errors if one["loc"]})
    _log.error("row_unreadable", table=table, id=str(row_id), error=type(error).__name__, fields=fields)
