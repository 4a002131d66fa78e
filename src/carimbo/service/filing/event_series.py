"""The events of one kind about a document, with the events that undo them."""

from collections.abc import Iterable
from dataclasses import dataclass

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import EventKind, UndoRequest
from carimbo.fiscal.lifecycle import FilingState
from carimbo.service.documents.queries import undone_id
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.event_filings import EventFiling


@dataclass(frozen=True)
class EventSeries:
    """The events of a kind about one attempt of a document, and those that undo them, each in order."""

    events: tuple[EventFiling, ...] = ()
    undoings: tuple[EventFiling, ...] = ()

    @property
    def in_force(self) -> tuple[EventFiling, ...]:
        """The registered events that were not undone."""
        return tuple(filing for filing in self.in_force_or_open if filing.state == FilingState.REGISTERED)

    @property
    def in_force_or_open(self) -> tuple[EventFiling, ...]:
        """The events that were neither refused nor undone; the outcome of the last ones may be open."""
        undone = {undone_id(filing) for filing in self.undoings if filing.state == FilingState.REGISTERED}
        return tuple(filing for filing in _accepted(self.events) if filing.id not in undone)

    @property
    def is_open(self) -> bool:
        """Whether the outcome of an event or of an undoing is open."""
        return any(not FilingState(filing.state).is_settled for filing in (*self.events, *self.undoings))

    @property
    def has_open_undoing(self) -> bool:
        """Whether the outcome of an undoing is open."""
        return any(not FilingState(filing.state).is_settled for filing in self.undoings)

    def undoing_for(self, request: UndoRequest) -> EventFiling | None:
        """Returns the undoing that a repeated request asks for; None if the request is a new one.

        A request that names no event counts as repeated until the document gets another event of the kind:
        it could be sent again after a lost answer, and would undo one event more.
        """
        undoings = _accepted(self.undoings)
        if request.event_id:
            return next((filing for filing in undoings if undone_id(filing) == request.event_id), None)
        newest = max((*undoings, *_accepted(self.events)), key=lambda filing: filing.created_at, default=None)
        return newest if newest in undoings else None

    def event_to_undo(self, request: UndoRequest) -> EventFiling | None:
        """Returns the event that a request asks to undo, the newest one unless it names one."""
        return next(
            (filing for filing in reversed(self.in_force) if request.event_id in (None, filing.id)), None
        )


NO_EVENTS = EventSeries()


async def read_series(
    tenant: Tenant, document_type: DocumentType, document: Document, emission: EmissionRow, event: EventKind
) -> EventSeries:
    """Reads the events of a kind, and those that undo them; for an event that undoes, those of the kind that
    it undoes."""
    name = event.undoes.event if event.undoes else event.name
    undoing = document_type.undoing_of(name)
    types = (name, undoing.name) if undoing else (name,)
    filings = await tenant.event_filings.of_document(document.id, emission.ordinal, *types)
    return series_of(document_type, event, filings)


def series_of(document_type: DocumentType, event: EventKind, filings: Iterable[EventFiling]) -> EventSeries:
    """Returns the events of a kind, and those that undo them, out of the events of a document."""
    name = event.undoes.event if event.undoes else event.name
    undoing = document_type.undoing_of(name)
    stored = tuple(filings)
    return EventSeries(
        events=tuple(filing for filing in stored if filing.type == name),
        undoings=tuple(filing for filing in stored if undoing and filing.type == undoing.name),
    )


def _accepted(filings: tuple[EventFiling, ...]) -> tuple[EventFiling, ...]:
    return tuple(filing for filing in filings if filing.state != FilingState.REFUSED)
