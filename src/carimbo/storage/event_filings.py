"""Events that are told to an authority about documents that it has."""

from dataclasses import dataclass, fields
from uuid import UUID

from carimbo.fiscal.fields import Body
from carimbo.storage.connection import Connection, Row
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission
from carimbo.storage.filings import Filing
from carimbo.storage.identifiers import new_id
from carimbo.storage.jobs import job_added
from carimbo.storage.work import WorkKind


@dataclass(frozen=True, kw_only=True)
class NewEventFiling:
    """An event to be told; `request` is the JSON of what a caller wants to be told."""

    id: UUID
    company_id: UUID
    document_id: UUID
    emission: int
    type: str
    sequence: int
    request: str

    @classmethod
    def about(
        cls, document: Document, emission: Emission, event_type: str, request: Body, sequence: int = 1
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
_ADD = f"""
    with added as (
        insert into event_filings (subscription_id, {", ".join(_INSERTED)})
        values ($1, {", ".join(f"${position}" for position in range(2, 2 + len(_INSERTED)))})
        on conflict do nothing returning *
    ), woken as ({job_added(WorkKind.EVENT, "added")})
    select {_COLUMNS} from added
"""


class EventFilings:
    """Events of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, filing: NewEventFiling) -> EventFiling | None:
        """Insert and wake a worker; None when the same is being told, or was told, already."""
        row = await self._connection.fetchrow(
            _ADD, self._subscription_id, *(getattr(filing, name) for name in _INSERTED)
        )
        return row and _filing(row)

    async def get(self, filing_id: UUID) -> EventFiling | None:
        """What is told of a document; None where somebody else told it."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from event_filings where subscription_id = $1 and id = $2",
            self._subscription_id, filing_id,
        )  # fmt: skip
        return row and _filing(row)

    async def of_document(self, document_id: UUID, emission: int, event_type: str) -> list[EventFiling]:
        """Events of a type that were told of an attempt, in their order."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from event_filings where subscription_id = $1 and document_id = $2"
            " and emission = $3 and type = $4 order by sequence, created_at",
            self._subscription_id, document_id, emission, event_type,
        )  # fmt: skip
        return [_filing(row) for row in rows]

    async def under_way(self, document_id: UUID) -> list[EventFiling]:
        """Events of a document whose fate is open, in their order."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from event_filings where subscription_id = $1 and document_id = $2"
            " and state in ('queued', 'signed', 'sent') order by created_at",
            self._subscription_id, document_id,
        )  # fmt: skip
        return [_filing(row) for row in rows]


def _filing(row: Row) -> EventFiling:
    return EventFiling(**row)
