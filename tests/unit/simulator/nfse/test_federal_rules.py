"""Federal taxes, and the total of taxes that a consumer is told."""

from datetime import datetime

import pytest

from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.nfse.declaring import BY_SIMPLES, ONE_BY_ONE, PIS_COFINS, UNTOLD
from unit.simulator.nfse.sefin import Breaking, ServiceCourt
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


def of_competence(code: str, base: str, day: str, *edits: Edit) -> Breaking:
    """A declaration of a service that was done on a day, issued on the first day of 2027."""
    issued = says("infDPS/dhEmi", "2027-01-01T09:00:00-03:00")
    return Breaking(code, base, both(issued, says("infDPS/dCompet", day), *edits), now=JANUARY)


def told(totals: str) -> str:
    return f"<totTrib>{totals}</totTrib>"


BREAKINGS = [
    Breaking("E0675", "by_person", grown(f"{TAXES}/tribMun", PIS_COFINS)),
    Breaking("E0676", "mei", grown(f"{TAXES}/tribMun", PIS_COFINS)),
    Breaking("E0677", "normal", says(f"{PIS}/vBCPisCofins", "1000.01")),
    Breaking("E0694", "normal", says(f"{PIS}/vPis", "6.52")),
    Breaking("E0696", "normal", says(f"{PIS}/vCofins", "30.02")),
    Breaking("E0699", "withholding", says(f"{FEDERAL}/vRetCP", "0.00")),
    Breaking("E0700", "withholding", says(f"{FEDERAL}/vRetIRRF", "0.00")),
    Breaking("E0701", "withholding", says(f"{FEDERAL}/vRetCSLL", "0.00")),
    Breaking("E0702", "told_in_amounts", says(f"{TOTALS}/vTotTrib/vTotTribFed", "1000.01")),
    Breaking("E0703", "told_in_amounts", says(f"{TOTALS}/vTotTrib/vTotTribEst", "1000.01")),
    Breaking("E0704", "told_in_amounts", says(f"{TOTALS}/vTotTrib/vTotTribMun", "1000.01")),
    Breaking("E0706", "normal", says(f"{TOTALS}/pTotTrib/pTotTribFed", "100.01")),
    Breaking("E0707", "normal", says(f"{TOTALS}/pTotTrib/pTotTribEst", "100.01")),
    Breaking("E0708", "normal", says(f"{TOTALS}/pTotTrib/pTotTribMun", "100.01")),
    Breaking("E0710", "mei", becomes(TOTALS, told(BY_SIMPLES))),
    Breaking("E0712", "simples", becomes(TOTALS, told(UNTOLD))),
    Breaking("E0713", "normal", becomes(TOTALS, told(UNTOLD))),
    Breaking("E0713", "normal", becomes(TOTALS, told(BY_SIMPLES))),
    Breaking("E0720", "withholding", says(f"{PIS}/tpRetPisCofins", "0")),
    Breaking("E0724", "withholding", without(f"{FEDERAL}/vRetCSLL")),
    of_competence("E1530", "normal", "2027-01-01"),
    of_competence("E1530", "withholding", "2027-01-01", NOTHING_OF_PIS_COFINS),
]
ALLOWED = [
    Breaking("E0694", "normal", says(f"{PIS}/vPis", "6.51")),
    Breaking("E0712", "simples", becomes(TOTALS, told(ONE_BY_ONE))),
    Breaking("E0710", "mei", becomes(TOTALS, told(ONE_BY_ONE))),
    Breaking("E0724", "normal", says(f"{PIS}/tpRetPisCofins", "2")),
    of_competence("E1530", "normal", "2026-12-31"),
    of_competence("E1530", "withholding", "2026-12-31"),
    of_competence("E1530", "normal", "2027-01-01", NOTHING_OF_PIS_COFINS),
    of_competence(
        "E1530", "withholding", "2027-01-01", NOTHING_OF_PIS_COFINS, says(f"{PIS}/tpRetPisCofins", "8")
    ),
]
"""What comes near to breaking a rule."""


class TestFederalRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        service_court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, service_court: ServiceCourt) -> None:
        assert service_court.verdict_on(service_court.broken(allowed), allowed) == []
