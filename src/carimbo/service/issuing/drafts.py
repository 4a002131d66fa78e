"""Drafts and rejected documents: change, emit or discard them."""

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field, ValidationError

from carimbo.fiscal.body.fields import Body, Integer
from carimbo.fiscal.catalog.filling import FillingReview
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, HistoryEntry, Status
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.companies.company_checks import (
    require_active,
    require_complete,
    require_feature,
    require_ready,
)
from carimbo.service.companies.registration import hold_company
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.builder import DocumentSource
from carimbo.service.documents.queries import (
    DocumentReference,
    audit_document,
    posted_body,
    posted_request,
    require_document,
    stored_request,
    unknown_document,
    wrong_state,
)
from carimbo.service.documents.record import DocumentRecord, record_of
from carimbo.service.errors import ErrorCode, Refusal, invalid_body, require_no_problems
from carimbo.service.issuing.direct_sales import correct_direct_sale
from carimbo.service.issuing.filling import (
    FilledRequest,
    explain_problems,
    fill_request,
    filling_warnings,
)
from carimbo.service.issuing.printed import final_emission, is_printed, printed_document_of
from carimbo.service.json_values import merge_patch, write_json
from carimbo.service.subscriptions import Period, counted_period, reserve_document
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.subscriptions import Subscription

_IDENTIFIES = "Identifica o documento e não pode ser alterado."
_NUMBERED = "O documento já tem número e não se descarta: corrija-o, se preciso, e emita-o."
_PART_OF_A_SALE = (
    "Outro documento da venda já foi autorizado, ou está em processamento, e este não se descarta: emita-o,"
    " ou cancele os documentos da venda."
)


class InvoiceChanges(Body):
    """The expected version and a merge patch (RFC 7396) of the document's body."""

    model_config = ConfigDict(extra="allow")

    version: Integer = Field(
        ge=1, description="Versão lida; os demais campos substituem os do corpo original (RFC 7396)."
    )


async def change_document(
    context: IssuingContext,
    subscription: Subscription,
    company: CompanyRow,
    reference: DocumentReference,
    version: int,
    patch: dict[str, Any],
) -> DocumentRecord:
    """Changes a draft or a rejected document; the result is checked against the rules."""
    async with context.database.autocommit(subscription.id) as tenant:
        document = await require_document(tenant, reference)
        sale = await tenant.sales.get(document.sale_id) if document.sale_id else None
    _require_changeable(document, version)
    body = merge_patch(posted_body(document), {name: patch[name] for name in patch if name != "version"})
    document_type, request = document_type_named(document.type), _validated(document, body)

    environment = Environment(document.environment)
    snapshot = await context.snapshots.of(subscription.id, company.id, company.revision)
    require_complete(snapshot, document_type, environment)
    filled = await _fill_changed(context, snapshot, document, request, write_json(body))
    source = DocumentSource(
        document_type,
        filled.request,
        snapshot,
        environment,
        document.asked_at,
        filled.review,
        final_emission(document, snapshot),
    )
    review = await context.builder.review(source, at=sale.scheduled_emit_at if sale else None)
    require_no_problems(explain_problems(review.problems, document_type, filled.text, filled.posted_text))

    async with context.database.tenant(subscription.id) as tenant:
        if document.sale_id:
            # The sale is locked before its documents, as everywhere.
            await tenant.sales.lock(document.sale_id)
        _require_changeable(await _locked(tenant, document.id), version)
        await _write(tenant, document, _Corrected(request, filled, review, source), context.builder.today)
        return record_of(await _locked(tenant, document.id))


async def _fill_changed(
    context: IssuingContext, snapshot: CompanySnapshot, document: Document, request: Body, text: str
) -> FilledRequest:
    """Fills a changed request from the catalog, unless the sale of the document already did that."""
    document_type = document_type_named(document.type)
    filling = document_type.catalog_filling
    if not document.is_direct and not (filling and filling.fills_sales):
        return FilledRequest(request, text)
    return await fill_request(
        context.database, snapshot, document_type, request, text, context.builder.clock()
    )


@dataclass(frozen=True)
class _Corrected:
    """The valid request that a document gets."""

    posted: Body
    """The request before it was filled from the catalog."""
    filled: FilledRequest
    review: Review
    source: DocumentSource


