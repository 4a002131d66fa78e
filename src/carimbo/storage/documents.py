"""Fiscal documents as callers asked for them, and where they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.fiscal.addressee import Addressee
from carimbo.fiscal.emission import EmissionType
from carimbo.storage import emissions
from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.document_events import NewEvent
from carimbo.storage.document_filter import DocumentFilter
from carimbo.storage.emissions import Emission
from carimbo.storage.jobs import job_added, job_hastened
from carimbo.storage.new_document import NewDocument, insert
from carimbo.storage.turns import NEXT_TURN
from carimbo.storage.work import WorkKind


@dataclass(frozen=True, kw_only=True)
class Document:
    """A stored document with the attempt in force, if there is one."""

    id: UUID
    company_id: UUID
    type: str
    environment: str
    status: str
    external_id: str | None
    sale_id: UUID | None
    is_direct: bool
    request: str
    """The JSON that it is made of."""
    posted_request: str | None
    """The JSON as the caller sent it, if the request was filled from the catalog."""
    posted_version: int
    """The version that the posted JSON belongs to."""
    version: int
    amount: Decimal
    warnings: list[str]
    reviewed_revision: int
    reviewed_on: date
    rejection: dict[str, Any] | None
    allowance_period: str | None
    created_at: datetime
    queued_at: datetime | None
    first_queued_at: datetime | None
    next_action_at: datetime | None
    """When a worker takes it up again; None if nothing is due."""
    attempts: int
    """How often a worker took it up since it last came further."""
    parked_reason: str | None
    replaced_by: UUID | None
    """The document that took its place."""
    facts: dict[str, Any]
    """Facts from its events, such as `closedAt`, by the names of our JSON."""
    company_revision: int
    emission: Emission | None

    @property
    def posted(self) -> str:
        """The JSON of the request as the caller sent it."""
        is_current = self.posted_version == self.version
        return self.posted_request if self.posted_request and is_current else self.request

    @property
    def asked_at(self) -> datetime | None:
        """When it was asked for: what a sale needs, when the sale first lets it go, and not before."""
        return self.created_at if self.is_direct else self.first_queued_at


_OWN = tuple(field.name for field in fields(Document) if field.name not in ("emission", "company_revision"))
_ATTEMPT_IN_FORCE = (
    "emissions e on e.subscription_id = d.subscription_id and e.document_id = d.id and e.ordinal = d.emission"
)
_SELECT = (
    f"select {', '.join(f'd.{name}' for name in _OWN)},"
    f" {', '.join(f'e.{name} as emission_{name}' for name in emissions.COLUMNS)},"
    " c.revision as company_revision from documents d"
    " join companies c on c.subscription_id = d.subscription_id and c.id = d.company_id"
    f" left join {_ATTEMPT_IN_FORCE}"
)

_MATCH = """
    with matches as {materialized} (
        select d.id, d.created_at from documents d {attempt} where {matching}
    )
    select ({total}) as total, array(
        select id from matches order by created_at desc, id desc offset {offset} limit {size}
    ) as ids
"""
_COUNT = "select count(*) from matches"
_COUNTERS = (
    "select coalesce(sum(documents), 0)::bigint from document_counts d"
    " where d.subscription_id = $1 and {matching}"
)
_DELETE = """
    with gone as (
        delete from documents
        where subscription_id = $1 and id = any($2) and status in ('pending', 'rejected') and emission = 0
        returning *
    ), histories as (
        delete from document_events e using gone
        where e.subscription_id = gone.subscription_id and e.document_id = gone.id
    ), keys as (
        delete from order_keys k using gone
        where k.subscription_id = gone.subscription_id and k.company_id = gone.company_id
            and k.namespace = gone.namespace and k.key in (gone.idempotency_key, gone.external_id)
            and k.document_id = gone.id
    )
    select id from gone
