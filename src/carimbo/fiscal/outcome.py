"""Outcomes of a request to an authority, for a document, an event or an inutilized range of numbers.

Only `Rejected` and `Denied` refuse a document. Every other variant that is no success leaves the outcome
open, is settled by a consult, or is about the service and not about the document. If no answer arrives, the
document is not refused.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

_MAX_INPUT_LENGTH = 2_000
_MAX_LINE_LENGTH = 200


def one_line(text: str) -> str:
    """Returns a text from outside as one short line for a log, without control characters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[:_MAX_INPUT_LENGTH])
    return " ".join(printable.split())[:_MAX_LINE_LENGTH]


class Alert(NamedTuple):
    """A message of the authority about a document that it authorized (NT 2026.002)."""

    code: str
    message: str


class Outage(StrEnum):
    """The kind of an outage of an authority."""

    SHORT = "short"
    """It will be back soon, as it says: try again with growing pauses."""
    WITHOUT_FORECAST = "without_forecast"
    """It can't say when it will be back: a reason for contingency."""
    CONTINGENCY_CLOSING = "contingency_closing"
    """A contingency authority that will stop soon: return to the normal one."""
    CONTINGENCY_CLOSED = "contingency_closed"
    """A contingency authority that does not serve this state now: return to the normal one."""


CONTINGENCY_OVER = frozenset({Outage.CONTINGENCY_CLOSING, Outage.CONTINGENCY_CLOSED})
"""The answers of a contingency authority when the normal one is back."""


class Cause(StrEnum):
    """The reason why a request has no verdict."""

    FAULT = "fault"
    """A SOAP fault."""
    HTML = "html"
    """A web page, as proxies and firewalls send."""
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    """Incomplete, too large, with a DTD, or no XML at all."""
    UNEXPECTED_ANSWER = "unexpected_answer"
    """XML that does not answer the request: another message, another document, missing parts."""
    UNDECIDED = "undecided"
    """A regular answer whose code leaves the outcome of the document open."""
    NO_ROOM = "no_room"
    """Not sent: our limit of concurrent requests was reached."""
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    """Refused, host not found, or closed without an answer."""
    TLS = "tls"
    """The server's certificate is not trusted, or there is no common protocol."""
    CERTIFICATE_NOT_ACCEPTED = "certificate_not_accepted"
    """The server refuses the company's certificate, by a TLS alert or an HTTP status."""
    HTTP_STATUS = "http_status"
    """Another status than 200, without a fiscal answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityAnswer:
    """The code and the message that every answer of an authority has."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorized(AuthorityAnswer):
    """The authority accepted the document, event or inutilization: final."""

    protocol: str
    authorized_at: datetime
    protocol_xml: bytes
    """The authority's receipt (protNFe, retEvento, retInutNFe, NFSe), with its namespace declared."""
    access_key: str | None = None
    """None for an inutilization, which has no key."""
    number: int | None = None
    """The number that the authority assigned, for types that it numbers."""
    digest: str | None = None
    """Digest of the signed document at the authority; it must equal ours before we accept this outcome."""
    late: bool = False
    """Whether it was accepted after the deadline."""
    alerts: tuple[Alert, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected(AuthorityAnswer):
    """The authority refused it and kept nothing: correct it and send it again with the same number."""

    answer_xml: bytes | None = field(default=None, repr=False)
    """The part of the answer with the refusal, with its namespace declared."""
    retryable: bool = False
    """Whether the unchanged document may be accepted after a correction elsewhere."""
    spends_number: bool = False
    """Whether its number can't be used again: the next attempt needs another one."""
    is_blocked: bool = False
    """Whether another document that is still open prevents it, as an MDF-e of the same vehicle."""
    finds_closed: bool = False
    """Whether it was refused because its document is closed, which another program may have done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied(AuthorityAnswer):
    """The authority keeps the document as denied: final. Its number is used up; never send it again."""

    access_key: str | None = None
    protocol: str | None = None
    denied_at: datetime | None = None
    protocol_xml: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Canceled(AuthorityAnswer):
    """The document was authorized and is canceled now; with details if the answer has them."""

    access_key: str | None = None
    protocol: str | None = None
    """Protocol of the cancellation."""
    canceled_at: datetime | None = None
    cancellation_xml: bytes | None = None
    """Event and receipt (procEventoNFe), or only the receipt of the older form (retCancNFe)."""
    authorization: Authorized | None = None
    """The authorization before the cancellation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed(AuthorityAnswer):
    """The document is authorized and closed, as a manifest whose transport has ended; it is still valid."""

    access_key: str | None = None
    protocol: str | None = None
    """Protocol of the closing."""
    closed_at: datetime | None = None
    closing_xml: bytes | None = None
    """The event that closed it, with its receipt (procEventoMDFe)."""
    authorization: Authorized | None = None
    """The authorization before the closing, if the answer has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate(AuthorityAnswer):
    """The authority has the number already: by our own lost request, or by another document. Consult it."""

    other_key: str | None = None
    """The key with the number, if the answer names it."""
    is_another: bool = False
    """Whether the number belongs to another key, even if the answer does not name it."""
    protocol: str | None = None
    receipt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(AuthorityAnswer):
    """The authority does not have the document in question: send the same bytes again."""

    may_come: bool = False
    """Whether another authority may still hand it over: then this answer is not final."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Processing(AuthorityAnswer):
    """The authority will judge the batch later: ask with the receipt after the pause."""

    receipt: str
    wait_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable(AuthorityAnswer):
    """The authority is out of service and judged nothing: wait, or begin or end contingency."""

    outage: Outage
    back_at: datetime | None = None
    """The expected end of the outage, if the answer has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled(AuthorityAnswer):
    """Too many calls: this service must not be called for this taxpayer for an hour."""

    last_nsu: int | None = None
    """The NSU from which the next query to the distribution service must begin."""
    until: datetime | None = None
    """The end of the pause by our own count; nothing is sent before."""
    was_asked: bool = True
    """False if our own count prevented the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """The outcome is open: consult the document's key, and send the same bytes again if it is unknown."""

    cause: Cause
    detail: str
    """The answer or error instead of a verdict, short enough for a log line."""
    code: str | None = None
    message: str | None = None
    may_have_arrived: bool = True
    """False only if no part of the request can have been sent: then it may be sent again, anywhere."""


def unexpected(detail: str) -> NotJudged:
    """Returns the outcome of an answer that does not fit the request."""
    return NotJudged(cause=Cause.UNEXPECTED_ANSWER, detail=one_line(detail))


def unreadable(detail: str) -> NotJudged:
    """Returns the outcome of an answer that can't be parsed, or whose document can't."""
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
class Available(AuthorityAnswer):
    """The service is in operation: the answer to a status query, never the outcome of a document."""

    response_seconds: int | None = None
    """Its current response time, by its own count."""
    note: str | None = None


def may_have_reached_authority(outcome: Outcome) -> bool:
    """Returns whether a request may have reached the authority; others do not appear in a history."""
    match outcome:
        case NotJudged():
            return outcome.may_have_arrived
        case Throttled():
            return outcome.was_asked
        case _:
            return True