async def _write(tenant: Tenant, document: Document, corrected: _Corrected, today: date) -> None:
    """Stores a changed request, also in the printed document and in the sale that the document created."""
    filled, review, source = corrected.filled, corrected.review, corrected.source
    await tenant.documents.write_request(
        document.id,
        filled.text,
        review.amount,
        review.warnings,
        source.snapshot.revision,
        today,
        source.document_type.issuing.addressee(filled.request),
        filled.posted_text,
    )
    printed = printed_document_of(source)
    if printed is not None:
        await tenant.emissions.correct_printed(document.id, printed.emission)

    # A direct document created its sale; a document that a sale created does not change it.
    sale_of = source.document_type.direct_sale
    if sale_of and document.is_direct and document.sale_id:
        issuer = source.snapshot.company
        before, after = sale_of(posted_request(document), issuer), sale_of(corrected.posted, issuer)
        await correct_direct_sale(tenant, document.sale_id, before, after, today)


@dataclass(frozen=True)
class EmittableDocument:
    """A draft or a rejected document that was reviewed and can be emitted."""

    document: Document
    allowed: tuple[Status, ...]
    review: Review
    snapshot: CompanySnapshot
    period: Period | None


async def emit_document(
    context: IssuingContext,
    subscription: Subscription,
    company: CompanyRow,
    reference: DocumentReference,
    *,
    allowed: tuple[Status, ...] = EMITTABLE,
) -> DocumentRecord:
    """Emits a draft or a rejected document; one that has a number keeps it."""
    async with context.database.autocommit(subscription.id) as tenant:
        document = await require_document(tenant, reference)
    ready = await prepare_emission(context, subscription, company, document, allowed)
    async with context.database.tenant(subscription.id) as tenant:
        await hold_company(tenant, company.id)
        await start_emission(tenant, ready, context.builder.today)
        await reserve_allowance(tenant, ready)
        return record_of(await _locked(tenant, document.id))


async def prepare_emission(
    context: IssuingContext,
    subscription: Subscription,
    company: CompanyRow,
    document: Document,
    allowed: tuple[Status, ...] = EMITTABLE,
) -> EmittableDocument:
    """Reviews a document as of today, or refuses to emit it."""
    _require_emittable(document, allowed)
    document_type, environment = document_type_named(document.type), Environment(document.environment)
    require_feature(subscription, document_type)
    snapshot = await context.snapshots.of(subscription.id, company.id, company.revision)
    require_ready(snapshot, document_type, environment, context.builder.clock())
    require_active(snapshot, document_type)

    filling = FillingReview(warnings=filling_warnings(document))
    source = DocumentSource(
        document_type,
        stored_request(document),
        snapshot,
        environment,
        document.asked_at,
        filling,
        final_emission(document, snapshot),
    )
    review = await context.builder.review(source)
    require_no_problems(explain_problems(review.problems, document_type, document.request, document.posted))
    period = counted_period(subscription, environment, context.builder.clock())
    return EmittableDocument(document, allowed, review, snapshot, period)


async def start_emission(tenant: Tenant, ready: EmittableDocument, today: date) -> None:
    """Emits a reviewed document; refuses if it was changed since the review."""
    document = await _locked(tenant, ready.document.id)
    _require_emittable(document, ready.allowed)
    _require_version(document, ready.document.version)
    await tenant.documents.start(
        document.id,
        ready.review.amount,
        ready.review.warnings,
        ready.snapshot.revision,
        today,
        ready.period.name if ready.period else None,
    )
    await queue_document(tenant, document)


async def reserve_allowance(tenant: Tenant, ready: EmittableDocument) -> None:
    """Reserves the document in the plan; the last step, because all documents lock that row."""
    if ready.period:
        printed = is_printed(ready.document)
        await reserve_document(tenant, ready.period.beyond_limit() if printed else ready.period)


async def queue_document(tenant: Tenant, document: Document) -> None:
    """Queues a document; a rejected one is built again under the number that it has."""
    if document.emission:
        await tenant.emissions.begin_anew(document.id, document.emission.ordinal)
    document_type = document_type_named(document.type)
    await tenant.documents.queue(document.id, document.company_id, is_urgent=document_type.is_urgent)
    queued = NewEvent(type=HistoryEntry.QUEUED, status=Status.PROCESSING)
    await tenant.document_events.add(document.id, [queued])


