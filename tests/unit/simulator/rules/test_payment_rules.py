"""How a document is paid, and the bill with its installments."""

import pytest

from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.rules.breaking import Breaking, Court
from unit.simulator.rules.edits import filled, grown

BILL, FIRST, SECOND = "infNFe/cobr/fat", "infNFe/cobr/dup[1]", "infNFe/cobr/dup[2]"
PAYMENT = "infNFe/pag/detPag"
SINGLE = both(without(SECOND), says(f"{FIRST}/vDup", "71.80"))


def by(method: str, card: str = "") -> Edit:
    """Another means, with what it says of the card."""
    means = says(f"{PAYMENT}/tPag", method)
    return both(means, filled(PAYMENT, f"<card>{card}</card>")) if card else means


def change(amount: str) -> Edit:
    return grown(PAYMENT, f"<vTroco>{amount}</vTroco>")


BREAKINGS = [
    Breaking("901", "nfe_billed", both(says(f"{BILL}/vDesc", "80.00"), without(f"{BILL}/vLiq"))),
    Breaking("902", "nfe_billed", both(says(f"{BILL}/vLiq", "70.00"), says(f"{SECOND}/vDup", "30.00"))),
    Breaking("852", "nfe_billed", says(f"{SECOND}/nDup", "2"), detail="[nOcor:2]"),
    Breaking("900", "nfe_billed", says(f"{FIRST}/dVenc", "2026-11-13"), detail="[nOcor:1]"),
    Breaking("850", "nfe_billed", says(f"{SECOND}/dVenc", "2026-12-01"), detail="[nOcor:2]"),
    Breaking("853", "nfe_billed", both(SINGLE, says(f"{FIRST}/dVenc", "2026-11-14"))),
    Breaking("797", "nfe_billed", says(f"{SECOND}/dVenc", "2036-11-15"), detail="[nOcor:2]"),
    Breaking("851", "nfe_billed", says(f"{SECOND}/vDup", "30.00")),
    Breaking("871", "nfe", says("infNFe/ide/finNFe", "3")),
    Breaking("436", "nfe", by("88")),
    Breaking("857", "nfce", by("14")),
    Breaking("899", "nfce", both(by("90"), says(f"{PAYMENT}/vPag", "0.00"))),
    Breaking("441", "nfe", by("99")),
    Breaking("865", "nfce", says(f"{PAYMENT}/vPag", "71.79")),
    Breaking("866", "nfce", says(f"{PAYMENT}/vPag", "80.00")),
    Breaking("866", "nfe", says(f"{PAYMENT}/vPag", "71.81")),
    Breaking("904", "nfe", by("91")),
    Breaking("391", "nfce", by("03"), detail="[nOcor:1]"),
    Breaking("391", "nfce", by("17")),
    Breaking("963", "nfe", by("02", "<tpIntegra>2</tpIntegra>")),
    Breaking("392", "nfe", by("03", "<tpIntegra>1</tpIntegra><CNPJ>66677788000183</CNPJ>")),
    Breaking("437", "nfe", by("03", "<tpIntegra>2</tpIntegra><CNPJ>66677788000184</CNPJ>")),
    Breaking("869", "nfe", change("5.00")),
    Breaking("869", "nfce", both(says(f"{PAYMENT}/vPag", "80.00"), change("8.00"))),
]
ALLOWED = [
    Breaking("853", "nfe_billed", SINGLE),
    Breaking("797", "nfe_billed", says(f"{SECOND}/dVenc", "2036-11-14")),
    Breaking("865", "nfe", says(f"{PAYMENT}/vPag", "70.00")),
    Breaking("865", "nfce", both(by("91"), says(f"{PAYMENT}/vPag", "0.00"))),
    Breaking("866", "nfce", both(says(f"{PAYMENT}/vPag", "80.00"), change("8.20"))),
    Breaking("391", "nfe", by("03")),
    Breaking("392", "nfce", by("03", "<tpIntegra>1</tpIntegra><CNPJ>66677788000183</CNPJ><cAut>1</cAut>")),
]
"""What comes near to breaking a rule."""


class TestPaymentRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, court: Court) -> None:
        assert court.verdict_on(court.broken(allowed), allowed) is None
