"""The service that says what the authority knows of a key."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredDocument
from carimbo.simulator.rule import Rule, first_broken
from carimbo.simulator.sefaz import answers
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.key_parts import LENGTH, STATE
from carimbo.simulator.sefaz.limits import CONSULT, spend
from carimbo.simulator.sefaz.rules.consult import Consult

_UNKNOWN = Verdict("217")
"""MOC 7.0, J03: no rule that can be off, for nothing else could be answered."""


@dataclass(frozen=True)
class ConsultService:
    """Answers with the state of a document, its protocol and its events."""

    rules: tuple[Rule[Consult], ...]
    codes: Mapping[DocumentStatus, str]
    """The code of each state; a document whose state is not here has the code of its protocol."""
    event_codes: Mapping[str, str] = field(default_factory=dict)
    """The code of the document instead, by the code of an event that it has: 151 after 155."""
    event_types: tuple[str, ...] = ("",)
    """How the types begin whose events are shown; others are the national environment's to show."""

    def answer(self, call: Call) -> Answer:
        """Judges the question and answers it."""
        consult = Consult(call, self.subject(call))
        refusal = first_broken(self.rules, consult, call.world.controls.rules_off)
        if refusal is None or refusal.code != call.dialect.overuse:
            spend(call.world, call.taxpayer, CONSULT, consult.access_key)
        if refusal:
            return self.refuse(call, refusal)
        return self._state(consult, consult.holder) if consult.holder else self.refuse(call, _UNKNOWN)

    def refuse(self, call: Call, verdict: Verdict) -> Answer:
        """Answers without a document."""
        key, state_code = self.subject(call), _state_code(call, self.subject(call))
        return Answer(answers.consult_answer(Authority.of(call), verdict, state_code, key), verdict.code)

    def refuse_message(self, call: Call, verdict: Verdict) -> Answer:
        """Answers without a document."""
        return self.refuse(call, verdict)

    def subject(self, message: Message) -> str:
        """Returns the key, or as much of it as a key is long: answers repeat it."""
        return message.text_at(message.dialect.key_tag)[:LENGTH]

    def _state(self, consult: Consult, document: StoredDocument) -> Answer:
        stored = Ledger(consult.world.store).events(document.environment, document.access_key)
        events = [event for event in stored if event.type.startswith(self.event_types)]
        code = self.codes.get(document.status, document.code)
        if document.status is not DocumentStatus.AUTHORIZED:
            code = next(
                (self.event_codes[event.code] for event in events if event.code in self.event_codes), code
            )
        inside = document.protocol_xml.decode() + "".join(
            answers.registered_event(consult.dialect, event.xml, event.answer_xml) for event in events
        )
        state_code = _state_code(consult.call, consult.access_key)
        xml = answers.consult_answer(
            Authority.of(consult), Verdict(code), state_code, consult.access_key, inside
        )
        return Answer(xml, code)


def _state_code(call: Call, access_key: str) -> str:
    return Authority.of(call).state(access_key[STATE]).ibge
