"""CadConsultaCadastro4: the taxpayer register of a state (MOC 7.0, table 5-24)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from carimbo.fiscal.tables.authorities import states_of
from carimbo.simulator.group import group_of
from carimbo.simulator.identifiers import is_cnpj, is_cpf
from carimbo.simulator.nfe import answers
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.rules import AuthorityVerdict, Finding, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer
from carimbo.simulator.sefaz.call import Message, ServiceCall

_SERVICE = "CONS-CAD"
_TAXPAYER_TAGS = ("IE", "CNPJ", "CPF")
_REPEATED_FIELDS = ("UF", "IE", "CNPJ", "CPF")


@dataclass(frozen=True)
class RegistryQuestion:
    """One `ConsCad`."""

    call: ServiceCall

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """The texts of `infCons`."""
        element = next(self.call.root.iterchildren("{*}infCons"), None)
        return {} if element is None else group_of(element).texts

    @cached_property
    def contributors(self) -> list[Contributor]:
        """The taxpayers that match the question."""
        register, state = Contributors(self.call.context.store), self.text("UF")
        if registration := self.text("IE"):
            return register.of_registration(state, registration)
        return register.of_tax_id(state, self.text("CNPJ") or self.text("CPF"))

    def text(self, tag: str) -> str:
        """Returns a text of the question; empty if there is none."""
        return self.fields.get(tag, "")


def misformed(question: RegistryQuestion) -> Finding:
    """MOC 7.0, D01, as in consCad_v2.00.xsd, which no official package has."""
    taxpayer_tags = [tag for tag in _TAXPAYER_TAGS if question.text(tag)]
    if (
        question.text("xServ") == _SERVICE
        and len(taxpayer_tags) == 1
        and list(question.fields) == ["xServ", "UF", *taxpayer_tags]
    ):
        return None
    return "[ConsCad/infCons: elemento inesperado, repetido ou ausente]"


def other_state(question: RegistryQuestion) -> bool:
    """MOC 7.0, K01."""
    model = question.call.dialect.model_at(question.call.service_path)
    return question.text("UF") not in states_of(model, question.call.service_path.authorizer)


def wrong_company(question: RegistryQuestion) -> bool:
    """MOC 7.0, K03."""
    return bool(question.text("CNPJ")) and not is_cnpj(question.text("CNPJ"))


def unknown_company(question: RegistryQuestion) -> bool:
    """MOC 7.0, K04."""
    return bool(question.text("CNPJ")) and not question.contributors


def wrong_registration(question: RegistryQuestion) -> bool:
    """MOC 7.0, K05: zeros; check digits, which differ by state, are not checked."""
    return bool(question.text("IE")) and not question.text("IE").strip("0")


def unknown_registration(question: RegistryQuestion) -> bool:
    """MOC 7.0, K06."""
    return bool(question.text("IE")) and not question.contributors


def wrong_person(question: RegistryQuestion) -> bool:
    """MOC 7.0, K08."""
    return bool(question.text("CPF")) and not is_cpf(question.text("CPF"))


def unknown_person(question: RegistryQuestion) -> bool:
    """MOC 7.0, K09."""
    return bool(question.text("CPF")) and not question.contributors


REGISTRY_RULES: tuple[RejectionRule[RegistryQuestion], ...] = (
    RejectionRule("215", misformed),
    RejectionRule("265", other_state),
    RejectionRule("258", wrong_company),
    RejectionRule("259", unknown_company),
    RejectionRule("260", wrong_registration),
    RejectionRule("261", unknown_registration),
    RejectionRule("263", wrong_person),
    RejectionRule("264", unknown_person),
)


class RegistryService:
    """Answers questions about the register of a state."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Returns the registrations of a taxpayer."""
        question = RegistryQuestion(call)
        if refusal := first_broken(REGISTRY_RULES, question, call.context.controls.rules_off):
            return self.refuse(call, refusal)
        contributors = question.contributors
        verdict = AuthorityVerdict("112" if len(contributors) > 1 else "111")
        return _answer_with(question, verdict, contributors)

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without registrations."""
        return _answer_with(RegistryQuestion(call), verdict)

    refuse_message = refuse

    def subject(self, message: Message) -> str:
        """Returns the state and the taxpayer."""
        texts = (message.root.findtext(f"{{*}}infCons/{{*}}{tag}") or "" for tag in _REPEATED_FIELDS)
        return " ".join(filter(None, texts))


def _answer_with(
    question: RegistryQuestion, verdict: AuthorityVerdict, contributors: Sequence[Contributor] = ()
) -> ServiceAnswer:
    fields = {tag: question.text(tag) for tag in _REPEATED_FIELDS}
    xml = answers.registry_answer(AnsweringAuthority.of(question.call), verdict, fields, contributors)
    return ServiceAnswer(xml, verdict.code)
