"""The documents of a company that were issued in a month: its own, and those it received."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, newer_than


@dataclass(frozen=True)
class IssuePeriod:
    """A time in which documents of a company were issued, in one environment."""

    company_id: UUID
    environment: str
    since: datetime
    before: datetime


@dataclass(frozen=True)
class IssuedTotal:
    """The number of documents of a type and status, and their amount."""

    type: str
    status: str
    documents: int
    amount: Decimal
    events: int
    """The registered events of these documents."""


@dataclass(frozen=True)
class ReceivedTotal:
    """The number of received documents of a type, and their amount."""

    type: str
    situation: str
    documents: int
    files: int
    """The documents whose whole XML is here."""
    amount: Decimal


@dataclass(frozen=True)
class HistoryEntryId:
    """The id of an entry in the history of a document."""

    document_id: UUID
    id: UUID


@dataclass(frozen=True)
class ReceivedEventFile:
    """An event of a received document, whose whole XML is here."""

    id: UUID
    access_key: str
    code: str
    sequence: int


_ISSUED = """
    emissions e join documents d
        on d.subscription_id = e.subscription_id and d.id = e.document_id and d.emission = e.ordinal
    where e.subscription_id = $1 and e.company_id = $2 and e.environment = $3
        and e.issued_at >= $4 and e.issued_at < $5
        and e.state in ('authorized', 'canceled') and d.status in ('authorized', 'canceled')
"""
_ISSUED_TOTALS = f"""
    select d.type, d.status, count(*) as documents, sum(d.amount) as amount,
        sum((
            select count(*) from event_filings f where f.subscription_id = d.subscription_id
                and f.document_id = d.id and f.emission = e.ordinal and f.state = 'registered'
        ))::bigint as events
    from {_ISSUED} group by d.type, d.status order by d.type, d.status
"""
_RECEIVED = """
    received_documents where subscription_id = $1 and company_id = $2 and environment = $3
        and issued_at >= $4 and issued_at < $5 and service = $6 and situation <> 'denied'
"""
_RECEIVED_TOTALS = f"""
    select type, situation, count(*) as documents, count(*) filter (where has_full_xml) as files,
        coalesce(sum(amount), 0) as amount
    from {_RECEIVED} group by type, situation order by type, situation
"""


class MonthlyDocuments:
    """The documents of one subscription's companies by the time of their issue."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def issued(self, period: IssuePeriod, after: Position | None, size: int) -> KeysetPage[UUID]:
        """Returns the ids of authorized and canceled documents after a place, the first issued first."""
        values = self._values(period)
        beyond = newer_than(after, "e.issued_at, e.document_id", values)
        rows = await self._connection.fetch(
            f"select e.document_id, e.issued_at from {_ISSUED}{beyond}"
            f" order by e.issued_at, e.document_id limit {size}",
            *values,
        )
        page = keyset_page(rows, size, lambda row: (row["issued_at"], row["document_id"]))
        return KeysetPage([row["document_id"] for row in rows], page.next)

    async def issued_totals(self, period: IssuePeriod) -> list[IssuedTotal]:
        """Returns the number of authorized and canceled documents by type and status."""
        rows = await self._connection.fetch(_ISSUED_TOTALS, *self._values(period))
        return [IssuedTotal(**row) for row in rows]

    async def received(
        self, period: IssuePeriod, service: str, after: Position | None, size: int
    ) -> KeysetPage[UUID]:
        """Returns the ids of received documents of a service after a place, the first issued first."""
        values = [*self._values(period), service]
        beyond = newer_than(after, "issued_at, id", values)
        rows = await self._connection.fetch(
            f"select id, issued_at from {_RECEIVED}{beyond} order by issued_at, id limit {size}", *values
        )
        page = keyset_page(rows, size, lambda row: (row["issued_at"], row["id"]))
        return KeysetPage([row["id"] for row in rows], page.next)

    async def received_totals(self, period: IssuePeriod, service: str) -> list[ReceivedTotal]:
        """Returns the number of received documents of a service by type and situation."""
        rows = await self._connection.fetch(_RECEIVED_TOTALS, *self._values(period), service)
        return [ReceivedTotal(**row) for row in rows]

    async def history_of(
        self, document_ids: Sequence[UUID], event_names: Sequence[str]
    ) -> list[HistoryEntryId]:
        """Returns the entries of some types in the histories of some documents, oldest first."""
        rows = await self._connection.fetch(
            "select document_id, id from document_events where subscription_id = $1"
            " and document_id = any($2) and type = any($3) order by created_at, id",
            self._subscription_id, document_ids, event_names,
        )  # fmt: skip
        return [HistoryEntryId(**row) for row in rows]

    async def received_event_files(
        self, company_id: UUID, environment: str, access_keys: Sequence[str]
    ) -> list[ReceivedEventFile]:
        """Returns the events of some received documents whose whole XML is here."""
        rows = await self._connection.fetch(
            "select id, access_key, code, sequence from received_events where subscription_id = $1"
            " and company_id = $2 and environment = $3 and access_key = any($4) and has_full_xml"
            " order by access_key, code, sequence, id",
            self._subscription_id, company_id, environment, access_keys,
        )  # fmt: skip
        return [ReceivedEventFile(**row) for row in rows]

    def _values(self, period: IssuePeriod) -> list[Any]:
        return [
            self._subscription_id, period.company_id, period.environment, period.since, period.before,
        ]  # fmt: skip
