"""Creating a sale: customer, items, sale, drafts and jobs are stored together, or nothing is."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.service.allowance import Period, reserve_documents
from carimbo.service.catalog_items import stored_item
from carimbo.service.customers import customer_for
from carimbo.service.issuing.accept import Counter, amount_of, beginning, plan_period
from carimbo.service.issuing.dossier import Dossier
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.catalog import look_up
from carimbo.service.sales.drafts import Draft, draft_documents
from carimbo.service.sales.plan import Plan, plan_sale
from carimbo.service.sales.record import SaleRecord, shown
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.new_document import NewDocument
from carimbo.storage.sales import NewSale, SaleLine
from carimbo.storage.subscriptions import Subscription


@dataclass(frozen=True)
class SaleOrder:
    """A sale that a caller wants, checked in form."""

    subscription: Subscription
    company: Company
    body: SaleBody
    idempotency_key: str | None = None


@dataclass(frozen=True)
class AcceptedSale:
    """The sale of an order."""

    record: SaleRecord
    goes_now: bool
    """Whether its documents were sent on their way."""
    is_new: bool = True
    """Whether this order made it."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A sale that may be stored, with the documents that it needs."""

    plan: Plan
    drafts: Sequence[Draft]
    dossier: Dossier

    @property
    def goes_now(self) -> bool:
        """Whether its documents are sent on their way at once."""
        return self.plan.body.emit_when is EmitWhen.IMMEDIATELY


class _AlreadyThere(Exception):
    """Somebody stored the sale first."""


async def find_replay(
    database: Database, subscription_id: UUID, company_id: UUID, idempotency_key: str | None, body: Any
) -> SaleRecord | None:
    """Find the sale that the same order made before, whatever is to be said of its body today."""
    told = body.get("externalId") if isinstance(body, dict) else None
    external_id = told.strip() if isinstance(told, str) else None
    if not idempotency_key and not external_id:
        return None
    async with database.snapshot(subscription_id) as tenant:
        return await _repeated(tenant, company_id, idempotency_key, external_id)


async def create_sale(counter: Counter, order: SaleOrder) -> AcceptedSale:
    """Check everything, then store the sale with its documents."""
    prepared = await prepare(counter, order)
    subscription_id, company_id = order.subscription.id, order.company.id
    while True:
        with suppress(_AlreadyThere):
            async with counter.database.tenant(subscription_id) as tenant:
                sale_id = await _store(counter, tenant, order, prepared)
                return AcceptedSale(await shown(tenant, company_id, sale_id), prepared.goes_now)
        async with counter.database.snapshot(subscription_id) as tenant:
            found = await _repeated(tenant, company_id, order.idempotency_key, order.body.external_id)
        # The one that was there may have been deleted since, and made room.
        if found is not None:
            return AcceptedSale(found, goes_now=False, is_new=False)


async def prepare(counter: Counter, order: SaleOrder) -> Prepared:
    """Look everything up, work the sale out and review its documents."""
    async with counter.database.snapshot(order.subscription.id) as tenant:
        found = await look_up(tenant, order.company.id, order.body)
    dossier = await counter.dossiers.of(order.subscription.id, order.company.id, order.company.revision)
    state = (dossier.row.address or {}).get("state")
    plan = plan_sale(order.body, found, state, counter.workshop.clock())
    return Prepared(plan, await draft_documents(counter, order.subscription, dossier, plan), dossier)


async def buyer_id(tenant: Tenant, company_id: UUID, plan: Plan) -> UUID:
    """Who buys, in the catalog; what the sale tells fills the gaps there."""
    buyer = plan.found.buyer
    if buyer.told is None and buyer.known_id is not None:
        return buyer.known_id
    return await customer_for(tenant, company_id, buyer.told or buyer.facts)


async def sold_lines(tenant: Tenant, plan: Plan) -> list[SaleLine]:
    """The lines of a sale; items that are new are put into the catalog.

    In one order, whoever sells them, so that two never wait crosswise.
    """
    items = {line.product.sku: line.product for line in plan.found.lines}
    ids = {sku: (await stored_item(tenant, items[sku])).id for sku in sorted(items)}
    return [
        SaleLine(
            product_id=ids[line.product.sku],
            name=line.name,
            price=line.price,
            quantity=line.quantity,
            total=line.total,
        )
        for line in plan.found.lines
    ]


def sale_of(plan: Plan, sale_id: UUID, company_id: UUID, customer_id: UUID, key: str | None) -> NewSale:
    """The sale as it is stored."""
    body = plan.body
    return NewSale(
        id=sale_id,
        company_id=company_id,
        external_id=body.external_id,
        idempotency_key=key,
        is_direct=False,
        customer_id=customer_id,
        amount=plan.amount,
        discount=body.discount,
        shipping=body.shipping,
        sold_on=plan.sold_on,
        payment_method=body.payment_method,
        emit_when=body.emit_when,
        guarantee_date=plan.guarantee_date,
        scheduled_emit_at=plan.due_at,
        send_email=body.send_email,
        product_invoice_type=body.product_invoice_type,
        nfse=body.nfse.model_dump(mode="json", by_alias=True, exclude_none=True) if body.nfse else None,
    )


async def add_drafts(
    counter: Counter, tenant: Tenant, order: SaleOrder, prepared: Prepared, sale_id: UUID
) -> None:
    """Store the documents of a sale: on their way at once, or waiting to be told to go.

    Places in the plan come last, as they are in a row that every document of the subscription needs.
    """
    goes = prepared.goes_now
    periods = [plan_period(order.subscription, one.environment, counter.workshop) for one in prepared.drafts]
    for draft, period in zip(prepared.drafts, periods, strict=True):
        document = _document(counter, order, prepared, draft, sale_id, period if goes else None)
        await tenant.documents.add(document, beginning(document.status, Happening.CREATED), queued=goes)
    if goes:
        await reserve_documents(tenant, [period for period in periods if period])


def _document(
    counter: Counter,
    order: SaleOrder,
    prepared: Prepared,
    draft: Draft,
    sale_id: UUID,
    period: Period | None,
) -> NewDocument:
    return NewDocument(
        id=new_id(),
        company_id=order.company.id,
        type=draft.kind.name,
        environment=draft.environment,
        status=Status.PROCESSING if prepared.goes_now else Status.PENDING,
        namespace=draft.kind.namespace,
        idempotency_key=None,
        external_id=order.body.external_id,
        sale_id=sale_id,
        is_direct=False,
        request=draft.text,
        amount=amount_of(draft.review),
        warnings=draft.review.warnings,
        reviewed_revision=prepared.dossier.revision,
        reviewed_on=counter.workshop.today,
        allowance_period=period.name if period else None,
        is_urgent=draft.kind.is_urgent,
    )


async def _store(counter: Counter, tenant: Tenant, order: SaleOrder, prepared: Prepared) -> UUID:
    """Write customer, items, sale and documents in this order, as whoever writes them does."""
    plan, company_id = prepared.plan, order.company.id
    customer_id = await buyer_id(tenant, company_id, plan)
    lines = await sold_lines(tenant, plan)
    sale = sale_of(plan, new_id(), company_id, customer_id, order.idempotency_key)
    if await tenant.sales.add(sale, lines) is None:
        raise _AlreadyThere
    await add_drafts(counter, tenant, order, prepared, sale.id)
    return sale.id


async def _repeated(
    tenant: Tenant, company_id: UUID, idempotency_key: str | None, external_id: str | None
) -> SaleRecord | None:
    sale_id = await tenant.sales.find_repeated(company_id, idempotency_key, external_id)
    return await shown(tenant, company_id, sale_id) if sale_id else None
