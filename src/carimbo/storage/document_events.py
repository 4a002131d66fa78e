"""The history of documents: what happened, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.storage.connection import Connection
from carimbo.storage.identifiers import new_id


@dataclass(frozen=True, kw_only=True)
class NewEvent:
    """Something that has happened; `status` is the document's afterwards."""

    type: str
    status: str
    sequence: int | None = None
    protocol: str | None = None
    authority_code: str | None = None
    authority_message: str | None = None


@dataclass(frozen=True, kw_only=True)
class DocumentEvent(NewEvent):
    """An event with what the database knows of it."""

    id: UUID
    created_at: datetime


def first_events(status: str, *types: Happening) -> list[NewEvent]:
    """Returns the first events of a document that gets a status."""
    queued = (Happening.QUEUED,) if status == Status.PROCESSING else ()
    return [NewEvent(type=happening, status=status) for happening in (*types, *queued)]


_COLUMNS = "id, type, status, sequence, protocol, authority_code, authority_message, created_at"


_TYPES = ("uuid", "text", "text", "integer", "text", "text", "text")


def events_told(of: str, first: int) -> str:
    """SQL that writes events in the statement of what they tell, by parameters from the first one on."""
    arrays = ", ".join(f"${first + position}::{kind}[]" for position, kind in enumerate(_TYPES))
    return (
        "insert into document_events (subscription_id, document_id, company_id, id, type, status, sequence,"
        " protocol, authority_code, authority_message)"
        f" select {of}.subscription_id, {of}.id, {of}.company_id, told.* from {of}, unnest({arrays}) as told"
    )


def event_columns(events: Sequence[NewEvent]) -> tuple[list[Any], ...]:
    """The parameters of that SQL, in the order of the events."""
    return (
        [new_id() for _ in events],
        [event.type for event in events],
        [event.status for event in events],
        [event.sequence for event in events],
        [event.protocol for event in events],
        [event.authority_code for event in events],
        [event.authority_message for event in events],
    )


class DocumentEvents:
    """Histories of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, document_id: UUID, events: Sequence[NewEvent]) -> None:
        """Write events in their order, in the transaction of what they tell."""
        await self._connection.execute(
            "with document as (select * from documents where subscription_id = $1 and id = $2)"
            f" {events_told('document', 3)}",
            self._subscription_id, document_id, *event_columns(events),
        )  # fmt: skip

    async def all(self, document_id: UUID) -> list[DocumentEvent]:
        """The whole history, oldest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from document_events where subscription_id = $1 and document_id = $2"
            " order by created_at, id",
            self._subscription_id, document_id,
        )  # fmt: skip
        return [DocumentEvent(**row) for row in rows]
