"""Answers of SEFAZ authorities about documents and about themselves, each read into an outcome.

Answers are never checked against an XSD: authorities add elements without notice, and a document that they
authorized stays authorized however oddly they say so. Only the parts that a caller acts on are required.
"""

import re
from dataclasses import replace

from carimbo.fiscal.layouts.sefaz.answer_part import (
    PROTOCOL,
    RECEIPT,
    SefazPart,
    find_answer,
    find_judged_answer,
    with_code,
)
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.event_answers import registered_event
from carimbo.fiscal.layouts.sefaz.verdicts import (
    AUTHORIZED,
    CANCELED,
    authorized,
    duplicate,
    refusal,
    refused_question,
    undecided,
)
from carimbo.fiscal.outcome import (
    Authorized,
    Available,
    Canceled,
    Closed,
    Denied,
    NotJudged,
    Outcome,
    Processing,
    Throttled,
    Unavailable,
    Unknown,
    unexpected,
)
from carimbo.fiscal.tables.statuses import Action

_SECONDS = re.compile(r"[0-9]{1,4}")
# MOC 7.0 prescribes this pause between the delivery of a lot and the first query about it.
_MIN_PAUSE_SECONDS = 15


def read_authorization(dialect: Dialect, body: bytes, access_key: str | None = None) -> Outcome:
    """Reads the answer to a document that was sent; another document's protocol decides nothing."""
    if dialect.in_lots:
        return _read_lot(dialect, body, access_key)
    answer = find_answer(dialect, body, f"ret{dialect.document_tag}")
    if isinstance(answer, NotJudged):
        return answer
    # A document with an invalid form is refused without a protocol: then the answer itself has the code.
    if answer.parts(dialect.protocol_tag):
        return _judged_by_protocol(answer, access_key)
    answer = with_code(answer)
    return answer if isinstance(answer, NotJudged) else _verdict(answer, answer)


def read_receipt(dialect: Dialect, body: bytes, access_key: str | None = None) -> Outcome:
    """Reads the result of one document of a lot (retConsReciNFe)."""
    answer = find_judged_answer(dialect, body, f"retConsReci{dialect.stem}")
    if isinstance(answer, NotJudged):
        return answer
    match answer.action:
        case Action.PROCESSED:
            return _judged_by_protocol(answer, access_key)
        case Action.PROCESSING:
            return _processing(answer, answer)
        case _:
            return refused_question(answer)


def read_consult(dialect: Dialect, body: bytes, access_key: str | None = None) -> Outcome:
    """Reads the state of a document by its key (retConsSitNFe); authorities keep no rejections."""
    answer = find_judged_answer(dialect, body, f"retConsSit{dialect.stem}", access_key)
    if isinstance(answer, NotJudged):
        return answer
    action = answer.action
    cancellation = registered_event(answer, access_key, dialect.cancellations)
    if cancellation or action in CANCELED:
        return _canceled(answer, cancellation, access_key)
    closing = registered_event(answer, access_key, dialect.closings)
    if closing or action is Action.CLOSED:
        return _closed(answer, closing, access_key)
    match action:
        case Action.AUTHORIZED | Action.AUTHORIZED_LATE | Action.DENIED:
            outcome = _stored(answer, access_key)
        case Action.KEY_DIFFERS:
            outcome = replace(duplicate(answer), is_another=True)
        case Action.NOT_FOUND:
            outcome = Unknown(code=answer.code, message=answer.message)
        case _:
            outcome = refused_question(answer)
    return outcome


def read_status(dialect: Dialect, body: bytes) -> Available | Unavailable | Throttled | NotJudged:
    """Reads whether the service is up (retConsStatServ)."""
    # `consStatServ` is answered by `retConsStatServ`.
    tag = dialect.status_tag
    answer = find_judged_answer(dialect, body, f"ret{tag[0].upper()}{tag[1:]}")
    if isinstance(answer, NotJudged):
        return answer
    if answer.action is not Action.IN_OPERATION:
        return refused_question(answer)
    return Available(
        code=answer.code,
        message=answer.message,
        response_seconds=_seconds(answer),
        note=answer.text("xObs") or None,
    )


def _read_lot(dialect: Dialect, body: bytes, access_key: str | None) -> Outcome:
    answer = find_judged_answer(dialect, body, f"retEnvi{dialect.stem}")
    if isinstance(answer, NotJudged):
        return answer
    match answer.action:
        case Action.PROCESSED:
            return _judged_by_protocol(answer, access_key)
        case Action.PROCESSING:
            return _processing(answer, answer.part("infRec") or answer)
        case _:
            return _verdict(answer, answer)


def _seconds(part: SefazPart) -> int | None:
    text = part.matching("tMed", _SECONDS)
    return int(text) if text else None


