"""Events that are filed with an authority about documents that it has."""

from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

from carimbo.fiscal.body.fields import Body
from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.filings import Filing
from carimbo.storage.identifiers import new_id
from carimbo.storage.sql import NamedSql


@dataclass(frozen=True, kw_only=True)
class NewEventFiling:
    """An event to file; `request` is the JSON of the caller's request."""

    id: UUID
    company_id: UUID
    document_id: UUID
    emission: int
    type: str
    sequence: int
    request: str

    @classmethod
    def about(
        cls, document: Document, emission: EmissionRow, event_type: str, request: Body, sequence: int = 1
    ) -> "NewEventFiling":
        """Returns an event about an attempt of a document."""
        return cls(
            id=new_id(),
            company_id=document.company_id,
            document_id=document.id,
            emission=emission.ordinal,
            type=event_type,
            sequence=sequence,
            request=request.model_dump_json(by_alias=True, exclude_none=True),
        )


@dataclass(frozen=True, kw_only=True)
class EventFiling(Filing):
    """A stored event."""

    document_id: UUID
    emission: int
    type: str
    sequence: int
    request: str


_COLUMNS = ", ".join(field.name for field in fields(EventFiling))
_INSERTED = tuple(field.name for field in fields(NewEventFiling))
_ADD = NamedSql(f"""
    insert into event_filings (subscription_id, created_by, {", ".join(_INSERTED)})
    values ($1, :actor, {", ".join(f":{name}" for name in _INSERTED)})
    on conflict do nothing returning {_COLUMNS}
""")


class EventFilings:
    """Events of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, filing: NewEventFiling) -> EventFiling | None:
        """Inserts an event that is due now; returns None if the same event exists already."""
        row = await self._connection.fetchrow(
            _ADD.text, self._subscription_id, *_ADD.arguments(self._values(filing))
        )
        return row and EventFiling(**row)

    async def get(self, filing_id: UUID) -> EventFiling | None:
        """Returns an event of any document of the subscription; None if another sender filed it."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from event_filings where subscription_id = $1 and id = $2",
            self._subscription_id, filing_id,
        )  # fmt: skip
        return row and EventFiling(**row)

    async def of_document(self, document_id: UUID, emission: int, *event_types: str) -> list[EventFiling]:
        """Returns the events of some types about an attempt, each type in order."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from event_filings where subscription_id = $1 and document_id = $2"
            " and emission = $3 and type = any($4) order by sequence, created_at",
            self._subscription_id, document_id, emission, event_types,
        )  # fmt: skip
        return [EventFiling(**row) for row in rows]

    async def under_way(self, document_id: UUID) -> list[EventFiling]:
        """Returns the events of a document whose outcome is open, in order."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from event_filings where subscription_id = $1 and document_id = $2"
            " and state in ('queued', 'signed', 'sent') order by created_at",
            self._subscription_id, document_id,
        )  # fmt: skip
        return [EventFiling(**row) for row in rows]

    def _values(self, filing: NewEventFiling) -> dict[str, Any]:
        return {**vars(filing), "actor": stored_actor(self._actor)}
