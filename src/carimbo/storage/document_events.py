"""The history of documents: their events, in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import HistoryEntry, Status
from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection
from carimbo.storage.identifiers import new_id
from carimbo.storage.sql import NamedSql


@dataclass(frozen=True, kw_only=True)
class NewEvent:
    """An event to store; `status` is the document's after it."""

    type: str
    status: str
    sequence: int | None = None
    protocol: str | None = None
    authority_code: str | None = None
    authority_message: str | None = None


@dataclass(frozen=True, kw_only=True)
class DocumentEvent(NewEvent):
    """A stored event."""

    id: UUID
    actor: dict[str, Any] | None
    """The actor who caused it; None if an authority or the worker did."""
    created_at: datetime


def first_events(status: str, *types: HistoryEntry) -> list[NewEvent]:
    """Returns the first events of a document that gets a status."""
    queued = (HistoryEntry.QUEUED,) if status == Status.PROCESSING else ()
    return [NewEvent(type=history_entry, status=status) for history_entry in (*types, *queued)]


_TYPES = {
    "id": "uuid", "type": "text", "status": "text", "sequence": "integer", "protocol": "text",
    "authority_code": "text", "authority_message": "text",
}  # fmt: skip
_INSERTED = ", ".join(_TYPES)


def insert_events_sql(of: str, actor: str = "null") -> str:
    """Returns SQL that inserts events of the document in `of`, for a NamedSql; see `event_arrays`.

    `actor` is the SQL of who caused them; by default nobody, as in the steps of the worker.
    """
    arrays = ", ".join(f":event_{name}::{column_type}[]" for name, column_type in _TYPES.items())
    return (
        f"insert into document_events (subscription_id, document_id, company_id, {_INSERTED}, actor)"
        f" select {of}.subscription_id, {of}.id, {of}.company_id, event.*, {actor}::jsonb"
        f" from {of}, unnest({arrays}) as event"
    )


def event_arrays(events: Sequence[NewEvent]) -> dict[str, list[Any]]:
    """Returns the parameters of `insert_events_sql`: the values of each column."""
    return {
        "event_id": [new_id() for _ in events],
        "event_type": [event.type for event in events],
        "event_status": [event.status for event in events],
        "event_sequence": [event.sequence for event in events],
        "event_protocol": [event.protocol for event in events],
        "event_authority_code": [event.authority_code for event in events],
        "event_authority_message": [event.authority_message for event in events],
    }


_ADD = NamedSql(
    "with document as (select * from documents where subscription_id = $1 and id = $2)"
    f" {insert_events_sql('document', ':actor')}"
)


class DocumentEvents:
    """Histories of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, document_id: UUID, events: Sequence[NewEvent]) -> None:
        """Stores events that the actor caused, in their order, in the transaction of what they are about."""
        values = {**event_arrays(events), "actor": stored_actor(self._actor)}
        await self._connection.execute(_ADD.text, self._subscription_id, document_id, *_ADD.arguments(values))

    async def all(self, document_id: UUID) -> list[DocumentEvent]:
        """Returns the whole history of a document, oldest first."""
        rows = await self._connection.fetch(
            f"select {_INSERTED}, actor, created_at from document_events"
            " where subscription_id = $1 and document_id = $2"
            " order by created_at, id",
            self._subscription_id, document_id,
        )  # fmt: skip
        return [DocumentEvent(**row) for row in rows]