"""


class Documents:
    """Documents of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, document: NewDocument, events: Sequence[NewEvent], *, queued: bool) -> Document:
        """Insert with its first events, and wake a worker if it is queued.

        All of it is one statement: outside a transaction it is one by itself. Raises OrderKeyTaken if another
        order has one of its keys, and CompanyNotInUse.
        """
        row = await insert(self._connection, self._subscription_id, document, events, queued=queued)
        return _stored(document, row)

    async def find_printed(self, company_id: UUID, access_key: str) -> Document | None:
        """Find what was handed over with this key on its paper."""
        row = await self._connection.fetchrow(
            f"{_SELECT} where d.subscription_id = $1 and d.company_id = $2"
            " and e.subscription_id = $1 and e.access_key = $3 and e.emission_type = $4",
            self._subscription_id, company_id, access_key, EmissionType.OFFLINE,
        )  # fmt: skip
        return row and _document(row)

    async def get(self, document_id: UUID) -> Document | None:
        """A document of any company of the subscription."""
        row = await self._connection.fetchrow(
            f"{_SELECT} where d.subscription_id = $1 and d.id = $2", self._subscription_id, document_id
        )
        return row and _document(row)

    async def lock(self, document_id: UUID) -> Document | None:
        """Read, and keep others from changing it until the transaction ends."""
        row = await self._connection.fetchrow(
            f"{_SELECT} where d.subscription_id = $1 and d.id = $2 for no key update of d",
            self._subscription_id, document_id,
        )  # fmt: skip
        return row and _document(row)

    async def of_sales(self, sale_ids: Sequence[UUID]) -> list[Document]:
        """The documents of sales, in the order in which they were made."""
        rows = await self._connection.fetch(
            f"{_SELECT} where d.subscription_id = $1 and d.sale_id = any($2) order by d.created_at, d.id",
            self._subscription_id, sale_ids,
        )  # fmt: skip
        return [_document(row) for row in rows]

    async def lock_of_sale(self, sale_id: UUID) -> list[Document]:
        """Read the documents of a sale, and keep others from changing them until the transaction ends."""
        rows = await self._connection.fetch(
            f"{_SELECT} where d.subscription_id = $1 and d.sale_id = $2 order by d.created_at, d.id"
            " for no key update of d",
            self._subscription_id, sale_id,
        )  # fmt: skip
        return [_document(row) for row in rows]

    async def page(
        self, company_id: UUID, wanted: DocumentFilter, offset: int, size: int
    ) -> tuple[list[Document], int]:
        """Returns a page of a company's documents, newest first, and how many there are on all pages."""
        ids, total = await self._match(company_id, wanted, offset, size)
        rows = await self._connection.fetch(
            f"{_SELECT} where d.subscription_id = $1 and d.id = any($2)"
            " order by d.created_at desc, d.id desc",
            self._subscription_id, ids,
        )  # fmt: skip
        return [_document(row) for row in rows], total

    async def count(self, company_id: UUID, wanted: DocumentFilter) -> int:
        """Returns how many documents a filter matches."""
        _, total = await self._match(company_id, wanted, 0, 0)
        return total

    async def _match(
        self, company_id: UUID, wanted: DocumentFilter, offset: int, size: int
    ) -> tuple[list[UUID], int]:
        """Returns the ids of a page, and how many there are in all: by the counters where they know."""
        matching, values = wanted.matching(self._subscription_id, company_id)
        sql = _MATCH.format(
            matching=matching,
            attempt=f"join {_ATTEMPT_IN_FORCE}" if wanted.has_attempt else "",
            # What a search finds has no index by age: all of it is read, so it is read once.
            materialized="materialized" if wanted.search is not None else "not materialized",
            total=(_COUNTERS if wanted.is_counted else _COUNT).format(matching=matching),
            offset=f"${len(values) + 1}",
            size=f"${len(values) + 2}",
        )
        # Prepared for one execution, to be planned for these values: by a plan for any values PostgreSQL may
        # read all documents of a company to find those of a series that it seldom uses.
        statement = await self._connection.prepare(sql)
        row = only(await statement.fetchrow(*values, offset, size))
        return row["ids"], row["total"]

    async def types_in_use(self, company_id: UUID) -> set[str]:
        """Returns the types that a company ever created a document of, or set the next number of."""
        rows = await self._connection.fetch(
            "select type from document_counts where subscription_id = $1 and company_id = $2"
            " union select document_type from number_sequences"
            " where subscription_id = $1 and company_id = $2 and next_number > 1",
            self._subscription_id, company_id,
        )  # fmt: skip
        return {row["type"] for row in rows}

    async def queue(self, document_id: UUID, company_id: UUID, *, is_urgent: bool) -> None:
        """Give it a turn among what waits and wake a worker, both in the caller's transaction."""
        await self._connection.execute(
            f"with queued as (update documents set turn = {NEXT_TURN}, next_action_at = now(),"
            " queued_at = now(), first_queued_at = coalesce(first_queued_at, now()), attempts = 0,"
            " parked_reason = null where subscription_id = $1 and id = $4"
            f" returning *) {job_added(WorkKind.DOCUMENT, 'queued')}",
            self._subscription_id, company_id, is_urgent, document_id,
        )  # fmt: skip

    async def wake(self, company_id: UUID, types: Sequence[str]) -> None:
        """Let documents that pause go on now: what they wait for may have changed."""
        await self._connection.execute(
            "with due as (update documents set next_action_at = now() where subscription_id = $1"
            " and company_id = $2 and type = any($3) and status = 'processing' and next_action_at > now()"
            f" and lease_until is null returning *), hastened as ({job_hastened(WorkKind.DOCUMENT, 'due')})"
            f" {job_added(WorkKind.DOCUMENT, 'due')}",
            self._subscription_id, company_id, types,
        )  # fmt: skip

    async def write_request(
        self,
        document_id: UUID,
        request: str,
        amount: Decimal,
        warnings: Sequence[str],
        revision: int,
        day: date,
        recipient: Addressee | None,
        posted_request: str | None = None,
    ) -> None:
        """Replace what was asked for; the version tells that it is another one."""
        await self._connection.execute(
            "update documents set request = $3, amount = $4, warnings = $5, reviewed_revision = $6,"
            " reviewed_on = $7, recipient_tax_id = $8, recipient_name = $9, posted_request = $10,"
            " posted_version = version + 1, version = version + 1, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, document_id, request, amount, warnings, revision, day,
            recipient and recipient.tax_id, recipient and recipient.name, posted_request,
        )  # fmt: skip

    async def start(
        self,
        document_id: UUID,
        amount: Decimal,
        warnings: Sequence[str],
        revision: int,
        day: date,
        period: str | None,
    ) -> None:
        """Send a stored or refused document on its way."""
        await self._connection.execute(
            "update documents set status = 'processing', rejection = null, amount = $3, warnings = $4,"
            " reviewed_revision = $5, reviewed_on = $6, allowance_period = $7, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, document_id, amount, warnings, revision, day, period,
        )  # fmt: skip

    async def make_draft(self, document_id: UUID) -> None:
        """Lets a corrected document wait to be emitted, under the number that it has."""
        await self._connection.execute(
            "update documents set status = 'pending', rejection = null, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, document_id,
        )  # fmt: skip

    async def refuse(self, document_id: UUID, rejection: Mapping[str, Any]) -> None:
        """Refuse a draft before it is sent on its way."""
        await self._connection.execute(
            "update documents set status = 'rejected', rejection = $3, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, document_id, rejection,
        )  # fmt: skip

    async def delete(self, document_ids: Sequence[UUID]) -> bool:
        """Deletes those that no authority has heard of, with their histories and order keys.

        Returns whether all of them were deleted: one that is on its way or has a number never is.
        """
        rows = await self._connection.fetch(_DELETE, self._subscription_id, document_ids)
        return len(rows) == len(document_ids)


def _stored(document: NewDocument, row: Row) -> Document:
    """What was just inserted, without reading it again."""
    own = {name: row[name] if name in row else getattr(document, name) for name in _OWN}
    return Document(**own, company_revision=document.reviewed_revision, emission=None)


def _document(row: Row) -> Document:
    own = {name: row[name] for name in _OWN}
    known = row["emission_ordinal"] is not None
    emission = Emission(**{name: row[f"emission_{name}"] for name in emissions.COLUMNS}) if known else None
    return Document(**own, company_revision=row["company_revision"], emission=emission)
