"""The tax of the city: whether it is due, who pays it, what spares it, and who tells its rate."""

import pytest

from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.nfse.declaring import BRASILIA, SAO_PAULO, TAKER_CPF, benefited
from unit.simulator.nfse.sefin import Breaking, ServiceCourt
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
    Breaking("E0532", "untaxed", says(f"{TAX}/tribISSQN", "1")),
    Breaking("E0539", "normal", says(f"{TAX}/tribISSQN", "4")),
    Breaking(
        "E0585",
        "suspended",
        both(says(f"{TAX}/tribISSQN", "2"), after(f"{TAX}/tribISSQN", "tpImunidade", "1")),
    ),
    Breaking("E0590", "export", without(f"{TAX}/cPaisResult")),
    Breaking("E0591", "normal", after(f"{TAX}/tribISSQN", "cPaisResult", "US")),
    Breaking("E0592", "immune", without(f"{TAX}/tpImunidade")),
    Breaking("E0592", "normal", after(f"{TAX}/tribISSQN", "tpImunidade", "1")),
    Breaking("E0593", "immune", says(f"{TAX}/tpImunidade", "0")),
]
OF_BENEFITS = [
    Breaking("E0533", "immune", grown(f"{TAX}/tpImunidade", BY_RATE)),
    Breaking("E0534", "mei", grown(f"{TAX}/tribISSQN", EXEMPT)),
    Breaking("E0535", "special", grown(f"{TAX}/tribISSQN", EXEMPT)),
    Breaking("E0536", edit=grown(f"{TAX}/tribISSQN", EXEMPT)),
    Breaking(
        "E0537",
        "normal_in_brasilia",
        grown(f"{TAX}/tribISSQN", f"<BM><nBM>{BRASILIA}0400002</nBM><pRedBCBM>10.00</pRedBCBM></BM>"),
    ),
    Breaking("E0541", "exempt", says(f"{BENEFIT}/nBM", f"{SAO_PAULO}0400005")),
    Breaking("E0541", "exempt", says(f"{BENEFIT}/nBM", "35095020400001")),
    Breaking("E0565", "of_special_rate", after(f"{BENEFIT}/nBM", "vRedBCBM", "0")),
    Breaking("E0567", "reduced_by_amount", without(f"{BENEFIT}/vRedBCBM")),
    Breaking("E0577", "exempt", after(f"{BENEFIT}/nBM", "pRedBCBM", "10.00")),
    Breaking("E0579", "reduced_by_percentage", without(f"{BENEFIT}/pRedBCBM")),
    Breaking("E0586", "reduced_by_percentage", says(f"{BENEFIT}/pRedBCBM", "0")),
]
OF_WITHHOLDING = [
    Breaking("E0580", "immune", says(WITHHELD, "2")),
    Breaking("E0583", "mei", says(WITHHELD, "2")),
    Breaking("E0588", "special", says(WITHHELD, "2")),
    Breaking("E0589", "suspended", says(WITHHELD, "2")),
    Breaking("E0594", "exempt", says(WITHHELD, "2")),
    Breaking("E0596", "normal_withheld", says("infDPS/serv/cServ/cTribNac", "220101")),
    Breaking("E0667", "normal_withheld", becomes("infDPS/toma/CNPJ", f"<CPF>{TAKER_CPF}</CPF>")),
    Breaking("E0670", "between", becomes("infDPS/interm/CNPJ", f"<CPF>{TAKER_CPF}</CPF>")),
]
OF_RATES = [
    Breaking("E0595", "normal_in_brasilia", says(f"{TAX}/pAliq", "5.01")),
    Breaking("E0600", "mei", rate()),
    Breaking("E0602", "immune", rate()),
    Breaking("E0602", "export", rate()),
    Breaking("E0604", "special", rate()),
    Breaking("E0606", "suspended", rate()),
    Breaking("E0612", "exempt", rate()),
    Breaking("E0612", "of_special_rate", rate()),
    Breaking("E0617", "normal", rate()),
    Breaking("E0619", "normal_in_brasilia", without(f"{TAX}/pAliq")),
    Breaking("E0621", "simples_withheld", without(f"{TAX}/pAliq")),
    Breaking("E0621", "simples_withheld", says(f"{TAX}/pAliq", "1.79")),
    Breaking("E0625", "simples", rate()),
    Breaking("E0628", "simples_withheld_in_brasilia", without(f"{TAX}/pAliq")),
    Breaking("E0628", "simples_withheld_in_brasilia", says(f"{TAX}/pAliq", "1.79")),
    Breaking("E0631", "simples_in_brasilia", rate()),
    Breaking("E0635", "simples_apart", rate()),
    Breaking("E0640", "simples_apart_in_brasilia", without(f"{TAX}/pAliq")),
]
BREAKINGS = [*OF_INCIDENCE, *OF_BENEFITS, *OF_WITHHOLDING, *OF_RATES]
ALLOWED = [
    Breaking("E0536", "construction", becomes(TAX, taxed(benefited(1)))),
    Breaking("E0586", "reduced_by_percentage", says(f"{BENEFIT}/pRedBCBM", "60.00")),
    Breaking("E0595", "normal_in_brasilia", says(f"{TAX}/pAliq", "5.00")),
    Breaking("E0621", "simples_withheld", says(f"{TAX}/pAliq", "1.80")),
]
"""What comes near to breaking a rule."""


class TestIssRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []
