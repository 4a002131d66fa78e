"""Changing a document that is not issued yet, and sending it on its way."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field, ValidationError

from carimbo.fiscal.catalog_filling import FillingReview
from carimbo.fiscal.company import Company as Issuer
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Integer
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, Happening, Status
from carimbo.service.allowance import Period, counted_period, reserve_document
from carimbo.service.companies import hold_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.direct_sales import correct_direct_sale
from carimbo.service.document_record import DocumentRecord, record_of
from carimbo.service.documents import (
    Reference,
    posted_body,
    posted_request,
    require_document,
    stored_request,
    unknown_document,
    wrong_state,
)
from carimbo.service.dossier import Dossier
from carimbo.service.errors import Code, Refusal, invalid_body
from carimbo.service.exact_json import merge_patch, write
from carimbo.service.issuing.filling import (
    FilledRequest,
    explain_problems,
    fill_request,
    filling_warnings,
)
from carimbo.service.issuing.printed import is_printed, paper_of
from carimbo.service.kinds import kind_named
from carimbo.service.problems import require_no_problems
from carimbo.service.readiness import require_complete, require_feature, require_ready
from carimbo.service.workshop import DocumentSource
from carimbo.storage.companies import Company
from carimbo.storage.database import Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.subscriptions import Subscription

# Of these a type has what its documents may be known by.
_IDENTIFIES = "Identifica o documento e não pode ser alterado."


class InvoiceChanges(Body):
    """A version, and a merge patch (RFC 7396) of the document's own body."""

    model_config = ConfigDict(extra="allow")

    version: Integer = Field(
        ge=1, description="Versão lida; os demais campos substituem os do corpo original (RFC 7396)."
    )


async def change_invoice(
    counter: IssuingContext,
    subscription: Subscription,
    company: Company,
    which: Reference,
    version: int,
    patch: dict[str, Any],
) -> DocumentRecord:
    """Correct a draft or a rejected document; the rules are held against what comes out."""
    async with counter.database.autocommit(subscription.id) as tenant:
        document = await require_document(tenant, which)
        due_at = await _due_at(tenant, document)
    _require_changeable(document, version)
    body = merge_patch(posted_body(document), {name: patch[name] for name in patch if name != "version"})
    kind, request = kind_named(document.type), _validated(document, body)
    environment = Environment(document.environment)
    dossier = await counter.dossiers.of(subscription.id, company.id, company.revision)
    require_complete(dossier, kind, environment)
    filled = await _fill_anew(counter, dossier, document, request, write(body))
    source = DocumentSource(kind, filled.request, dossier, environment, document.asked_at, filled.review)
    review = await counter.workshop.review(source, at=due_at)
    require_no_problems(explain_problems(review.problems, kind, filled.text, filled.posted_text))
    async with counter.database.tenant(subscription.id) as tenant:
        _require_changeable(await _locked_with_sale(tenant, document), version)
        await _write(tenant, document, _Corrected(request, filled, review, source), counter.workshop.today)
        return record_of(await _locked(tenant, document.id))


async def _fill_anew(
    counter: IssuingContext, dossier: Dossier, document: Document, request: Body, text: str
) -> FilledRequest:
    """Fills a changed request from the catalog, unless the sale that made the document has done that."""
    kind = kind_named(document.type)
    filling = kind.catalog_filling
    if not document.is_direct and not (filling and filling.fills_sales):
        return FilledRequest(request, text)
    return await fill_request(counter.database, dossier, kind, request, text, counter.workshop.clock())


@dataclass(frozen=True)
class _Corrected:
    """What a document becomes: its request, which keeps the rules."""

    posted: Body
    """The request before it was filled."""
    filled: FilledRequest
    review: Review
    source: DocumentSource


async def _write(tenant: Tenant, document: Document, corrected: _Corrected, today: date) -> None:
    """Write what a document becomes, also on its paper and in the sale that it made."""
    filled, review, source = corrected.filled, corrected.review, corrected.source
    await tenant.documents.write_request(
        document.id,
        filled.text,
        review.amount,
        review.warnings,
        source.dossier.revision,
        today,
        source.kind.issuing.addressee(filled.request),
        filled.posted_text,
    )
    paper = paper_of(source)
    if paper is not None:
        await tenant.emissions.correct_printed(document.id, paper.printed)
    await _correct_sale(tenant, document, corrected.posted, source.dossier.company, today)


@dataclass(frozen=True)
class Ready:
    """A draft or a rejected document that may be sent on its way."""

    document: Document
    allowed: tuple[Status, ...]
    review: Review
    dossier: Dossier
    period: Period | None


async def emit(
    counter: IssuingContext,
    subscription: Subscription,
    company: Company,
    which: Reference,
    *,
    allowed: tuple[Status, ...] = EMITTABLE,
) -> DocumentRecord:
    """Send a draft or a rejected document on its way; one that has a number keeps it."""
    async with counter.database.autocommit(subscription.id) as tenant:
        document = await require_document(tenant, which)
    ready = await make_ready(counter, subscription, company, document, allowed)
    async with counter.database.tenant(subscription.id) as tenant:
        await hold_company(tenant, company.id)
        await start(tenant, ready, counter.workshop.today)
        await reserve(tenant, ready)
        return record_of(await _locked(tenant, document.id))


