"""The first step: a request becomes a stored document with a job, or is refused with all that is wrong."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog

from carimbo.fiscal.document_type import DocumentType, Review
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.fiscal.problems import Problem
from carimbo.service.allowance import Period, period_of, reserve_document
from carimbo.service.documents import DocumentRecord, record_of
from carimbo.service.errors import Code, Refusal
from carimbo.service.exact_json import read
from carimbo.service.issuing.dossier import Dossier, Dossiers
from carimbo.service.issuing.readiness import require_feature, require_ready
from carimbo.service.issuing.workshop import Workshop, issuing_of
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document, NewDocument
from carimbo.storage.identifiers import new_id
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
        return getattr(self.request, "external_id", None)

    @property
    def key(self) -> str | None:
        """What makes it the same order when it comes again."""
        return self.idempotency_key or self.external_id


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
    external_id = body.get("externalId") if isinstance(body, dict) else None
    external_id = external_id.strip() if isinstance(external_id, str) else None
    key = idempotency_key or external_id
    if not key:
        return None
    async with database.autocommit(subscription_id) as tenant:
        found = await tenant.documents.find_repeated(company_id, kind.namespace, key, external_id)
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
        order.kind, order.request, dossier, environment, in_place=len(order.text) < _SMALL
    )
    require_no_problems(review.problems)
    return await _store(counter, order, dossier, environment, review)


def require_no_problems(problems: Iterable[Problem]) -> None:
    """Refuse with every rule that is broken."""
    rules = [
        {"code": one.code, "field": one.path, "message": one.message, "hint": one.hint} for one in problems
    ]
    if rules:
        raise Refusal(Code.FISCAL_RULE_VIOLATION, rules=rules)


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
        idempotency_key=order.key,
        external_id=order.external_id,
        request=order.text,
        amount=amount_of(review),
        warnings=review.warnings,
        reviewed_revision=dossier.revision,
        reviewed_on=counter.workshop.today,
        allowance_period=period.name if period else None,
        is_urgent=order.kind.is_urgent,
    )
    if period is None:
        async with counter.database.autocommit(order.subscription.id) as tenant:
            return await _add(tenant, order, document)
    async with counter.database.tenant(order.subscription.id) as tenant:
        accepted = await _add(tenant, order, document)
        if accepted.is_new:
            # Last, as it holds a row that every document of the subscription needs.
            await reserve_document(tenant, period)
    return accepted


async def _add(tenant: Tenant, order: Order, document: NewDocument) -> Accepted:
    queued = document.status == Status.PROCESSING
    stored = await tenant.documents.add(document, _beginning(queued), queued=queued)
    if stored is None:
        return Accepted(await _repeated(tenant, order), is_new=False)
    return Accepted(record_of(stored), is_new=True)


def _beginning(queued: bool) -> list[NewEvent]:
    if not queued:
        return [NewEvent(type=Happening.CREATED, status=Status.PENDING)]
    return [NewEvent(type=one, status=Status.PROCESSING) for one in (Happening.CREATED, Happening.QUEUED)]


async def _repeated(tenant: Tenant, order: Order) -> DocumentRecord:
    """Whoever came first has committed by now: their insert made ours wait."""
    found = await tenant.documents.find_repeated(
        order.company.id, order.kind.namespace, order.key, order.external_id
    )
    if found is None:
        raise LookupError("a document that kept another from being stored is gone")
    return record_of(found)


def _tell_difference(found: Document, kind: DocumentType, body: Any) -> None:
    if found.type != kind.name or read(found.request) != body:
        _log.warning("replay_differs", document_id=str(found.id), type=found.type, asked=kind.name)
