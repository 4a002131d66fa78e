"""Creating a sale: customer, items, sale, drafts and jobs are stored together, or nothing is."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.fiscal.goods.payments import PaymentBody
from carimbo.service.catalog_items import stored_item
from carimbo.service.companies import hold_company
from carimbo.service.company_settings import product_invoice_type_of
from carimbo.service.contexts import IssuingContext
from carimbo.service.customers import customer_for
from carimbo.service.errors import Code, Refusal
from carimbo.service.exact_json import read
from carimbo.service.orders import DIFFERENT_BODY, OrderIdentity, find_order, identity_in, is_same_body
from carimbo.service.sales.catalog import SoldBefore, look_up
from carimbo.service.sales.draft_storage import Prepared, SaleOrder, add_drafts
from carimbo.service.sales.drafts import draft_documents
from carimbo.service.sales.plan import Plan, plan_sale
from carimbo.service.sales.record import SaleRecord, shown
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.order_keys import OrderKey, OrderKeyTaken
from carimbo.storage.products import NewProduct, Product
from carimbo.storage.sales import NewSale, SaleLine

NAMESPACE = "invoices"
"""Where a sale claims its keys: that of the types that sales make."""
# Attempts to store a sale whose key was taken, and free again when its owner was looked up.
_MOST_TRIES = 3
_NOTHING_SOLD = SoldBefore()


@dataclass(frozen=True)
class AcceptedSale:
    """The sale of an order."""

    record: SaleRecord
    goes_now: bool
    """Whether its documents were sent on their way."""
    is_new: bool = True
    """Whether this order made it."""


async def find_replay(
    database: Database, subscription_id: UUID, company_id: UUID, idempotency_key: str | None, body: Any
) -> SaleRecord | None:
    """Returns the sale of the earlier order that a request repeats, even if its body is invalid today."""
    identity = identity_in(idempotency_key, body)
    if not identity.keys:
        return None
    async with database.snapshot(subscription_id) as tenant:
        order = await find_order(tenant, company_id, NAMESPACE, identity)
        if order is None:
            return None
        if order.sale_id:
            return await _replay_of(tenant, company_id, order.sale_id, body)
        return await _sale_of_document(tenant, company_id, order, identity)


async def create_sale(counter: IssuingContext, order: SaleOrder) -> AcceptedSale:
    """Check everything, then store the sale with its documents."""
    prepared = await prepare(counter, order)
    subscription_id, company_id = order.subscription.id, order.company.id
    for _ in range(_MOST_TRIES):
        with suppress(OrderKeyTaken):
            async with counter.database.tenant(subscription_id) as tenant:
                sale_id = await _store(counter, tenant, order, prepared)
                return AcceptedSale(await shown(tenant, company_id, sale_id), prepared.goes_now)
        earlier = await find_replay(
            counter.database, subscription_id, company_id, order.idempotency_key, read(order.text)
        )
        # None if the order that was there has been deleted since, and made room.
        if earlier is not None:
            return AcceptedSale(earlier, goes_now=False, is_new=False)
    raise LookupError("an order that keeps others from being stored can't be found")


async def prepare(counter: IssuingContext, order: SaleOrder, before: SoldBefore = _NOTHING_SOLD) -> Prepared:
    """Look everything up, work the sale out and review its documents."""
    dossier = await counter.dossiers.of(order.subscription.id, order.company.id, order.company.revision)
    product_type = order.body.product_invoice_type or product_invoice_type_of(dossier.row)
    async with counter.database.snapshot(order.subscription.id) as tenant:
        found = await look_up(tenant, order.company.id, order.body, product_type, before)
    state = (dossier.row.address or {}).get("state")
    plan = plan_sale(order.body, found, state, counter.workshop.clock())
    return Prepared(plan, await draft_documents(counter, order.subscription, dossier, plan), dossier)


async def buyer_id(tenant: Tenant, company_id: UUID, plan: Plan) -> UUID | None:
    """Who buys, in the catalog; what the sale tells fills the gaps there."""
    buyer = plan.found.buyer
    if buyer is None:
        return None
    if buyer.told is None:
        return buyer.known_id
    return await customer_for(tenant, company_id, buyer.told)


async def sold_lines(tenant: Tenant, plan: Plan) -> list[SaleLine]:
    """The lines of a sale; items that are new are put into the catalog.

    In one order, whoever sells them, so that two never wait crosswise.
    """
    items = {_item_key(line.product): line.product for line in plan.found.lines}
    ids = {key: (await stored_item(tenant, items[key])).id for key in sorted(items)}
    return [
        SaleLine(
            product_id=ids[_item_key(line.product)],
            name=line.name,
            price=line.price,
            quantity=line.quantity,
            total=line.total,
        )
        for line in plan.found.lines
    ]


def _item_key(item: NewProduct) -> tuple[str, str]:
    """Returns what tells items apart: new ones their SKU; stored ones also the id, as a deleted one may have
    the SKU of another."""
    return item.sku, item.id if isinstance(item, Product) else ""


def sale_of(plan: Plan, sale_id: UUID, order: SaleOrder, customer_id: UUID | None) -> NewSale:
    """The sale as it is stored."""
    body = plan.body
    return NewSale(
        id=sale_id,
        company_id=order.company.id,
        external_id=body.external_id,
        idempotency_key=order.idempotency_key,
        is_direct=False,
        customer_id=customer_id,
        buyer_tax_id=plan.found.buyer.facts.document if plan.found.buyer and not customer_id else None,
        amount=plan.amount,
        discount=body.discount,
        shipping=body.shipping,
        sold_on=plan.sold_on,
        payment_method=body.paid_by,
        payments=_as_json(body.payments),
        notes=body.notes,
        emit_when=body.emit_when,
        guarantee_date=plan.guarantee_date,
        scheduled_emit_at=plan.due_at,
        send_email=body.send_email,
        product_invoice_type=body.product_invoice_type,
        nfse=body.nfse.model_dump(mode="json", by_alias=True, exclude_none=True) if body.nfse else None,
    )


def _as_json(payments: Sequence[PaymentBody]) -> list[dict[str, Any]] | None:
    return [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in payments] or None


async def _store(counter: IssuingContext, tenant: Tenant, order: SaleOrder, prepared: Prepared) -> UUID:
    """Write customer, items, sale and documents in this order, as whoever writes them does."""
    plan, company_id = prepared.plan, order.company.id
    await hold_company(tenant, company_id)
    customer_id = await buyer_id(tenant, company_id, plan)
    lines = await sold_lines(tenant, plan)
    sale = sale_of(plan, new_id(), order, customer_id)
    await tenant.sales.add(sale, lines, order.text)
    await add_drafts(counter, tenant, order, prepared, sale.id)
    return sale.id


async def _replay_of(tenant: Tenant, company_id: UUID, sale_id: UUID, body: Any) -> SaleRecord:
    """Returns an earlier sale, with a warning if the request has another body."""
    created_by = await tenant.sales.request_of(sale_id)
    record = await shown(tenant, company_id, sale_id)
    is_same = created_by is None or is_same_body(created_by, body)
    return record if is_same else _with_warning(record)


async def _sale_of_document(
    tenant: Tenant, company_id: UUID, order: OrderKey, identity: OrderIdentity
) -> SaleRecord:
    """Returns the sale that a direct document made, or refuses if it made none."""
    document = await tenant.documents.get(order.document_id) if order.document_id else None
    if document and document.sale_id:
        return _with_warning(await shown(tenant, company_id, document.sale_id))
    raise Refusal(
        Code.DUPLICATE_RESOURCE,
        "Já existe um documento com esta chave, criado sem venda.",
        field=identity.field_of(order),
        existingId=str(order.document_id),
    )


def _with_warning(record: SaleRecord) -> SaleRecord:
    return record.model_copy(update={"warnings": [DIFFERENT_BODY]})