async def make_ready(
    counter: IssuingContext,
    subscription: Subscription,
    company: Company,
    document: Document,
    allowed: tuple[Status, ...] = EMITTABLE,
) -> Ready:
    """Review a document as it is today, or refuse to emit it."""
    _require_emittable(document, allowed)
    kind, environment = kind_named(document.type), Environment(document.environment)
    require_feature(subscription, kind)
    dossier = await counter.dossiers.of(subscription.id, company.id, company.revision)
    require_ready(dossier, kind, environment, counter.workshop.clock())
    filling = FillingReview(warnings=filling_warnings(document))
    source = DocumentSource(kind, stored_request(document), dossier, environment, document.asked_at, filling)
    review = await counter.workshop.review(source)
    require_no_problems(explain_problems(review.problems, kind, document.request, document.posted))
    period = counted_period(subscription, environment, counter.workshop.clock())
    return Ready(document, allowed, review, dossier, period)


async def start(tenant: Tenant, ready: Ready, today: date) -> None:
    """Send a reviewed document on its way, unless it is another by now."""
    document = await _locked(tenant, ready.document.id)
    _require_emittable(document, ready.allowed)
    _require_version(document, ready.document.version)
    await tenant.documents.start(
        document.id,
        ready.review.amount,
        ready.review.warnings,
        ready.dossier.revision,
        today,
        ready.period.name if ready.period else None,
    )
    await begin(tenant, document)


async def reserve(tenant: Tenant, ready: Ready) -> None:
    """Keep a place in the plan: last, as it is in a row that every document of the subscription needs."""
    if ready.period:
        printed = is_printed(ready.document)
        await reserve_document(tenant, ready.period.beyond_limit() if printed else ready.period)


async def _due_at(tenant: Tenant, document: Document) -> datetime | None:
    """When the sale that made a document lets it go, of one that waits for a time."""
    sale = await tenant.sales.get(document.sale_id) if document.sale_id else None
    return sale.scheduled_emit_at if sale else None


async def _correct_sale(
    tenant: Tenant, document: Document, posted: Body, issuer: Issuer, today: date
) -> None:
    """Correct the sale that a document made; what was made for a sale leaves it as it is."""
    sale_of = kind_named(document.type).direct_sale
    if sale_of and document.is_direct and document.sale_id:
        before, after = sale_of(posted_request(document), issuer), sale_of(posted, issuer)
        await correct_direct_sale(tenant, document.sale_id, before, after, today)


async def begin(tenant: Tenant, document: Document) -> None:
    """Make anew what was refused, under the number that it has, and queue it."""
    if document.emission:
        await tenant.emissions.begin_anew(document.id, document.emission.ordinal)
    kind = kind_named(document.type)
    await tenant.documents.queue(document.id, document.company_id, is_urgent=kind.is_urgent)
    happened = NewEvent(type=Happening.QUEUED, status=Status.PROCESSING)
    await tenant.document_events.add(document.id, [happened])


async def _locked_with_sale(tenant: Tenant, document: Document) -> Document:
    """Locks a document after its sale, in the order in which a sale is changed and a document discarded."""
    if document.sale_id:
        await tenant.sales.lock(document.sale_id)
    return await _locked(tenant, document.id)


async def _locked(tenant: Tenant, document_id: UUID) -> Document:
    document = await tenant.documents.lock(document_id)
    if document is None:
        # A draft goes when its sale is changed or deleted.
        raise unknown_document()
    return document


def _validated(document: Document, body: Any) -> Body:
    # First: what is wrong with the stored body is not the fault of a field that the caller sends.
    stored = stored_request(document)
    kind = kind_named(document.type)
    model = kind.issuing.request
    try:
        request = model.model_validate(body)
    except ValidationError as invalid:
        raise invalid_body(invalid, model) from None
    _require_same(kind, stored, request)
    return request


def _require_same(kind: DocumentType, stored: Body, changed: Body) -> None:
    """Refuses to make it another document: what is on paper can't become what is to be numbered, or back."""
    before, after = _identity(kind, stored), _identity(kind, changed)
    fields = [{"field": name, "error": _IDENTIFIES} for name in before if before[name] != after[name]]
    if fields:
        raise Refusal(Code.VALIDATION_ERROR, fields=fields)


def _identity(kind: DocumentType, request: Body) -> dict[str, Any]:
    printed = kind.point_of_sale.printed_fields(request) if kind.point_of_sale else {}
    return {"externalId": kind.issuing.external_id(request), **printed}


def _require_changeable(document: Document, version: int) -> None:
    _require_emittable(document, EMITTABLE)
    _require_version(document, version)


def _require_version(document: Document, version: int) -> None:
    if document.version != version:
        raise Refusal(Code.VERSION_CONFLICT, currentVersion=document.version)


def _require_emittable(document: Document, allowed: tuple[Status, ...]) -> None:
    emission = document.emission
    if emission and emission.state == EmissionState.DENIED:
        sentence = "O documento foi denegado e seu número, consumido: crie outro documento."
        raise Refusal(Code.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])
    if document.status not in allowed:
        raise wrong_state(document, *allowed)
