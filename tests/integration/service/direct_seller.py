"""A company that is ready to issue documents of a type that creates sales."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg
from fastapi import FastAPI

from carimbo.fiscal.catalog.sale import DirectSale, SoldItem
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.parties.company import Company as Issuer
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.access import Authenticator
from carimbo.service.contexts import IssuingContext
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.issuing.accept import Accepted, DocumentOrder, accept
from carimbo.service.issuing.direct_sales import add_direct_sale
from carimbo.service.issuing.drafts import change_document
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.subscriptions import Subscription, Subscriptions
from integration.issuing.shop import ADDRESS, NFE, RECIPIENT
from integration.storage.neighbours import SUMMARY, all_rows

TODAY = date(2026, 11, 10)
CATALOG = ("customers", "products", "sales", "sale_lines")
MARIA = CustomerFacts(name="Maria da Silva", document="52998224725", email="maria@example.com")
COURSE = SoldItem(
    sku="curso",
    name="Curso",
    type="service",
    category="online_course",
    guarantee=7,
    fiscal={"serviceItemCode": "08.02"},
)
SOLD = DirectSale(customer=MARIA, item=COURSE, price=Decimal("150.00"))
BODY = NFE | {"payments": None, "recipient": RECIPIENT | {"email": "maria@example.com"}}


def sale_of(request: Any, _issuer: Issuer) -> DirectSale:
    """Returns the sale of an NF-e with one item, as if its type created sales."""
    buyer, item = request.recipient, request.items[0]
    return DirectSale(
        customer=CustomerFacts(
            name=buyer.name,
            document=buyer.tax_id,
            email=buyer.email,
            address=buyer.address.model_dump(mode="json", by_alias=True),
        ),
        item=SoldItem(sku=item.sku or "direto", name=item.description, type="product", category="other"),
        price=item.quantity * item.unit_value,
        sold_on=request.issue_date and request.issue_date.date(),
    )


NFE_TYPE = next(document_type for document_type in DOCUMENT_TYPES if document_type.name == "nfe")
SELLING = replace(NFE_TYPE, direct_sale=sale_of)
Rows = dict[str, list[asyncpg.Record]]


@dataclass(frozen=True)
class Seller:
    """A company that is ready to issue, with a fixed time."""

    app: FastAPI
    subscription: Subscription
    company: CompanyRow
    now: datetime

    @property
    def database(self) -> Database:
        return self.context.database

    @property
    def context(self) -> IssuingContext:
        context: IssuingContext = self.app.state.services.issuing
        return replace(context, builder=replace(context.builder, clock=lambda: self.now))

    async def create(
        self, key: str | None = None, document_type: DocumentType = SELLING, **changes: Any
    ) -> Accepted:
        text = json.dumps({name: value for name, value in (BODY | changes).items() if value is not None})
        request = document_type.issuing.request.model_validate(json.loads(text))
        order = DocumentOrder(self.subscription, self.company, document_type, request, text, key)
        return await accept(self.context, order)

    async def patch(self, document: DocumentRecord, **changes: Any) -> DocumentRecord:
        which = DocumentReference(self.subscription.id, document.id, self.company.id)
        return await change_document(
            self.context, self.subscription, self.company, which, document.version, changes
        )

    async def sell(self, sold: DirectSale = SOLD, external_id: str | None = None) -> UUID:
        """Creates the sale of a document in its own transaction."""
        async with self.database.tenant(self.subscription.id) as tenant:
            return await add_direct_sale(tenant, self.company.id, external_id, sold, TODAY)

    async def sell_to(self, **customer: Any) -> UUID:
        """Sells to somebody and returns the customer's id."""
        sale_id = await self.sell(replace(SOLD, customer=CustomerFacts(**customer)))
        async with self.database.tenant(self.subscription.id) as tenant:
            sale = await tenant.sales.get(sale_id)
        assert sale is not None
        assert sale.customer_id is not None
        return sale.customer_id

    async def rows(self) -> Rows:
        return await all_rows(self.database, self.subscription.id)

    async def counts(self) -> dict[str, int]:
        rows = await self.rows()
        return {name: len(rows[name]) for name in ("documents", *CATALOG)}

    async def only(self, table: str) -> dict[str, Any]:
        (row,) = (await self.rows())[table]
        return dict(row)

    async def reject(self, document: DocumentRecord) -> None:
        """Marks the document as rejected by the authority."""
        async with self.database.connection() as connection:
            await connection.execute(
                "update documents set status = 'rejected', next_action_at = null where id = $1", document.id
            )


async def ready_seller(app: FastAPI, authenticator: Authenticator, plan: str = "unlimited") -> Seller:
    subscription_id = (await create_subscription(authenticator, "Teste", plan)).subscription_id
    registration = {"legal_name": "Loja Modelo Ltda", "tax_regime": "simples"}
    now, week = datetime.now(UTC), timedelta(days=7)
    certificate = replace(SUMMARY, valid_from=now - week, expires_at=now + week)
    async with app.state.services.database.tenant(subscription_id) as tenant:
        values = registration | {"address": ADDRESS}
        company = await tenant.companies.add(new_id(), "11222333000181", values)
        await tenant.state_registrations.add(company.id, new_id(), "SP", "110042490114", True)
        await tenant.certificates.put(company.id, certificate)
        subscription = await Subscriptions(tenant.connection).get(subscription_id)
    assert subscription is not None
    return Seller(app, subscription, company, now)
