"""The first step: checks a request and stores it as a document that is due, or refuses it."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from uuid import UUID

import structlog

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.catalog.sale import DirectSale
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.lifecycle import HistoryEntry, Status
from carimbo.service.companies.company_checks import is_held, require_feature, require_ready
from carimbo.service.companies.registration import hold_company, unknown_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.documents.builder import DocumentSource, is_small
from carimbo.service.documents.record import DocumentRecord, record_of
from carimbo.service.errors import ErrorCode, Refusal, require_no_problems
from carimbo.service.issuing.direct_sales import add_direct_sale
from carimbo.service.issuing.filling import FilledRequest, explain_problems, fill_request
from carimbo.service.issuing.printed import (
    PrintedDocument,
    PrintedNumberTaken,
    add_printed,
    number_taken,
    printed_document_of,
    printed_key,
)
from carimbo.service.json_values import read_exact_json
from carimbo.service.orders import DIFFERENT_BODY, OrderIdentity, find_order, is_same_body, order_identity
from carimbo.service.subscriptions import Period, counted_period, reserve_document
from carimbo.storage.companies import CompanyNotInUse, CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import first_events
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.new_documents import NewDocument
from carimbo.storage.order_keys import OrderKey, OrderKeyTaken
from carimbo.storage.subscriptions import Subscription

_log = structlog.get_logger("carimbo.issuing")
# Attempts to store an order whose key was in use, but free again when its owner was looked up.
_MAX_TRIES = 3


@dataclass(frozen=True)
class DocumentOrder:
    """A request to issue a document, with a valid body."""

    subscription: Subscription
    company: CompanyRow
    document_type: DocumentType
    request: Body
    text: str
    """The JSON of the request, unchanged."""
    idempotency_key: str | None
    is_draft: bool = False
    """Whether it is only stored, for a person to review, change and emit."""

    @property
    def external_id(self) -> str | None:
        """The identifier of the order in the caller's own system."""
        return self.document_type.issuing.external_id(self.request)


@dataclass(frozen=True)
class Accepted:
    """The document of an order; `is_new` is false if an earlier order created it."""

    record: DocumentRecord
    is_new: bool


async def find_replay(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    document_type: DocumentType,
    idempotency_key: str | None,
    body: Any,
) -> DocumentRecord | None:
    """Returns the document of an earlier order that a request repeats, even if its body is invalid today."""
    identity, access_key = order_identity(idempotency_key, body), _access_key_in(document_type, body)
    if not identity.keys and not access_key:
        return None
    async with database.autocommit(subscription_id) as tenant:
        document = await _find_earlier(tenant, company_id, document_type, identity, access_key)
    return None if document is None else _replay_of(document, document_type, body)


async def accept(context: IssuingContext, order: DocumentOrder) -> Accepted:
    """Checks an order, then stores document, history and use of the plan together. Raises Refusal."""
    require_feature(order.subscription, order.document_type)
    snapshot = await context.snapshots.of(order.subscription.id, order.company.id, order.company.revision)
    environment = snapshot.environment_of(order.document_type)
    require_ready(snapshot, order.document_type, environment, context.builder.clock())
    filled = await fill_request(
        context.database, snapshot, order.document_type, order.request, order.text, context.builder.clock()
    )
    source = DocumentSource(order.document_type, filled.request, snapshot, environment, filling=filled.review)
    review = await context.builder.review(source, in_place=is_small(filled.text))
    require_no_problems(
        explain_problems(review.problems, order.document_type, filled.text, filled.posted_text)
    )
    prepared = _prepare(context, order, filled, source, review)
    for _ in range(_MAX_TRIES):
        try:
            stored = await _store(context, order, prepared)
            return Accepted(record_of(stored), is_new=True)
        except CompanyNotInUse:
            raise unknown_company() from None
        except OrderKeyTaken:
            earlier = await _earlier_of(context, order)
        except PrintedNumberTaken as taken:
            earlier = await _earlier_of(context, order)
            if earlier is None:
                raise await _number_taken(context, order, prepared) from taken
        if earlier is not None:
            return Accepted(earlier, is_new=False)
    raise LookupError("an order that keeps others from being stored can't be found")


@dataclass(frozen=True)
class _Prepared:
    """A reviewed document with everything that is stored together with it."""

    document: NewDocument
    printed: PrintedDocument | None
    """The printed data of a receipt that was issued offline."""
    sale: DirectSale | None
    """The sale that the document creates, from the posted body, so that items keep their own codes."""
    period: Period | None
    """The period of the plan that counts the document; None if it is not counted."""


def _prepare(
    context: IssuingContext,
    order: DocumentOrder,
    filled: FilledRequest,
    source: DocumentSource,
    review: Review,
) -> _Prepared:
    document_type, issuing, snapshot, environment = (
        order.document_type,
        order.document_type.issuing,
        source.snapshot,
        source.environment,
    )
    waits = order.is_draft or bool(issuing.waits and issuing.waits(filled.request))
    queued = not waits and not is_held(snapshot, document_type)
    period = counted_period(order.subscription, environment, context.builder.clock()) if queued else None
    recipient = issuing.addressee(filled.request)
    document = NewDocument(
        id=new_id(),
        company_id=order.company.id,
        type=document_type.name,
        environment=environment,
        status=Status.PROCESSING if queued else Status.PENDING,
        namespace=document_type.namespace,
        idempotency_key=order.idempotency_key,
        external_id=order.external_id,
        request=filled.text,
        posted_request=filled.posted_text,
        recipient_tax_id=recipient.tax_id if recipient else None,
        recipient_name=recipient.name if recipient else None,
        amount=review.amount,
        warnings=review.warnings,
        reviewed_revision=snapshot.revision,
        reviewed_on=context.builder.today,
        allowance_period=period.name if period else None,
        is_urgent=document_type.is_urgent,
    )
    sale = document_type.direct_sale(order.request, snapshot.company) if document_type.direct_sale else None
    return _Prepared(document, printed_document_of(source), sale, period)


async def _store(context: IssuingContext, order: DocumentOrder, prepared: _Prepared) -> Document:
    """Stores a document and everything that belongs to it; a document alone takes a single statement."""
    document, printed, period = prepared.document, prepared.printed, prepared.period
    if printed is None and prepared.sale is None and period is None:
        async with context.database.autocommit(order.subscription.id) as tenant:
            return await _add(tenant, document)
    async with context.database.tenant(order.subscription.id) as tenant:
        if printed is not None or prepared.sale is not None:
            # Before anything else is stored. The statement that stores a document does it by itself.
            await hold_company(tenant, document.company_id)
        if printed is not None:
            events = first_events(document.status, HistoryEntry.CREATED, HistoryEntry.NUMBERED)
            stored = await add_printed(tenant, document, events, printed)
        else:
            sale_id = await _add_sale(tenant, prepared, context.builder.today)
            stored = await _add(tenant, replace(document, sale_id=sale_id))
        if period is not None:
            # Last, because it locks a row that every document of the subscription needs. A printed document
            # is counted, but never refused.
            await reserve_document(tenant, period.beyond_limit() if printed else period)
    return stored


async def _add_sale(tenant: Tenant, prepared: _Prepared, today: date) -> UUID | None:
    if prepared.sale is None:
        return None
    document = prepared.document
    return await add_direct_sale(tenant, document.company_id, document.external_id, prepared.sale, today)


async def _add(tenant: Tenant, document: NewDocument) -> Document:
    events = first_events(document.status, HistoryEntry.CREATED)
    return await tenant.documents.add(document, events, queued=document.status == Status.PROCESSING)


async def _earlier_of(context: IssuingContext, order: DocumentOrder) -> DocumentRecord | None:
    """Returns the existing document that prevents an order from being stored; None if it is gone."""
    identity = OrderIdentity(order.idempotency_key, order.external_id)
    access_key = printed_key(order.document_type, order.request)
    async with context.database.autocommit(order.subscription.id) as tenant:
        document = await _find_earlier(tenant, order.company.id, order.document_type, identity, access_key)
    return (
        None if document is None else _replay_of(document, order.document_type, read_exact_json(order.text))
    )


async def _number_taken(context: IssuingContext, order: DocumentOrder, prepared: _Prepared) -> Refusal:
    if prepared.printed is None:
        raise LookupError("only a printed document has a number before it is issued")
    async with context.database.autocommit(order.subscription.id) as tenant:
        return await number_taken(tenant, prepared.printed)


def _access_key_in(document_type: DocumentType, body: Any) -> str | None:
    """Returns the printed access key in a body that has not been validated."""
    value = body.get("accessKey") if isinstance(body, dict) else None
    may_be_printed = document_type.point_of_sale is not None
    return normalize(value) if may_be_printed and isinstance(value, str) else None


async def _find_earlier(
    tenant: Tenant,
    company_id: UUID,
    document_type: DocumentType,
    identity: OrderIdentity,
    access_key: str | None,
) -> Document | None:
    order = await find_order(tenant, company_id, document_type.namespace, identity)
    if order is not None and order.document_id:
        return await tenant.documents.get(order.document_id)
    printed = await tenant.documents.find_printed(company_id, access_key) if access_key else None
    if printed is not None or order is None:
        return printed
    return await _document_of_sale(tenant, order, document_type, identity)


async def _document_of_sale(
    tenant: Tenant, order: OrderKey, document_type: DocumentType, identity: OrderIdentity
) -> Document:
    """Returns the sale's document of this type, or refuses if the sale has none."""
    documents = await tenant.documents.of_sales([order.sale_id] if order.sale_id else [])
    for document in reversed(documents):
        if document.type == document_type.name:
            return document
    raise Refusal(
        ErrorCode.DUPLICATE_RESOURCE,
        f"Já existe uma venda com esta chave, sem {document_type.title}. Se o documento foi descartado,"
        " altere a venda com PUT ou PATCH …/sales/{id}, que o faz de novo; senão, use outra chave.",
        field=identity.field_of(order),
        existingId=str(order.sale_id),
        saleId=str(order.sale_id),
    )


def _replay_of(document: Document, document_type: DocumentType, body: Any) -> DocumentRecord:
    """Returns the record of an earlier order, with a warning if the request has another body.

    The body of a corrected document is not the one that created it, and is not compared.
    """
    record, is_corrected = record_of(document), document.version > 1
    is_same_order = document.is_direct and document.type == document_type.name
    if is_same_order and (is_corrected or is_same_body(document.posted, body)):
        return record
    _log.warning("replay_differs", document_id=str(document.id), type=document.type, asked=document_type.name)
    return record.model_copy(update={"warnings": [*record.warnings, DIFFERENT_BODY]})
