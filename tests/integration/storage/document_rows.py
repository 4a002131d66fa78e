"""Companies and documents for tests of the rows; of goods and taxes these tests know nothing."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.module_settings import LAST_NUMBER
from carimbo.storage import work
from carimbo.storage.database import Database
from carimbo.storage.document_events import NewEvent
from carimbo.storage.document_filter import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Place
from carimbo.storage.identifiers import new_id
from carimbo.storage.issuing import IssuingSteps, Settlement, Verdict
from carimbo.storage.new_document import NewDocument
from carimbo.storage.order_keys import OrderKeyTaken
from carimbo.storage.work import Lease, WorkKey, WorkKind

TODAY = date(2026, 11, 10)
EVERYTHING = DocumentFilter()
CREATED = NewEvent(type="created", status="processing")
AUTHORIZED = Verdict(status=Status.AUTHORIZED)
NOTHING_SPENT = Settlement()
MINUTE = timedelta(minutes=1)


def new_document(company_id: UUID, **changes: Any) -> NewDocument:
    """An order of an NF-e, but for what a test says."""
    values: dict[str, Any] = {
        "id": new_id(),
        "company_id": company_id,
        "type": "nfe",
        "environment": "production",
        "status": Status.PROCESSING,
        "namespace": "invoices",
        "idempotency_key": None,
        "external_id": None,
        "request": "{}",
        "amount": Decimal("59.80"),
        "warnings": [],
        "reviewed_revision": 1,
        "reviewed_on": TODAY,
        "allowance_period": None,
        "is_urgent": False,
    }
    return NewDocument(**{**values, **changes})


@dataclass(frozen=True)
class Shop:
    """A company, with what it takes to write documents of it."""

    database: Database
    subscription_id: UUID
    company_id: UUID

    @property
    def place(self) -> Place:
        return Place(self.company_id, "nfe", "production", 1, LAST_NUMBER)

    def key_of(self, document: Document) -> WorkKey:
        return WorkKey(WorkKind.DOCUMENT, self.subscription_id, document.id)

    async def add(self, *, queued: bool = True, **changes: Any) -> Document | None:
        """Store a document in a transaction of its own; None if another order has a key of it."""
        document = new_document(self.company_id, **changes)
        with suppress(OrderKeyTaken):
            async with self.database.tenant(self.subscription_id) as tenant:
                return await tenant.documents.add(document, [CREATED], queued=queued)
        return None

    async def added(self, *, queued: bool = True, **changes: Any) -> Document:
        """Store a document that is certainly new."""
        document = await self.add(queued=queued, **changes)
        assert document is not None
        return document

    async def read(self, document_id: UUID) -> Document:
        async with self.database.autocommit(self.subscription_id) as tenant:
            document = await tenant.documents.get(document_id)
        assert document is not None
        return document

    async def claimed(self, document: Document, duration: timedelta = MINUTE) -> Lease:
        async with self.database.transaction() as connection:
            lease = await work.claim(connection, self.key_of(document), duration)
        assert lease is not None
        return lease

    async def settle(
        self, document: Document, verdict: Verdict = AUTHORIZED, settlement: Settlement = NOTHING_SPENT
    ) -> None:
        """Conclude a document that nobody holds."""
        lease = await self.claimed(document)
        async with self.database.connection() as connection:
            await IssuingSteps(connection, lease).conclude(1, verdict, settlement, [])

    async def row_of(self, document: Document) -> dict[str, Any]:
        async with self.database.connection() as connection:
            row = await connection.fetchrow("select * from documents where id = $1", document.id)
        assert row is not None
        return dict(row)


async def open_shop(database: Database, subscription_id: UUID, tax_id: str = "11222333000181") -> Shop:
    """Register a company of a subscription."""
    async with database.tenant(subscription_id) as tenant:
        company = await tenant.companies.add(new_id(), tax_id, {"legal_name": "Loja Modelo Ltda"})
    assert company is not None
    return Shop(database, subscription_id, company.id)
