"""The part of a document's page that changes by itself: status, what can be done now, and the history."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.deadline_words import deadline_words
from carimbo.dashboard.rendering import fragment
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import history_badge
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.document_types import find_document_type
from carimbo.service.documents import queries
from carimbo.service.documents.deadlines import read_deadlines
from carimbo.service.documents.queries import DocumentReference, EventRecord
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.filing.possible_events import PossibleEvent, read_possible_events
from carimbo.service.issuing.drafts import is_discardable
from carimbo.service.people.roles import Capability

ONE_DOCUMENT = "/documentos/{document_id:uuid}"
_FIRST_ENTRIES, _LAST_ENTRIES = 5, 40


@dataclass(frozen=True)
class TimelineEntry:
    """An entry in the history of a document, in words."""

    event: EventRecord
    title: str
    tone: str
    outcome: str = ""
    """The outcome of an event at the authority; empty if there is nothing to say."""
    hint: str | None = None
    """What to do about a refusal."""
    is_open: bool = False
    """Whether it is an event that waits for the authority."""
    is_refused: bool = False
    """Whether it is an event that the authority refused."""
    has_files: bool = False
    """Whether it is an event with XML and PDF."""


@dataclass(frozen=True)
class WordedDeadline:
    """A deadline of a document in words."""

    title: str
    words: Sequence[str]


@dataclass(frozen=True)
class DocumentState:
    """The parts of a page that change while the authority is asked."""

    record: DocumentRecord
    timeline: Sequence[TimelineEntry]
    """Without those in the middle of a long one: a document may be tried for days."""
    hidden_entries: int
    deadlines: Sequence[WordedDeadline]
    events: Sequence[PossibleEvent]
    """The events that a person who may register them can choose, and those that are not possible now."""
    may_be_discarded: bool
    """Whether it is a draft or was rejected, and has no number."""
    document_type: DocumentType | None
    first_entries: int = _FIRST_ENTRIES
    """How many entries come before the hidden ones."""

    @property
    def open_entries(self) -> list[TimelineEntry]:
        """The events that wait for the authority."""
        return [entry for entry in self.timeline if entry.is_open]

    @property
    def changes_by_itself(self) -> bool:
        """Whether the authority has still to answer about the document or an event."""
        return self.record.status == Status.PROCESSING or bool(self.open_entries)

    @property
    def refused_entry(self) -> TimelineEntry | None:
        """The refused event, if the newest entry is one."""
        return next((entry for entry in self.timeline[-1:] if entry.is_refused), None)

    @property
    def chosen_events(self) -> list[PossibleEvent]:
        """The events that the person may register now in a form."""
        return [event for event in self.events if event.reason is None and event.kind.form]

    @property
    def other_events(self) -> list[PossibleEvent]:
        """The events that are not possible now, and those that only the API registers."""
        return [event for event in self.events if event not in self.chosen_events]

    @property
    def may_be_emitted(self) -> bool:
        """Whether it is a draft or was rejected."""
        return self.record.status in EMITTABLE

    @property
    def may_be_replaced(self) -> bool:
        """Whether another document of its type can take its place, which cancels it."""
        is_replaceable = self.document_type is not None and self.document_type.replacement is not None
        return is_replaceable and self.record.status == Status.AUTHORIZED


def reference_of(visit: CompanyVisit) -> DocumentReference:
    """Returns the document that the address names."""
    document_id = UUID(visit.request.path_params["document_id"])
    return DocumentReference(visit.subscription_id, document_id, visit.company.id)


def address_of(visit: CompanyVisit) -> str:
    """Returns the address of the document that the address names."""
    return f"{visit.company_base}/documentos/{visit.request.path_params['document_id']}"


def name_of(record: DocumentRecord) -> str:
    """Returns a document in words, as `NF-e 1204`."""
    document_type = find_document_type(record.type)
    title = document_type.title if document_type else record.type
    return title if record.number is None else f"{title} {record.number}"


async def read_state(visit: CompanyVisit, record: DocumentRecord) -> DocumentState:
    """Returns the state of a document as a page shows it."""
    database, reference = visit.services.database, reference_of(visit)
    events = await queries.read_events(database, reference)
    shown = events
    if len(events) > _FIRST_ENTRIES + _LAST_ENTRIES:
        shown = [*events[:_FIRST_ENTRIES], *events[-_LAST_ENTRIES:]]
    document_type = find_document_type(record.type)
    deadlines = await read_deadlines(database, reference)
    possible: Sequence[PossibleEvent] = ()
    if visit.may(Capability.CANCEL_DOCUMENTS):
        possible = await read_possible_events(database, reference, visit.now)
    return DocumentState(
        record,
        [_timeline_entry(event, document_type, record.type) for event in shown],
        len(events) - len(shown),
        [WordedDeadline(each.title, deadline_words(each, visit.now, visit.state)) for each in deadlines],
        possible,
        record.status in EMITTABLE and await is_discardable(database, reference),
        document_type,
    )


def _timeline_entry(event: EventRecord, document_type: DocumentType | None, type_name: str) -> TimelineEntry:
    badge = history_badge(event.type, type_name)
    kinds = {kind.name: kind for kind in document_type.events} if document_type else {}
    kind = kinds.get(event.type)
    if kind is None or document_type is None:
        return TimelineEntry(event, badge.text, badge.tone)
    title = f"{badge.text} nº {event.sequence}" if kind.repetition and event.sequence else badge.text
    if event.status == Status.PROCESSING:
        return TimelineEntry(event, title, "busy", "Espera a resposta da autoridade.", is_open=True)
    if event.status == Status.REJECTED:
        code, message = event.authority_code or "", event.authority_message or ""
        hint = document_type.issuing.hint(code, message)
        advice = hint.sentence if hint else None
        return TimelineEntry(event, title, "bad", "A autoridade não registrou.", advice, is_refused=True)
    return TimelineEntry(event, title, "good", has_files=True)


async def document_state(visit: CompanyVisit) -> Response:
    """Returns the state of one document: htmx asks for it until the authority has answered."""
    record = await queries.read_document(visit.services.database, reference_of(visit))
    return fragment(visit, "documents/state.html", state=await read_state(visit, record))


ROUTES = (company_page(f"{ONE_DOCUMENT}/estado", Capability.READ_DOCUMENTS, document_state),)
