"""CadConsultaCadastro4: who is in the register of a state."""

from carimbo.simulator.contributors import Contributor
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.rules.registry_query import REGISTRY_RULES, RegistryQuestion
from carimbo.simulator.rule import first_broken
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message

_ASKED = ("UF", "IE", "CNPJ", "CPF")


def answer(call: Call) -> Answer:
    """Tell what a register has of a taxpayer."""
    case = RegistryQuestion(call)
    if refusal := first_broken(REGISTRY_RULES, case, call.world.controls.rules_off):
        return refuse(call, refusal)
    return _said(case, Verdict("112" if len(case.found) > 1 else "111"), case.found)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Answer without telling anything."""
    return _said(RegistryQuestion(call), verdict)


refuse_message = refuse


def subject(message: Message) -> str:
    """Returns the state and the taxpayer."""
    texts = (message.root.findtext(f"{{*}}infCons/{{*}}{tag}") or "" for tag in _ASKED)
    return " ".join(filter(None, texts))


def _said(case: RegistryQuestion, verdict: Verdict, found: list[Contributor] | None = None) -> Answer:
    asked = {tag: case.text(tag) for tag in _ASKED}
    said = answers.registry_answer(Authority.of(case.call), verdict, asked, found or ())
    return Answer(said, verdict.code)
