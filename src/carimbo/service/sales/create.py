"""Creates a sale: customer, items, sale and documents are stored in one transaction."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import HistoryEntry, Status
from carimbo.service.catalog.customers import find_or_add_customer
from carimbo.service.catalog.products import find_or_add_item
from carimbo.service.companies.company_settings import product_invoice_type_of
from carimbo.service.companies.registration import hold_company
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.issuing.drafts import queue_document
from carimbo.service.json_values import read_exact_json
from carimbo.service.orders import DIFFERENT_BODY, OrderIdentity, find_order, is_same_body, order_identity
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.catalog import PreviousReferences, resolve_sale
from carimbo.service.sales.documents import Draft, draft_documents
from carimbo.service.sales.plan import SalePlan, plan_sale
from carimbo.service.sales.record import SaleRecord, sale_name, sale_record
from carimbo.service.subscriptions import Period, counted_period, reserve_documents
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import first_events
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.new_documents import NewDocument
from carimbo.storage.order_keys import OrderKey, OrderKeyTaken
from carimbo.storage.products import NewProduct, ProductRow
from carimbo.storage.sales import NewSale, SaleLine
from carimbo.storage.subscriptions import Subscription

NAMESPACE = "invoices"
"""The namespace of a sale's order keys; the document types that sales create use the same."""
# Attempts to store a sale whose key was taken, but was free again when the other order was looked up.
_MAX_TRIES = 3
NumberedDocuments = Mapping[tuple[str, str], Document]
"""Drafts and rejected documents with a number, by type and environment."""
_NOTHING_NUMBERED: NumberedDocuments = {}
_NO_REFERENCES = PreviousReferences()


@dataclass(frozen=True)
class SaleOrder:
    """A validated request for a sale."""

    subscription: Subscription
    company: CompanyRow
    body: SaleBody
    text: str
    """The JSON of the request as it was sent."""
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class PreparedSale:
    """A sale that can be stored, with its reviewed documents."""

    plan: SalePlan
    drafts: Sequence[Draft]
    snapshot: CompanySnapshot

    @property
    def goes_now(self) -> bool:
        """Whether its documents are emitted at once."""
        return self.plan.body.emit_when is EmitWhen.IMMEDIATELY


async def add_drafts(
    context: IssuingContext,
    tenant: Tenant,
    order: SaleOrder,
    prepared: PreparedSale,
    sale_id: UUID,
    numbered: NumberedDocuments = _NOTHING_NUMBERED,
) -> None:
    """Stores the documents of a sale, queued at once or as drafts.

    A document that has a number gets the new request and keeps its number. The allowance is reserved last,
    because all documents of a subscription lock that row.
    """
    is_emitted = prepared.goes_now
    now = context.builder.clock()
    periods = [counted_period(order.subscription, draft.environment, now) for draft in prepared.drafts]
    for draft, period in zip(prepared.drafts, periods, strict=True):
        existing = numbered.get((draft.document_type.name, draft.environment))
        if existing:
            await _correct(context, tenant, prepared, draft, existing, period)
            continue
        document = _new_document(context, order, prepared, draft, sale_id, period if is_emitted else None)
        events = first_events(document.status, HistoryEntry.CREATED)
        await tenant.documents.add(document, events, queued=is_emitted)
    if is_emitted:
        await reserve_documents(tenant, [period for period in periods if period])


async def _correct(
    context: IssuingContext,
    tenant: Tenant,
    prepared: PreparedSale,
    draft: Draft,
    document: Document,
    period: Period | None,
) -> None:
    review, revision, today = draft.review, prepared.snapshot.revision, context.builder.today
    reviewed = (review.amount, review.warnings, revision, today)
    await tenant.documents.write_request(document.id, draft.text, *reviewed, draft.recipient)
    if prepared.goes_now:
        await tenant.documents.start(document.id, *reviewed, period.name if period else None)
        await queue_document(tenant, document)
    else:
        await tenant.documents.make_draft(document.id)


