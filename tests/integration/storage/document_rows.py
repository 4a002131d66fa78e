"""Companies and documents for tests of the rows, without goods and taxes."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.module_settings import LAST_NUMBER
from carimbo.storage.database import Database
from carimbo.storage.document_events import NewEvent
from carimbo.storage.document_search import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.emissions import NumberSeries
from carimbo.storage.identifiers import new_id
from carimbo.storage.issuing import AllowanceChange, IssuingSteps, Verdict
from carimbo.storage.new_documents import NewDocument
from carimbo.storage.order_keys import OrderKeyTaken
from carimbo.storage.work import Lease, WorkKey, WorkKind
from claimed_rows import claim_row

TODAY = date(2026, 11, 10)
EVERYTHING = DocumentFilter()
CREATED = NewEvent(type="created", status="processing")
AUTHORIZED = Verdict(status=Status.AUTHORIZED)
NOTHING_SPENT = AllowanceChange()
MINUTE = timedelta(minutes=1)


def new_document(company_id: UUID, **changes: Any) -> NewDocument:
    """Returns a new NF-e with the given changes."""
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
    """A company, with helpers that store and read its documents."""

    database: Database
    subscription_id: UUID
    company_id: UUID

    @property
    def number_series(self) -> NumberSeries:
        return NumberSeries(self.company_id, "nfe", "production", 1, LAST_NUMBER)

    def key_of(self, document: Document) -> WorkKey:
        return WorkKey(WorkKind.DOCUMENT, self.subscription_id, document.id)

    async def add(self, *, queued: bool = True, **changes: Any) -> Document | None:
        """Stores a document in its own transaction. Returns None if another order has one of its keys."""
        document = new_document(self.company_id, **changes)
        with suppress(OrderKeyTaken):
            async with self.database.tenant(self.subscription_id) as tenant:
                return await tenant.documents.add(document, [CREATED], queued=queued)
        return None

    async def added(self, *, queued: bool = True, **changes: Any) -> Document:
        """Stores a document whose keys nobody has."""
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
            lease = await claim_row(connection, self.key_of(document), duration)
        assert lease is not None
        return lease

    async def settle(
        self,
        document: Document,
        verdict: Verdict = AUTHORIZED,
        allowance_change: AllowanceChange = NOTHING_SPENT,
    ) -> None:
        """Claims and concludes a document."""
        lease = await self.claimed(document)
        async with self.database.connection() as connection:
            await IssuingSteps(connection, lease).conclude(1, verdict, allowance_change, [])

    async def row_of(self, document: Document) -> dict[str, Any]:
        async with self.database.connection() as connection:
            row = await connection.fetchrow("select * from documents where id = $1", document.id)
        assert row is not None
        return dict(row)


async def open_shop(database: Database, subscription_id: UUID, tax_id: str = "11222333000181") -> Shop:
    """Registers a company of a subscription."""
    async with database.tenant(subscription_id) as tenant:
        company = await tenant.companies.add(new_id(), tax_id, {"legal_name": "Loja Modelo Ltda"})
    assert company is not None
    return Shop(database, subscription_id, company.id)
