"""Registers an event of a document: any event of any type, as its EventKind describes it."""

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import CancellationDeadline, Deadline, EventKind
from carimbo.fiscal.lifecycle import FilingState, Status
from carimbo.fiscal.problems import Problem
from carimbo.service.companies.registration import hold_company
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import (
    DocumentReference,
    EventRecord,
    refusing_damaged_key,
    require_document,
)
from carimbo.service.errors import ErrorCode, Refusal, broken_rules
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.outcome import (
    CanceledRecord,
    authority_refusal,
    deadline_refusal,
    event_under_way,
)
from carimbo.service.json_values import read_exact_json
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.event_filings import EventFiling, NewEventFiling

_NOTHING_TO_CANCEL = (
    "O documento ainda não foi emitido, e não há o que cancelar: para descartá-lo, use"
    " DELETE /v1/companies/{companyId}/invoices/{id}."
)


async def register_event(
    context: FilingContext, company: CompanyRow, which: DocumentReference, event_name: str, request: Body
) -> Record:
    """Sends an event to the authority; returns its result, or an EventUnderWay if it is not settled in time.

    If a document can have the event once, all requests for it share that one event. If it can have several,
    the same request again returns the last event.
    """
    async with context.issuing.database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
    document_type = document_type_named(document.type)
    event = _event_of(document_type, document, event_name)
    emission = _require_allowed(document, event)
    with refusing_damaged_key(document):
        _require_in_time(context, emission, event, request)
        snapshot = await context.snapshot_of(which.subscription_id, company, document_type)
        context.check_event(snapshot, emission, document.environment, event, request)
    async with context.issuing.database.tenant(which.subscription_id) as tenant:
        await hold_company(tenant, company.id)
        store = _store_next if event.repetition else _store_or_join
        filing = await store(tenant, document, emission, event, request)
    if event.is_awaited:
        filing = await context.wait_for_outcome(which.subscription_id, filing)
    return _answer(document, emission, event, filing)


def _event_of(document_type: DocumentType, document: Document, name: str) -> EventKind:
    """Returns the event of the document's type; other types in the same collection may have more events."""
    if any(event.name == name for event in document_type.events):
        return document_type.event_named(name)
    sentence = f"{document_type.title} não tem este evento."
    raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])


def _require_allowed(document: Document, event: EventKind) -> EmissionRow:
    emission = document.emission
    is_dated = not isinstance(event.deadline, Deadline) or (emission and emission.authorized_at)
    if document.status in event.allowed and emission and is_dated:
        _require_not_forbidden(document, event)
        return emission
    is_draft = event.effect.status is Status.CANCELED and document.status == Status.PENDING
    raise _wrong_state(document, event, _NOTHING_TO_CANCEL if is_draft else None)


def _require_not_forbidden(document: Document, event: EventKind) -> None:
    """Refuses an event that is not allowed after a fact of the document."""
    reasons = [sentence for fact, sentence in event.forbidden_after.items() if fact in document.facts]
    if reasons:
        raise Refusal(ErrorCode.INVALID_STATE, reasons[0], currentStatus=document.status, allowed=[])


def _wrong_state(document: Document, event: EventKind, sentence: str | None = None) -> Refusal:
    return Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[*event.allowed])


def _require_in_time(context: FilingContext, emission: EmissionRow, event: EventKind, request: Body) -> None:
    deadline, key, authorized_at = event.deadline, emission.access_key, emission.authorized_at
    if deadline is None or key is None or authorized_at is None:
        return
    last_moment = deadline.last_moment(key, authorized_at, request)
    if last_moment is None or context.issuing.builder.clock() <= last_moment:
        return
    if isinstance(deadline, CancellationDeadline):
        raise deadline_refusal(last_moment, deadline.alternative)
    raise _broken(deadline.late)


async def _store_or_join(
    tenant: Tenant, document: Document, emission: EmissionRow, event: EventKind, request: Body
) -> EventFiling:
    """Stores an event that a document can have once, or returns the existing one unless it was refused."""
    new = NewEventFiling.about(document, emission, event.name, request)
    while True:
        filing = await tenant.event_filings.add(new)
        if filing is not None:
            return filing
        for stored in await tenant.event_filings.of_document(document.id, emission.ordinal, event.name):
            if stored.state != FilingState.REFUSED:
                return stored


async def _store_next(
    tenant: Tenant, document: Document, emission: EmissionRow, event: EventKind, request: Body
) -> EventFiling:
    """Stores the next event of its kind; a simultaneous request waits for the lock."""
    locked = await tenant.documents.lock(document.id)
    if locked is None or locked.status not in event.allowed:
        raise _wrong_state(locked or document, event)
    _require_not_forbidden(locked, event)
    repetition = event.repetition
    stored = await tenant.event_filings.of_document(document.id, emission.ordinal, event.name)
    last = next((filing for filing in reversed(stored) if filing.state != FilingState.REFUSED), None)
    sequence = _next_sequence(stored, event)
    new = NewEventFiling.about(document, emission, event.name, request, sequence)
    if last and read_exact_json(last.request) == read_exact_json(new.request):
        return last
    is_open = last is not None and last.state != FilingState.REGISTERED
    if is_open and repetition and repetition.previous_is_open:
        sentence = repetition.previous_is_open
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])
    added = await tenant.event_filings.add(new)
    if added is None:
        raise LookupError("an event was stored while the document was locked")
    return added


def _next_sequence(stored: list[EventFiling], event: EventKind) -> int:
    repetition = event.repetition
    taken_code = repetition.taken_code if repetition else None
    taken = [
        filing.sequence
        for filing in stored
        if filing.state != FilingState.REFUSED or filing.authority_code == taken_code
    ]
    sequence = max(taken, default=0) + 1
    if repetition and sequence > repetition.max_events:
        raise _broken(repetition.exceeded)
    return sequence


def _broken(problem: Problem) -> Refusal:
    return Refusal(ErrorCode.FISCAL_RULE_VIOLATION, rules=broken_rules((problem,)))


def _answer(document: Document, emission: EmissionRow, event: EventKind, filing: EventFiling) -> Record:
    match FilingState(filing.state):
        case FilingState.REGISTERED if event.effect.status:
            return CanceledRecord(id=document.id, status=event.effect.status, type=document.type)
        case FilingState.REGISTERED:
            return EventRecord(
                id=filing.id,
                type=filing.type,
                status=Status(document.status),
                sequence=filing.sequence,
                protocol=filing.protocol,
                authority_code=filing.authority_code,
                authority_message=filing.authority_message,
                created_at=filing.created_at,
            )
        case FilingState.REFUSED:
            raise _refusal(document, emission, event, filing)
        case _:
            return event_under_way(document, event, filing)


def _refusal(document: Document, emission: EmissionRow, event: EventKind, filing: EventFiling) -> Refusal:
    deadline = event.deadline
    if isinstance(deadline, CancellationDeadline) and filing.authority_code in deadline.late_codes:
        key, authorized_at = emission.access_key, emission.authorized_at
        in_time_until = deadline.in_time_until(key, authorized_at) if key and authorized_at else None
        return deadline_refusal(in_time_until, deadline.alternative, filing)
    return authority_refusal(document_type_named(document.type), filing)
