"""The service that says whether the authority is at work for a state."""

from dataclasses import dataclass
from datetime import timedelta

from carimbo.fiscal.tables.authorizers import is_contingency, states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.controls import Contingency
from carimbo.simulator.rule import Rule, first_broken
from carimbo.simulator.sefaz import answers
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.contingency import contingency_is_open

_COMES_BACK_AFTER = timedelta(minutes=15)
_WITH_RETURN = frozenset({"108", "113"})
"""Codes of a change that is near: of a short outage, and of an SVC that soon hands the work back."""


@dataclass(frozen=True)
class StatusService:
    """Answers whether the authority is up; the question may name no state, as in MDF-e."""

    rules: tuple[Rule[Call], ...] = ()

    def answer(self, call: Call) -> Answer:
        """Judges the question and answers it."""
        refusal = first_broken(self.rules, call, call.world.controls.rules_off)
        return self.refuse(call, refusal or Verdict(_code(call)))

    def refuse(self, call: Call, verdict: Verdict) -> Answer:
        """Answers with any code; a refusal looks like every other answer."""
        back_at = call.world.now + _COMES_BACK_AFTER if verdict.code in _WITH_RETURN else None
        authority = Authority.of(call)
        state_code = authority.state(call.text_at("cUF")).ibge
        return Answer(answers.status_answer(authority, verdict, state_code, back_at), verdict.code)

    def refuse_message(self, call: Call, verdict: Verdict) -> Answer:
        """Answers with any code."""
        return self.refuse(call, verdict)

    def subject(self, message: Message) -> str:
        """Returns the state, in letters."""
        return _state(message)


def state_of_another_authorizer(call: Call) -> bool:
    """MOC 7.0, K02."""
    return _state(call) not in states_of(call.dialect.model_at(call.place), call.place.authorizer)


def _state(message: Message) -> str:
    state = state_of_ibge(message.text_at("cUF"))
    return state.code if state else ""


def _code(call: Call) -> str:
    """Returns the code of an SVC, which depends on the state (MOC 7.0, anexo III, 2.1.3.4), or 107."""
    authorizer = call.place.authorizer
    if not is_contingency(authorizer):
        return "107"
    if not contingency_is_open(call, _state(call)):
        return "114"
    closing = call.world.controls.contingency_of(authorizer) is Contingency.CLOSING
    return "113" if closing else "107"
