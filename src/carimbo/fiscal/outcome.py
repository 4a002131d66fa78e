"""What an authority's answer, or the lack of one, means for a document, an event or a voided range.

Only `Rejected` may set `rejected`: every other variant that is no success leaves the fate open, is settled by
a consult, or is about the service and not about the document. No answer is never a refusal.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

_LOOKED_AT = 2_000
_TOLD = 200


def one_line(text: str) -> str:
    """What others sent, as a log can hold it: short, and without what moves a cursor."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:_LOOKED_AT])
    return " ".join(shown.split())[:_TOLD]


class Alert(NamedTuple):
    """What the authority wants the issuer to know about a document that it authorised (NT 2026.002)."""

    code: str
    message: str


class Outage(StrEnum):
    """How an authority is out of service."""

    SHORT = "short"
    """It says that it will be back soon: try again with growing pauses."""
    WITHOUT_FORECAST = "without_forecast"
    """It cannot say when it will be back: a reason for contingency."""
    CONTINGENCY_CLOSING = "contingency_closing"
    """A contingency authority that is about to stop serving: go back to the normal one."""
    CONTINGENCY_CLOSED = "contingency_closed"
    """A contingency authority that does not serve this state now: go back to the normal one."""


CONTINGENCY_OVER = frozenset({Outage.CONTINGENCY_CLOSING, Outage.CONTINGENCY_CLOSED})
"""What a contingency authority says when the normal one is back."""


class Cause(StrEnum):
    """Why nothing was learnt about the document."""

    FAULT = "fault"
    """A SOAP fault."""
    HTML = "html"
    """A web page, as proxies and firewalls send."""
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    """Cut, oversize, with a DTD, or no XML at all."""
    UNEXPECTED_ANSWER = "unexpected_answer"
    """XML that does not answer what was asked: another message, another document, missing parts."""
    UNDECIDED = "undecided"
    """A proper answer whose code leaves the document's fate open."""
    NO_ROOM = "no_room"
    """Not asked: as many questions as we put at once were under way."""
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    """Refused, not found, or ended without an answer."""
    TLS = "tls"
    """No trust in the server's certificate, or no agreement on the protocol."""
    CERTIFICATE_NOT_ACCEPTED = "certificate_not_accepted"
    """The server does not accept the company's certificate: by a TLS alert or an HTTP status."""
    HTTP_STATUS = "http_status"
    """Another status than 200, and no fiscal answer with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What every answer of an authority has: its own code and its own words."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorized(Answered):
    """The authority holds the document, event or voided range as valid: final."""

    protocol: str
    authorized_at: datetime
    protocol_xml: bytes
    """The authority's receipt (protNFe, retEvento, retInutNFe, NFSe), which has its own namespace."""
    access_key: str | None = None
    """None for a voided range, which has no key."""
    number: int | None = None
    """The number that the authority gave it, for a type that is numbered there."""
    digest: str | None = None
    """Digest of the signed document that the authority holds: ours must equal it before this is adopted."""
    late: bool = False
    """Accepted after the deadline, which is still accepted."""
    alerts: tuple[Alert, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected(Answered):
    """The authority refused and kept nothing: mend it and send it again under the same number."""

    answer_xml: bytes | None = field(default=None, repr=False)
    """The part of the answer that has the refusal, which has its own namespace."""
    retryable: bool = False
    """Whether the same document may pass unchanged, once something outside of it is put right."""
    spends_number: bool = False
    """Whether its number can be nobody's any more: the next attempt needs another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied(Answered):
    """The authority keeps the document as denied: final, the number is spent, it must never be sent again."""

    access_key: str | None = None
    protocol: str | None = None
    denied_at: datetime | None = None
    protocol_xml: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Canceled(Answered):
    """The document was authorised and is canceled now; details are there when the answer brought them."""

    access_key: str | None = None
    protocol: str | None = None
    """Protocol of the cancellation."""
    canceled_at: datetime | None = None
    cancellation_xml: bytes | None = None
    """Event and receipt (procEventoNFe), or the older receipt (retCancNFe), which stands alone."""
    authorization: Authorized | None = None
    """How the document had been authorised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed(Answered):
    """The document is authorized and closed, as a manifest whose transport has ended; it is still valid."""

    access_key: str | None = None
    protocol: str | None = None
    """Protocol of the closing."""
    closed_at: datetime | None = None
    closing_xml: bytes | None = None
    """The event that closed it, with its receipt (procEventoMDFe)."""
    authorization: Authorized | None = None
    """How the document had been authorized, if the answer brought it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate(Answered):
    """The authority has one already: ours, when an answer was lost, or another's; a consult tells which."""

    other_key: str | None = None
    """Key that has the number, when the answer names it."""
    is_another: bool = False
    """Whether the number has another key than was asked about, even if the answer does not name it."""
    protocol: str | None = None
    receipt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Answered):
    """Asked about a document, the authority does not have it: send the same bytes again."""

    may_come: bool = False
    """Whether another authority, which had it, may still be about to hand it over: then it is too early to
    tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Processing(Answered):
    """The authority took the lot and will judge it later: ask by the receipt, not before the pause."""

    receipt: str
    wait_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable(Answered):
    """The authority is out of service and judged nothing: wait, or go to or leave contingency."""

    outage: Outage
    back_at: datetime | None = None
    """When it expects to be back, if it says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled(Answered):
    """Too many calls: nothing may be asked of this service for this taxpayer for an hour."""

    last_nsu: int | None = None
    """Where the distribution service wants the next query to begin."""
    until: datetime | None = None
    """When we may ask again, by our own count; before that nothing is sent."""
    was_asked: bool = True
    """False when our own count kept the question from being put."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """Nothing is known of the document's fate: consult its key, and send the same bytes again if unknown."""

    cause: Cause
    detail: str
    """What was seen instead of a judgement, short enough for a log line."""
    code: str | None = None
    message: str | None = None
    may_have_arrived: bool = True
    """False only if nothing of the request can have left: then it may be sent again, or another way."""


def unexpected(detail: str) -> NotJudged:
    """Say that an answer is not one to what was asked."""
    return NotJudged(cause=Cause.UNEXPECTED_ANSWER, detail=one_line(detail))


def unreadable(detail: str) -> NotJudged:
    """Say that an answer, or the document inside it, can't be opened."""
    return NotJudged(cause=Cause.UNREADABLE, detail=one_line(detail))


Outcome = (
    Authorized
    | Rejected
    | Denied
    | Canceled
    | Closed
    | Duplicate
    | Unknown
    | Processing
    | Unavailable
    | Throttled
    | NotJudged
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Available(Answered):
    """The service says that it is up; an answer to a status query, never the outcome of a document."""

    response_seconds: int | None = None
    """How long it takes to answer these minutes, by its own count."""
    note: str | None = None


def went_out(outcome: Outcome) -> bool:
    """Tell whether a question may have reached the authority: what did not is no part of a history."""
    match outcome:
        case NotJudged():
            return outcome.may_have_arrived
        case Throttled():
            return outcome.was_asked
        case _:
            return True
