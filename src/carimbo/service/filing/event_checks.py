"""The checks of an event that need no request of it: status, facts, deadline, and earlier events."""

from collections.abc import Sequence
from datetime import datetime

from carimbo.fiscal.filing import CancellationDeadline, Deadline, EventKind, UndoRequest
from carimbo.fiscal.lifecycle import FilingState, Status
from carimbo.fiscal.problems import Problem
from carimbo.service.documents.queries import stored_request
from carimbo.service.errors import ErrorCode, Refusal, broken_rules
from carimbo.service.filing.event_series import EventSeries
from carimbo.service.filing.outcome import deadline_refusal
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.event_filings import EventFiling

_NOTHING_TO_CANCEL = (
    "O documento ainda não foi emitido, e não há o que cancelar: para descartá-lo, use"
    " DELETE /v1/companies/{companyId}/invoices/{id}."
)


def require_allowed(document: Document, event: EventKind) -> EmissionRow:
    """Returns the attempt that the event is about, or refuses: the document is in another status."""
    emission = document.emission
    is_dated = not isinstance(event.deadline, Deadline) or (emission and emission.authorized_at)
    if document.status in event.allowed and emission and is_dated:
        require_not_forbidden(document, event)
        return emission
    is_draft = event.effect.status is Status.CANCELED and document.status == Status.PENDING
    raise wrong_state(document, event, _NOTHING_TO_CANCEL if is_draft else None)


def require_not_forbidden(document: Document, event: EventKind) -> None:
    """Refuses an event that is not allowed after a fact of the document."""
    reasons = [sentence for fact, sentence in event.forbidden_after.items() if fact in document.facts]
    if reasons:
        raise _impossible(document, reasons[0])


async def require_outside_manifests(
    tenant: Tenant, document: Document, emission: EmissionRow, event: EventKind
) -> None:
    """Refuses an event that is not allowed while an open manifest lists the document."""
    if event.forbidden_in_manifest and await tenant.documents.is_in_manifest(document, emission):
        raise _impossible(document, event.forbidden_in_manifest)


def require_in_time(
    document: Document, event: EventKind, last_moment: datetime | None, now: datetime
) -> None:
    """Refuses an event after its last moment, unless the document has no deadline."""
    if last_moment is None or now <= last_moment:
        return
    if isinstance(event.deadline, CancellationDeadline):
        if event.deadline.is_lifted_for(stored_request(document)):
            return
        raise deadline_refusal(last_moment, event.deadline.alternative)
    if event.deadline:
        raise _broken(event.deadline.late)


def require_closed(document: Document, event: EventKind, series: EventSeries) -> None:
    """Refuses an event that must wait for the outcome of an earlier one."""
    if series.is_open and event.repetition and event.repetition.previous_is_open:
        raise _impossible(document, event.repetition.previous_is_open)


def naming_event(
    document: Document, event: EventKind, series: EventSeries, request: UndoRequest
) -> UndoRequest:
    """Returns the request with the event that it undoes, or refuses: there is none."""
    undone = series.event_to_undo(request)
    if undone:
        return request.model_copy(update={"event_id": undone.id})
    require_closed(document, event, series)
    if event.undoes is None:
        raise LookupError(f"{event.name} undoes nothing")
    if request.event_id:
        raise _broken(event.undoes.unknown_event)
    raise _impossible(document, event.undoes.nothing_to_undo)


def next_sequence(stored: Sequence[EventFiling], event: EventKind) -> int:
    """Returns the sequence of the next event of a kind, or refuses: there are as many as possible."""
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


def wrong_state(document: Document, event: EventKind, sentence: str | None = None) -> Refusal:
    """Returns the refusal of an event that the document's status does not allow."""
    return Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[*event.allowed])


def _impossible(document: Document, sentence: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])


def _broken(problem: Problem) -> Refusal:
    return Refusal(ErrorCode.FISCAL_RULE_VIOLATION, rules=broken_rules((problem,)))
