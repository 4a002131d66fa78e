"""IPI, PIS, COFINS and taxes that are given back."""

import pytest

from unit.simulator.mutating import Edit, without
from unit.simulator.rules.breaking import Breaking, Court
from unit.simulator.rules.edits import grown

TAXES = "infNFe/det/imposto"
RETURNED_IPI = "<impostoDevol><pDevol>100.00</pDevol><IPI><vIPIDevol>0.00</vIPIDevol></IPI></impostoDevol>"


def ipi(cst: str, frame: str) -> Edit:
    return grown(f"{TAXES}/ICMS", f"<IPI><cEnq>{frame}</cEnq><IPINT><CST>{cst}</CST></IPINT></IPI>")


BREAKINGS = [
    Breaking("388", "nfe", ipi("55", "999"), detail="[nItem:1]"),
    Breaking("388", "nfe", ipi("52", "002")),
    Breaking("388", "nfe", ipi("54", "ABC")),
    Breaking("745", "nfe", without(f"{TAXES}/PIS")),
    Breaking("748", "nfe", without(f"{TAXES}/COFINS")),
    Breaking("354", "nfe", grown(TAXES, RETURNED_IPI)),
]
ALLOWED = [
    Breaking("388", "nfe", ipi("55", "102")),
    Breaking("388", "nfe", ipi("53", "999")),
    Breaking("745", "nfce", without(f"{TAXES}/PIS")),
]
"""What comes near to breaking a rule."""


class TestFederalRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, court: Court) -> None:
        assert court.verdict_on(court.broken(allowed), allowed) is None
