"""Received documents: what others issued for the companies of a subscription, and its events.

Every change of a document gives it a new version, and callers ask for what changed after a version. So the
versions of one company must become visible in their order: whoever changes its received documents locks them
first.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.receiving import TaxedAmount
from carimbo.storage.connection import Connection, only
from carimbo.storage.keyset import KeysetPage, Position
from carimbo.storage.received_search import ReceivedFilter, find_older_received, find_received
from carimbo.storage.sql import NamedSql

LOCK_COMPANY = "pg_advisory_xact_lock(hashtextextended('received:' || {company_id}, 0))"
"""SQL that locks the received documents of a company until the transaction ends."""


@dataclass(frozen=True, kw_only=True)
class NewReceived:
    """A received document to store."""

    id: UUID
    company_id: UUID
    service: str
    type: str
    environment: str
    access_key: str
    series: int | None
    number: int | None
    role: str
    issuer_tax_id: str
    issuer_name: str
    amount: Decimal | None
    issued_at: datetime
    authorized_at: datetime | None
    protocol: str | None
    situation: str
    status: str
    has_full_xml: bool
    nsu: int | None
    source: str
    """Whence its file is: `distribution` or `import`."""
    is_distributed: bool
    """Whether the authority itself has said what became of it."""
    acknowledge_by: datetime | None
    respond_by: datetime | None


@dataclass(frozen=True, kw_only=True)
class ReceivedRow(NewReceived):
    """A stored received document."""

    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class NewReceivedEvent:
    """An event of a received document that the authority distributed."""

    id: UUID
    company_id: UUID
    environment: str
    access_key: str
    code: str
    description: str
    sequence: int
    author_tax_id: str
    protocol: str | None
    occurred_at: datetime | None
    registered_at: datetime | None
    situation: str | None
    text: str | None
    has_full_xml: bool
    nsu: int | None


@dataclass(frozen=True, kw_only=True)
class ReceivedEventRow(NewReceivedEvent):
    """A stored event."""

    created_at: datetime


@dataclass(frozen=True)
class MonthlyTotal:
    """The sum of a month by CFOP, tax and CST."""

    cfop: str
    tax: str
    cst: str
    items: Decimal
    base: Decimal
    amount: Decimal
    documents: int


@dataclass(frozen=True)
class MonthlySums:
    """What a company received in a month."""

    totals: list[MonthlyTotal]
    documents: int
    """Those that are in the totals."""
    summaries: int
    """Those that are not, because only their summary is here."""


_COLUMNS = ", ".join(field.name for field in fields(ReceivedRow))
_WRITTEN = tuple(field.name for field in fields(NewReceived))
_ADD = NamedSql(f"""
    insert into received_documents (subscription_id, {", ".join(_WRITTEN)})
    values ($1, {", ".join(f":{name}" for name in _WRITTEN)}) returning {_COLUMNS}
""")
_CHANGE = NamedSql(f"""
    update received_documents set {", ".join(f"{name} = :{name}" for name in _WRITTEN if name != "id")},
        version = nextval('received_versions'), updated_at = now()
    where subscription_id = $1 and id = :id returning {_COLUMNS}
""")
_EVENT_COLUMNS = ", ".join(field.name for field in fields(ReceivedEventRow))
_EVENT_WRITTEN = tuple(field.name for field in fields(NewReceivedEvent))
_ADD_EVENT = NamedSql(f"""
    insert into received_events as e (subscription_id, {", ".join(_EVENT_WRITTEN)})
    values ($1, {", ".join(f":{name}" for name in _EVENT_WRITTEN)})
    on conflict (subscription_id, company_id, environment, access_key, code, sequence, author_tax_id)
    do update set text = excluded.text, has_full_xml = true, protocol = excluded.protocol,
        registered_at = excluded.registered_at
    where excluded.has_full_xml and not e.has_full_xml
    returning {_EVENT_COLUMNS}, xmax = 0 as is_new
""")
# Documents of a company ($1 to $4) that were issued in a time ($5, $6), in which it has a role ($7), and that
# it does not deny ($8).
_OF_BOOKS = """
    d.subscription_id = $1 and d.company_id = $2 and d.service = $3 and d.environment = $4
        and d.issued_at >= $5 and d.issued_at < $6 and d.situation not in ('canceled', 'denied')
        and d.role = $7 and d.status <> all($8)
"""
_MAX_ACKNOWLEDGEMENTS = 3
# Summaries that a company may acknowledge ($1 to $3), but not after a final refusal ($4) or several refusals.
_ACKNOWLEDGEABLE = f"""
    received_documents d cross join lateral (
        select max(m.created_at) + interval '6 hours' as again_at,
            count(*) as manifestations, count(*) filter (
                where m.state <> 'refused' or m.authority_code = any($4)
            ) as obstacles
        from manifestations m where m.subscription_id = $1 and m.document_id = d.id
    ) as earlier
    where d.subscription_id = $1 and d.company_id = $2 and d.environment = $3 and d.acknowledge_by > now()
        and d.status = 'pending' and d.situation in ('authorized', 'corrected')
        and obstacles = 0 and manifestations < {_MAX_ACKNOWLEDGEMENTS}
