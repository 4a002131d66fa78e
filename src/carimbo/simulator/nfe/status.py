"""NFeStatusServico4: whether the authority is at work for a state."""

from datetime import timedelta

from lxml import etree

from carimbo.fiscal.tables.authorizers import is_contingency, states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.controls import Contingency
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.answers import NAMESPACE, Answer, Speaker, Verdict
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.contingency import contingency_is_open, model_of
from carimbo.simulator.rule import Rule, first_broken

_COMES_BACK_AFTER = timedelta(minutes=15)
_TELLING_WHEN = frozenset({"108", "113"})
"""Codes of a change that is near: of what comes back soon, and of an SVC that soon hands the work back."""


def answer(call: Call) -> Answer:
    """Tell whether the service is up."""
    if refusal := first_broken(STATUS_RULES, call, call.world.controls.rules_off):
        return refuse(call, Verdict.of(refusal))
    return refuse(call, Verdict(_code(call)))


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Answer with any code; a refusal looks like every other answer."""
    back_at = call.world.now + _COMES_BACK_AFTER if verdict.code in _TELLING_WHEN else None
    speaker = Speaker.of(call)
    state_code = speaker.state(_told_code(call.root)).ibge
    return Answer(answers.status_answer(speaker, verdict, state_code, back_at), verdict.code)


refuse_message = refuse


def subject(root: etree._Element) -> str:
    """The state, in letters."""
    state = state_of_ibge(_told_code(root))
    return state.code if state else ""


def state_of_another_authorizer(call: Call) -> bool:
    """MOC 7.0, K02."""
    return subject(call.root) not in states_of(model_of(call.place), call.place.authorizer)


def _code(call: Call) -> str:
    """The code of an SVC depends on whether it works for the state (MOC 7.0, anexo III, 2.1.3.4)."""
    authorizer = call.place.authorizer
    if not is_contingency(authorizer):
        return "107"
    if not contingency_is_open(call.place, subject(call.root), call.world):
        return "114"
    closing = call.world.controls.contingency_of(authorizer) is Contingency.CLOSING
    return "113" if closing else "107"


def _told_code(root: etree._Element) -> str:
    return root.findtext(f"{{{NAMESPACE}}}cUF") or ""


STATUS_RULES: tuple[Rule[Call], ...] = (Rule("289", state_of_another_authorizer),)
