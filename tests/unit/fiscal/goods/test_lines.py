"""Lines of documents as callers read them."""

from decimal import Decimal
from typing import Any

from carimbo.fiscal.goods.preview import lines_of, lines_of_xml
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import CONTRIBUTOR, NORMAL, issued_nfe, item, nfe

CANECA = {
    "number": 1,
    "sku": "ITEM001",
    "description": "Caneca",
    "ncm": "69120000",
    "cfop": "5102",
    "unit": "UN",
    "quantity": 2,
    "unitValue": Decimal("35.9"),
    "amount": Decimal("71.8"),
}


def only_line(**changes: Any) -> Any:
    (line,) = lines_of(nfe(**changes))
    return line


class TestLine:
    def test_line_of_the_simples_has_product_price_and_tax_codes(self) -> None:
        taxes = {"icms": {"origin": "0", "csosn": "102"}, "pis": {"cst": "49"}, "cofins": {"cst": "49"}}
        line = only_line()
        assert {name: line[name] for name in CANECA} == CANECA
        assert line.keys() - CANECA.keys() == taxes.keys()
        assert line["icms"] == taxes["icms"]
        assert {tax: line[tax]["cst"] for tax in ("pis", "cofins")} == {"pis": "49", "cofins": "49"}

    def test_line_of_the_normal_regime_has_every_tax_with_its_amounts(self) -> None:
        line = only_line(by=NORMAL, recipient=CONTRIBUTOR, items=[item(ipi={"cst": "50", "rate": 10})])
        icms = {"base": Decimal("71.8"), "rate": 18, "amount": Decimal("12.92")}
        assert line["icms"] == {"origin": "0", "cst": "00", "baseMode": "3", **icms}
        assert line["ipi"]["amount"] == Decimal("7.18")
        assert line["pis"]["rate"] == Decimal("1.65")
        assert line["ibsCbs"]["cst"] == "000"
        assert line["ibsCbs"]["taxClassCode"] == "000001"
        assert line["ibsCbs"]["cbs"]["rate"] == Decimal("0.9")

    def test_line_has_charges_and_discount_only_where_they_are_given(self) -> None:
        charged = {"freight": 3, "insurance": 4, "other": 5, "discount": 6}
        line = only_line(items=[item(**charged)])
        assert {name: line[name] for name in charged} == charged
        assert not charged.keys() & only_line().keys()

    def test_line_has_a_gtin_only_if_the_product_has_one(self) -> None:
        assert only_line(items=[item(gtin="7891000315507")])["gtin"] == "7891000315507"
        assert "gtin" not in only_line(items=[item(gtin="SEM GTIN")])

    def test_lines_count_from_one(self) -> None:
        assert [line["number"] for line in lines_of(nfe(items=[item(), item()]))] == [1, 2]


class TestLinesOfXml:
    def test_lines_of_xml_are_those_of_the_signed_document(self, signer: Signer) -> None:
        items = [item(description="Caneca “azul”  & branca", discount=1), item(gtin="7891000315507")]
        document = issued_nfe(signer, items=items)
        assert isinstance(document, SignedDocument)
        assert lines_of_xml(document.xml) == lines_of(nfe(items=items))
        assert lines_of_xml(document.xml)[1]["gtin"] == "7891000315507"
