"""The events that a person may register about a document now, and why the others are not possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from carimbo.fiscal.filing import CancellationDeadline, EventKind, UndoRequest
from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.local_time import local_day
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.deadlines import DocumentDeadline, closing_deadline, deadline_of
from carimbo.service.documents.queries import (
    DocumentReference,
    refusing_damaged_key,
    require_document,
    stored_request,
)
from carimbo.service.errors import Refusal, not_found
from carimbo.service.filing.event_checks import (
    naming_event,
    next_sequence,
    require_allowed,
    require_closed,
    require_in_time,
    require_outside_manifests,
)
from carimbo.service.filing.event_series import EventSeries, series_of
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.event_filings import EventFiling

_UNKNOWN_EVENT = "Este documento não tem este evento."
_UNDER_WAY = "O pedido anterior espera a resposta da autoridade."
_REGISTERED = "A autoridade já o registrou."


@dataclass(frozen=True)
class PossibleEvent:
    """A kind of event of a document, and whether it may be registered now."""

    kind: EventKind
    deadline: DocumentDeadline | None = None
    reason: str | None = None
    """Why it is not possible now, in Portuguese; None if it is possible."""
    undoable: Sequence[EventFiling] = ()
    """The events in force that it may undo, the newest first."""


async def read_possible_events(
    database: Database, which: DocumentReference, now: datetime
) -> list[PossibleEvent]:
    """Returns the kinds of events that the status of a document allows; none for one that is not issued.

    A request may still break a rule, or the company may lack what it needs: `register_event` checks both.
    """
    async with database.snapshot(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        return await _possible_events(tenant, document, now)


async def read_possible_event(
    database: Database, company: CompanyRow, which: DocumentReference, name: str, now: datetime
) -> tuple[PossibleEvent, dict[str, Any]]:
    """Returns a kind of event of a document by its name, and the body with which its form begins.

    Raises Refusal if the document has no such event now.
    """
    async with database.snapshot(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        events = await _possible_events(tenant, document, now)
    event = next((event for event in events if event.kind.name == name), None)
    if event is None:
        raise not_found(_UNKNOWN_EVENT)
    today = local_day(now, company.local_state)
    return event, event.kind.first_body(lambda: stored_request(document), today)


async def _possible_events(tenant: Tenant, document: Document, now: datetime) -> list[PossibleEvent]:
    document_type, emission = document_type_named(document.type), document.emission
    kinds = [kind for kind in document_type.events if document.status in kind.allowed]
    if not kinds or emission is None:
        return []
    names = [kind.name for kind in kinds]
    filings = await tenant.event_filings.of_document(document.id, emission.ordinal, *names)
    events = []
    with refusing_damaged_key(document):
        for kind in kinds:
            series = series_of(document_type, kind, filings)
            events.append(await _possible_event(tenant, document, emission, series, kind, now))
    return events


async def _possible_event(
    tenant: Tenant,
    document: Document,
    emission: EmissionRow,
    series: EventSeries,
    kind: EventKind,
    now: datetime,
) -> PossibleEvent:
    last_moment, deadline = _last_moment(kind, emission), _deadline(document, emission, kind)
    try:
        require_allowed(document, kind)
        await require_outside_manifests(tenant, document, emission, kind)
        require_in_time(document, kind, last_moment, now)
        _require_next(document, kind, series)
    except Refusal as refusal:
        return PossibleEvent(kind, deadline, _sentence(refusal))
    if last_moment and now > last_moment:
        # This document has none.
        deadline = None
    reason = None if kind.repetition else _reason_of_only(series.events)
    undoable = tuple(reversed(series.in_force)) if kind.undoes else ()
    return PossibleEvent(kind, deadline, reason, undoable)


def _require_next(document: Document, kind: EventKind, series: EventSeries) -> None:
    """Refuses a repeated event that has to wait for another, that is one too many, or undoes nothing."""
    if kind.repetition is None:
        return
    require_closed(document, kind, series)
    if kind.undoes:
        naming_event(document, kind, series, UndoRequest())
    next_sequence(series.undoings if kind.undoes else series.events, kind)


def _deadline(document: Document, emission: EmissionRow, kind: EventKind) -> DocumentDeadline | None:
    """Returns the deadline of an event; for a closing, the term in which the document must be closed."""
    key, authorized_at = emission.access_key, emission.authorized_at
    document_type = document_type_named(document.type)
    deadline = deadline_of(kind, key, authorized_at) if key and authorized_at else None
    return deadline or (closing_deadline(document_type, document) if kind == document_type.closing else None)


def _last_moment(kind: EventKind, emission: EmissionRow) -> datetime | None:
    """Returns the last moment of a kind of event, whatever the request says."""
    deadline, key, authorized_at = kind.deadline, emission.access_key, emission.authorized_at
    if deadline is None or key is None or authorized_at is None:
        return None
    if isinstance(deadline, CancellationDeadline) and deadline.longest:
        return deadline.longest(key, authorized_at)
    return deadline.last_moment(key, authorized_at, None)


def _reason_of_only(events: Sequence[EventFiling]) -> str | None:
    """Returns why an event that a document has once is not possible: it was sent already."""
    sent = [event for event in events if event.state != FilingState.REFUSED]
    if not sent:
        return None
    return _REGISTERED if sent[-1].state == FilingState.REGISTERED else _UNDER_WAY


def _sentence(refusal: Refusal) -> str:
    """Returns a refusal as a sentence, with the alternative if there is one."""
    details = refusal.details or {}
    rules = details.get("rules")
    message = str(rules[0]["message"]) if rules else refusal.message
    return f"{message} {details['alternative']}" if details.get("alternative") else message
