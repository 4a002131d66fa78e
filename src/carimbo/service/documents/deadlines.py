"""Until when events of a document may be registered: the deadlines that its page shows."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import CancellationDeadline, EventKind
from carimbo.fiscal.lifecycle import CLOSED_AT, OPEN_SINCE, Status
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import DocumentReference, refusing_damaged_key, require_document
from carimbo.storage.database import Database
from carimbo.storage.documents import Document


@dataclass(frozen=True)
class DocumentDeadline:
    """The deadline of an event of a document."""

    title: str
    """The name of the event, in Portuguese."""
    at: datetime
    late_until: datetime | None = None
    """Until when the authority accepts a late one; None if it accepts none."""
    alternative: str | None = None
    """Advice for the time after the deadline, in Portuguese."""


async def read_deadlines(database: Database, reference: DocumentReference) -> list[DocumentDeadline]:
    """Returns the deadlines of the events that an authorized document may still have, the first one first."""
    async with database.autocommit(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
    emission, document_type = document.emission, document_type_named(document.type)
    if document.status != Status.AUTHORIZED or emission is None or emission.authorized_at is None:
        return []
    if emission.access_key is None:
        return []
    kinds = [kind for kind in document_type.events if not document.facts.keys() & kind.forbidden_after.keys()]
    with refusing_damaged_key(document):
        deadlines = [deadline_of(kind, emission.access_key, emission.authorized_at) for kind in kinds]
    deadlines.append(closing_deadline(document_type, document))
    return sorted(filter(None, deadlines), key=lambda deadline: deadline.at)


def deadline_of(kind: EventKind, access_key: str, authorized_at: datetime) -> DocumentDeadline | None:
    """Returns the deadline of a kind of event; None if it has none, or if only the authority knows it."""
    deadline = kind.deadline
    if isinstance(deadline, CancellationDeadline):
        in_time = deadline.in_time_until(access_key, authorized_at)
        if in_time is None:
            return None
        # The reason of a cancellation has a default: the deadline of the usual request is meant.
        late = deadline.last_moment(access_key, authorized_at, kind.request())
        late_until = late if late and late > in_time else None
        return DocumentDeadline(kind.title, in_time, late_until, deadline.alternative)
    last = deadline.last_moment(access_key, authorized_at, None) if deadline else None
    return DocumentDeadline(kind.title, last) if last else None


def closing_deadline(document_type: DocumentType, document: Document) -> DocumentDeadline | None:
    """Returns until when an open document must be closed; None if it need not."""
    closing, term, since = document_type.closing, document_type.open_term, document.facts.get(OPEN_SINCE)
    if closing is None or term is None or since is None or CLOSED_AT in document.facts:
        return None
    return DocumentDeadline(closing.title, datetime.fromisoformat(since) + timedelta(days=term.days))
