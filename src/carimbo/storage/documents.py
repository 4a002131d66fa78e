"""Fiscal documents: the requests of callers, and their status.

`new_documents.py` has the SQL that inserts them and gives them their turn; `document_search.py` lists them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.lifecycle import HistoryEntry
from carimbo.fiscal.parties.customer import Addressee
from carimbo.storage import emissions
from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.companies import CompanyNotInUse
from carimbo.storage.connection import Connection, Row
from carimbo.storage.document_events import NewEvent, event_arrays
from carimbo.storage.document_search import CURRENT_ATTEMPT, DocumentFilter, find_older, find_page
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.identifiers import new_id
from carimbo.storage.keyset import KeysetPage, Position
from carimbo.storage.new_documents import INSERT_DOCUMENT, NEXT_TURN, NewDocument
from carimbo.storage.order_keys import claiming_keys
from carimbo.storage.sql import NamedSql


@dataclass(frozen=True, kw_only=True)
class Document:
    """A stored document with its current attempt, if there is one."""

    id: UUID
    company_id: UUID
    type: str
    environment: str
    status: str
    external_id: str | None
    sale_id: UUID | None
    is_direct: bool
    request: str
    """The JSON from which it is made."""
    posted_request: str | None
    """The JSON as the caller sent it, if the request was filled from the catalog."""
    posted_version: int
    """The version that the posted JSON belongs to."""
    version: int
    recipient_tax_id: str | None
    recipient_name: str | None
    amount: Decimal
    warnings: list[str]
    reviewed_revision: int
    reviewed_on: date
    rejection: dict[str, Any] | None
    allowance_period: str | None
    created_at: datetime
    created_by: dict[str, Any] | None
    """The actor who requested it; None if 0.1.0 stored it."""
    queued_at: datetime | None
    first_queued_at: datetime | None
    next_action_at: datetime | None
    """When a worker continues with it; None if nothing is due."""
    attempts: int
    """How often a worker claimed it since its last progress."""
    parked_reason: str | None
    replaced_by: UUID | None
    """The document that replaces it."""
    facts: dict[str, Any]
    """Facts from its events, such as `closedAt`, by the names of our JSON."""
    company_revision: int
    emission: EmissionRow | None

    @property
    def posted(self) -> str:
        """The JSON of the request as the caller sent it."""
        is_current = self.posted_version == self.version
        return self.posted_request if self.posted_request and is_current else self.request

    @property
    def asked_at(self) -> datetime | None:
        """When it was requested; for a document of a sale, when it was first queued, and None before."""
        return self.created_at if self.is_direct else self.first_queued_at


@dataclass(frozen=True)
class DocumentForExport:
    """A document with its recipient, as far as the request names one."""

    document: Document
    recipient_tax_id: str | None
    recipient_name: str | None


_OWN = tuple(field.name for field in fields(Document) if field.name not in ("emission", "company_revision"))
_SELECT = (
    f"select {', '.join(f'd.{name}' for name in _OWN)},"
    f" {', '.join(f'e.{name} as emission_{name}' for name in emissions.COLUMNS)},"
    " c.revision as company_revision from documents d"
    " join companies c on c.subscription_id = d.subscription_id and c.id = d.company_id"
    f" left join {CURRENT_ATTEMPT}"
)
_SELECT_FOR_EXPORT = f"select d.recipient_tax_id, d.recipient_name, {_SELECT.removeprefix('select ')}"
_READ_IF_NEW = {"request", "posted_request"}
CLAIMED_COLUMNS = (
    ", ".join(
        f"case when t.emission = 0 then t.{name} end as {name}" if name in _READ_IF_NEW else f"t.{name}"
        for name in _OWN
    )
    + ", nullif(t.emission, 0) as emission_ordinal,"
    " (select revision from companies c where c.subscription_id = t.subscription_id and c.id = t.company_id)"
    " as company_revision"
)
"""SQL of a claimed row `t`, for `claimed_document`; without the long texts if the document has an attempt."""

_DELETE = """
    with deleted as (
        delete from documents
        where subscription_id = $1 and id = any($2) and status in ('pending', 'rejected') and emission = 0
        returning *
    ), histories as (
        delete from document_events e using deleted
        where e.subscription_id = deleted.subscription_id and e.document_id = deleted.id
    ), keys as (
        delete from order_keys k using deleted
        where k.subscription_id = deleted.subscription_id and k.company_id = deleted.company_id
            and k.namespace = deleted.namespace and k.key in (deleted.idempotency_key, deleted.external_id)
            and k.document_id = deleted.id
    )
    select id from deleted
"""
_WRITE_REQUEST = NamedSql(f"""
    with changed as (
        update documents set request = :request, amount = :amount, warnings = :warnings,
            reviewed_revision = :revision, reviewed_on = :day, recipient_tax_id = :recipient_tax_id,
            recipient_name = :recipient_name, posted_request = :posted_request,
            posted_version = version + 1, version = version + 1, updated_at = now()
        where subscription_id = $1 and id = $2 returning *
    )
    insert into document_events (subscription_id, document_id, company_id, id, type, status, actor)
    select $1, id, company_id, :event_id, '{HistoryEntry.CHANGED}', status, :actor::jsonb from changed