def _processing(answer: SefazPart, receipt: SefazPart) -> Processing | NotJudged:
    number = receipt.matching("nRec", RECEIPT)
    if number is None:
        return unexpected(f"{answer.code} sem número de recibo")
    pause = max(_MIN_PAUSE_SECONDS, _seconds(receipt) or 0)
    return Processing(code=answer.code, message=answer.message, receipt=number, wait_seconds=pause)


def _judged_by_protocol(answer: SefazPart, access_key: str | None) -> Outcome:
    tag = answer.dialect.protocol_tag
    protocols = answer.wrapped(tag)
    ours = [
        protocol for protocol in protocols if (protocol.part("infProt") or protocol).can_be_about(access_key)
    ]
    if len(ours) != 1:
        return unexpected(f"{len(ours)} de {len(protocols)} {tag} são do documento")
    information = with_code(ours[0].part("infProt"))
    return information if isinstance(information, NotJudged) else _verdict(information, ours[0])


def _verdict(information: SefazPart, receipt: SefazPart) -> Outcome:
    """Judges a document by the part that has the code; an authorization must name its document."""
    action, key = information.action, information.access_key
    if action in AUTHORIZED and key is None:
        return unexpected(f"{information.code} sem chave de acesso")
    if action in AUTHORIZED:
        digest = information.text("digVal") or None
        return authorized(information, receipt, access_key=key, digest=digest)
    if action is Action.DENIED:
        return _denied(information, receipt)
    if action in CANCELED:
        return Canceled(code=information.code, message=information.message, access_key=key)
    if action is Action.CLOSED:
        return Closed(code=information.code, message=information.message, access_key=key)
    return duplicate(information) if action is Action.DUPLICATE else refusal(information, receipt)


def _stored(answer: SefazPart, access_key: str | None) -> Outcome:
    """Judges a stored document by its protocol; one that contradicts the consult's code decides nothing."""
    outcome = _judged_by_protocol(answer, access_key)
    if answer.action is Action.DENIED:
        return outcome if isinstance(outcome, Denied) else _denied(answer, answer)
    return outcome if isinstance(outcome, Authorized | Canceled | NotJudged) else undecided(answer)


def _denied(information: SefazPart, receipt: SefazPart) -> Denied:
    """Returns a denial; without a protocol the moment in the answer is that of our query."""
    protocol = information.matching("nProt", PROTOCOL)
    return Denied(
        code=information.code,
        message=information.message,
        access_key=information.access_key,
        protocol=protocol,
        denied_at=information.moment("dhRecbto") if protocol else None,
        protocol_xml=receipt.to_xml() if protocol else None,
    )


def _authorization(answer: SefazPart, access_key: str | None) -> Authorized | None:
    """Returns the authorization in a consult of a document that was canceled or closed later."""
    outcome = _judged_by_protocol(answer, access_key)
    return outcome if isinstance(outcome, Authorized) else None


def _canceled(answer: SefazPart, event: SefazPart | None, access_key: str | None) -> Canceled:
    """Returns a cancellation, with its event or, in older answers, its receipt (retCancNFe)."""
    canceled = Canceled(
        code=answer.code,
        message=answer.message,
        access_key=answer.access_key or access_key,
        authorization=_authorization(answer, access_key),
    )
    receipt = event or answer.part(f"retCanc{answer.dialect.stem}")
    if receipt is None:
        return canceled
    information = _registration(event) if event else receipt.part("infCanc")
    if information is None:
        return canceled
    # Some consults still say that the document is authorized, and have the cancellation only as an event.
    verdict = answer if answer.action in CANCELED else information
    return replace(
        canceled,
        code=verdict.code,
        message=verdict.message,
        protocol=information.matching("nProt", PROTOCOL),
        canceled_at=information.moment("dhRegEvento" if event else "dhRecbto"),
        cancellation_xml=receipt.to_xml(),
    )


def _closed(answer: SefazPart, event: SefazPart | None, access_key: str | None) -> Closed:
    """Returns the closing of a document, with its event if the consult has it."""
    closed = Closed(
        code=answer.code,
        message=answer.message,
        access_key=answer.access_key or access_key,
        authorization=_authorization(answer, access_key),
    )
    information = _registration(event) if event else None
    if event is None or information is None:
        return closed
    verdict = answer if answer.action is Action.CLOSED else information
    return replace(
        closed,
        code=verdict.code,
        message=verdict.message,
        protocol=information.matching("nProt", PROTOCOL),
        closed_at=information.moment("dhRegEvento"),
        closing_xml=event.to_xml(),
    )


def _registration(event: SefazPart) -> SefazPart | None:
    return event.part(event.dialect.event_answer_tag, "infEvento")
