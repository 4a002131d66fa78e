"""Events of documents: judged, registered, and carried out as their types say."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from sqlite3 import IntegrityError
from typing import Generic, TypeVar

from lxml import etree

from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.family import World
from carimbo.simulator.ledger import StoredEvent
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Refusal, Rule, first_broken
from carimbo.simulator.sefaz import answers
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.details import with_details
from carimbo.simulator.sefaz.event import JudgedEvent
from carimbo.simulator.sefaz.key_parts import STATE
from carimbo.simulator.sefaz.protocols import NATIONAL_ORGAN, next_protocol
from carimbo.simulator.sefaz.rules.register import remember_refused_event
from carimbo.simulator.writing import tax_id

EventT = TypeVar("EventT", bound=JudgedEvent)
_BOUND, _NOT_BOUND = Verdict("135"), Verdict("136")


def register(event: JudgedEvent) -> Verdict:
    """Returns the verdict on an event that breaks no rule."""
    return _BOUND if event.document else _NOT_BOUND


def do_nothing(event: JudgedEvent, stored: StoredEvent) -> None:
    """Does nothing after a registration."""


@dataclass(frozen=True)
class EventRegister(Generic[EventT]):
    """Judges the events of a family, and keeps and carries out those that it registers."""

    read: Callable[[etree._Element, Place, World], EventT]
    rules: tuple[Rule[EventT], ...]
    verdict: Callable[[EventT], Verdict] = register
    """Decides between registrations, such as those in time and those that are late."""
    registered: Callable[[EventT, StoredEvent], None] = do_nothing
    """Called after an event was kept and carried out."""

    def event(self, call: Call, element: etree._Element) -> EventT:
        """Reads an event of a call."""
        alone = deepcopy(element)
        alone.tail = None
        return self.read(alone, call.place, call.world)

    def refusal_of(self, event: EventT) -> Refusal | None:
        """Returns the first rule that an event breaks; None if it is registered."""
        return first_broken(self.rules, event, event.world.controls.rules_off)

    def answer(self, event: EventT) -> Answer:
        """Judges an event; the answer is its registration or its rejection (`retEvento`)."""
        if refusal := self.refusal_of(event):
            remember_refused_event(event)
            return _answer(event, refusal)
        verdict = self.verdict(event)
        number = next_protocol(event, event.access_key[STATE])
        answer = _answer(event, verdict, number)
        stored = StoredEvent(
            environment=event.place.environment,
            access_key=event.access_key,
            type=event.type.code,
            sequence=event.sequence,
            author=event.author,
            authorizer=event.place.authorizer,
            registered_at=event.world.now,
            code=verdict.code,
            protocol=number,
            xml=etree.tostring(event.element, encoding="utf-8"),
            answer_xml=answer.xml.encode(),
        )
        # An event that is registered already gets here only with that rule off: the first one stays.
        with suppress(IntegrityError):
            event.ledger.keep_event(stored)
        if event.document and event.type.leads_to:
            event.ledger.change_status(stored.environment, stored.access_key, event.type.leads_to)
        self.registered(event, stored)
        return answer

    def refuse(self, event: EventT, verdict: Verdict) -> Answer:
        """Refuses an event without judging it."""
        return _answer(event, with_details(event, verdict, event.access_key))


def _answer(event: JudgedEvent, verdict: Verdict, number: str = "") -> Answer:
    """Writes `retEvento`, with a number if the event is registered."""
    about = {
        event.dialect.key_tag: event.access_key,
        "tpEvento": event.type.code,
        "xEvento": event.type.description if number else "",
        "nSeqEvento": str(event.sequence or ""),
    }
    if number and event.document and event.document.recipient and event.type.names_recipient:
        about |= tax_id(event.document.recipient, "Dest")
    xml = answers.event_answer(Authority.of(event), verdict, organ_of(event), about, number)
    return Answer(xml, verdict.code)


def organ_of(event: JudgedEvent) -> str:
    """Returns the organ that an event names, or the authority's own where that is none."""
    organ = event.text("cOrgao")
    return organ if organ == NATIONAL_ORGAN or state_of_ibge(organ) else Authority.of(event).organ


@dataclass(frozen=True)
class SingleEvent(Generic[EventT]):
    """The service that takes one event: CT-e and MDF-e have no lots."""

    register: EventRegister[EventT]

    def answer(self, call: Call) -> Answer:
        """Judges the event."""
        return self.register.answer(self.register.event(call, call.root))

    def refuse(self, call: Call, verdict: Verdict) -> Answer:
        """Refuses the event without judging it."""
        return self.register.refuse(self.register.event(call, call.root), verdict)

    def refuse_message(self, call: Call, verdict: Verdict) -> Answer:
        """Refuses the message; the answer names the event as far as it can be read."""
        return _answer(self.register.event(call, call.root), verdict)

    def subject(self, message: Message) -> str:
        """Returns the Id of the event."""
        return next((content.get("Id", "") for content in message.root.iterchildren("{*}infEvento")), "")
