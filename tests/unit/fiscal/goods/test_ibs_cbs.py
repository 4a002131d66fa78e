"""IBS and CBS of an item."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import (
    composed_nfe,
    element,
    issued_nfe,
    item,
    misformed,
    nfe,
    refused,
    text_at,
)

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
REGULAR = {"cst": "000", "taxClassCode": "000001", **OTHER_RATES}
# A group beside the rates, its tag, and a tax class that allows it.
BESIDE_RATES = [
    ("regularTaxation", REGULAR, "gTribRegular", "550018"),
    ("governmentPurchase", OTHER_RATES, "gTribCompraGov", "000001"),
]
# Transport abroad, whose rates the law does not set by its general ones.
BY_OTHER_RATES = {"taxClassCode": "222001"}


class TestByRate:
    def test_tax_by_rate_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        document = issued_nfe(signer, items=[item(ibsCbs=BY_RATE)])
        assert isinstance(document, SignedDocument), document

    def test_tax_by_rate_has_the_common_code_unless_another_is_given(self) -> None:
        invoice = nfe(items=[item(ibsCbs=BY_RATE)])
        assert text_at(invoice, "det/imposto/IBSCBS/CST") == "000"
        assert text_at(invoice, "det/imposto/IBSCBS/cClassTrib") == "000001"

    def test_tax_by_rate_states_the_share_of_the_item_in_the_total(self) -> None:
        assert text_at(nfe(items=[item(ibsCbs=BY_RATE)]), "det/vItem") == "71.80"

    @pytest.mark.parametrize("name", BY_RATE)
    def test_tax_by_rate_computes_each_missing_value(self, name: str) -> None:
        given = {field: value for field, value in BY_RATE.items() if field != name}
        computed, complete = (nfe(items=[item(ibsCbs=body)]) for body in (given, BY_RATE))
        assert computed.items[0].taxes.ibs_cbs == complete.items[0].taxes.ibs_cbs

    @pytest.mark.parametrize("share", ["state", "city", "cbs"])
    @pytest.mark.parametrize("name", ["rate", "amount"])
    def test_tax_by_rate_computes_each_missing_value_of_a_share(self, share: str, name: str) -> None:
        given = {field: value for field, value in BY_RATE[share].items() if field != name}
        computed, complete = (nfe(items=[item(ibsCbs=body)]) for body in (BY_RATE | {share: given}, BY_RATE))
        assert computed.items[0].taxes.ibs_cbs == complete.items[0].taxes.ibs_cbs

    def test_tax_by_rate_is_lowered_by_the_refund(self) -> None:
        invoice = nfe(items=[item(ibsCbs={"cbs": {"refund": {"amount": 0.05}}})])
        assert text_at(invoice, "det/imposto/IBSCBS/gIBSCBS/gCBS/vCBS") == "0.60"

    def test_tax_by_rate_is_reduced_for_a_public_buyer(self) -> None:
        # 10 % off: 0.09 % and 0.81 % of 71.80
        public = {"entityType": "1", "rateReduction": 10, "operationType": "1"}
        invoice = nfe(governmentPurchase=public, items=[item(ibsCbs={})])
        values = [
            text_at(invoice, f"det/imposto/IBSCBS/gIBSCBS/{path}")
            for path in ("gIBSUF/gRed/pAliqEfet", "gIBSUF/vIBSUF", "gCBS/gRed/pAliqEfet", "gCBS/vCBS")
        ]
        assert values == ["0.0900", "0.06", "0.8100", "0.58"]

    @pytest.mark.parametrize("name", BY_RATE)
    def test_tax_by_rate_requires_all_values_where_the_law_sets_no_general_rate(self, name: str) -> None:
        given = {field: value for field, value in BY_RATE.items() if field != name}
        assert refused(composed_nfe(items=[item(ibsCbs=BY_OTHER_RATES | given)])) == {
            f"items[0].ibsCbs.{name}": "Obrigatório com CST 222 do IBS e da CBS, por alíquota."
        }

    @pytest.mark.parametrize("share", ["state", "city", "cbs"])
    def test_tax_by_rate_requires_each_rate_where_the_law_sets_no_general_one(self, share: str) -> None:
        given = BY_OTHER_RATES | BY_RATE | {share: {"amount": 1}}
        assert refused(composed_nfe(items=[item(ibsCbs=given)])) == {
            f"items[0].ibsCbs.{share}.rate": "Obrigatório com CST 222 do IBS e da CBS, por alíquota."
        }

    def test_tax_by_rate_requires_the_class_of_a_special_code(self) -> None:
        assert refused(composed_nfe(items=[item(), item(ibsCbs={"cst": "200", **BY_RATE})])) == {
            "items[1].ibsCbs.taxClassCode": "Obrigatório com CST 200 do IBS e da CBS."
        }

    @pytest.mark.parametrize(("name", "value", "tag", "tax_class"), BESIDE_RATES)
    def test_tax_by_rate_is_computed_when_a_group_beside_it_is_given(
        self, name: str, value: dict[str, Any], tag: str, tax_class: str
    ) -> None:
        invoice = nfe(items=[item(ibsCbs={"taxClassCode": tax_class, name: value})])
        beside = element(invoice).find(f".//{{{NAMESPACE}}}gIBSCBS/{{{NAMESPACE}}}{tag}")
        assert (text_at(invoice, "det/imposto/IBSCBS/gIBSCBS/vBC"), beside is None) == ("71.80", False)

    @pytest.mark.parametrize("tax_class", ["222001", "410001"])
    @pytest.mark.parametrize(("name", "value"), [(name, value) for name, value, _, _ in BESIDE_RATES])
    def test_group_beside_the_rates_requires_them_where_there_is_no_general_rate(
        self, name: str, value: dict[str, Any], tax_class: str
    ) -> None:
        problems = composed_nfe(items=[item(), item(ibsCbs={"taxClassCode": tax_class, name: value})])
        assert all(path.startswith("items[1].ibsCbs.") for path in refused(problems))

    @pytest.mark.parametrize(("name", "value", "tag", "tax_class"), BESIDE_RATES)
    def test_tax_by_rate_may_have_another_group_beside_it(
        self, signer: Signer, name: str, value: dict[str, Any], tag: str, tax_class: str
    ) -> None:
        rates = BY_RATE if tax_class == "000001" else {}
        purchase = {"entityType": "1", "rateReduction": 0, "operationType": "1"}
        more: dict[str, Any] = {"governmentPurchase": purchase} if name == "governmentPurchase" else {}
        reduced = {"reduction": {"rate": 0}} if more else {}
        rates = {key: rate | reduced if isinstance(rate, dict) else rate for key, rate in rates.items()}
        taxes = rates | {"taxClassCode": tax_class, name: value}
        document = issued_nfe(signer, items=[item(ibsCbs=taxes)], **more)
        assert isinstance(document, SignedDocument), document
        assert f"</{tag}>".encode() in document.xml

    def test_tax_by_rate_is_left_out_when_none_of_its_values_is_given(self, signer: Signer) -> None:
        document = issued_nfe(signer, items=[item(ibsCbs={"cst": "410", "taxClassCode": "410001"})])
        assert isinstance(document, SignedDocument), document
        assert b"<IBSCBS><CST>410</CST><cClassTrib>410001</cClassTrib></IBSCBS>" in document.xml

    def test_document_that_asks_for_no_ibs_and_cbs_has_none(self) -> None:
        invoice = nfe()
        assert text_at(invoice, "det/imposto/IBSCBS/CST") is None
        assert text_at(invoice, "det/vItem") is None
        assert text_at(invoice, "total/IBSCBSTot/vBCIBSCBS") is None

    def test_tax_by_rate_with_too_many_decimals_is_refused_at_its_field(self) -> None:
        wrong = BY_RATE | {"cbs": {"rate": 0.9, "amount": 0.655}}
        with pytest.raises(ValidationError) as raised:
            nfe(items=[item(ibsCbs=wrong)])
        assert misformed(raised.value) == {
            "items[0].ibsCbs.cbs.amount": "Deve ter no máximo 2 casas decimais."
        }


class TestTotals:
    def test_totals_add_up_the_taxes_of_all_items(self) -> None:
        invoice = nfe(items=[item(ibsCbs=BY_RATE), item(), item(ibsCbs=BY_RATE)])
        totals = {
            path: text_at(invoice, f"total/IBSCBSTot/{path}")
            for path in ("vBCIBSCBS", "gIBS/gIBSUF/vIBSUF", "gIBS/gIBSMun/vIBSMun", "gIBS/vIBS", "gCBS/vCBS")
        }
        assert list(totals.values()) == ["143.60", "0.14", "0.00", "0.14", "1.30"]

    def test_totals_repeat_the_amount_of_the_document(self) -> None:
        invoice = nfe(items=[item(ibsCbs=BY_RATE), item()])
        assert text_at(invoice, "total/vNFTot") == text_at(invoice, "total/ICMSTot/vNF") == "143.60"
