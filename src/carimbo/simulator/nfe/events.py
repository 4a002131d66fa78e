"""NFeRecepcaoEvento4: lots of events, which are judged one by one."""

from carimbo.simulator.ledger import StoredEvent
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.event_case import EventCase
from carimbo.simulator.nfe.event_types import CANCELLATION
from carimbo.simulator.nfe.interests import tell_of_event
from carimbo.simulator.nfe.models import NFE
from carimbo.simulator.nfe.rules.event_lots import EVENT_LOT_RULES, events_of
from carimbo.simulator.nfe.rules.events import EVENT_RULES
from carimbo.simulator.nfe.rules.issuer_events import IN_TIME
from carimbo.simulator.rule import first_broken
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.events import EventRegister, organ_of, register
from carimbo.simulator.sefaz.key_parts import MODEL

_PROCESSED, _CANCELED_LATE = Verdict("128"), Verdict("155")


def _verdict(event: EventCase) -> Verdict:
    """Returns 155 for an NF-e that is canceled after its time, as every other registration otherwise."""
    is_cancellation = event.type is CANCELLATION and event.access_key[MODEL] == NFE
    if event.document and is_cancellation and event.world.now - event.document.received_at > IN_TIME:
        return _CANCELED_LATE
    return register(event)


def _tell(event: EventCase, stored: StoredEvent) -> None:
    if event.document:
        tell_of_event(stored, event.document, event.world)


EVENTS = EventRegister(EventCase, rules=EVENT_RULES, verdict=_verdict, registered=_tell)


def answer(call: Call) -> Answer:
    """Judges the events of a lot, one after the other."""
    if refusal := first_broken(EVENT_LOT_RULES, call, call.world.controls.rules_off):
        return refuse_message(call, refusal)
    return _processed(call, [EVENTS.answer(EVENTS.event(call, event)) for event in events_of(call.root)])


def refuse_message(call: Call, verdict: Verdict) -> Answer:
    """Refuses a lot as a whole: none of its events is looked at."""
    xml = answers.event_lot_answer(Authority.of(call), verdict, _lot(call) or "0", _organ(call))
    return Answer(xml, verdict.code)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Refuses every event of a lot with the same code."""
    events = [EVENTS.event(call, event) for event in events_of(call.root)]
    return _processed(call, [EVENTS.refuse(event, verdict) for event in events])


def subject(message: Message) -> str:
    """Returns the Id of the one event, or the number of a lot of several."""
    contents = (
        content for event in events_of(message.root) for content in event.iterchildren("{*}infEvento")
    )
    ids = [content.get("Id", "") for content in contents]
    return ids[0] if len(ids) == 1 else f"lote {_lot(message)}".strip()


def _processed(call: Call, judged: list[Answer]) -> Answer:
    inside = "".join(answer.xml for answer in judged)
    xml = answers.event_lot_answer(Authority.of(call), _PROCESSED, _lot(call) or "0", _organ(call), inside)
    return Answer(xml, judged[0].code if len(judged) == 1 else _PROCESSED.code)


def _lot(message: Message) -> str:
    return message.text_at("idLote")


def _organ(call: Call) -> str:
    """Returns the organ of the first event, or the authority's own in an empty lot."""
    first = next(events_of(call.root), None)
    return Authority.of(call).organ if first is None else organ_of(EVENTS.event(call, first))
