"""The first step: a request becomes a stored document with a job, or is refused with all that is wrong."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog

from carimbo.fiscal.direct_sale import DirectSale
from carimbo.fiscal.document_type import DocumentType, Review
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.taxpayer import normalize
from carimbo.service.allowance import Period, period_of, reserve_document
from carimbo.service.direct_sales import add_direct_sale
from carimbo.service.document_record import DocumentRecord, record_of
from carimbo.service.errors import Code, Refusal
from carimbo.service.exact_json import read
from carimbo.service.issuing.dossier import Dossier, Dossiers
from carimbo.service.issuing.printed import (
    AlreadyThere,
    Paper,
    add_printed,
    number_taken,
    paper_of,
    printed_key,
)
from carimbo.service.issuing.readiness import require_feature, require_ready
from carimbo.service.issuing.workshop import Workshop, issuing_of
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.new_document import NewDocument
from carimbo.storage.subscriptions import Subscription

_log = structlog.get_logger("carimbo.issuing")
_NOTHING = Decimal(0)
# Characters of a request of about ten items: reviewed in less time than it takes to hand it to a thread and
# back, counting what the other requests wait.
_SMALL = 2_000


@dataclass(frozen=True)
class Counter:
    """Where requests are taken: the database, the companies, and the workshop that reviews documents."""

    database: Database
    dossiers: Dossiers
    workshop: Workshop


@dataclass(frozen=True)
class Marks:
    """What an order is known by when it comes again."""

    idempotency_key: str | None
    external_id: str | None
    access_key: str | None
    """Of what is on paper already."""

    @property
    def key(self) -> str | None:
        """What its document is kept under."""
        return self.idempotency_key or self.external_id


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
    def marks(self) -> Marks:
        """What makes it the same order when it comes again."""
        external_id = getattr(self.request, "external_id", None)
        return Marks(self.idempotency_key, external_id, printed_key(self.request))


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
    """Find the document that the same order made before, whatever is to be said of its body today."""
    marks = _marks(kind, idempotency_key, body)
    if not marks.key and not marks.access_key:
        return None
    async with database.autocommit(subscription_id) as tenant:
        found = await _find(tenant, company_id, kind, marks)
    if found is None:
        return None
    _tell_difference(found, kind, body)
    return record_of(found)


async def accept(counter: Counter, order: Order) -> Accepted:
    """Check everything, then store document, history, place in the plan and job together."""
    require_feature(order.subscription, order.kind)
    dossier = await counter.dossiers.of(order.subscription.id, order.company.id, order.company.revision)
    environment = dossier.environment_of(order.kind)
    require_ready(dossier, order.kind, environment, counter.workshop.clock())
    review = await counter.workshop.review(
        order.kind, order.request, dossier, environment, in_place=is_small(order.text)
    )
    require_no_problems(review.problems)
    return await _store(counter, order, dossier, environment, review)


def is_small(text: str) -> bool:
    """Whether a request is reviewed without a thread."""
    return len(text) < _SMALL


def require_no_problems(problems: Iterable[Problem]) -> None:
    """Refuse with every rule that is broken; what has a code of its own in the API, by that one alone."""
    broken = tuple(problems)
    for problem in broken:
        if problem.code in Code.__members__:
            raise Refusal(Code[problem.code], problem.message, **dict(problem.facts))
    if broken:
        raise Refusal(Code.FISCAL_RULE_VIOLATION, rules=rules_told(broken))


def rules_told(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Broken rules as callers read them."""
    return [
        {"code": one.code, "field": one.path, "message": one.message, "hint": one.hint, **dict(one.facts)}
        for one in problems
    ]


def amount_of(review: Review) -> Decimal:
    """What a document amounts to."""
    return review.preview.amount if review.preview else _NOTHING


def plan_period(subscription: Subscription, environment: Environment, workshop: Workshop) -> Period | None:
    """Where a place in the plan is to be kept for a document; None when it needs none."""
    period = period_of(subscription.plan, workshop.clock())
    counts = environment is Environment.PRODUCTION and period.limit is not None
    return period if counts else None


