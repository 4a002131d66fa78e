"""The life of a document: statuses, history entries, effects of events, and states of attempts."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Status(StrEnum):
    """The status of a document."""

    PENDING = "pending"
    """Stored as a draft, until the caller has it issued."""
    PROCESSING = "processing"
    AUTHORIZED = "authorized"
    REJECTED = "rejected"
    CANCELED = "canceled"


EMITTABLE = (Status.PENDING, Status.REJECTED)
"""The statuses in which a document may be changed and issued."""


class HistoryEntry(StrEnum):
    """The kind of an entry in a document's history; entries of events have the name of the event."""

    CREATED = "created"
    CHANGED = "changed"
    QUEUED = "queued"
    NUMBERED = "numbered"
    SIGNED = "signed"
    TRANSMITTED = "transmitted"
    CONSULTED = "consulted"
    CONTINGENCY = "contingency"
    AUTHORIZED = "authorized"
    REJECTED = "rejected"
    SUBSTITUTION = "substitution"


@dataclass(frozen=True, slots=True)
class Effect:
    """The change that a registered event makes to its document."""

    status: Status | None = None
    """The new status of the document; its attempt gets the state of the same name."""
    fact: str | None = None
    """The name under which the document keeps the moment of the event, as `closedAt`."""
    fact_at: datetime | None = None
    """The moment of the event; None for that of the registration."""
    removes_fact: bool = False
    """Whether the document loses the fact, because the event undoes the one that set it."""
    keeps_first: bool = False
    """Whether a fact that the document has already stays as it is."""


CANCELLATION = "cancellation"
"""The name of the event that cancels a document, in the history of any type."""
CLOSING = "close"
"""The name of the event that closes a document, which stays authorized."""
CLOSED_AT = "closedAt"
OPEN_SINCE = "openSince"
"""The fact of an authorized document that must be closed."""
REPLACED_AT = "replacedAt"
"""The fact of a document that another one replaces, and that stays authorized."""
REPLACES = "replaces"
"""The fact of the other one: the key of the document that it replaces."""
NO_EFFECT = Effect()
CANCELS = Effect(status=Status.CANCELED)
CLOSES = Effect(fact=CLOSED_AT)


class FilingState(StrEnum):
    """The progress of a filing: an event or an inutilization."""

    QUEUED = "queued"
    SIGNED = "signed"
    """The authority certainly does not have it."""
    SENT = "sent"
    """The authority may have it: only a consult can decide."""
    REGISTERED = "registered"
    REFUSED = "refused"

    @property
    def is_settled(self) -> bool:
        """Whether the outcome is final."""
        return self in (FilingState.REGISTERED, FilingState.REFUSED)


class EmissionState(StrEnum):
    """The progress of an attempt to issue a document."""

    NUMBERED = "numbered"
    SIGNED = "signed"
    """The authority certainly does not have it: it was never sent, or the authority says so."""
    SENT = "sent"
    """The authority may have it: only a consult can decide."""
    AUTHORIZED = "authorized"
    REJECTED = "rejected"
    DENIED = "denied"
    """The authority keeps it as denied: it must not be sent again, and its number is used up."""
    CANCELED = "canceled"
    FOREIGN = "foreign"
    """The number belongs to a document that is not ours."""