""")


class Documents:
    """Documents of one subscription."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, document: NewDocument, events: Sequence[NewEvent], *, queued: bool) -> Document:
        """Inserts a document with its first events and, if it is queued, its turn; all in one statement.

        Raises OrderKeyTaken if another order has one of its keys, and CompanyNotInUse.
        """
        statement = INSERT_DOCUMENT[queued]
        values = {**vars(document), **event_arrays(events), "actor": stored_actor(self._actor)}
        with claiming_keys():
            row = await self._connection.fetchrow(
                statement.text,
                self._subscription_id, document.company_id, document.is_urgent,
                *statement.arguments(values),
            )  # fmt: skip
        if row is None:
            raise CompanyNotInUse(document.company_id)
        # Without reading the row again.
        own = {name: row[name] if name in row else getattr(document, name) for name in _OWN}
        return Document(**own, company_revision=document.reviewed_revision, emission=None)

    async def find_printed(self, company_id: UUID, access_key: str) -> Document | None:
        """Returns the document that was printed offline with an access key, or None."""
        row = await self._connection.fetchrow(
            f"{_SELECT} where d.subscription_id = $1 and d.company_id = $2"
            " and e.subscription_id = $1 and e.access_key = $3 and e.emission_type = $4",
            self._subscription_id, company_id, access_key, EmissionType.OFFLINE,
        )  # fmt: skip
        return row and _document(row)

    async def is_in_manifest(self, document: Document, emission: EmissionRow) -> bool:
        """Returns whether an open manifest of the company lists a CT-e; also one that was issued offline."""
        listed = await self._connection.fetchval(
            "select exists (select from documents d where d.subscription_id = $1 and d.company_id = $2"
            " and d.environment = $3 and d.type = 'mdfe' and waybills_in(d.request) @> array[$4::text]"
            " and (d.status = 'authorized' and not d.facts ? 'closedAt' or d.status = 'processing'"
            " and exists (select from emissions e where e.subscription_id = $1 and e.document_id = d.id"
            f" and e.ordinal = d.emission and {emissions.IS_PRINTED})))",
            self._subscription_id, document.company_id, document.environment, emission.access_key,
        )  # fmt: skip
        return bool(listed)

    async def authorized_or_canceled_with_keys(
        self, company_id: UUID, environment: str, access_keys: Sequence[str]
    ) -> dict[str, Document]:
        """Returns the documents of a company that were authorized with these access keys, by key."""
        rows = await self._connection.fetch(
            f"{_SELECT} where d.subscription_id = $1 and d.company_id = $2"
            " and d.status in ('authorized', 'canceled')"
            " and e.subscription_id = $1 and e.environment = $3 and e.access_key = any($4)",
            self._subscription_id, company_id, environment, access_keys,
        )  # fmt: skip
        documents = map(_document, rows)
        return {
            document.emission.access_key: document
            for document in documents
            if document.emission and document.emission.access_key
        }

    async def get(self, document_id: UUID) -> Document | None:
        """Returns a document of any company of the subscription, or None."""
        row = await self._connection.fetchrow(
            f"{_SELECT} where d.subscription_id = $1 and d.id = $2", self._subscription_id, document_id
        )
        return row and _document(row)

    async def lock(self, document_id: UUID) -> Document | None:
        """Returns a document and locks it until the transaction ends."""
        row = await self._connection.fetchrow(
            f"{_SELECT} where d.subscription_id = $1 and d.id = $2 for no key update of d",
            self._subscription_id, document_id,
        )  # fmt: skip
        return row and _document(row)

    async def of_sales(self, sale_ids: Sequence[UUID]) -> list[Document]:
        """Returns the documents of some sales, in the order of their creation."""
        rows = await self._connection.fetch(
            f"{_SELECT} where d.subscription_id = $1 and d.sale_id = any($2) order by d.created_at, d.id",
            self._subscription_id, sale_ids,
        )  # fmt: skip
        return [_document(row) for row in rows]

    async def lock_of_sale(self, sale_id: UUID) -> list[Document]:
        """Returns the documents of a sale and locks them until the transaction ends."""
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
        ids, total = await find_page(
            self._connection, self._subscription_id, company_id, wanted, offset, size
        )
        rows = await self._connection.fetch(
            f"{_SELECT} where d.subscription_id = $1 and d.id = any($2)"
            " order by d.created_at desc, d.id desc",
            self._subscription_id, ids,
        )  # fmt: skip
        return [_document(row) for row in rows], total

    async def older(
        self, company_id: UUID, wanted: DocumentFilter, after: Position | None, size: int
    ) -> KeysetPage[DocumentForExport]:
        """Returns the documents after a place in a company's list, newest first."""
        page = await find_older(self._connection, self._subscription_id, company_id, wanted, after, size)
        return KeysetPage(await self.for_export(page.rows), page.next)

    async def for_export(self, ids: Sequence[UUID]) -> list[DocumentForExport]:
        """Returns documents with their recipients, in the order of their ids in `ids`."""
        rows = await self._connection.fetch(
            f"{_SELECT_FOR_EXPORT} where d.subscription_id = $1 and d.id = any($2)"
            " order by array_position($2, d.id)",
            self._subscription_id, ids,
        )  # fmt: skip
        return [
            DocumentForExport(_document(row), row["recipient_tax_id"], row["recipient_name"]) for row in rows
        ]

    async def count(self, company_id: UUID, wanted: DocumentFilter) -> int:
        """Returns how many documents a filter matches."""
        _, total = await find_page(self._connection, self._subscription_id, company_id, wanted, 0, 0)
        return total

    async def types_in_use(self, company_id: UUID) -> set[str]:
        """Returns the types of which a company ever created a document or set the next number."""
        rows = await self._connection.fetch(
            "select type from document_counts where subscription_id = $1 and company_id = $2"
            " union select document_type from number_sequences"
            " where subscription_id = $1 and company_id = $2 and next_number > 1",
            self._subscription_id, company_id,
        )  # fmt: skip
        return {row["type"] for row in rows}

    async def queue(self, document_id: UUID, company_id: UUID, *, is_urgent: bool) -> None:
        """Queues a document with its turn."""
        await self._connection.execute(
            f"update documents set turn = {NEXT_TURN}, next_action_at = now(),"
            " queued_at = now(), first_queued_at = coalesce(first_queued_at, now()), attempts = 0,"
            " parked_reason = null where subscription_id = $1 and id = $4",
            self._subscription_id, company_id, is_urgent, document_id,
        )  # fmt: skip

    async def wake(self, company_id: UUID, types: Sequence[str]) -> None:
        """Makes a company's paused documents of some types due now; the reason of the pause may be gone."""
        await self._connection.execute(
            "update documents set next_action_at = now() where subscription_id = $1 and company_id = $2"
            " and type = any($3) and status = 'processing' and next_action_at > now()"
            " and lease_until is null",
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
        """Replaces the request of a document and raises its version; its history names the actor."""
        values = {
            "event_id": new_id(),
            "actor": stored_actor(self._actor),
            "request": request,
            "amount": amount,
            "warnings": warnings,
            "revision": revision,
            "day": day,
            "recipient_tax_id": recipient and recipient.tax_id,
            "recipient_name": recipient and recipient.name,
            "posted_request": posted_request,
        }
        await self._connection.execute(
            _WRITE_REQUEST.text, self._subscription_id, document_id, *_WRITE_REQUEST.arguments(values)
        )

    async def start(
        self,
        document_id: UUID,
        amount: Decimal,
        warnings: Sequence[str],
        revision: int,
        day: date,
        period: str | None,
    ) -> None:
        """Sets the status of a draft or rejected document to processing."""
        await self._connection.execute(
            "update documents set status = 'processing', rejection = null, amount = $3, warnings = $4,"
            " reviewed_revision = $5, reviewed_on = $6, allowance_period = $7, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, document_id, amount, warnings, revision, day, period,
        )  # fmt: skip

    async def make_draft(self, document_id: UUID) -> None:
        """Makes a corrected document a draft again; it keeps its number."""
        await self._connection.execute(
            "update documents set status = 'pending', rejection = null, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, document_id,
        )  # fmt: skip

    async def refuse(self, document_id: UUID, rejection: Mapping[str, Any]) -> None:
        """Rejects a draft before it is queued."""
        await self._connection.execute(
            "update documents set status = 'rejected', rejection = $3, updated_at = now()"
            " where subscription_id = $1 and id = $2",
            self._subscription_id, document_id, rejection,
        )  # fmt: skip

    async def delete(self, document_ids: Sequence[UUID]) -> bool:
        """Deletes documents that no authority has, with their histories and order keys.

        Returns whether all were deleted. A document that is processing or has a number is not deleted.
        """
        rows = await self._connection.fetch(_DELETE, self._subscription_id, document_ids)
        return len(rows) == len(document_ids)


def _document(row: Row) -> Document:
    own = {name: row[name] for name in _OWN}
    emission = None
    if row["emission_ordinal"] is not None:
        emission = EmissionRow(**{name: row[f"emission_{name}"] for name in emissions.COLUMNS})
    return Document(**own, company_revision=row["company_revision"], emission=emission)


def claimed_document(row: Row) -> Document | None:
    """Returns a document as it was claimed; None if it has an attempt, which must be read after the claim.

    The claim itself may see an attempt as it was before the previous worker's last write.
    """
    return _document(row) if row["emission_ordinal"] is None else None
