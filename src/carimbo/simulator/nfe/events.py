"""NFeRecepcaoEvento4: what happens to documents after their authorization."""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from sqlite3 import IntegrityError

from lxml import etree

from carimbo.fiscal.tables.authorizers import NATIONAL
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.ledger import DocumentStatus, StoredDocument, StoredEvent
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.answers import NAMESPACE, NATIONAL_ORGAN, Answer, Speaker, Verdict
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.case import NFE
from carimbo.simulator.nfe.details import with_details
from carimbo.simulator.nfe.event_case import (
    ACKNOWLEDGED,
    CANCELLATION,
    CANCELLATIONS,
    CONFIRMED,
    CORRECTION,
    NOT_PERFORMED,
    SUBSTITUTION,
    UNKNOWN,
    EventCase,
)
from carimbo.simulator.nfe.interests import tell_of_event
from carimbo.simulator.nfe.key_parts import MODEL, STATE
from carimbo.simulator.nfe.limits import spend
from carimbo.simulator.nfe.protocols import next_protocol
from carimbo.simulator.nfe.rules.event_lots import EVENT_LOT_RULES, events_of
from carimbo.simulator.nfe.rules.events import SERVICE, judge_event
from carimbo.simulator.nfe.rules.issuer_events import IN_TIME
from carimbo.simulator.rule import first_broken
from carimbo.simulator.writing import tax_id

_PROCESSED = Verdict("128")
_BOUND, _NOT_BOUND, _CANCELED_LATE = Verdict("135"), Verdict("136"), Verdict("155")
_RESULTS = {
    CANCELLATION: "Cancelamento homologado",
    SUBSTITUTION: "Cancelamento homologado",
    CORRECTION: "Carta de Correção registrada",
    CONFIRMED: "Confirmacao de Operacao registrada",
    ACKNOWLEDGED: "Ciencia da Operacao registrada",
    UNKNOWN: "Desconhecimento da Operacao registrada",
    NOT_PERFORMED: "Operacao nao Realizada registrada",
}


def answer(call: Call) -> Answer:
    """Judge the events of a lot, one after the other."""
    if refusal := first_broken(EVENT_LOT_RULES, call, call.world.controls.rules_off):
        return refuse_message(call, Verdict.of(refusal))
    return _processed(call, [_judged(case) for case in _cases(call)])


def refuse_message(call: Call, verdict: Verdict) -> Answer:
    """Refuse a lot as a whole: none of its events is looked at."""
    lot = call.root.findtext(f"{{{NAMESPACE}}}idLote") or "0"
    return Answer(answers.event_lot_answer(Speaker.of(call), verdict, lot, _organ(call)), verdict.code)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Refuse every event of a lot with the same code."""
    told = [(case, with_details(verdict, case.access_key, case)) for case in _cases(call)]
    return _processed(call, [Answer(_said(case, one), one.code) for case, one in told])


def subject(root: etree._Element) -> str:
    """The Id of the one event, or the number of a lot of several."""
    ids = [told.get("Id", "") for event in events_of(root) for told in event.iterchildren("{*}infEvento")]
    return ids[0] if len(ids) == 1 else f"lote {root.findtext(f'{{{NAMESPACE}}}idLote') or ''}".strip()


def _cases(call: Call) -> Iterator[EventCase]:
    for event in events_of(call.root):
        alone = deepcopy(event)
        alone.tail = None
        yield EventCase(alone, call.place, call.world)


def _judged(case: EventCase) -> Answer:
    """The verdict on an event, which is kept if it is registered."""
    if refusal := judge_event(case):
        spend(case.world, case.author, SERVICE, case.id)
        return Answer(_said(case, Verdict.of(refusal)), refusal.code)
    verdict = _verdict(case)
    number = next_protocol(case.place, case.access_key[STATE], case.world)
    said = _said(case, verdict, number)
    _keep(case, verdict, number, said)
    return Answer(said, verdict.code)


def _verdict(case: EventCase) -> Verdict:
    if case.document is None:
        return _NOT_BOUND
    is_cancellation = case.type == CANCELLATION and case.access_key[MODEL] == NFE
    is_late = case.world.now - case.document.received_at > IN_TIME
    return _CANCELED_LATE if is_cancellation and is_late else _BOUND


def _keep(case: EventCase, verdict: Verdict, number: str, said: str) -> None:
    event = StoredEvent(
        environment=case.place.environment,
        access_key=case.access_key,
        type=case.type,
        sequence=case.sequence,
        author=case.author,
        authorizer=case.place.authorizer,
        registered_at=case.world.now,
        code=verdict.code,
        protocol=number,
        xml=etree.tostring(case.element, encoding="utf-8"),
        answer_xml=said.encode(),
    )
    # An event that is registered already gets here only with the rule 573 off: the first one stays.
    with suppress(IntegrityError):
        case.ledger.keep_event(event)
    if case.document:
        _carry_out(event, case.document, case)


def _carry_out(event: StoredEvent, document: StoredDocument, case: EventCase) -> None:
    if event.type in CANCELLATIONS:
        case.ledger.change_status(event.environment, event.access_key, DocumentStatus.CANCELED)
    tell_of_event(event, document, case.world)


def _said(case: EventCase, verdict: Verdict, number: str = "") -> str:
    """`retEvento`; who receives the goods is told in answers to cancellations."""
    about = {
        "chNFe": case.access_key,
        "tpEvento": case.type,
        "xEvento": _RESULTS.get(case.type, "") if number else "",
        "nSeqEvento": str(case.sequence or ""),
    }
    if number and case.document and case.document.recipient and case.type in CANCELLATIONS:
        about |= tax_id(case.document.recipient, "Dest")
    return answers.event_answer(Speaker.of(case), verdict, _organ_of(case), about, number)


def _processed(call: Call, judged: list[Answer]) -> Answer:
    lot = call.root.findtext(f"{{{NAMESPACE}}}idLote") or "0"
    inside = "".join(one.xml for one in judged)
    said = answers.event_lot_answer(Speaker.of(call), _PROCESSED, lot, _organ(call), inside)
    return Answer(said, judged[0].code if len(judged) == 1 else _PROCESSED.code)


def _organ(call: Call) -> str:
    return next((_organ_of(case) for case in _cases(call)), _own_organ(Speaker.of(call)))


def _organ_of(case: EventCase) -> str:
    """The organ that the event names, or the authority's own where that is none."""
    told = case.text("cOrgao")
    return told if told == NATIONAL_ORGAN or state_of_ibge(told) else _own_organ(Speaker.of(case))


def _own_organ(speaker: Speaker) -> str:
    return NATIONAL_ORGAN if speaker.place.authorizer == NATIONAL else speaker.seat.ibge
