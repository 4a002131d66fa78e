"""The query services: the status of a document, and the status of an authority."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from carimbo.fiscal.tables.authorities import states_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.identifiers import KEY_LENGTH, KEY_STATE
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredDocument
from carimbo.simulator.limits import CONSULT, count_use
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz import answers
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer
from carimbo.simulator.sefaz.call import Message, ServiceCall, contingency_is_open, in_contingency
from carimbo.simulator.sefaz.rules.queries import ConsultQuestion

_UNKNOWN = AuthorityVerdict("217")
"""MOC 7.0, J03. It is not a rule that can be off, because there is no other possible answer."""
_COMES_BACK_AFTER = timedelta(minutes=15)
_WITH_RETURN = frozenset({"108", "113"})
"""Codes of a coming change: of a short outage, and of an SVC that is about to close."""


@dataclass(frozen=True)
class ConsultService:
    """Answers with the status of a document, its protocol and its events."""

    rules: tuple[RejectionRule[ConsultQuestion], ...]
    codes: Mapping[DocumentStatus, str]
    """The code of each status; documents with another status have the code of their protocol."""
    event_codes: Mapping[str, str] = field(default_factory=dict)
    """Codes of a document that replace the one above, by the code of one of its events: 151 after 155."""
    event_types: tuple[str, ...] = ("",)
    """Prefixes of the event types that are shown; the national environment shows the others."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the question and answers it."""
        consult = ConsultQuestion(call, self.subject(call))
        refusal = first_broken(self.rules, consult, call.context.controls.rules_off)
        if refusal is None or refusal.code != call.dialect.overuse:
            count_use(call.context, call.taxpayer, CONSULT, consult.access_key)
        if refusal:
            return self.refuse(call, refusal)
        return (
            self._document_answer(consult, consult.holder) if consult.holder else self.refuse(call, _UNKNOWN)
        )

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without a document."""
        key, state_code = self.subject(call), _state_code(call, self.subject(call))
        return ServiceAnswer(
            answers.consult_answer(AnsweringAuthority.of(call), verdict, state_code, key), verdict.code
        )

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without a document."""
        return self.refuse(call, verdict)

    def subject(self, message: Message) -> str:
        """Returns the key, cut to the length of a key, because answers repeat it."""
        return message.text_at(message.dialect.key_tag)[:KEY_LENGTH]

    def _document_answer(self, consult: ConsultQuestion, document: StoredDocument) -> ServiceAnswer:
        stored = Ledger(consult.context.store).events(document.environment, document.access_key)
        events = [event for event in stored if event.type.startswith(self.event_types)]
        code = self.codes.get(document.status, document.code)
        if document.status is not DocumentStatus.AUTHORIZED:
            code = next(
                (self.event_codes[event.code] for event in events if event.code in self.event_codes), code
            )
        inside = answers.consulted_document(consult.dialect, document, events)
        state_code = _state_code(consult.call, consult.access_key)
        xml = answers.consult_answer(
            AnsweringAuthority.of(consult), AuthorityVerdict(code), state_code, consult.access_key, inside
        )
        return ServiceAnswer(xml, code)


def _state_code(call: ServiceCall, access_key: str) -> str:
    return AnsweringAuthority.of(call).state(access_key[KEY_STATE]).ibge


@dataclass(frozen=True)
class StatusService:
    """Answers whether the authority is in service; MDF-e asks without a state."""

    rules: tuple[RejectionRule[ServiceCall], ...] = ()

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Judges the question and answers it."""
        refusal = first_broken(self.rules, call, call.context.controls.rules_off)
        return self.refuse(call, refusal or AuthorityVerdict(_code(call)))

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers with a code; a refusal has the same form as other answers."""
        back_at = call.context.now + _COMES_BACK_AFTER if verdict.code in _WITH_RETURN else None
        authority = AnsweringAuthority.of(call)
        state_code = authority.state(call.text_at("cUF")).ibge
        return ServiceAnswer(answers.status_answer(authority, verdict, state_code, back_at), verdict.code)

    def refuse_message(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers with any code."""
        return self.refuse(call, verdict)

    def subject(self, message: Message) -> str:
        """Returns the state, in letters."""
        return _state(message)


def status_of_another_authorizer(call: ServiceCall) -> bool:
    """MOC 7.0, K02."""
    return _state(call) not in states_of(
        call.dialect.model_at(call.service_path), call.service_path.authorizer
    )


def _state(message: Message) -> str:
    state = state_of_ibge(message.text_at("cUF"))
    return state.code if state else ""


def _code(call: ServiceCall) -> str:
    """The code of an SVC, which depends on the state (MOC 7.0, anexo III, 2.1.3.4), or 107."""
    state = _state(call)
    if not in_contingency(call, state):
        return "107"
    if not contingency_is_open(call, state):
        return "114"
    closing = call.context.controls.contingency_of(call.service_path.authorizer) is ContingencySwitch.CLOSING
    return "113" if closing else "107"