async def _store(
    counter: Counter, order: Order, dossier: Dossier, environment: Environment, review: Review
) -> Accepted:
    waits = issuing_of(order.kind).waits
    queued = not (waits and waits(order.request))
    period = plan_period(order.subscription, environment, counter.workshop) if queued else None
    document = NewDocument(
        id=new_id(),
        company_id=order.company.id,
        type=order.kind.name,
        environment=environment,
        status=Status.PROCESSING if queued else Status.PENDING,
        namespace=order.kind.namespace,
        idempotency_key=order.marks.key,
        external_id=order.marks.external_id,
        request=order.text,
        amount=amount_of(review),
        warnings=review.warnings,
        reviewed_revision=dossier.revision,
        reviewed_on=counter.workshop.today,
        allowance_period=period.name if period else None,
        is_urgent=order.kind.is_urgent,
    )
    paper = paper_of(order.kind, order.request, dossier, environment)
    if paper is not None:
        return await _store_printed(counter, order, document, paper, period)
    sale_of = issuing_of(order.kind).sale
    if sale_of is not None:
        return await _store_sold(counter, order, document, sale_of(order.request, dossier.company), period)
    return await _store_unprinted(counter, order, document, period)


async def _store_unprinted(
    counter: Counter, order: Order, document: NewDocument, period: Period | None
) -> Accepted:
    if period is None:
        async with counter.database.autocommit(order.subscription.id) as tenant:
            return await _add(tenant, order, document)
    async with counter.database.tenant(order.subscription.id) as tenant:
        accepted = await _add(tenant, order, document)
        if accepted.is_new:
            # Last, as it holds a row that every document of the subscription needs.
            await reserve_document(tenant, period)
    return accepted


async def _store_sold(
    counter: Counter, order: Order, document: NewDocument, sold: DirectSale, period: Period | None
) -> Accepted:
    """Store a document with the sale that it makes; nothing, if the document is there already."""
    with suppress(AlreadyThere):
        async with counter.database.tenant(order.subscription.id) as tenant:
            sale_id = await add_direct_sale(
                tenant, order.company.id, order.marks.external_id, sold, counter.workshop.today
            )
            accepted = await _add(tenant, order, replace(document, sale_id=sale_id))
            if not accepted.is_new:
                raise AlreadyThere
            if period:
                await reserve_document(tenant, period)
    return accepted


async def _store_printed(
    counter: Counter, order: Order, document: NewDocument, paper: Paper, period: Period | None
) -> Accepted:
    """Store what is in the buyer's hands: the plan counts it, and can't refuse it."""
    try:
        async with counter.database.tenant(order.subscription.id) as tenant:
            events = beginning(document.status, Happening.CREATED, Happening.NUMBERED)
            stored = await add_printed(tenant, document, events, paper)
            if period:
                await reserve_document(tenant, period.beyond_limit())
    except AlreadyThere:
        async with counter.database.autocommit(order.subscription.id) as tenant:
            found = await _find(tenant, order.company.id, order.kind, order.marks)
            if found is None:
                raise await number_taken(tenant, paper) from None
        return Accepted(record_of(found), is_new=False)
    return Accepted(record_of(stored), is_new=True)


async def _add(tenant: Tenant, order: Order, document: NewDocument) -> Accepted:
    events = beginning(document.status, Happening.CREATED)
    stored = await tenant.documents.add(document, events, queued=document.status == Status.PROCESSING)
    if stored is not None:
        return Accepted(record_of(stored), is_new=True)
    # Whoever came first has committed by now: their insert made ours wait.
    found = await _find(tenant, order.company.id, order.kind, order.marks)
    if found is None:
        raise LookupError("a document that kept another from being stored is gone")
    return Accepted(record_of(found), is_new=False)


def beginning(status: str, *happened: Happening) -> list[NewEvent]:
    """The first events of a document."""
    queued = (Happening.QUEUED,) if status == Status.PROCESSING else ()
    return [NewEvent(type=one, status=status) for one in (*happened, *queued)]


def _marks(kind: DocumentType, idempotency_key: str | None, body: Any) -> Marks:
    """Read the marks of an order whose form nobody has checked."""
    may_be_printed = issuing_of(kind).printed_emission is not None
    external_id, access_key = _text(body, "externalId"), _text(body, "accessKey")
    return Marks(
        idempotency_key,
        external_id and external_id.strip(),
        normalize(access_key) if access_key and may_be_printed else None,
    )


def _text(body: Any, name: str) -> str | None:
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else None


async def _find(tenant: Tenant, company_id: UUID, kind: DocumentType, marks: Marks) -> Document | None:
    """Find the document of an order: by its key, by its external id, or by what is printed."""
    if marks.key:
        found = await tenant.documents.find_repeated(company_id, kind.namespace, marks.key, marks.external_id)
        if found is not None:
            return found
    return await tenant.documents.find_printed(company_id, marks.access_key) if marks.access_key else None


def _tell_difference(found: Document, kind: DocumentType, body: Any) -> None:
    if found.type != kind.name or read(found.request) != body:
        _log.warning("replay_differs", document_id=str(found.id), type=found.type, asked=kind.name)
