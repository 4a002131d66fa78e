"""The first step: a request becomes a stored document with a job, or is refused with all that is wrong."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from uuid import UUID

import structlog

from carimbo.fiscal.direct_sale import DirectSale
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Body
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.fiscal.taxpayer import normalize
from carimbo.service.allowance import Period, counted_period, reserve_document
from carimbo.service.companies import hold_company, unknown_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.direct_sales import add_direct_sale
from carimbo.service.document_record import DocumentRecord, record_of
from carimbo.service.errors import Code, Refusal
from carimbo.service.exact_json import read
from carimbo.service.issuing.filling import FilledRequest, explain_problems, fill_request
from carimbo.service.issuing.printed import (
    AlreadyThere,
    Paper,
    add_printed,
    number_taken,
    paper_of,
    printed_key,
)
from carimbo.service.orders import DIFFERENT_BODY, OrderIdentity, find_order, identity_in, is_same_body
from carimbo.service.problems import require_no_problems
from carimbo.service.readiness import require_feature, require_ready
from carimbo.service.workshop import DocumentSource, is_small
from carimbo.storage.companies import Company, CompanyNotInUse
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import first_events
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.new_document import NewDocument
from carimbo.storage.order_keys import OrderKey, OrderKeyTaken
from carimbo.storage.subscriptions import Subscription

_log = structlog.get_logger("carimbo.issuing")
# Attempts to store an order whose key was taken, and free again when its owner was looked up.
_MOST_TRIES = 3


@dataclass(frozen=True)
class Order:
    """What a caller wants issued, checked in form."""

    subscription: Subscription
    company: Company
    kind: DocumentType
    request: Body
    text: str
    """The JSON of the request as it came."""
    idempotency_key: str | None

    @property
    def external_id(self) -> str | None:
        """The identifier of the order in the caller's own system."""
        return self.kind.issuing.external_id(self.request)


@dataclass(frozen=True)
class Accepted:
    """The document of an order; `is_new` tells whether this order made it."""

    record: DocumentRecord
    is_new: bool


async def find_replay(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    kind: DocumentType,
    idempotency_key: str | None,
    body: Any,
) -> DocumentRecord | None:
    """Returns the document of the earlier order that a request repeats, even if its body is invalid today."""
    identity, access_key = identity_in(idempotency_key, body), _access_key_in(kind, body)
    if not identity.keys and not access_key:
        return None
    async with database.autocommit(subscription_id) as tenant:
        document = await _find_earlier(tenant, company_id, kind, identity, access_key)
    return None if document is None else _replay_of(document, kind, body)


async def accept(counter: IssuingContext, order: Order) -> Accepted:
    """Check everything, then store document, history, place in the plan and job together."""
    require_feature(order.subscription, order.kind)
    dossier = await counter.dossiers.of(order.subscription.id, order.company.id, order.company.revision)
    environment = dossier.environment_of(order.kind)
    require_ready(dossier, order.kind, environment, counter.workshop.clock())
    filled = await fill_request(
        counter.database, dossier, order.kind, order.request, order.text, counter.workshop.clock()
    )
    source = DocumentSource(order.kind, filled.request, dossier, environment, filling=filled.review)
    review = await counter.workshop.review(source, in_place=is_small(filled.text))
    require_no_problems(explain_problems(review.problems, order.kind, filled.text, filled.posted_text))
    prepared = _prepare(counter, order, filled, source, review)
    for _ in range(_MOST_TRIES):
        try:
            stored = await _store(counter, order, prepared)
            return Accepted(record_of(stored), is_new=True)
        except CompanyNotInUse:
            raise unknown_company() from None
        except OrderKeyTaken:
            earlier = await _earlier_of(counter, order)
        except AlreadyThere as taken:
            earlier = await _earlier_of(counter, order)
            if earlier is None:
                raise await _number_taken(counter, order, prepared) from taken
        if earlier is not None:
            return Accepted(earlier, is_new=False)
    raise LookupError("an order that keeps others from being stored can't be found")


@dataclass(frozen=True)
class _Prepared:
    """A reviewed document with everything that is stored beside it."""

    document: NewDocument
    paper: Paper | None
    """The paper of a receipt that was issued offline."""
    sale: DirectSale | None
    """The sale that the document makes, of the posted body: one item does not get the codes of another."""
    period: Period | None
    """The period of the plan that counts it; None if none does."""


def _prepare(
    counter: IssuingContext, order: Order, filled: FilledRequest, source: DocumentSource, review: Review
) -> _Prepared:
    kind, issuing, dossier, environment = order.kind, order.kind.issuing, source.dossier, source.environment
    queued = not (issuing.waits and issuing.waits(filled.request))
    period = counted_period(order.subscription, environment, counter.workshop.clock()) if queued else None
    recipient = issuing.addressee(filled.request)
    document = NewDocument(
        id=new_id(),
        company_id=order.company.id,
        type=kind.name,
        environment=environment,
        status=Status.PROCESSING if queued else Status.PENDING,
        namespace=kind.namespace,
        idempotency_key=order.idempotency_key,
        external_id=order.external_id,
        request=filled.text,
        posted_request=filled.posted_text,
        recipient_tax_id=recipient.tax_id if recipient else None,
        recipient_name=recipient.name if recipient else None,
        amount=review.amount,
        warnings=review.warnings,
        reviewed_revision=dossier.revision,
        reviewed_on=counter.workshop.today,
        allowance_period=period.name if period else None,
        is_urgent=kind.is_urgent,
    )
    sale = kind.direct_sale(order.request, dossier.company) if kind.direct_sale else None
    return _Prepared(document, paper_of(source), sale, period)


