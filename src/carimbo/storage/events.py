"""What the world is told, event by event, and the order in which whoever asks for it reads it.

A reader asks for what comes after the last event that it knows, so nothing may ever appear before that one.
The order of writing (`ordinal`) won't do: a number is taken when an event is written, and is seen when its
transaction ends. One that takes its time commits a low number when higher ones were read long ago, and its
event would be skipped. Nor do the numbers of transactions: to read only what is older than every transaction
under way lets one that is left open, anywhere on the server, hold everything up; and in a restored database
new transactions may have lower numbers than those that wrote its rows.

So the order of reading (`position`) is made by readers: what is seen and has no place yet gets the next
ones, in the order in which it was written. What commits late comes late, but comes. Readers of one
subscription give places one after another, each in a transaction: who sees one place sees all before it. What
happens to one document stays in order, as the second event of it is written after the first one is seen.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.json_columns import json_object


@dataclass(frozen=True, kw_only=True)
class ToldEvent:
    """An event with what is told of it; what does not concern it is None."""

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
    """The number that the authority gave the document, where numbering is its affair."""
    authorized_at: datetime | None

    @property
    def type(self) -> str:
        """The type of the document."""
        return self.topic.partition(".")[0]

    @property
    def status(self) -> str:
        """What became of the document, which may have become something else since."""
        return self.topic.partition(".")[2]


@dataclass(frozen=True)
class Mark:
    """Where an event stands: as it was written and, once somebody has read that far, as it is read."""

    ordinal: int
    position: int | None


# A document may go on to other attempts: what is told of it stays that of the one which the event is about.
TOLD_EVENT = """
    select v.subscription_id, v.id, v.topic, v.created_at, v.details, v.company_id, c.tax_id, v.document_id,
        d.sale_id, d.external_id, v.amount, v.issued_at, e.number, e.assigned_number, e.authorized_at
    from events v
    left join companies c on c.subscription_id = v.subscription_id and c.id = v.company_id
    left join documents d on d.subscription_id = v.subscription_id and d.id = v.document_id
    left join emissions e on e.subscription_id = v.subscription_id and e.document_id = v.document_id
        and e.ordinal = v.emission
"""
"""SQL: the columns of a ToldEvent, also as a table that others join by subscription and id."""
BEGINNING = 0
"""The position before the first event."""
# Counted over rows that are in order already: as part of the update, the numbers would come in any order.
_PLACE = """
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
_COLUMNS = tuple(field.name for field in fields(ToldEvent))


def told_event(row: Row) -> ToldEvent:
    """The event of a row that has these columns, and maybe others."""
    details = json_object("events", row["id"], "details", row["details"])
    return ToldEvent(**{name: row[name] for name in _COLUMNS} | {"details": details})


class Events:
    """Events of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, topic: str, company_id: UUID | None, details: dict[str, Any]) -> UUID:
        """Tell of something other than a document, in the transaction in which it happens."""
        row = await self._connection.fetchrow(
            "insert into events (subscription_id, topic, company_id, details) values ($1, $2, $3, $4)"
            " returning id",
            self._subscription_id, topic, company_id, details,
        )  # fmt: skip
        event_id: UUID = only(row)["id"]
        return event_id

    async def get(self, event_id: UUID) -> ToldEvent | None:
        """An event with what is told of it."""
        row = await self._connection.fetchrow(
            f"{TOLD_EVENT} where v.subscription_id = $1 and v.id = $2", self._subscription_id, event_id
        )
        return row and told_event(row)

    async def find(self, event_id: UUID) -> Mark | None:
        """Where an event stands."""
        row = await self._connection.fetchrow(
            "select ordinal, position from events where subscription_id = $1 and id = $2",
            self._subscription_id, event_id,
        )  # fmt: skip
        return row and Mark(**row)

    async def place(self, most: int, up_to: int = _NO_END) -> bool:
        """Give places to what has none, after all that have one; tell whether there was anything.

        A statement sees what was there when it began: only one that begins when the wait is over sees the
        places that others gave meanwhile.
        """
        await self._connection.execute(
            "select pg_advisory_xact_lock(hashtextextended('events:' || $1::uuid, 0))", self._subscription_id
        )
        result = await self._connection.execute(_PLACE, self._subscription_id, up_to, most)
        return result != "UPDATE 0"

    async def page(self, after: int, most: int, without: str) -> list[ToldEvent]:
        """What comes after a position, in order, but for events of one topic."""
        rows = await self._connection.fetch(
            f"{TOLD_EVENT} where v.subscription_id = $1 and v.position > $2 and v.topic <> $4"
            " order by v.position limit $3",
            self._subscription_id, after, most, without,
        )  # fmt: skip
        return [told_event(row) for row in rows]
