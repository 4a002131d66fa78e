"""Queries of the first page of the dashboard: one for each part, for several companies at once.

No statement reads settled documents: counters and partial indexes have what it needs. Parts that may be long
are cut, and say how many rows there are in all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import EmissionState, FilingState, Status
from carimbo.fiscal.receiving import Situation
from carimbo.storage.connection import Connection, Row
from carimbo.storage.numbering import UnusedNumbers
from carimbo.storage.open_documents import OpenDocumentRow
from carimbo.storage.parked_work import PARKED_SQL, ParkedWork

_OF_COMPANIES = "subscription_id = $1 and company_id = any($2)"


@dataclass(frozen=True)
class DocumentReferenceRow:
    """A document with its company, its type and its number, if it has one."""

    company_id: UUID
    id: UUID
    type: str
    number: int | None


@dataclass(frozen=True, kw_only=True)
class RejectionGroupRow:
    """Documents that are rejected now with the same code; message and hint are those of the newest one."""

    environment: str
    code: str | None
    message: str | None
    hint: str | None
    documents: int
    last_at: datetime
    types: list[str]
    company_ids: list[UUID]
    newest: tuple[DocumentReferenceRow, ...]


@dataclass(frozen=True, kw_only=True)
class OverdueDocumentRow:
    """A document that has been processing for longer than usual, and the last answer about it."""

    company_id: UUID
    id: UUID
    type: str
    queued_at: datetime
    number: int | None
    answer_code: str | None
    answer_message: str | None


@dataclass(frozen=True)
class CertificateEnd:
    """The end of a company's certificate; None if it has none."""

    company_id: UUID
    expires_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class UnusedNumberRow(UnusedNumbers):
    """A number whose attempt became no document, with its series."""

    company_id: UUID
    document_type: str
    series: int


@dataclass(frozen=True, kw_only=True)
class FailingWebhookRow:
    """A webhook that fails, or that was disabled because it failed."""

    id: UUID
    name: str | None
    url: str
    is_active: bool
    disabled_reason: str | None
    failing_since: datetime | None


@dataclass(frozen=True, kw_only=True)
class DueReceivedRow:
    """A received document about which its company must conclude soon."""

    company_id: UUID
    id: UUID
    type: str
    issuer_name: str
    number: int | None
    amount: Decimal | None
    respond_by: datetime


