"""Answers of the NF-e and NFC-e authorities (MOC 7.0, layout 4.00), each read into an `Outcome`.

Answers are never checked against an XSD: authorities add elements without notice, and a document that they
authorised stays authorised however oddly they say so. What an answer must have is what a caller acts on.
"""

import re
from dataclasses import replace

from carimbo.fiscal.layouts.nfe_v4.answer_part import (
    PROTOCOL,
    RECEIPT,
    Part,
    find_answer,
    find_judged_answer,
    with_code,
)
from carimbo.fiscal.layouts.nfe_v4.event_answers import CANCELLATIONS, registered_event
from carimbo.fiscal.layouts.nfe_v4.inutilization import Inutilization
from carimbo.fiscal.layouts.nfe_v4.verdicts import (
    AUTHORIZED,
    CANCELED,
    action_of,
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
# MOC 7.0 asks for as much between the delivery of a lot and the first question about it.
_SHORTEST_PAUSE = 15


def read_authorization(body: bytes, access_key: str | None = None) -> Outcome:
    """Read the answer to a lot of one document (retEnviNFe); another document's protocol judges nothing."""
    answer = find_judged_answer(body, "retEnviNFe")
    if isinstance(answer, NotJudged):
        return answer
    match action_of(answer.code):
        case Action.PROCESSED:
            return _judged_by_protocol(answer, access_key)
        case Action.PROCESSING:
            return _processing(answer, answer.part("infRec") or answer)
        case _:
            return _verdict(answer, answer)


def read_receipt(body: bytes, access_key: str | None = None) -> Outcome:
    """Read what became of one document of a lot (retConsReciNFe)."""
    answer = find_judged_answer(body, "retConsReciNFe")
    if isinstance(answer, NotJudged):
        return answer
    match action_of(answer.code):
        case Action.PROCESSED:
            return _judged_by_protocol(answer, access_key)
        case Action.PROCESSING:
            return _processing(answer, answer)
        case _:
            return refused_question(answer)


def read_consult(body: bytes, access_key: str | None = None) -> Outcome:
    """Read what the authority knows of a key (retConsSitNFe): never a rejection, as it keeps none."""
    answer = find_judged_answer(body, "retConsSitNFe", access_key)
    if isinstance(answer, NotJudged):
        return answer
    event = registered_event(answer, access_key, CANCELLATIONS)
    action = action_of(answer.code)
    if event or action in CANCELED:
        return _canceled(answer, event, access_key)
    if action in AUTHORIZED or action is Action.DENIED:
        return _known(answer, access_key)
    if action is Action.KEY_DIFFERS:
        return replace(duplicate(answer), is_another=True)
    if action is Action.NOT_FOUND:
        return Unknown(code=answer.code, message=answer.message)
    return refused_question(answer)


def read_inutilization(body: bytes, asked: Inutilization) -> Outcome:
    """Read the answer to a request to void a range of numbers (retInutNFe); it must be about that range."""
    answer = find_answer(body, "retInutNFe")
    if isinstance(answer, NotJudged):
        return answer
    information = with_code(answer.part("infInut"))
    if isinstance(information, NotJudged):
        return information
    if not _is_of(information, asked):
        return unexpected("retInutNFe de outra faixa")
    action = action_of(information.code)
    if action is Action.VOIDED:
        return authorized(information, answer)
    return duplicate(information) if action is Action.ALREADY_VOIDED else refusal(information, answer)


def _is_of(information: Part, asked: Inutilization) -> bool:
    """Tell whether an answer can be about a range: it need not repeat it, but must not tell another."""
    said = {
        "ano": asked.year,
        "CNPJ": asked.cnpj,
        "mod": asked.model,
        "serie": str(asked.series),
        "nNFIni": str(asked.first_number),
        "nNFFin": str(asked.last_number),
    }
    told = ((information.text(tag) or value, value) for tag, value in said.items())
    return all(text.lstrip("0") == value.lstrip("0") for text, value in told)


def read_status(body: bytes) -> Available | Unavailable | Throttled | NotJudged:
    """Read whether the service is up (retConsStatServ)."""
    answer = find_judged_answer(body, "retConsStatServ")
    if isinstance(answer, NotJudged):
        return answer
    if action_of(answer.code) is not Action.IN_OPERATION:
        return refused_question(answer)
    return Available(
        code=answer.code,
        message=answer.message,
        response_seconds=_seconds(answer),
        note=answer.text("xObs") or None,
    )


def _seconds(part: Part) -> int | None:
    text = part.matching("tMed", _SECONDS)
    return int(text) if text else None


def _processing(answer: Part, receipt: Part) -> Processing | NotJudged:
    number = receipt.matching("nRec", RECEIPT)
    if number is None:
        return unexpected(f"{answer.code} sem número de recibo")
    pause = max(_SHORTEST_PAUSE, _seconds(receipt) or 0)
    return Processing(code=answer.code, message=answer.message, receipt=number, wait_seconds=pause)


def _judged_by_protocol(answer: Part, access_key: str | None) -> Outcome:
    protocols = answer.parts("protNFe")
    ours = [one for one in protocols if (one.part("infProt") or one).may_be_of(access_key)]
    if len(ours) != 1:
        return unexpected(f"{len(ours)} de {len(protocols)} protNFe são do documento")
    information = with_code(ours[0].part("infProt"))
    return information if isinstance(information, NotJudged) else _verdict(information, ours[0])


def _verdict(information: Part, receipt: Part) -> Outcome:
    """Judge a document by the part that has the code; an authorization must say of which document it is."""
    action, key = action_of(information.code), information.access_key
    if action in AUTHORIZED and key is None:
        return unexpected(f"{information.code} sem chave de acesso")
    if action in AUTHORIZED:
        digest = information.text("digVal") or None
        return authorized(information, receipt, access_key=key, digest=digest)
    if action is Action.DENIED:
        return _denied(information, receipt)
    if action in CANCELED:
        return Canceled(code=information.code, message=information.message, access_key=key)
    return duplicate(information) if action is Action.DUPLICATE else refusal(information, receipt)


def _known(answer: Part, access_key: str | None) -> Outcome:
    """Judge a stored document by its protocol; one that contradicts the consult's code decides nothing."""
    found = _judged_by_protocol(answer, access_key)
    if action_of(answer.code) is Action.DENIED:
        return found if isinstance(found, Denied) else _denied(answer, answer)
    return found if isinstance(found, Authorized | Canceled | NotJudged) else undecided(answer)


def _denied(information: Part, receipt: Part) -> Denied:
    """Tell a denial; without a protocol the moment in the answer is that of our question."""
    protocol = information.matching("nProt", PROTOCOL)
    return Denied(
        code=information.code,
        message=information.message,
        access_key=information.access_key,
        protocol=protocol,
        denied_at=information.moment("dhRecbto") if protocol else None,
        protocol_xml=receipt.standing_alone() if protocol else None,
    )


def _canceled(answer: Part, event: Part | None, access_key: str | None) -> Canceled:
    """Tell a cancellation with what the consult brings of it: the event, or the older retCancNFe."""
    authorization = _judged_by_protocol(answer, access_key)
    canceled = Canceled(
        code=answer.code,
        message=answer.message,
        access_key=answer.access_key or access_key,
        authorization=authorization if isinstance(authorization, Authorized) else None,
    )
    if event:
        return _with_receipt(canceled, event, event.part("retEvento", "infEvento"), "dhRegEvento")
    older = answer.part("retCancNFe")
    return _with_receipt(canceled, older, older.part("infCanc"), "dhRecbto") if older else canceled


def _with_receipt(canceled: Canceled, receipt: Part, information: Part | None, moment_tag: str) -> Canceled:
    if information is None:
        return canceled
    # Some consults keep saying that the document is authorised, and tell the cancellation only as an event.
    verdict = canceled if action_of(canceled.code) in CANCELED else information
    return replace(
        canceled,
        code=verdict.code,
        message=verdict.message,
        protocol=information.matching("nProt", PROTOCOL),
        canceled_at=information.moment(moment_tag),
        cancellation_xml=receipt.standing_alone(),
    )
