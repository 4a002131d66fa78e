"""CadConsultaCadastro4: who is in the register of a state."""

from lxml import etree

from carimbo.simulator.contributors import Contributor
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.answers import Answer, Speaker, Verdict
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.rules.registry_query import REGISTRY_RULES, RegistryQuestion
from carimbo.simulator.rule import first_broken

_ASKED = ("UF", "IE", "CNPJ", "CPF")


def answer(call: Call) -> Answer:
    """Tell what a register has of a taxpayer."""
    case = RegistryQuestion(call)
    if refusal := first_broken(REGISTRY_RULES, case, call.world.controls.rules_off):
        return refuse(call, Verdict.of(refusal))
    return _said(case, Verdict("112" if len(case.found) > 1 else "111"), case.found)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Answer without telling anything."""
    return _said(RegistryQuestion(call), verdict)


refuse_message = refuse


def subject(root: etree._Element) -> str:
    """The state, and who is asked about."""
    texts = (root.findtext(f"{{*}}infCons/{{*}}{tag}") or "" for tag in _ASKED)
    return " ".join(filter(None, texts))


def _said(case: RegistryQuestion, verdict: Verdict, found: list[Contributor] | None = None) -> Answer:
    asked = {tag: case.text(tag) for tag in _ASKED}
    said = answers.registry_answer(Speaker.of(case.call), verdict, asked, found or ())
    return Answer(said, verdict.code)