_REJECTIONS = f"""
    with recent as (
        select company_id, id, type, environment, updated_at, rejection ->> 'code' as code,
            rejection ->> 'message' as message, rejection ->> 'hint' as hint
        from documents
        where {_OF_COMPANIES} and status = '{Status.REJECTED}' and updated_at > now() - $3::interval
        order by updated_at desc limit $5
    ), ranked as (
        select *, row_number() over (
            partition by environment, code order by updated_at desc, id desc
        ) as place
        from recent
    )
    select environment, code, max(message) filter (where place = 1) as message,
        max(hint) filter (where place = 1) as hint, count(*) as documents,
        max(updated_at) as last_at, array_agg(distinct type) as types,
        array_agg(distinct company_id) as company_ids,
        array_agg(company_id order by place) filter (where place <= $4) as newest_company_ids,
        array_agg(id order by place) filter (where place <= $4) as newest_ids,
        array_agg(type order by place) filter (where place <= $4) as newest_types,
        array_agg((
            select coalesce(e.assigned_number, e.number) from emissions e
            where e.subscription_id = $1 and e.document_id = ranked.id order by e.ordinal desc limit 1
        ) order by place) filter (where place <= $4) as newest_numbers
    from ranked group by environment, code order by documents desc, last_at desc
"""
_OVERDUE = f"""
    with overdue as (
        select subscription_id, company_id, id, type, queued_at, emission, count(*) over () as total
        from documents
        where {_OF_COMPANIES} and status = '{Status.PROCESSING}' and parked_reason is null
            and queued_at < now() - $3::interval
        order by queued_at, id limit $4
    )
    select o.company_id, o.id, o.type, o.queued_at, coalesce(e.assigned_number, e.number) as number,
        e.answer_code, e.answer_message, o.total
    from overdue o left join emissions e on e.subscription_id = o.subscription_id and e.document_id = o.id
        and e.ordinal = o.emission
    order by o.queued_at, o.id
"""
_OPEN = f"""
    with opened as (
        select subscription_id, company_id, id, type, environment, created_at, emission,
            (facts ->> 'openSince')::timestamptz as open_since, (facts ->> 'warnedDays')::int as warned_days,
            count(*) over () as total
        from documents
        where {_OF_COMPANIES} and status = '{Status.AUTHORIZED}' and facts ? 'openSince'
            and not facts ? 'closedAt' and environment = $3
        order by created_at, id limit $4
    )
    select o.subscription_id, o.company_id, o.id, o.type, o.environment, e.number, e.access_key, o.open_since,
        o.warned_days, o.total
    from opened o join emissions e on e.subscription_id = o.subscription_id and e.document_id = o.id
        and e.ordinal = o.emission
    order by o.created_at, o.id
"""
_CERTIFICATES = """
    select c.id as company_id, e.expires_at from unnest($2::uuid[]) as c (id)
    left join certificates e on e.subscription_id = $1 and e.company_id = c.id
    where e.expires_at is null or e.expires_at < $3
    order by e.expires_at nulls last
"""
_UNUSED_STATES = (EmissionState.NUMBERED, EmissionState.SIGNED, EmissionState.REJECTED)
_ATTEMPT = "e.subscription_id = d.subscription_id and e.document_id = d.id"
_UNUSED_COLUMNS = """
    e.company_id, e.document_id, e.document_type, e.environment, e.series, e.number, e.state, e.emission_type,
    coalesce(e.issued_at, d.created_at) as dated_at
"""
# A rejected document keeps its number until it is issued or its number is inutilized. It was rejected after
# it was issued, so only those that were rejected since then are read.
_UNUSED = f"""
    with attempts as (
        select {_UNUSED_COLUMNS} from documents d join emissions e on {_ATTEMPT} and e.ordinal = d.emission
        where d.subscription_id = $1 and d.company_id = any($2) and d.status = '{Status.REJECTED}'
            and d.updated_at >= $6
        union all
        select {_UNUSED_COLUMNS} from strays s
        join documents d on d.subscription_id = s.subscription_id and d.id = s.document_id
        join emissions e on {_ATTEMPT} and e.ordinal = s.emission and e.ordinal <> d.emission
        where s.subscription_id = $1 and s.company_id = any($2) and s.created_at >= $6
    )
    select number as first_number, number as last_number, document_id, state, emission_type, dated_at,
        null as emission_type_above, company_id, document_type, series, exists (
            select from inutilizations i where i.subscription_id = $1 and i.company_id = a.company_id
                and i.document_type = a.document_type and i.environment = a.environment
                and i.series = a.series and i.state = '{FilingState.REFUSED}'
                and a.number between i.first_number and i.last_number
        ) as was_refused
    from attempts a
    where document_type = any($3) and environment = $4 and state = any($5)
        and dated_at >= $7 and dated_at < $8
        and not exists (
            select from inutilizations i where i.subscription_id = $1 and i.company_id = a.company_id
                and i.document_type = a.document_type and i.environment = a.environment
                and i.series = a.series and i.state <> '{FilingState.REFUSED}'
                and a.number between i.first_number and i.last_number
        )
    order by company_id, document_type, series, number limit $9
"""
_PARKED = f"""
    select *, count(*) over () as total from ({PARKED_SQL}) as work
    where parked_reason is not null and {_OF_COMPANIES} order by queued_at, id limit $3
"""
_WEBHOOKS = """
    select id, name, url, is_active, disabled_reason, failing_since from webhooks
    where subscription_id = $1 and deleted_at is null
        and (is_active and failing_since is not null or not is_active and disabled_reason is not null)
    order by is_active, failing_since, id
"""
_DUE = f"""
    select company_id, id, type, issuer_name, number, amount, respond_by, count(*) over () as total
    from received_documents
    where {_OF_COMPANIES} and service = $3 and status = any($4) and respond_by between $5 and $6
        and situation in ('{Situation.AUTHORIZED}', '{Situation.CORRECTED}')
    order by respond_by, id limit $7
"""


async def read_without_workers(connection: Connection) -> None:
    """Keeps the reads of this transaction in one process of PostgreSQL.

    They find a few rows by indexes. With a million documents PostgreSQL expects more, and starts processes
    for them, which takes ten times as long as the reads.
    """
    await connection.execute("set local max_parallel_workers_per_gather = 0")


