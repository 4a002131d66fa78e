"""Registers an event of a document: any event of any type, as its EventKind describes it."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import CancellationDeadline, EventKind, UndoRequest
from carimbo.fiscal.lifecycle import FilingState, Status
from carimbo.service.actors import actor_record
from carimbo.service.companies.registration import hold_company
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import (
    DocumentReference,
    EventRecord,
    refusing_damaged_key,
    require_document,
    undone_id,
)
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.event_checks import (
    naming_event,
    next_sequence,
    require_allowed,
    require_closed,
    require_in_time,
    require_not_forbidden,
    require_outside_manifests,
    wrong_state,
)
from carimbo.service.filing.event_series import EventSeries, read_series
from carimbo.service.filing.in_progress import EventTarget
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

CheckEvent = Callable[[Body, EventTarget], None]
"""Checks the request of an event about its target. Raises Refusal."""


async def register_event(
    context: FilingContext, company: CompanyRow, which: DocumentReference, event_name: str, request: Body
) -> Record:
    """Sends an event to the authority; returns its result, or an EventUnderWay if it is not settled in time.

    If a document can have the event once, all requests for it share that one event. If it can have several,
    the same request again returns the last event that is in force.
    """
    async with context.issuing.database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        document_type = document_type_named(document.type)
        event = _event_of(document_type, document, event_name)
        emission = require_allowed(document, event)
        await require_outside_manifests(tenant, document, emission, event)
    with refusing_damaged_key(document):
        _require_in_time(document, emission, event, request, context.issuing.builder.clock())
        snapshot = await context.snapshot_of(which.subscription_id, company, document_type)
        check = partial(context.check_event, snapshot, event)
        if event.repetition is None:
            check(request, EventTarget(document, emission))
        async with context.issuing.database.tenant(which.subscription_id) as tenant:
            await hold_company(tenant, company.id)
            if event.repetition is None:
                filing = await _store_or_join(tenant, document, emission, event, request)
            else:
                filing = await _store_next(tenant, document, emission, event, request, check)
    if event.is_awaited:
        filing = await context.wait_for_outcome(which.subscription_id, filing)
    return _answer(document, emission, event, filing)


def _event_of(document_type: DocumentType, document: Document, name: str) -> EventKind:
    """Returns the event of the document's type; other types in the same collection may have more events."""
    if any(event.name == name for event in document_type.events):
        return document_type.event_named(name)
    sentence = f"{document_type.title} não tem este evento."
    raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])


def _require_in_time(
    document: Document, emission: EmissionRow, event: EventKind, request: Body, now: datetime
) -> None:
    key, authorized_at = emission.access_key, emission.authorized_at
    if event.deadline and key and authorized_at:
        last_moment = event.deadline.last_moment(key, authorized_at, request)
        require_in_time(document, event, last_moment, now)


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
    tenant: Tenant,
    document: Document,
    emission: EmissionRow,
    event: EventKind,
    request: Body,
    check: CheckEvent,
) -> EventFiling:
    """Stores the next event of its kind; a simultaneous request waits for the lock.

    The event is checked under the lock, because its rules may depend on the earlier ones.
    """
    locked = await tenant.documents.lock(document.id)
    if locked is None or locked.status not in event.allowed:
        raise wrong_state(locked or document, event)
    require_not_forbidden(locked, event)
    series = await read_series(tenant, document_type_named(document.type), document, emission, event)
    if isinstance(request, UndoRequest):
        stored = series.undoings
        if repeated := series.undoing_for(request):
            return repeated
        # The event to undo is stored with the request, before anything is sent.
        request = naming_event(locked, event, series, request)
    else:
        stored = series.events
        if repeated := _same_event(series, NewEventFiling.about(document, emission, event.name, request)):
            if series.has_open_undoing:
                require_closed(locked, event, series)
            return repeated
    sequence = next_sequence(stored, event)
    check(request, EventTarget(document, emission, series, sequence))
    require_closed(locked, event, series)
    added = await tenant.event_filings.add(
        NewEventFiling.about(document, emission, event.name, request, sequence)
    )
    if added is None:
        raise LookupError("an event was stored while the document was locked")
    return added


def _same_event(series: EventSeries, new: NewEventFiling) -> EventFiling | None:
    """Returns the last event in force if it has the same request."""
    last = next(reversed(series.in_force_or_open), None)
    return last if last and read_exact_json(last.request) == read_exact_json(new.request) else None


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
                undone_event_id=undone_id(filing) if event.undoes else None,
                actor=actor_record(filing.created_by),
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
