"""Federal taxes, and the total taxes that are shown to consumers."""

from datetime import datetime

import pytest

from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.nfse.declaring import BY_SIMPLES, ONE_BY_ONE, PIS_COFINS, UNTOLD
from unit.simulator.nfse.sefin import ServiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown

TAXES = "infDPS/valores/trib"
FEDERAL, TOTALS = f"{TAXES}/tribFed", f"{TAXES}/totTrib"
PIS = f"{FEDERAL}/piscofins"
JANUARY = datetime.fromisoformat("2027-01-01T10:00:00-03:00")
NOTHING_OF_PIS_COFINS = both(
    says(f"{PIS}/vPis", "0.00"),
    says(f"{PIS}/vCofins", "0.00"),
    says(f"{PIS}/pAliqPis", "0.00"),
    says(f"{PIS}/pAliqCofins", "0.00"),
)


def of_competence(code: str, base: str, day: str, *edits: Edit) -> Violation:
    """Returns a declaration issued on 2027-01-01 for a service performed on a day."""
    issued = says("infDPS/dhEmi", "2027-01-01T09:00:00-03:00")
    return Violation(code, base, both(issued, says("infDPS/dCompet", day), *edits), now=JANUARY)


def total_taxes(totals: str) -> str:
    return f"<totTrib>{totals}</totTrib>"


VIOLATIONS = [
    Violation("E0675", "by_person", grown(f"{TAXES}/tribMun", PIS_COFINS)),
    Violation("E0676", "mei", grown(f"{TAXES}/tribMun", PIS_COFINS)),
    Violation("E0677", "normal", says(f"{PIS}/vBCPisCofins", "1000.01")),
    Violation("E0694", "normal", says(f"{PIS}/vPis", "6.52")),
    Violation("E0696", "normal", says(f"{PIS}/vCofins", "30.02")),
    Violation("E0699", "withholding", says(f"{FEDERAL}/vRetCP", "0.00")),
    Violation("E0700", "withholding", says(f"{FEDERAL}/vRetIRRF", "0.00")),
    Violation("E0701", "withholding", says(f"{FEDERAL}/vRetCSLL", "0.00")),
    Violation("E0702", "told_in_amounts", says(f"{TOTALS}/vTotTrib/vTotTribFed", "1000.01")),
    Violation("E0703", "told_in_amounts", says(f"{TOTALS}/vTotTrib/vTotTribEst", "1000.01")),
    Violation("E0704", "told_in_amounts", says(f"{TOTALS}/vTotTrib/vTotTribMun", "1000.01")),
    Violation("E0706", "normal", says(f"{TOTALS}/pTotTrib/pTotTribFed", "100.01")),
    Violation("E0707", "normal", says(f"{TOTALS}/pTotTrib/pTotTribEst", "100.01")),
    Violation("E0708", "normal", says(f"{TOTALS}/pTotTrib/pTotTribMun", "100.01")),
    Violation("E0710", "mei", becomes(TOTALS, total_taxes(BY_SIMPLES))),
    Violation("E0712", "simples", becomes(TOTALS, total_taxes(UNTOLD))),
    Violation("E0713", "normal", becomes(TOTALS, total_taxes(UNTOLD))),
    Violation("E0713", "normal", becomes(TOTALS, total_taxes(BY_SIMPLES))),
    Violation("E0720", "withholding", says(f"{PIS}/tpRetPisCofins", "0")),
    Violation("E0724", "withholding", without(f"{FEDERAL}/vRetCSLL")),
    of_competence("E1530", "normal", "2027-01-01"),
    of_competence("E1530", "withholding", "2027-01-01", NOTHING_OF_PIS_COFINS),
]
ALLOWED = [
    Violation("E0694", "normal", says(f"{PIS}/vPis", "6.51")),
    Violation("E0712", "simples", becomes(TOTALS, total_taxes(ONE_BY_ONE))),
    Violation("E0710", "mei", becomes(TOTALS, total_taxes(ONE_BY_ONE))),
    Violation("E0724", "normal", says(f"{PIS}/tpRetPisCofins", "2")),
    of_competence("E1530", "normal", "2026-12-31"),
    of_competence("E1530", "withholding", "2026-12-31"),
    of_competence("E1530", "normal", "2027-01-01", NOTHING_OF_PIS_COFINS),
    of_competence(
        "E1530", "withholding", "2027-01-01", NOTHING_OF_PIS_COFINS, says(f"{PIS}/tpRetPisCofins", "8")
    ),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestFederalRules:
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