async def _store(counter: IssuingContext, order: Order, prepared: _Prepared) -> Document:
    """Stores a document with everything beside it; if there is nothing, by a single statement."""
    document, paper, period = prepared.document, prepared.paper, prepared.period
    if paper is None and prepared.sale is None and period is None:
        async with counter.database.autocommit(order.subscription.id) as tenant:
            return await _add(tenant, document)
    async with counter.database.tenant(order.subscription.id) as tenant:
        await hold_company(tenant, document.company_id)
        if paper is not None:
            events = first_events(document.status, Happening.CREATED, Happening.NUMBERED)
            stored = await add_printed(tenant, document, events, paper)
        else:
            sale_id = await _add_sale(tenant, prepared, counter.workshop.today)
            stored = await _add(tenant, replace(document, sale_id=sale_id))
        if period is not None:
            # Last, as it holds a row that every document of the subscription needs. What is in the buyer's
            # hands already is counted, but never refused.
            await reserve_document(tenant, period.beyond_limit() if paper else period)
    return stored


async def _add_sale(tenant: Tenant, prepared: _Prepared, today: date) -> UUID | None:
    if prepared.sale is None:
        return None
    document = prepared.document
    return await add_direct_sale(tenant, document.company_id, document.external_id, prepared.sale, today)


async def _add(tenant: Tenant, document: NewDocument) -> Document:
    events = first_events(document.status, Happening.CREATED)
    return await tenant.documents.add(document, events, queued=document.status == Status.PROCESSING)


async def _earlier_of(counter: IssuingContext, order: Order) -> DocumentRecord | None:
    """Returns the document that kept an order from being stored; None if it is gone."""
    identity = OrderIdentity(order.idempotency_key, order.external_id)
    access_key = printed_key(order.kind, order.request)
    async with counter.database.autocommit(order.subscription.id) as tenant:
        document = await _find_earlier(tenant, order.company.id, order.kind, identity, access_key)
    return None if document is None else _replay_of(document, order.kind, read(order.text))


async def _number_taken(counter: IssuingContext, order: Order, prepared: _Prepared) -> Refusal:
    if prepared.paper is None:
        raise LookupError("only paper has a number before it is issued")
    async with counter.database.autocommit(order.subscription.id) as tenant:
        return await number_taken(tenant, prepared.paper)


def _access_key_in(kind: DocumentType, body: Any) -> str | None:
    """Returns the printed access key in a body that has not been validated."""
    value = body.get("accessKey") if isinstance(body, dict) else None
    may_be_printed = kind.point_of_sale is not None
    return normalize(value) if may_be_printed and isinstance(value, str) else None


async def _find_earlier(
    tenant: Tenant, company_id: UUID, kind: DocumentType, identity: OrderIdentity, access_key: str | None
) -> Document | None:
    order = await find_order(tenant, company_id, kind.namespace, identity)
    if order is not None and order.document_id:
        return await tenant.documents.get(order.document_id)
    printed = await tenant.documents.find_printed(company_id, access_key) if access_key else None
    if printed is not None or order is None:
        return printed
    return await _document_of_sale(tenant, order, kind, identity)


async def _document_of_sale(
    tenant: Tenant, order: OrderKey, kind: DocumentType, identity: OrderIdentity
) -> Document:
    """Returns the document of this type that a sale has, or refuses if it has none."""
    documents = await tenant.documents.of_sales([order.sale_id] if order.sale_id else [])
    for document in reversed(documents):
        if document.type == kind.name:
            return document
    raise Refusal(
        Code.DUPLICATE_RESOURCE,
        f"Já existe uma venda com esta chave, sem {kind.title}. Se o documento foi descartado, altere a venda"
        " com PUT ou PATCH …/sales/{id}, que o faz de novo; senão, use outra chave.",
        field=identity.field_of(order),
        existingId=str(order.sale_id),
        saleId=str(order.sale_id),
    )


def _replay_of(document: Document, kind: DocumentType, body: Any) -> DocumentRecord:
    """Returns the record of an earlier order, with a warning if the request has another body.

    The body of a corrected document is not the one that created it, and is not compared.
    """
    record, is_corrected = record_of(document), document.version > 1
    is_same_order = document.is_direct and document.type == kind.name
    if is_same_order and (is_corrected or is_same_body(document.posted, body)):
        return record
    _log.warning("replay_differs", document_id=str(document.id), type=document.type, asked=kind.name)
    return record.model_copy(update={"warnings": [*record.warnings, DIFFERENT_BODY]})