"""


class ReceivedDocuments:
    """Received documents of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def lock(self, company_id: UUID) -> None:
        """Locks the received documents of a company until the transaction ends."""
        await self._connection.execute(f"select {LOCK_COMPANY.format(company_id='$1::uuid')}", company_id)

    async def add(self, document: NewReceived) -> ReceivedRow:
        """Stores a new document, under the lock of its company."""
        row = await self._connection.fetchrow(
            _ADD.text, self._subscription_id, *_ADD.arguments(vars(document))
        )
        return ReceivedRow(**only(row))

    async def change(self, document: NewReceived) -> ReceivedRow:
        """Stores a changed document with a new version, under the lock of its company."""
        row = await self._connection.fetchrow(
            _CHANGE.text, self._subscription_id, *_CHANGE.arguments(vars(document))
        )
        return ReceivedRow(**only(row))

    async def get(self, document_id: UUID) -> ReceivedRow | None:
        """Returns a document, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from received_documents where subscription_id = $1 and id = $2",
            self._subscription_id, document_id,
        )  # fmt: skip
        return row and ReceivedRow(**row)

    async def by_key(self, company_id: UUID, environment: str, access_key: str) -> ReceivedRow | None:
        """Returns the document of a company with an access key, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from received_documents where subscription_id = $1 and company_id = $2"
            " and environment = $3 and access_key = $4",
            self._subscription_id, company_id, environment, access_key,
        )  # fmt: skip
        return row and ReceivedRow(**row)

    async def is_issued_here(self, company_id: UUID, environment: str, access_key: str) -> bool:
        """Returns whether this service issued the document with an access key for the company."""
        is_ours: bool = await self._connection.fetchval(
            "select exists (select from emissions where subscription_id = $1 and company_id = $2"
            " and environment = $3 and (access_key = $4 or assigned_key = $4)"
            " and state in ('sent', 'authorized', 'canceled'))",
            self._subscription_id, company_id, environment, access_key,
        )  # fmt: skip
        return is_ours

    async def page(
        self, company_id: UUID, wanted: ReceivedFilter, offset: int, size: int
    ) -> tuple[list[ReceivedRow], int]:
        """Returns a page, the newest issued first, and the number of all matches."""
        ids, total = await find_received(
            self._connection, self._subscription_id, company_id, wanted, offset, size
        )
        return await self.with_ids(ids), total

    async def older(
        self, company_id: UUID, wanted: ReceivedFilter, after: Position | None, size: int
    ) -> KeysetPage[ReceivedRow]:
        """Returns the documents after a place in the list, the newest issued first."""
        page = await find_older_received(
            self._connection, self._subscription_id, company_id, wanted, after, size
        )
        return KeysetPage(await self.with_ids(page.rows), page.next)

    async def after_version(
        self, company_id: UUID, service: str, environment: str, version: int, size: int
    ) -> list[ReceivedRow]:
        """Returns the documents that changed after a version, in the order of their versions."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from received_documents where subscription_id = $1 and company_id = $2"
            " and service = $3 and environment = $4 and version > $5 order by version limit $6",
            self._subscription_id, company_id, service, environment, version, size,
        )  # fmt: skip
        return [ReceivedRow(**row) for row in rows]

    async def to_acknowledge(
        self, company_id: UUID, environment: str, final_codes: Collection[str], limit: int
    ) -> list[ReceivedRow]:
        """Returns summaries that can be acknowledged now, those with the least time first.

        After a refusal a summary is acknowledged again some hours later, unless the refusal is final.
        """
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from {_ACKNOWLEDGEABLE} and coalesce(again_at <= now(), true)"
            " order by acknowledge_by limit $5",
            self._subscription_id, company_id, environment, list(final_codes), limit,
        )  # fmt: skip
        return [ReceivedRow(**row) for row in rows]

    async def acknowledged_again_in(
        self, company_id: UUID, environment: str, final_codes: Collection[str]
    ) -> timedelta | None:
        """Returns when the next summary is acknowledged again, or None if there is none."""
        pause: timedelta | None = await self._connection.fetchval(
            f"select min(again_at) - now() from {_ACKNOWLEDGEABLE} and again_at < acknowledge_by",
            self._subscription_id, company_id, environment, list(final_codes),
        )  # fmt: skip
        return pause

    async def add_event(self, event: NewReceivedEvent) -> tuple[ReceivedEventRow, bool] | None:
        """Stores an event, or completes its summary; returns None if nothing changed.

        The second value says whether the event is new.
        """
        row = await self._connection.fetchrow(
            _ADD_EVENT.text, self._subscription_id, *_ADD_EVENT.arguments(vars(event))
        )
        if row is None:
            return None
        values = dict(row)
        is_new = values.pop("is_new")
        return ReceivedEventRow(**values), is_new

    async def events(self, company_id: UUID, environment: str, access_key: str) -> list[ReceivedEventRow]:
        """Returns the events of a document, oldest first."""
        rows = await self._connection.fetch(
            f"select {_EVENT_COLUMNS} from received_events where subscription_id = $1 and company_id = $2"
            " and environment = $3 and access_key = $4 order by coalesce(registered_at, created_at), id",
            self._subscription_id, company_id, environment, access_key,
        )  # fmt: skip
        return [ReceivedEventRow(**row) for row in rows]

    async def put_amounts(self, document_id: UUID, amounts: Sequence[TaxedAmount]) -> None:
        """Stores the sums of a document by CFOP, tax and CST, in place of earlier ones."""
        await self._connection.execute(
            "delete from received_amounts where subscription_id = $1 and document_id = $2",
            self._subscription_id, document_id,
        )  # fmt: skip
        await self._connection.executemany(
            "insert into received_amounts (subscription_id, document_id, cfop, tax, cst, items, base, amount)"
            " values ($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                (
                    self._subscription_id, document_id, amount.cfop, amount.tax, amount.cst, amount.items,
                    amount.base, amount.amount,
                )
                for amount in amounts
            ],
        )  # fmt: skip

    async def monthly_sums(
        self,
        company_id: UUID,
        service: str,
        environment: str,
        since: datetime,
        before: datetime,
        role: str,
        without: Sequence[str],
    ) -> MonthlySums:
        """Returns the sums of documents that were issued in a time, in which the company has a role.

        Canceled and denied ones do not count, nor those in the statuses of `without`.
        """
        values = (self._subscription_id, company_id, service, environment, since, before, role, without)
        rows = await self._connection.fetch(
            f"""
            select a.cfop, a.tax, a.cst, sum(a.items) as items, sum(a.base) as base, sum(a.amount) as amount,
                count(*) as documents
            from received_documents d
            join received_amounts a on a.subscription_id = d.subscription_id and a.document_id = d.id
            where {_OF_BOOKS} group by a.cfop, a.tax, a.cst order by a.cfop, a.tax, a.cst
            """,
            *values,
        )
        counts = await self._connection.fetchrow(
            "select count(*) filter (where d.has_full_xml) as documents,"
            " count(*) filter (where not d.has_full_xml) as summaries"
            f" from received_documents d where {_OF_BOOKS}",
            *values,
        )
        return MonthlySums([MonthlyTotal(**row) for row in rows], **only(counts))

    async def warn(self, document_id: UUID) -> ReceivedRow | None:
        """Stores that the company was warned of a term; returns None if it was warned before."""
        row = await self._connection.fetchrow(
            "update received_documents set warned_at = now(), version = nextval('received_versions'),"
            " updated_at = now()"
            f" where subscription_id = $1 and id = $2 and warned_at is null returning {_COLUMNS}",
            self._subscription_id, document_id,
        )  # fmt: skip
        return row and ReceivedRow(**row)

    async def with_ids(self, ids: Sequence[UUID]) -> list[ReceivedRow]:
        """Returns documents in the order of their ids in `ids`."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from received_documents where subscription_id = $1 and id = any($2)",
            self._subscription_id, ids,
        )  # fmt: skip
        by_id = {row["id"]: ReceivedRow(**row) for row in rows}
        return [by_id[document_id] for document_id in ids if document_id in by_id]


@dataclass(frozen=True)
class DueDocument:
    """A document about which its company must conclude soon."""

    subscription_id: UUID
    company_id: UUID
    id: UUID


async def documents_to_conclude(
    connection: Connection,
    service: str,
    now: datetime,
    within: timedelta,
    statuses: Sequence[str],
    limit: int = 1000,
) -> list[DueDocument]:
    """Returns documents in these statuses whose term ends soon, and whose companies were not warned."""
    rows = await connection.fetch(
        "select d.subscription_id, d.company_id, d.id from received_documents d"
        " join companies c on c.subscription_id = d.subscription_id and c.id = d.company_id"
        " where d.service = $1 and d.respond_by is not null and d.warned_at is null"
        " and d.respond_by between $2 and $2 + $3::interval and d.status = any($4)"
        " and d.situation in ('authorized', 'corrected') and c.deleted_at is null"
        " order by d.respond_by limit $5",
        service, now, within, statuses, limit,
    )  # fmt: skip
    return [DueDocument(**row) for row in rows]
