"""IBS and CBS of an item."""

from typing import Any

import pytest

from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from unit.fiscal.goods.support import composed_nfe, issued_nfe, item, nfe, refused, said

BY_RATE: dict[str, Any] = {
    "base": 71.8,
    "state": {"rate": 0.1, "amount": 0.07},
    "city": {"rate": 0, "amount": 0},
    "ibsAmount": 0.07,
    "cbs": {"rate": 0.9, "amount": 0.65},
}
OTHER_RATES = {
    "stateRate": 0.1,
    "stateAmount": 0.07,
    "cityRate": 0,
    "cityAmount": 0,
    "cbsRate": 0.9,
    "cbsAmount": 0.65,
}
BESIDE_RATES = [
    ("regularTaxation", {"cst": "000", "taxClassCode": "000001", **OTHER_RATES}),
    ("governmentPurchase", OTHER_RATES),
]


class TestByRate:
    def test_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        document = issued_nfe(signer, items=[item(ibsCbs=BY_RATE)])
        assert isinstance(document, SignedDocument), document

    def test_is_of_the_common_code_unless_another_is_given(self) -> None:
        made = nfe(items=[item(ibsCbs=BY_RATE)])
        assert said(made, "det/imposto/IBSCBS/CST") == "000"
        assert said(made, "det/imposto/IBSCBS/cClassTrib") == "000001"

    def test_tells_the_share_of_the_item_in_the_total(self) -> None:
        assert said(nfe(items=[item(ibsCbs=BY_RATE)]), "det/vItem") == "71.80"

    @pytest.mark.parametrize("name", BY_RATE)
    def test_needs_all_of_its_values(self, name: str) -> None:
        given = {one: value for one, value in BY_RATE.items() if one != name}
        assert refused(composed_nfe(items=[item(ibsCbs={"cst": "200", **given})])) == {
            f"items[0].ibsCbs.{name}": "Obrigatório com IBS e CBS por alíquota."
        }

    @pytest.mark.parametrize(("name", "value"), BESIDE_RATES)
    def test_is_needed_by_what_stands_beside_it(self, name: str, value: dict[str, Any]) -> None:
        assert refused(composed_nfe(items=[item(), item(ibsCbs={name: value})])) == {
            f"items[1].ibsCbs.{missing}": "Obrigatório com IBS e CBS por alíquota." for missing in BY_RATE
        }

    @pytest.mark.parametrize(("name", "value"), BESIDE_RATES)
    def test_may_have_more_beside_it(self, signer: Signer, name: str, value: dict[str, Any]) -> None:
        document = issued_nfe(signer, items=[item(ibsCbs=BY_RATE | {name: value})])
        assert isinstance(document, SignedDocument), document
        tag = {"regularTaxation": b"gTribRegular", "governmentPurchase": b"gTribCompraGov"}[name]
        assert b"</" + tag + b">" in document.xml

    def test_is_left_out_when_nothing_of_it_is_given(self, signer: Signer) -> None:
        document = issued_nfe(signer, items=[item(ibsCbs={"cst": "410", "taxClassCode": "410001"})])
        assert isinstance(document, SignedDocument), document
        assert b"<IBSCBS><CST>410</CST><cClassTrib>410001</cClassTrib></IBSCBS>" in document.xml

    def test_does_not_stand_in_a_document_that_does_not_ask_for_it(self) -> None:
        made = nfe()
        assert said(made, "det/imposto/IBSCBS/CST") is None
        assert said(made, "det/vItem") is None
        assert said(made, "total/IBSCBSTot/vBCIBSCBS") is None

    def test_with_too_many_decimals_is_told_at_its_field(self, signer: Signer) -> None:
        wrong = BY_RATE | {"cbs": {"rate": 0.9, "amount": 0.655}}
        assert refused(issued_nfe(signer, items=[item(ibsCbs=wrong)]))["items[0].ibsCbs.cbs.amount"] == (
            "O campo tem mais casas decimais do que as 2 permitidas: “0.655”."
        )


class TestTotals:
    def test_add_the_taxes_of_all_items_up(self) -> None:
        made = nfe(items=[item(ibsCbs=BY_RATE), item(), item(ibsCbs=BY_RATE)])
        told = {
            path: said(made, f"total/IBSCBSTot/{path}")
            for path in ("vBCIBSCBS", "gIBS/gIBSUF/vIBSUF", "gIBS/gIBSMun/vIBSMun", "gIBS/vIBS", "gCBS/vCBS")
        }
        assert list(told.values()) == ["143.60", "0.14", "0.00", "0.14", "1.30"]

    def test_repeat_the_amount_of_the_document(self) -> None:
        made = nfe(items=[item(ibsCbs=BY_RATE), item()])
        assert said(made, "total/vNFTot") == said(made, "total/ICMSTot/vNF") == "143.60"