async def _locked(tenant: Tenant, document_id: UUID) -> Document:
    document = await tenant.documents.lock(document_id)
    if document is None:
        # A draft is deleted when its sale is changed or deleted.
        raise unknown_document()
    return document


def _validated(document: Document, body: Any) -> Body:
    # First, so that a damaged stored body is not reported as an invalid field of the caller.
    stored = stored_request(document)
    document_type = document_type_named(document.type)
    model = document_type.issuing.request
    try:
        request = model.model_validate(body)
    except ValidationError as invalid:
        raise invalid_body(invalid, model) from None

    before, after = _identity(document_type, stored), _identity(document_type, request)
    fields = [{"field": name, "error": _IDENTIFIES} for name in before if before[name] != after[name]]
    if fields:
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)
    return request


def _identity(document_type: DocumentType, request: Body) -> dict[str, Any]:
    """Returns the fields that identify a document: its external id and, if it is printed, its number."""
    printed = document_type.point_of_sale.printed_fields(request) if document_type.point_of_sale else {}
    return {"externalId": document_type.issuing.external_id(request), **printed}


def _require_changeable(document: Document, version: int) -> None:
    _require_emittable(document, EMITTABLE)
    _require_version(document, version)


def _require_version(document: Document, version: int) -> None:
    if document.version != version:
        raise Refusal(ErrorCode.VERSION_CONFLICT, currentVersion=document.version)


def _require_emittable(document: Document, allowed: tuple[Status, ...]) -> None:
    emission = document.emission
    if emission and emission.state == EmissionState.DENIED:
        sentence = "O documento foi denegado e seu número, consumido: crie outro documento."
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])
    if document.status not in allowed:
        raise wrong_state(document, *allowed)


async def discard_document(database: Database, reference: DocumentReference) -> Deleted:
    """Deletes a draft or a rejected document without a number, with its history and its order keys.

    No authority knows such a document, so no event is published. A sale that the document itself created is
    deleted too; any other sale stays, and must have no other document that was issued.
    """
    async with database.tenant(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
        if document.sale_id:
            # The sale is locked before its documents, as everywhere.
            await tenant.sales.lock(document.sale_id)
            await _require_unissued_sale(tenant, document)
        locked = await tenant.documents.lock(document.id)
        if locked is None:
            raise unknown_document()
        if not may_be_discarded(locked) or not await tenant.documents.delete([locked.id]):
            if locked.status not in EMITTABLE:
                raise wrong_state(locked, *EMITTABLE)
            raise Refusal(ErrorCode.INVALID_STATE, _NUMBERED, currentStatus=locked.status, allowed=[])

        await audit_document(tenant, AuditAction.DOCUMENT_DISCARDED, locked)
        if locked.sale_id:
            remaining = await tenant.documents.of_sales([locked.sale_id])
            if locked.is_direct and not remaining:
                await tenant.sales.delete(locked.sale_id)
            else:
                await tenant.sales.lose_document(locked.sale_id)
    return Deleted(id=document.id)


async def is_discardable(database: Database, reference: DocumentReference) -> bool:
    """Returns whether a document is a draft or was rejected and has no number."""
    async with database.autocommit(reference.subscription_id) as tenant:
        return may_be_discarded(await require_document(tenant, reference))


def may_be_discarded(document: Document) -> bool:
    """Returns whether a document is a draft or was rejected and has no number, not even a printed one."""
    return document.status in EMITTABLE and document.emission is None


async def _require_unissued_sale(tenant: Tenant, document: Document) -> None:
    """Refuses if another document of the sale was issued: the sale would wrongly look completely invoiced."""
    if document.is_direct or document.sale_id is None or document.status not in EMITTABLE:
        return
    others = [
        other for other in await tenant.documents.lock_of_sale(document.sale_id) if other.id != document.id
    ]
    if any(other.status in (Status.AUTHORIZED, Status.PROCESSING) for other in others):
        raise Refusal(ErrorCode.INVALID_STATE, _PART_OF_A_SALE, currentStatus=document.status, allowed=[])
