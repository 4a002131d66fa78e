"""ISS: whether it is due, who pays it, its benefits, and who gives its rate."""

import pytest

from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import BRASILIA, SAO_PAULO, TAKER_CPF, benefited
from unit.simulator.nfse.sefin import ServiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown

TAX = "infDPS/valores/trib/tribMun"
BENEFIT, WITHHELD = f"{TAX}/BM", f"{TAX}/tpRetISSQN"


def taxed(inside: str) -> str:
    return f"<tribMun>{inside}</tribMun>"


def rate() -> Edit:
    return after(WITHHELD, "pAliq", "3.00")


EXEMPT = f"<BM><nBM>{SAO_PAULO}0400001</nBM></BM>"
BY_RATE = f"<BM><nBM>{SAO_PAULO}0400004</nBM></BM>"

OF_INCIDENCE = [
    Violation("E0532", "untaxed", says(f"{TAX}/tribISSQN", "1")),
    Violation("E0539", "normal", says(f"{TAX}/tribISSQN", "4")),
    Violation(
        "E0585",
        "suspended",
        both(says(f"{TAX}/tribISSQN", "2"), after(f"{TAX}/tribISSQN", "tpImunidade", "1")),
    ),
    Violation("E0590", "export", without(f"{TAX}/cPaisResult")),
    Violation("E0591", "normal", after(f"{TAX}/tribISSQN", "cPaisResult", "US")),
    Violation("E0592", "immune", without(f"{TAX}/tpImunidade")),
    Violation("E0592", "normal", after(f"{TAX}/tribISSQN", "tpImunidade", "1")),
    Violation("E0593", "immune", says(f"{TAX}/tpImunidade", "0")),
]
OF_BENEFITS = [
    Violation("E0533", "immune", grown(f"{TAX}/tpImunidade", BY_RATE)),
    Violation("E0534", "mei", grown(f"{TAX}/tribISSQN", EXEMPT)),
    Violation("E0535", "special", grown(f"{TAX}/tribISSQN", EXEMPT)),
    Violation("E0536", edit=grown(f"{TAX}/tribISSQN", EXEMPT)),
    Violation(
        "E0537",
        "normal_in_brasilia",
        grown(f"{TAX}/tribISSQN", f"<BM><nBM>{BRASILIA}0400002</nBM><pRedBCBM>10.00</pRedBCBM></BM>"),
    ),
    Violation("E0541", "exempt", says(f"{BENEFIT}/nBM", f"{SAO_PAULO}0400005")),
    Violation("E0541", "exempt", says(f"{BENEFIT}/nBM", "35095020400001")),
    Violation("E0565", "of_special_rate", after(f"{BENEFIT}/nBM", "vRedBCBM", "0")),
    Violation("E0567", "reduced_by_amount", without(f"{BENEFIT}/vRedBCBM")),
    Violation("E0577", "exempt", after(f"{BENEFIT}/nBM", "pRedBCBM", "10.00")),
    Violation("E0579", "reduced_by_percentage", without(f"{BENEFIT}/pRedBCBM")),
    Violation("E0586", "reduced_by_percentage", says(f"{BENEFIT}/pRedBCBM", "0")),
]
OF_WITHHOLDING = [
    Violation("E0580", "immune", says(WITHHELD, "2")),
    Violation("E0583", "mei", says(WITHHELD, "2")),
    Violation("E0588", "special", says(WITHHELD, "2")),
    Violation("E0589", "suspended", says(WITHHELD, "2")),
    Violation("E0594", "exempt", says(WITHHELD, "2")),
    Violation("E0596", "normal_withheld", says("infDPS/serv/cServ/cTribNac", "220101")),
    Violation("E0667", "normal_withheld", becomes("infDPS/toma/CNPJ", f"<CPF>{TAKER_CPF}</CPF>")),
    Violation("E0670", "between", becomes("infDPS/interm/CNPJ", f"<CPF>{TAKER_CPF}</CPF>")),
]
OF_RATES = [
    Violation("E0595", "normal_in_brasilia", says(f"{TAX}/pAliq", "5.01")),
    Violation("E0600", "mei", rate()),
    Violation("E0602", "immune", rate()),
    Violation("E0602", "export", rate()),
    Violation("E0604", "special", rate()),
    Violation("E0606", "suspended", rate()),
    Violation("E0612", "exempt", rate()),
    Violation("E0612", "of_special_rate", rate()),
    Violation("E0617", "normal", rate()),
    Violation("E0619", "normal_in_brasilia", without(f"{TAX}/pAliq")),
    Violation("E0621", "simples_withheld", without(f"{TAX}/pAliq")),
    Violation("E0621", "simples_withheld", says(f"{TAX}/pAliq", "1.79")),
    Violation("E0625", "simples", rate()),
    Violation("E0628", "simples_withheld_in_brasilia", without(f"{TAX}/pAliq")),
    Violation("E0628", "simples_withheld_in_brasilia", says(f"{TAX}/pAliq", "1.79")),
    Violation("E0631", "simples_in_brasilia", rate()),
    Violation("E0635", "simples_apart", rate()),
    Violation("E0640", "simples_apart_in_brasilia", without(f"{TAX}/pAliq")),
]
VIOLATIONS = [*OF_INCIDENCE, *OF_BENEFITS, *OF_WITHHOLDING, *OF_RATES]
ALLOWED = [
    Violation("E0536", "construction", becomes(TAX, taxed(benefited(1)))),
    Violation("E0586", "reduced_by_percentage", says(f"{BENEFIT}/pRedBCBM", "60.00")),
    Violation("E0595", "normal_in_brasilia", says(f"{TAX}/pAliq", "5.00")),
    Violation("E0621", "simples_withheld", says(f"{TAX}/pAliq", "1.80")),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestIssRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_declaration(
        self, violation: Violation, service_tester: ServiceRuleTester
    ) -> None:
        service_tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(
        self, allowed: Violation, service_tester: ServiceRuleTester
    ) -> None:
        assert service_tester.verdict_on(service_tester.broken(allowed), allowed) == []