class Overview:
    """The rows that need attention of several companies of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID, company_ids: Sequence[UUID]) -> None:
        self._connection = connection
        self._companies = (subscription_id, list(company_ids))

    async def rejections(self, within: timedelta, newest: int, limit: int) -> list[RejectionGroupRow]:
        """Returns the documents that were rejected lately and still are, by environment and code.

        `newest`: how many documents of a group are named; `limit`: how many are grouped, the newest ones.
        """
        rows = await self._connection.fetch(_REJECTIONS, *self._companies, within, newest, limit)
        return [_rejection_group(row) for row in rows]

    async def overdue(self, after: timedelta, limit: int) -> tuple[list[OverdueDocumentRow], int]:
        """Returns the documents that were queued longest ago, and how many are overdue in all."""
        rows = await self._connection.fetch(_OVERDUE, *self._companies, after, limit)
        return [OverdueDocumentRow(**_own(row)) for row in rows], _total(rows)

    async def open_documents(self, environment: str, limit: int) -> tuple[list[OpenDocumentRow], int]:
        """Returns the oldest documents that are open at the authority, and how many there are in all."""
        rows = await self._connection.fetch(_OPEN, *self._companies, environment, limit)
        return [OpenDocumentRow(**_own(row)) for row in rows], _total(rows)

    async def certificates_ending_before(self, moment: datetime) -> list[CertificateEnd]:
        """Returns the companies whose certificate ends before a moment, and those without one."""
        rows = await self._connection.fetch(_CERTIFICATES, *self._companies, moment)
        return [CertificateEnd(**row) for row in rows]

    async def unused_numbers(
        self,
        types: Sequence[str],
        environment: str,
        since: datetime,
        before: datetime,
        changed_since: datetime,
        limit: int,
    ) -> list[UnusedNumberRow]:
        """Returns numbers of attempts that were issued in a time and became no document.

        `changed_since` is the beginning of that time by the clock of the database. Numbers that no attempt
        has taken are not among them: to find those, all numbers of a series must be read.
        """
        rows = await self._connection.fetch(
            _UNUSED, *self._companies, types, environment, _UNUSED_STATES, changed_since, since, before, limit
        )
        return [UnusedNumberRow(**row) for row in rows]

    async def parked(self, limit: int) -> tuple[list[ParkedWork], int]:
        """Returns the work that was parked longest ago, and how much there is in all."""
        rows = await self._connection.fetch(_PARKED, *self._companies, limit)
        return [ParkedWork(**_own(row)) for row in rows], _total(rows)

    async def failing_webhooks(self) -> list[FailingWebhookRow]:
        """Returns the webhooks that fail or were disabled for it; those of the whole subscription."""
        rows = await self._connection.fetch(_WEBHOOKS, self._companies[0])
        return [FailingWebhookRow(**row) for row in rows]

    async def received_due(
        self, service: str, statuses: Sequence[str], since: datetime, until: datetime, limit: int
    ) -> tuple[list[DueReceivedRow], int]:
        """Returns the received documents whose term ends first, and how many end in a time in all."""
        rows = await self._connection.fetch(_DUE, *self._companies, service, statuses, since, until, limit)
        return [DueReceivedRow(**_own(row)) for row in rows], _total(rows)


def _own(row: Row) -> dict[str, Any]:
    """Returns the columns of a row without the number of all rows."""
    return {name: value for name, value in row.items() if name != "total"}


def _total(rows: Sequence[Row]) -> int:
    total: int = rows[0]["total"] if rows else 0
    return total


def _rejection_group(row: Row) -> RejectionGroupRow:
    newest = zip(
        row["newest_company_ids"],
        row["newest_ids"],
        row["newest_types"],
        row["newest_numbers"],
        strict=True,
    )
    return RejectionGroupRow(
        environment=row["environment"],
        code=row["code"],
        message=row["message"],
        hint=row["hint"],
        documents=row["documents"],
        last_at=row["last_at"],
        types=row["types"],
        company_ids=row["company_ids"],
        newest=tuple(DocumentReferenceRow(*reference) for reference in newest),
    )
