"""Registers events of documents, and changes the documents as the event types require."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from sqlite3 import IntegrityError
from typing import Generic, TypeVar

from lxml import etree

from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.identifiers import KEY_STATE
from carimbo.simulator.ledger import StoredEvent
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz import answers
from carimbo.simulator.sefaz.answers import (
    NATIONAL_ORGAN,
    AnsweringAuthority,
    ServiceAnswer,
    next_protocol,
    with_sample_detail,
)
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.sefaz.judged import JudgedEvent
from carimbo.simulator.sefaz.rules.documents import count_refused_event
from carimbo.simulator.xml_messages import tax_id_field

EventT = TypeVar("EventT", bound=JudgedEvent)
_BOUND, _NOT_BOUND = AuthorityVerdict("135"), AuthorityVerdict("136")


def registration_verdict(event: JudgedEvent) -> AuthorityVerdict:
    """Returns the verdict on an event that breaks no rule."""
    return _BOUND if event.document else _NOT_BOUND


def do_nothing(event: JudgedEvent, stored: StoredEvent) -> None:
    """Does nothing after a registration."""


@dataclass(frozen=True)
class EventRegister(Generic[EventT]):
    """Judges the events of a family, and stores and applies those that it registers."""

    read: Callable[[etree._Element, ServicePath, RequestContext], EventT]
    rules: tuple[RejectionRule[EventT], ...]
    verdict: Callable[[EventT], AuthorityVerdict] = registration_verdict
    """Chooses between registrations, for example in time and late."""
    registered: Callable[[EventT, StoredEvent], None] = do_nothing
    """Called after an event is stored and applied."""

    def event(self, call: ServiceCall, element: etree._Element) -> EventT:
        """Reads an event of a call."""
        alone = deepcopy(element)
        alone.tail = None
        return self.read(alone, call.service_path, call.context)

    def refusal_of(self, event: EventT) -> AuthorityVerdict | None:
        """Returns the verdict of the first rule that an event breaks; None if it breaks none."""
        return first_broken(self.rules, event, event.context.controls.rules_off)

    def answer(self, event: EventT) -> ServiceAnswer:
        """Judges an event; returns its registration or its rejection (`retEvento`)."""
        if refusal := self.refusal_of(event):
            count_refused_event(event)
            return _answer(event, refusal)
        verdict = self.verdict(event)
        number = next_protocol(event, event.access_key[KEY_STATE])
        answer = _answer(event, verdict, number)
        stored = StoredEvent(
            environment=event.service_path.environment,
            access_key=event.access_key,
            type=event.type.code,
            sequence=event.sequence,
            author=event.author,
            authorizer=event.service_path.authorizer,
            registered_at=event.context.now,
            code=verdict.code,
            protocol=number,
            xml=etree.tostring(event.element, encoding="utf-8"),
            answer_xml=answer.xml.encode(),
        )
        # A duplicate gets here only if that rule is off: the first event stays.
        with suppress(IntegrityError):
            event.ledger.keep_event(stored)
        if event.document and event.type.resulting_status:
            event.ledger.change_status(stored.environment, stored.access_key, event.type.resulting_status)
        self.registered(event, stored)
        return answer

    def refuse(self, event: EventT, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses an event without judging it."""
        return _answer(event, with_sample_detail(event, verdict, event.access_key))


def _answer(event: JudgedEvent, verdict: AuthorityVerdict, number: str = "") -> ServiceAnswer:
    """`retEvento`, with a number if the event is registered."""
    about = {
        event.dialect.key_tag: event.access_key,
        "tpEvento": event.type.code,
        "xEvento": event.type.description if number else "",
        "nSeqEvento": str(event.sequence or ""),
    }
    if number and event.document and event.document.recipient and event.type.names_recipient:
        about |= tax_id_field(event.document.recipient, "Dest")
    xml = answers.event_answer(AnsweringAuthority.of(event), verdict, organ_of(event), about, number)
    return ServiceAnswer(xml, verdict.code)


def organ_of(event: JudgedEvent) -> str:
    """Returns the organ of an event; the authority's own if there is no such organ."""
    organ = event.text("cOrgao")
    return organ if organ == NATIONAL_ORGAN or state_of_ibge(organ) else AnsweringAuthority.of(event).organ


@dataclass(frozen=True)
class SingleEvent(Generic[EventT]):
    """The service for single events: CT-e and MDF-e have no lots."""

    register: EventRegister[EventT]

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the event."""
        return self.register.answer(self.register.event(call, call.root))

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses the event without judging it."""
        return self.register.refuse(self.register.event(call, call.root), verdict)

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Refuses the message; the answer identifies the event as far as it is readable."""
        return _answer(self.register.event(call, call.root), verdict)

    def subject(self, message: Message) -> str:
        """Returns the Id of the event."""
        return next((content.get("Id", "") for content in message.root.iterchildren("{*}infEvento")), "")
