"""Outcomes that the services of NF-e and NFC-e share, made from the part of an answer that has the code."""

import re

from carimbo.fiscal.layouts.nfe_v4.answer_part import ACCESS_KEY, PROTOCOL, RECEIPT, Part
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
from carimbo.fiscal.tables.statuses import NFE_STATUSES, REJECTIONS, Action

AUTHORIZED = frozenset({Action.AUTHORIZED, Action.AUTHORIZED_LATE})
CANCELED = frozenset({Action.CANCELED, Action.CANCELED_LATE, Action.ALREADY_CANCELED})

_OUTAGES = {
    Action.OUTAGE_SHORT: Outage.SHORT,
    Action.OUTAGE_WITHOUT_FORECAST: Outage.WITHOUT_FORECAST,
    Action.CONTINGENCY_CLOSING: Outage.CONTINGENCY_CLOSING,
    Action.CONTINGENCY_CLOSED: Outage.CONTINGENCY_CLOSED,
}
# Refusals for what is not in the document: the same one passes once that is put right.
_OUTSIDE = frozenset({Action.REJECTION_OF_CERTIFICATE, Action.REJECTION_BY_REGISTER})
# The security code of the QR code is a setting of the company's.
_BY_SECURITY_CODE = frozenset({"462", "463", "464"})
# Made anew it has another moment.
_LATE_EMISSIONS = frozenset({"704"})
_PASSES_ANEW = _BY_SECURITY_CODE | _LATE_EMISSIONS
_LATE = frozenset({Action.AUTHORIZED_LATE, Action.CANCELED_LATE})
_FIRST_REJECTION = 200
# Rejections among the successes: issuer and recipient in the federal registry (NT 2026.007).
_LOW_REJECTIONS = frozenset(str(code) for code in range(178, 187))

_TOLD_KEY = re.compile(rf"\b({ACCESS_KEY.pattern})\b")
_TOLD_PROTOCOL = re.compile(rf"\bnProt\W{{0,3}}({PROTOCOL.pattern})\b")
_TOLD_RECEIPT = re.compile(rf"\bnRec\W{{0,3}}({RECEIPT.pattern})\b")


def action_of(code: str) -> Action | None:
    """What an authority's code means, by the table in force; None if the table lacks it."""
    status = NFE_STATUSES.rows.get(code)
    return status.action if status else None


def authorized(
    information: Part,
    receipt: Part,
    *,
    access_key: str | None = None,
    digest: str | None = None,
    moment_tag: str = "dhRecbto",
) -> Authorized | NotJudged:
    """Tell a success, which is none before it has a protocol and a moment."""
    protocol, authorized_at = information.matching("nProt", PROTOCOL), information.moment(moment_tag)
    if protocol is None or authorized_at is None:
        return unexpected(f"{information.code} sem protocolo ou data legível")
    return Authorized(
        code=information.code,
        message=information.message,
        protocol=protocol,
        authorized_at=authorized_at,
        protocol_xml=receipt.standing_alone(),
        access_key=access_key,
        digest=digest,
        late=action_of(information.code) in _LATE,
        alerts=_alerts(information),
    )


def duplicate(part: Part) -> Duplicate:
    """Tell a duplicity with what the authority's words say of the other: `[chNFe:…][nRec:…]`, `[nProt:…]`."""
    message = part.message
    return Duplicate(
        code=part.code,
        message=message,
        other_key=_told(_TOLD_KEY, message),
        protocol=_told(_TOLD_PROTOCOL, message) or part.matching("nProt", PROTOCOL),
        receipt=_told(_TOLD_RECEIPT, message),
    )


def refusal(part: Part, answer: Part) -> Rejected | Unavailable | Throttled | NotJudged:
    """Judge a code that is neither a success nor special to the service; the answer is what has the code."""
    if _is_rejection(part):
        return Rejected(
            code=part.code,
            message=part.message,
            answer_xml=answer.standing_alone(),
            retryable=action_of(part.code) in _OUTSIDE or part.code in _PASSES_ANEW,
            spends_number=action_of(part.code) is Action.ALREADY_VOIDED,
        )
    return refused_question(part)


def refused_question(part: Part) -> Unavailable | Throttled | NotJudged:
    """Judge the refusal of a query: what is wrong with a question says nothing about the document."""
    code, message, action = part.code, part.message, action_of(part.code)
    if action is Action.THROTTLED:
        return Throttled(code=code, message=message)
    if action in _OUTAGES:
        return Unavailable(
            code=code, message=message, outage=_OUTAGES[action], back_at=part.moment("dhRetorno")
        )
    return undecided(part)


def undecided(part: Part) -> NotJudged:
    """Keep the code of an answer that leaves the fate of the document open."""
    code, message = part.code, part.message
    return NotJudged(cause=Cause.UNDECIDED, detail=one_line(f"{code} {message}"), code=code, message=message)


def _is_rejection(part: Part) -> bool:
    """Tell rejections from successes of a kind that the service does not expect: those are below 200."""
    action = action_of(part.code)
    if action in _OUTAGES or action in (Action.THROTTLED, Action.UNDECIDED):
        return False
    listed = action in REJECTIONS or part.code in _LOW_REJECTIONS
    return listed or int(part.code) >= _FIRST_REJECTION or part.message.casefold().startswith("rejei")


def _alerts(information: Part) -> tuple[Alert, ...]:
    pairs = zip(information.parts("cMsg"), information.parts("xMsg"), strict=False)
    return tuple(Alert(code.own_text, message.own_text) for code, message in pairs)


def _told(pattern: re.Pattern[str], message: str) -> str | None:
    found = pattern.search(message)
    return found[1] if found else None