def _new_document(
    context: IssuingContext,
    order: SaleOrder,
    prepared: PreparedSale,
    draft: Draft,
    sale_id: UUID,
    period: Period | None,
) -> NewDocument:
    return NewDocument(
        id=new_id(),
        company_id=order.company.id,
        type=draft.document_type.name,
        environment=draft.environment,
        status=Status.PROCESSING if prepared.goes_now else Status.PENDING,
        namespace=draft.document_type.namespace,
        idempotency_key=None,
        external_id=order.body.external_id,
        sale_id=sale_id,
        is_direct=False,
        request=draft.text,
        recipient_tax_id=draft.recipient.tax_id if draft.recipient else None,
        recipient_name=draft.recipient.name if draft.recipient else None,
        amount=draft.review.amount,
        warnings=draft.review.warnings,
        reviewed_revision=prepared.snapshot.revision,
        reviewed_on=context.builder.today,
        allowance_period=period.name if period else None,
        is_urgent=draft.document_type.is_urgent,
    )


@dataclass(frozen=True)
class AcceptedSale:
    """The response to an order of a sale."""

    record: SaleRecord
    goes_now: bool
    """Whether its documents were queued."""
    is_new: bool = True
    """Whether this order created the sale."""


async def find_replay(
    database: Database, subscription_id: UUID, company_id: UUID, idempotency_key: str | None, body: Any
) -> SaleRecord | None:
    """Returns the sale of the earlier order that a request repeats, even if its body is invalid today."""
    identity = order_identity(idempotency_key, body)
    if not identity.keys:
        return None
    async with database.snapshot(subscription_id) as tenant:
        order = await find_order(tenant, company_id, NAMESPACE, identity)
        if order is None:
            return None
        if order.sale_id is None:
            return await _sale_of_document(tenant, company_id, order, identity)
        created_by = await tenant.sales.request_of(order.sale_id)
        record = await sale_record(tenant, company_id, order.sale_id)
        is_same = created_by is None or is_same_body(created_by, body)
        return record if is_same else _with_warning(record)


async def create_sale(context: IssuingContext, order: SaleOrder) -> AcceptedSale:
    """Checks a sale and stores it with its documents; a repeated order returns the existing sale."""
    prepared = await prepare_sale(context, order)
    subscription_id, company_id = order.subscription.id, order.company.id
    for _ in range(_MAX_TRIES):
        with suppress(OrderKeyTaken):
            async with context.database.tenant(subscription_id) as tenant:
                sale_id = await _store(context, tenant, order, prepared)
                return AcceptedSale(await sale_record(tenant, company_id, sale_id), prepared.goes_now)
        earlier = await find_replay(
            context.database, subscription_id, company_id, order.idempotency_key, read_exact_json(order.text)
        )
        # None if the other order has been deleted meanwhile: then the key is free.
        if earlier is not None:
            return AcceptedSale(earlier, goes_now=False, is_new=False)
    raise LookupError("the order that has the same key can't be found")


async def prepare_sale(
    context: IssuingContext, order: SaleOrder, before: PreviousReferences = _NO_REFERENCES
) -> PreparedSale:
    """Resolves the customer and the items of a sale, computes it and reviews its documents."""
    snapshot = await context.snapshots.of(order.subscription.id, order.company.id, order.company.revision)
    product_type = order.body.product_invoice_type or product_invoice_type_of(snapshot.row)
    async with context.database.snapshot(order.subscription.id) as tenant:
        resolved = await resolve_sale(tenant, order.company.id, order.body, product_type, before)
    state = snapshot.row.state
    plan = plan_sale(order.body, resolved, state, context.builder.clock())
    return PreparedSale(plan, await draft_documents(context, order.subscription, snapshot, plan), snapshot)


async def store_buyer(tenant: Tenant, company_id: UUID, plan: SalePlan) -> UUID | None:
    """Returns the id of the buyer in the catalog, after adding it or filling its gaps."""
    buyer = plan.resolved.buyer
    if buyer is None:
        return None
    if buyer.new_facts is None:
        return buyer.customer_id
    return await find_or_add_customer(tenant, company_id, buyer.new_facts)


