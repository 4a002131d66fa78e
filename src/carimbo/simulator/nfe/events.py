"""NFeRecepcaoEvento4: receives lots of events, and judges each event."""

import re
from collections.abc import Iterator

from lxml import etree

from carimbo.simulator.identifiers import KEY_MODEL
from carimbo.simulator.ledger import StoredEvent
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.dialect import CANCELLATION, NAMESPACE, NFE
from carimbo.simulator.nfe.distribution_sequence import distribute_event
from carimbo.simulator.nfe.judged import JudgedInvoiceEvent
from carimbo.simulator.nfe.rules.events import CANCELLATION_IN_TIME, EVENT_RULES
from carimbo.simulator.rules import AuthorityVerdict, Finding, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.sefaz.events import EventRegister, organ_of, registration_verdict

_MAX_EVENTS = 20
_LOT = re.compile(r"[0-9]{1,15}")
_PROCESSED, _CANCELED_LATE = AuthorityVerdict("128"), AuthorityVerdict("155")


def events_of(root: etree._Element) -> Iterator[etree._Element]:
    """Returns every `evento` of a lot."""
    return root.iterchildren(f"{{{NAMESPACE}}}evento")


def misformed_lot(call: ServiceCall) -> Finding:
    """MOC 7.0, D01: the form of the lot; each event is judged for itself."""
    root = call.root
    if root.tag != f"{{{NAMESPACE}}}envEvento":
        return "[envEvento: elemento ausente]"
    if not _LOT.fullmatch(root.findtext(f"{{{NAMESPACE}}}idLote") or ""):
        return "[envEvento/idLote: formato inválido]"
    events = list(events_of(root))
    if not 1 <= len(events) <= _MAX_EVENTS or len(root) != len(events) + 1:
        return "[envEvento/evento: elemento inesperado, repetido ou ausente]"
    return None


EVENT_LOT_RULES: tuple[RejectionRule[ServiceCall], ...] = (RejectionRule("215", misformed_lot),)


def _verdict(event: JudgedInvoiceEvent) -> AuthorityVerdict:
    """155 for an NF-e that is canceled late, otherwise the usual registration."""
    if event.document is None or event.type is not CANCELLATION or event.access_key[KEY_MODEL] != NFE:
        return registration_verdict(event)
    is_late = event.context.now - event.document.received_at > CANCELLATION_IN_TIME
    return _CANCELED_LATE if is_late else registration_verdict(event)


def _after_registration(event: JudgedInvoiceEvent, stored: StoredEvent) -> None:
    if event.document:
        distribute_event(stored, event.document, event.context)


EVENTS = EventRegister(
    JudgedInvoiceEvent, rules=EVENT_RULES, verdict=_verdict, registered=_after_registration
)


class EventLotService:
    """Judges lots of events."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the events of a lot one after the other."""
        if refusal := first_broken(EVENT_LOT_RULES, call, call.context.controls.rules_off):
            return self.refuse_message(call, refusal)
        return _processed(call, [EVENTS.answer(EVENTS.event(call, event)) for event in events_of(call.root)])

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses every event of a lot with the same code."""
        events = [EVENTS.event(call, event) for event in events_of(call.root)]
        return _processed(call, [EVENTS.refuse(event, verdict) for event in events])

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses a lot as a whole, without judging its events."""
        return ServiceAnswer(_lot_answer(call, verdict), verdict.code)

    def subject(self, message: Message) -> str:
        """Returns the Id of a single event, or the number of a lot of several."""
        contents = (
            content for event in events_of(message.root) for content in event.iterchildren("{*}infEvento")
        )
        ids = [content.get("Id", "") for content in contents]
        return ids[0] if len(ids) == 1 else f"lote {message.text_at('idLote')}".strip()


def _processed(call: ServiceCall, judged: list[ServiceAnswer]) -> ServiceAnswer:
    xml = _lot_answer(call, _PROCESSED, "".join(answer.xml for answer in judged))
    return ServiceAnswer(xml, judged[0].code if len(judged) == 1 else _PROCESSED.code)


def _lot_answer(call: ServiceCall, verdict: AuthorityVerdict, events: str = "") -> str:
    """`retEnvEvento`, with the organ of the first event; the authority's own in an empty lot."""
    authority, first = AnsweringAuthority.of(call), next(events_of(call.root), None)
    organ = authority.organ if first is None else organ_of(EVENTS.event(call, first))
    return answers.event_lot_answer(authority, verdict, call.text_at("idLote") or "0", organ, events)
