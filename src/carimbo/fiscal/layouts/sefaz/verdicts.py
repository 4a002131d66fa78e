"""Outcomes that all SEFAZ services share, made from the part of an answer that has the code."""

import re

from carimbo.fiscal.layouts.sefaz.answer_part import ACCESS_KEY, PROTOCOL, RECEIPT, SefazPart
from carimbo.fiscal.outcome import (
    Alert,
    Authorized,
    Cause,
    Duplicate,
    NotJudged,
    Outage,
    Rejected,
    Throttled,
    Unavailable,
    one_line,
    unexpected,
)
from carimbo.fiscal.tables.statuses import REJECTIONS, Action

AUTHORIZED = frozenset({Action.AUTHORIZED, Action.AUTHORIZED_LATE})
CANCELED = frozenset({Action.CANCELED, Action.CANCELED_LATE, Action.ALREADY_CANCELED})

_OUTAGES = {
    Action.OUTAGE_SHORT: Outage.SHORT,
    Action.OUTAGE_WITHOUT_FORECAST: Outage.WITHOUT_FORECAST,
    Action.CONTINGENCY_CLOSING: Outage.CONTINGENCY_CLOSING,
    Action.CONTINGENCY_CLOSED: Outage.CONTINGENCY_CLOSED,
}
# The cause is outside of the document: the same document is accepted once the cause is corrected.
_OUTSIDE = frozenset({Action.REJECTION_OF_CERTIFICATE, Action.REJECTION_BY_REGISTER, Action.OPEN_BEFORE})
_LATE = frozenset({Action.AUTHORIZED_LATE, Action.CANCELED_LATE})
_FIRST_REJECTION = 200

_KEY_IN_TEXT = re.compile(rf"\b({ACCESS_KEY.pattern})\b")
_PROTOCOL_IN_TEXT = re.compile(rf"\bnProt\W{{0,3}}({PROTOCOL.pattern})\b")
_RECEIPT_IN_TEXT = re.compile(rf"\bnRec\W{{0,3}}({RECEIPT.pattern})\b")


def authorized(
    information: SefazPart,
    receipt: SefazPart,
    *,
    access_key: str | None = None,
    digest: str | None = None,
    moment_tag: str = "dhRecbto",
) -> Authorized | NotJudged:
    """Returns a success, which must have a protocol and a moment."""
    protocol, authorized_at = information.matching("nProt", PROTOCOL), information.moment(moment_tag)
    if protocol is None or authorized_at is None:
        return unexpected(f"{information.code} sem protocolo ou data legível")
    return Authorized(
        code=information.code,
        message=information.message,
        protocol=protocol,
        authorized_at=authorized_at,
        protocol_xml=receipt.to_xml(),
        access_key=access_key,
        digest=digest,
        late=information.action in _LATE,
        alerts=tuple(
            Alert(code.own_text, message.own_text)
            for code, message in zip(information.parts("cMsg"), information.parts("xMsg"), strict=False)
        ),
    )


def duplicate(part: SefazPart) -> Duplicate:
    """Returns a duplicate, with the key, receipt and protocol in the brackets of the authority's text."""
    message = part.message
    return Duplicate(
        code=part.code,
        message=message,
        other_key=_first(_KEY_IN_TEXT, message),
        protocol=_first(_PROTOCOL_IN_TEXT, message) or part.matching("nProt", PROTOCOL),
        receipt=_first(_RECEIPT_IN_TEXT, message),
    )


def refusal(part: SefazPart, answer: SefazPart) -> Rejected | Unavailable | Throttled | NotJudged:
    """Returns the outcome of a code that is no success and not special to the service.

    A rejection stores `answer` as XML.
    """
    if _is_rejection(part):
        action = part.action
        return Rejected(
            code=part.code,
            message=part.message,
            answer_xml=answer.to_xml(),
            retryable=action in _OUTSIDE or part.code in part.dialect.retryable_rejections,
            spends_number=action is Action.ALREADY_INUTILIZED,
            is_blocked=action is Action.OPEN_BEFORE,
            finds_closed=action is Action.CLOSED,
        )
    return refused_question(part)


def refused_question(part: SefazPart) -> Unavailable | Throttled | NotJudged:
    """Judges the refusal of a query: an error in the query decides nothing about the document."""
    code, message, action = part.code, part.message, part.action
    if action is Action.THROTTLED:
        return Throttled(code=code, message=message)
    if action in _OUTAGES:
        return Unavailable(
            code=code, message=message, outage=_OUTAGES[action], back_at=part.moment("dhRetorno")
        )
    return undecided(part)


def undecided(part: SefazPart) -> NotJudged:
    """Returns an outcome that decides nothing about the document and keeps the answer's code."""
    code, message = part.code, part.message
    return NotJudged(cause=Cause.UNDECIDED, detail=one_line(f"{code} {message}"), code=code, message=message)


def _is_rejection(part: SefazPart) -> bool:
    """Returns whether a code is a rejection, and not an unexpected success, whose codes are below 200."""
    action = part.action
    if action in _OUTAGES or action in (Action.THROTTLED, Action.UNDECIDED):
        return False
    listed = action in REJECTIONS or part.code in part.dialect.low_rejections
    return listed or int(part.code) >= _FIRST_REJECTION or part.message.casefold().startswith("rejei")


def _first(pattern: re.Pattern[str], message: str) -> str | None:
    match = pattern.search(message)
    return match[1] if match else None