async def store_lines(tenant: Tenant, plan: SalePlan) -> list[SaleLine]:
    """Returns the lines of a sale, after adding new items to the catalog.

    Items are added in the order of their SKUs, so that two sales never deadlock.
    """
    items = {_item_key(line.product): line.product for line in plan.resolved.lines}
    ids = {key: (await find_or_add_item(tenant, items[key])).id for key in sorted(items)}
    return [
        SaleLine(
            product_id=ids[_item_key(line.product)],
            name=line.name,
            price=line.price,
            quantity=line.quantity,
            total=line.total,
        )
        for line in plan.resolved.lines
    ]


def _item_key(item: NewProduct) -> tuple[str, str]:
    """Returns the identity of an item: the SKU of a new one, SKU and id of a stored one.

    A deleted item may have the same SKU as another one.
    """
    return item.sku, item.id if isinstance(item, ProductRow) else ""


def sale_row(plan: SalePlan, sale_id: UUID, order: SaleOrder, customer_id: UUID | None) -> NewSale:
    """Returns the row of a sale."""
    body, buyer = plan.body, plan.resolved.buyer
    payments = [
        payment.model_dump(mode="json", by_alias=True, exclude_none=True) for payment in body.payments
    ]
    return NewSale(
        id=sale_id,
        company_id=order.company.id,
        external_id=body.external_id,
        idempotency_key=order.idempotency_key,
        is_direct=False,
        customer_id=customer_id,
        buyer_tax_id=buyer.facts.document if buyer and not customer_id else None,
        amount=plan.amount,
        discount=body.discount,
        shipping=body.shipping,
        sold_on=plan.sold_on,
        payment_method=body.paid_by,
        payments=payments or None,
        notes=body.notes,
        emit_when=body.emit_when,
        guarantee_date=plan.guarantee_date,
        scheduled_emit_at=plan.due_at,
        send_email=body.send_email,
        product_invoice_type=body.product_invoice_type,
        nfse=body.nfse.model_dump(mode="json", by_alias=True, exclude_none=True) if body.nfse else None,
    )


async def _store(context: IssuingContext, tenant: Tenant, order: SaleOrder, prepared: PreparedSale) -> UUID:
    """Writes customer, items, sale and documents, in the order that all transactions use."""
    plan, company_id = prepared.plan, order.company.id
    await hold_company(tenant, company_id)
    customer_id = await store_buyer(tenant, company_id, plan)
    lines = await store_lines(tenant, plan)
    sale = sale_row(plan, new_id(), order, customer_id)
    await tenant.sales.add(sale, lines, order.text)
    await add_drafts(context, tenant, order, prepared, sale.id)
    await audit_sale(tenant, AuditAction.SALE_CREATED, sale)
    return sale.id


async def audit_sale(
    tenant: Tenant, action: AuditAction, sale: NewSale, details: Mapping[str, Any] | None = None
) -> None:
    """Stores in the audit what somebody did with a sale."""
    await tenant.audit.add(
        action,
        company_id=sale.company_id,
        subject_id=sale.id,
        subject_name=sale_name(sale.external_id, sale.sold_on, sale.amount),
        details=details,
    )


async def _sale_of_document(
    tenant: Tenant, company_id: UUID, order: OrderKey, identity: OrderIdentity
) -> SaleRecord:
    """Returns the sale that a direct document created, or refuses if it created none."""
    document = await tenant.documents.get(order.document_id) if order.document_id else None
    if document and document.sale_id:
        return _with_warning(await sale_record(tenant, company_id, document.sale_id))
    raise Refusal(
        ErrorCode.DUPLICATE_RESOURCE,
        "Já existe um documento com esta chave, criado sem venda.",
        field=identity.field_of(order),
        existingId=str(order.document_id),
    )


def _with_warning(record: SaleRecord) -> SaleRecord:
    return record.model_copy(update={"warnings": [DIFFERENT_BODY]})
