"""Payments, and the bill with its installments."""

import pytest

from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import filled, grown

BILL, FIRST, SECOND = "infNFe/cobr/fat", "infNFe/cobr/dup[1]", "infNFe/cobr/dup[2]"
PAYMENT = "infNFe/pag/detPag"
SINGLE = both(without(SECOND), says(f"{FIRST}/vDup", "71.80"))


def by(method: str, card: str = "") -> Edit:
    """Uses another payment method, with card data."""
    method_changed = says(f"{PAYMENT}/tPag", method)
    return both(method_changed, filled(PAYMENT, f"<card>{card}</card>")) if card else method_changed


def change(amount: str) -> Edit:
    return grown(PAYMENT, f"<vTroco>{amount}</vTroco>")


VIOLATIONS = [
    Violation("901", "nfe_billed", both(says(f"{BILL}/vDesc", "80.00"), without(f"{BILL}/vLiq"))),
    Violation("902", "nfe_billed", both(says(f"{BILL}/vLiq", "70.00"), says(f"{SECOND}/vDup", "30.00"))),
    Violation("852", "nfe_billed", says(f"{SECOND}/nDup", "2"), detail="[nOcor:2]"),
    Violation("900", "nfe_billed", says(f"{FIRST}/dVenc", "2026-11-13"), detail="[nOcor:1]"),
    Violation("850", "nfe_billed", says(f"{SECOND}/dVenc", "2026-12-01"), detail="[nOcor:2]"),
    Violation("853", "nfe_billed", both(SINGLE, says(f"{FIRST}/dVenc", "2026-11-14"))),
    Violation("797", "nfe_billed", says(f"{SECOND}/dVenc", "2036-11-15"), detail="[nOcor:2]"),
    Violation("851", "nfe_billed", says(f"{SECOND}/vDup", "30.00")),
    Violation("871", "nfe", says("infNFe/ide/finNFe", "3")),
    Violation("436", "nfe", by("88")),
    Violation("857", "nfce", by("14")),
    Violation("899", "nfce", both(by("90"), says(f"{PAYMENT}/vPag", "0.00"))),
    Violation("441", "nfe", by("99")),
    Violation("865", "nfce", says(f"{PAYMENT}/vPag", "71.79")),
    Violation("866", "nfce", says(f"{PAYMENT}/vPag", "80.00")),
    Violation("866", "nfe", says(f"{PAYMENT}/vPag", "71.81")),
    Violation("904", "nfe", by("91")),
    Violation("391", "nfce", by("03"), detail="[nOcor:1]"),
    Violation("391", "nfce", by("17")),
    Violation("963", "nfe", by("02", "<tpIntegra>2</tpIntegra>")),
    Violation("392", "nfe", by("03", "<tpIntegra>1</tpIntegra><CNPJ>66677788000183</CNPJ>")),
    Violation("437", "nfe", by("03", "<tpIntegra>2</tpIntegra><CNPJ>66677788000184</CNPJ>")),
    Violation("869", "nfe", change("5.00")),
    Violation("869", "nfce", both(says(f"{PAYMENT}/vPag", "80.00"), change("8.00"))),
]
ALLOWED = [
    Violation("853", "nfe_billed", SINGLE),
    Violation("797", "nfe_billed", says(f"{SECOND}/dVenc", "2036-11-14")),
    Violation("865", "nfe", says(f"{PAYMENT}/vPag", "70.00")),
    Violation("865", "nfce", both(by("91"), says(f"{PAYMENT}/vPag", "0.00"))),
    Violation("866", "nfce", both(says(f"{PAYMENT}/vPag", "80.00"), change("8.20"))),
    Violation("391", "nfe", by("03")),
    Violation("392", "nfce", by("03", "<tpIntegra>1</tpIntegra><CNPJ>66677788000183</CNPJ><cAut>1</cAut>")),
]
"""Documents close to breaking a rule, which are accepted."""


class TestPaymentRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None
