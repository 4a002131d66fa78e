"""The life of a document: its statuses, how one leads to another, and what its history tells."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Where a document stands."""

    PENDING = "pending"
    """Stored, and waiting to be told to go."""
    PROCESSING = "processing"
    AUTHORIZED = "authorized"
    REJECTED = "rejected"
    CANCELED = "canceled"


EMITTABLE = (Status.PENDING, Status.REJECTED)
"""From where a document may be changed and sent on its way."""


class Happening(StrEnum):
    """An entry of a document's history; the events of its type have entries of their own names."""

    CREATED = "created"
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
    """What a registered event changes of its document."""

    status: Status | None = None
    """The status that the document gets; its attempt gets the state of the same name."""
    fact: str | None = None
    """The moment of the registration is kept with the document under this name, as `closedAt`."""


CANCELLATION = "cancellation"
"""The name of the event that cancels a document, in the history of any type."""
CLOSING = "closing"
"""The name of the event that closes a document, which stays authorized."""
CLOSED_AT = "closedAt"
NO_EFFECT = Effect()
CANCELS = Effect(status=Status.CANCELED)
CLOSES = Effect(fact=CLOSED_AT)


class FilingState(StrEnum):
    """How far a statement to an authority, other than a document, has come."""

    QUEUED = "queued"
    SIGNED = "signed"
    """The authority certainly does not have it."""
    SENT = "sent"
    """The authority may have it: nobody knows before it is asked."""
    REGISTERED = "registered"
    REFUSED = "refused"

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left to learn."""
        return self in (FilingState.REGISTERED, FilingState.REFUSED)


class EmissionState(StrEnum):
    """How far an attempt to issue has come, and what is known of its fate."""

    NUMBERED = "numbered"
    SIGNED = "signed"
    """The authority certainly does not have it: it never left, or the authority says so."""
    SENT = "sent"
    """The authority may have it: nobody knows before it is asked."""
    AUTHORIZED = "authorized"
    REJECTED = "rejected"
    DENIED = "denied"
    """The authority keeps it as denied: never to be sent again, and its number is spent."""
    CANCELED = "canceled"
    FOREIGN = "foreign"
    """The number belongs to a document that is not ours."""
