"""Questions about the register of a state (MOC 7.0, table 5-24)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from carimbo.fiscal.tables.authorizers import states_of
from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.group import group_of
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

_SERVICE = "CONS-CAD"
_WHO = ("IE", "CNPJ", "CPF")


@dataclass(frozen=True)
class RegistryQuestion:
    """One `ConsCad`."""

    call: Call

    @cached_property
    def asked(self) -> Mapping[str, str]:
        """The texts of `infCons`."""
        found = next(self.call.root.iterchildren("{*}infCons"), None)
        return {} if found is None else group_of(found).texts

    @cached_property
    def found(self) -> list[Contributor]:
        """Who the question is about."""
        register, state = Contributors(self.call.world.store), self.text("UF")
        if registration := self.text("IE"):
            return register.of_registration(state, registration)
        return register.of_tax_id(state, self.text("CNPJ") or self.text("CPF"))

    def text(self, tag: str) -> str:
        """A text of the question; empty if it is not there."""
        return self.asked.get(tag, "")


def misformed(case: RegistryQuestion) -> Finding:
    """MOC 7.0, D01, as consCad_v2.00.xsd has it, which no package at hand has."""
    who = [tag for tag in _WHO if case.text(tag)]
    if case.text("xServ") == _SERVICE and len(who) == 1 and list(case.asked) == ["xServ", "UF", *who]:
        return None
    return "[ConsCad/infCons: elemento inesperado, repetido ou ausente]"


def other_state(case: RegistryQuestion) -> bool:
    """MOC 7.0, K01."""
    model = case.call.dialect.model_at(case.call.place)
    return case.text("UF") not in states_of(model, case.call.place.authorizer)


def wrong_company(case: RegistryQuestion) -> bool:
    """MOC 7.0, K03."""
    return bool(case.text("CNPJ")) and not is_cnpj(case.text("CNPJ"))


def unknown_company(case: RegistryQuestion) -> bool:
    """MOC 7.0, K04."""
    return bool(case.text("CNPJ")) and not case.found


def wrong_registration(case: RegistryQuestion) -> bool:
    """MOC 7.0, K05: zeros; the digits of each state are not looked at."""
    return bool(case.text("IE")) and not case.text("IE").strip("0")


def unknown_registration(case: RegistryQuestion) -> bool:
    """MOC 7.0, K06."""
    return bool(case.text("IE")) and not case.found


def wrong_person(case: RegistryQuestion) -> bool:
    """MOC 7.0, K08."""
    return bool(case.text("CPF")) and not is_cpf(case.text("CPF"))


def unknown_person(case: RegistryQuestion) -> bool:
    """MOC 7.0, K09."""
    return bool(case.text("CPF")) and not case.found


REGISTRY_RULES: tuple[Rule[RegistryQuestion], ...] = (
    Rule("215", misformed),
    Rule("265", other_state),
    Rule("258", wrong_company),
    Rule("259", unknown_company),
    Rule("260", wrong_registration),
    Rule("261", unknown_registration),
    Rule("263", wrong_person),
    Rule("264", unknown_person),
)
