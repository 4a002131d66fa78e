"""A company that is ready to issue documents of a type that makes sales."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg
from fastapi import FastAPI

from carimbo.fiscal.company import Company as Issuer
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.direct_sale import DirectSale, SoldItem
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.access import Gatekeeper
from carimbo.service.contexts import IssuingContext
from carimbo.service.direct_sales import add_direct_sale
from carimbo.service.document_record import DocumentRecord
from carimbo.service.documents import Reference
from carimbo.service.invoices import change_invoice
from carimbo.service.issuing.accept import Accepted, Order, accept
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.companies import Company
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.subscriptions import Subscription, Subscriptions
from integration.issuing.shop import ADDRESS, NFE, RECIPIENT
from integration.storage.neighbours import SUMMARY, everything_of

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
    """What an NF-e of one item would sell if it were a type that makes sales."""
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


NFE_TYPE = next(kind for kind in DOCUMENT_TYPES if kind.name == "nfe")
SELLING = replace(NFE_TYPE, direct_sale=sale_of)
Rows = dict[str, list[asyncpg.Record]]


@dataclass(frozen=True)
class Seller:
    """A company that is ready to issue, at a moment that does not pass."""

    app: FastAPI
    subscription: Subscription
    company: Company
    now: datetime

    @property
    def database(self) -> Database:
        return self.counter.database

    @property
    def counter(self) -> IssuingContext:
        counter: IssuingContext = self.app.state.services.counter
        return replace(counter, workshop=replace(counter.workshop, clock=lambda: self.now))

    async def create(self, key: str | None = None, kind: DocumentType = SELLING, **changes: Any) -> Accepted:
        text = json.dumps({name: value for name, value in (BODY | changes).items() if value is not None})
        request = kind.issuing.request.model_validate(json.loads(text))
        order = Order(self.subscription, self.company, kind, request, text, key)
        return await accept(self.counter, order)

    async def patch(self, document: DocumentRecord, **changes: Any) -> DocumentRecord:
        which = Reference(self.subscription.id, document.id, self.company.id)
        return await change_invoice(
            self.counter, self.subscription, self.company, which, document.version, changes
        )

    async def sell(self, sold: DirectSale = SOLD, external_id: str | None = None) -> UUID:
        """Make the sale of a document in a transaction of its own."""
        async with self.database.tenant(self.subscription.id) as tenant:
            return await add_direct_sale(tenant, self.company.id, external_id, sold, TODAY)

    async def sell_to(self, **customer: Any) -> UUID:
        """Sell to somebody and tell to which customer."""
        sale_id = await self.sell(replace(SOLD, customer=CustomerFacts(**customer)))
        async with self.database.tenant(self.subscription.id) as tenant:
            sale = await tenant.sales.get(sale_id)
        assert sale is not None
        assert sale.customer_id is not None
        return sale.customer_id

    async def rows(self) -> Rows:
        return await everything_of(self.database, self.subscription.id)

    async def counts(self) -> dict[str, int]:
        rows = await self.rows()
        return {name: len(rows[name]) for name in ("documents", *CATALOG)}

    async def only(self, table: str) -> dict[str, Any]:
        (row,) = (await self.rows())[table]
        return dict(row)

    async def reject(self, document: DocumentRecord) -> None:
        """Let the authority have refused it."""
        async with self.database.connection() as connection:
            await connection.execute(
                "update documents set status = 'rejected', next_action_at = null where id = $1", document.id
            )


async def ready_seller(app: FastAPI, gatekeeper: Gatekeeper, plan: str = "unlimited") -> Seller:
    subscription_id = (await create_subscription(gatekeeper, "Teste", plan)).subscription_id
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
