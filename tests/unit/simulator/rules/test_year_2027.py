"""Whole documents around 1 January 2027: those that follow the new rules are accepted."""

from datetime import timedelta

import pytest

from unit.fiscal.goods.support import NORMAL
from unit.simulator.mutating import Edit, both, mutated, nfce, says, without
from unit.simulator.rules.breaking import NFCE_AT_SP, OFFLINE, InvoiceRuleTester, Violation
from unit.simulator.rules.edits import FIRST_OF_2027, LAST_OF_2026, OF_2027, becomes, issued_at, rated

TAXES, TOTALS = "infNFe/det/imposto", "infNFe/total"
WITHOUT_INCIDENCE = both(
    becomes(f"{TAXES}/PIS", "<PIS><PISNT><CST>08</CST></PISNT></PIS>"),
    becomes(f"{TAXES}/COFINS", "<COFINS><COFINSNT><CST>08</CST></COFINSNT></COFINS>"),
)
ZEROS = both(
    becomes(
        f"{TAXES}/PIS",
        "<PIS><PISOutr><CST>49</CST><vBC>0.00</vBC><pPIS>0.0000</pPIS><vPIS>0.00</vPIS></PISOutr></PIS>",
    ),
    becomes(
        f"{TAXES}/COFINS",
        "<COFINS><COFINSOutr><CST>49</CST><vBC>0.00</vBC><pCOFINS>0.0000</pCOFINS><vCOFINS>0.00</vCOFINS>"
        "</COFINSOutr></COFINS>",
    ),
)
# The buyer pays 71.80 (vProd): 12.92 of ICMS, 0.03 + 0.03 of IBS and 5.88 of CBS leave 52.94.
GROSS_PRICE = both(
    says(f"{TAXES}/IBSCBS/gIBSCBS/vBC", "52.94"),
    says(f"{TOTALS}/IBSCBSTot/vBCIBSCBS", "52.94"),
    rated(OF_2027),
    says(f"{TOTALS}/ICMSTot/vPIS", "0.00"),
    says(f"{TOTALS}/ICMSTot/vCOFINS", "0.00"),
)


def sold(base: str, *edits: Edit) -> Violation:
    """Returns a sale on the first day of 2027."""
    return Violation("", base, both(issued_at(FIRST_OF_2027), GROSS_PRICE, *edits), now=FIRST_OF_2027)


class TestPriceWithTaxes:
    @pytest.mark.parametrize("contributions", [WITHOUT_INCIDENCE, ZEROS], ids=["cst-08", "cst-49"])
    @pytest.mark.parametrize("base", ["nfe_normal", "nfce_normal"])
    def test_price_that_contains_ibs_and_cbs_is_accepted(
        self, base: str, contributions: Edit, tester: InvoiceRuleTester
    ) -> None:
        document = sold(base, contributions)
        assert tester.verdict_on(tester.broken(document), document) is None

    @pytest.mark.parametrize(("group", "code"), [("PIS", "745"), ("COFINS", "748")])
    def test_nfe_still_needs_the_groups_of_pis_and_cofins(
        self, group: str, code: str, tester: InvoiceRuleTester
    ) -> None:
        document = sold("nfe_normal", WITHOUT_INCIDENCE, without(f"{TAXES}/{group}"))
        refusal = tester.verdict_on(tester.broken(document), document)
        assert refusal is not None
        assert refusal.code == code


class TestOfflineReceipt:
    def test_receipt_of_december_keeps_the_rates_of_2026_in_january(self, tester: InvoiceRuleTester) -> None:
        receipt = nfce(tester.signer, by=NORMAL, under=OFFLINE)
        contingency = says("infNFe/ide/dhCont", LAST_OF_2026.isoformat())
        late = mutated(receipt, both(issued_at(LAST_OF_2026), contingency), tester.signer)
        now = FIRST_OF_2027 + timedelta(hours=10)
        assert tester.verdict(late, service_path=NFCE_AT_SP, now=now) is None
