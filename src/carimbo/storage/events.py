"""Published events, and the order in which clients read them.

A client asks for the events after the last one that it has, so no event may ever appear before that one. The
order of writing (`ordinal`) does not ensure this: an event gets its number when it is written, but is visible
only when its transaction ends. A slow transaction may commit a low number after a client has read higher
ones, and the client would miss the event. Transaction ids do not help either. If clients read only what is
older than every open transaction, one forgotten transaction anywhere on the server blocks them all. And in a
restored database new transactions may have lower ids than those that wrote its rows.

So readers assign the order of reading (`position`): visible events without a position get the next positions,
in the order of their ordinals. An event that commits late comes late, but no client misses it. Readers of one
subscription assign positions one after another, each in a transaction: a client that sees a position sees all
lower ones. Events of one document stay in order, because the second is written after the first is visible.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.sql import json_object


@dataclass(frozen=True, kw_only=True)
class PublishedEvent:
    """An event with the facts of its document and company; a fact that does not exist is None."""

    subscription_id: UUID
    id: UUID
    topic: str
    created_at: datetime
    details: dict[str, Any] | None
    company_id: UUID | None
    tax_id: str | None
    document_id: UUID | None
    sale_id: UUID | None
    external_id: str | None
    amount: Decimal | None
    issued_at: datetime | None
    number: int | None
    assigned_number: int | None
    """The number that the authority gave the document, if the authority numbers documents of this type."""
    authorized_at: datetime | None

    @property
    def type(self) -> str:
        """The type of the document."""
        return self.topic.partition(".")[0]

    @property
    def status(self) -> str:
        """The status of the document at the time of the event."""
        return self.topic.partition(".")[2]


@dataclass(frozen=True)
class EventPosition:
    """The ordinal of an event, and its position, if a reader has assigned one."""

    ordinal: int
    position: int | None


# The emission is the one of the event, even if the document has a newer one.
SELECT_EVENT = """
    select v.subscription_id, v.id, v.topic, v.created_at, v.details, v.company_id, c.tax_id, v.document_id,
        d.sale_id, d.external_id, v.amount, v.issued_at, e.number, e.assigned_number, e.authorized_at
    from events v
    left join companies c on c.subscription_id = v.subscription_id and c.id = v.company_id
    left join documents d on d.subscription_id = v.subscription_id and d.id = v.document_id
    left join emissions e on e.subscription_id = v.subscription_id and e.document_id = v.document_id
        and e.ordinal = v.emission
"""
"""SQL that selects the columns of a PublishedEvent; other statements join it by subscription and id."""
BEGINNING = 0
"""The position before the first event."""
# Positions are taken from the sequence in a sorted subquery; in the update itself the order would be random.
_ASSIGN_POSITIONS = """
    with placed as materialized (
        select id, nextval('event_positions') as position
        from (
            select id from events where subscription_id = $1 and position is null and ordinal <= $2
            order by ordinal limit $3
        ) as unread
    )
    update events set position = placed.position from placed
    where events.subscription_id = $1 and events.id = placed.id
"""
_NO_END = (1 << 63) - 1
_COLUMNS = tuple(field.name for field in fields(PublishedEvent))


def published_event(row: Row) -> PublishedEvent:
    """Returns the event of a row that has at least the columns of SELECT_EVENT."""
    details = json_object("events", row["id"], "details", row["details"])
    return PublishedEvent(**{name: row[name] for name in _COLUMNS} | {"details": details})


class Events:
    """Events of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(
        self, topic: str, company_id: UUID | None, details: dict[str, Any], subject_id: UUID | None = None
    ) -> UUID:
        """Stores an event that is about no document of ours, in the transaction in which it happens.

        Events about the same received document (`subject_id`) are delivered in their order.
        """
        row = await self._connection.fetchrow(
            "insert into events (subscription_id, topic, company_id, details, document_id)"
            " values ($1, $2, $3, $4, $5) returning id",
            self._subscription_id, topic, company_id, details, subject_id,
        )  # fmt: skip
        event_id: UUID = only(row)["id"]
        return event_id

    async def get(self, event_id: UUID) -> PublishedEvent | None:
        """Returns an event, or None."""
        row = await self._connection.fetchrow(
            f"{SELECT_EVENT} where v.subscription_id = $1 and v.id = $2", self._subscription_id, event_id
        )
        return row and published_event(row)

    async def find(self, event_id: UUID) -> EventPosition | None:
        """Returns the position of an event, or None if there is no such event."""
        row = await self._connection.fetchrow(
            "select ordinal, position from events where subscription_id = $1 and id = $2",
            self._subscription_id, event_id,
        )  # fmt: skip
        return row and EventPosition(**row)

    async def assign_positions(self, limit: int, up_to: int = _NO_END) -> bool:
        """Assigns positions to events without one, after all others; returns whether there were any.

        The lock is a statement of its own: only a statement that begins after the wait sees the positions
        that others assigned meanwhile.
        """
        await self._connection.execute(
            "select pg_advisory_xact_lock(hashtextextended('events:' || $1::uuid, 0))", self._subscription_id
        )
        result = await self._connection.execute(_ASSIGN_POSITIONS, self._subscription_id, up_to, limit)
        return result != "UPDATE 0"

    async def page(self, after: int, limit: int, without: str) -> list[PublishedEvent]:
        """Returns the events after a position, in order, except those of one topic."""
        rows = await self._connection.fetch(
            f"{SELECT_EVENT} where v.subscription_id = $1 and v.position > $2 and v.topic <> $4"
            " order by v.position limit $3",
            self._subscription_id, after, limit, without,
        )  # fmt: skip
        return [published_event(row) for row in rows]
