"""IPI, PIS, COFINS and returned taxes."""

import pytest

from unit.simulator.mutating import Edit, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import grown

TAXES = "infNFe/det/imposto"
RETURNED_IPI = "<impostoDevol><pDevol>100.00</pDevol><IPI><vIPIDevol>0.00</vIPIDevol></IPI></impostoDevol>"


def ipi(cst: str, frame: str) -> Edit:
    return grown(f"{TAXES}/ICMS", f"<IPI><cEnq>{frame}</cEnq><IPINT><CST>{cst}</CST></IPINT></IPI>")


VIOLATIONS = [
    Violation("388", "nfe", ipi("55", "999"), detail="[nItem:1]"),
    Violation("388", "nfe", ipi("52", "002")),
    Violation("388", "nfe", ipi("54", "ABC")),
    Violation("745", "nfe", without(f"{TAXES}/PIS")),
    Violation("748", "nfe", without(f"{TAXES}/COFINS")),
    Violation("354", "nfe", grown(TAXES, RETURNED_IPI)),
]
ALLOWED = [
    Violation("388", "nfe", ipi("55", "102")),
    Violation("388", "nfe", ipi("53", "999")),
    Violation("745", "nfce", without(f"{TAXES}/PIS")),
]
"""Documents close to breaking a rule, which are accepted."""


class TestFederalRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None
