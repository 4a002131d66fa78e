"""Outcomes that the services of NF-e and NFC-e share, made from the part of an answer that has the code."""

import re

from carimbo.fiscal.layouts.nfe_v4.answer_part import ACCESS_KEY, PROTOCOL, RECEIPT, Part, unexpected
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
)

AUTHORIZED = frozenset({"100", "120", "150"})
# Ajuste SINIEF 43/23 ended denials; a document that was denied before stays so.
DENIED = frozenset({"110", "205", "301", "302", "303"})
CANCELED = frozenset({"101", "151", "155", "218"})
NOT_FOUND = "217"

_THROTTLED = "656"
_OUTAGES = {
    "108": Outage.SHORT,
    "109": Outage.WITHOUT_FORECAST,
    "113": Outage.CONTINGENCY_CLOSING,
    "114": Outage.CONTINGENCY_CLOSED,
}
# Lot not found, number in the queue, error outside the catalogue: the document may have been authorised.
_UNDECIDED = frozenset({"106", "635", "999"})
_LATE = frozenset({"150", "155"})
_FIRST_REJECTION = 200
# Rejections among the successes: issuer and recipient in the federal registry (NT 2026.007).
_LOW_REJECTIONS = frozenset(str(code) for code in range(178, 187))

_TOLD_KEY = re.compile(rf"\b({ACCESS_KEY.pattern})\b")
_TOLD_PROTOCOL = re.compile(rf"\bnProt\W{{0,3}}({PROTOCOL.pattern})\b")
_TOLD_RECEIPT = re.compile(rf"\bnRec\W{{0,3}}({RECEIPT.pattern})\b")


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
        late=information.code in _LATE,
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


def refusal(part: Part) -> Rejected | Unavailable | Throttled | NotJudged:
    """Judge a code that is neither a success nor special to the service that was called."""
    code, message = part.code, part.message
    if code == _THROTTLED:
        return Throttled(code=code, message=message)
    if outage := _OUTAGES.get(code):
        return Unavailable(code=code, message=message, outage=outage, back_at=part.moment("dhRetorno"))
    if code in _UNDECIDED or not _is_rejection(code, message):
        return undecided(part)
    return Rejected(code=code, message=message)


def refused_question(part: Part) -> Unavailable | Throttled | NotJudged:
    """Judge the refusal of a query: what is wrong with a question says nothing about the document."""
    found = refusal(part)
    return undecided(part) if isinstance(found, Rejected) else found


def undecided(part: Part) -> NotJudged:
    """Keep the code of an answer that leaves the fate of the document open."""
    code, message = part.code, part.message
    return NotJudged(cause=Cause.UNDECIDED, detail=one_line(f"{code} {message}"), code=code, message=message)


def _is_rejection(code: str, message: str) -> bool:
    """Tell rejections from successes of a kind that is not known here: those are below 200."""
    listed = int(code) >= _FIRST_REJECTION or code in _LOW_REJECTIONS
    return listed or message.casefold().startswith("rejei")


def _alerts(information: Part) -> tuple[Alert, ...]:
    pairs = zip(information.parts("cMsg"), information.parts("xMsg"), strict=False)
    return tuple(Alert(code.own_text, message.own_text) for code, message in pairs)


def _told(pattern: re.Pattern[str], message: str) -> str | None:
    found = pattern.search(message)
    return found[1] if found else None
