"""Totals of a document: the sums of its items."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.goods.support import (
    CONTRIBUTOR,
    NORMAL,
    company,
    given_back,
    issued_nfe,
    item,
    nfe,
    refused,
    text_at,
)

MONEY = st.decimals(min_value=0, max_value=10**6, places=2)
ST: dict[str, Any] = {
    "cst": "10",
    "baseMode": "3",
    "base": 100,
    "rate": 18,
    "amount": 18,
    "fcpBase": 100,
    "fcpRate": 2,
    "fcpAmount": 2,
    "stBaseMode": "4",
    "stBase": 140,
    "stRate": 18,
    "stAmount": 7.2,
    "stFcpBase": 140,
    "stFcpRate": 2,
    "stFcpAmount": 0.8,
}


def total(path: str, *items: dict[str, Any], **changes: Any) -> str | None:
    return text_at(nfe(items=list(items), **changes), f"total/ICMSTot/{path}")


def costing(value: float | Decimal, **changes: Any) -> dict[str, Any]:
    return item(quantity=1, unitValue=value, **changes)


class TestAmount:
    def test_amount_is_the_sum_of_the_rounded_items(self) -> None:
        thirds = [item(quantity=Decimal("0.3333"), unitValue=Decimal("10")) for _ in range(3)]
        assert total("vNF", *thirds) == total("vProd", *thirds) == "9.99"

    @pytest.mark.parametrize(
        ("changes", "amount"),
        [
            ({"discount": 10}, "90.00"),
            ({"freight": 10}, "110.00"),
            ({"insurance": 10}, "110.00"),
            ({"other": 10}, "110.00"),
            ({"countsInTotal": False}, "0.00"),
            ({"countsInTotal": False, "freight": 10}, "10.00"),
            ({"icms": ST}, "108.00"),
            ({"ipi": {"cst": "50", "base": 100, "rate": 10, "amount": 10}}, "110.00"),
            ({"ipi": {"cst": "53"}}, "100.00"),
            ({"importTax": {"base": 100, "customsExpenses": 1, "amount": 10, "iofAmount": 2}}, "110.00"),
            ({"pisSt": {"base": 1, "rate": 1, "amount": 3}}, "100.00"),
            ({"pisSt": {"base": 1, "rate": 1, "amount": 3, "addsToTotal": "0"}}, "100.00"),
            ({"pisSt": {"base": 1, "rate": 1, "amount": 3, "addsToTotal": "1"}}, "103.00"),
            ({"cofinsSt": {"base": 1, "rate": 1, "amount": 4, "addsToTotal": "1"}}, "104.00"),
            ({"icms": {"cst": "40", "exemptedAmount": 18, "exemptionReason": "9"}}, "100.00"),
            (
                {
                    "icms": {
                        "cst": "40",
                        "exemptedAmount": 18,
                        "exemptionReason": "9",
                        "exemptionIsDeducted": "0",
                    }
                },
                "100.00",
            ),
            (
                {
                    "icms": {
                        "cst": "40",
                        "exemptedAmount": 18,
                        "exemptionReason": "9",
                        "exemptionIsDeducted": "1",
                    }
                },
                "82.00",
            ),
            ({"icms": {"csosn": "101", "creditRate": 1, "creditAmount": 1}}, "100.00"),
            ({"pis": {"cst": "01", "base": 100, "rate": 1.65, "amount": 1.65}}, "100.00"),
        ],
    )
    def test_amount_includes_each_part_of_an_item_as_the_manual_says(
        self, signer: Signer, changes: dict[str, Any], amount: str
    ) -> None:
        sale: dict[str, Any] = {"items": [costing(100, cest="2104600", **changes)], "recipient": CONTRIBUTOR}
        seller = NORMAL if "cst" in changes.get("icms", {}) else company()
        assert text_at(nfe(by=seller, **sale), "total/ICMSTot/vNF") == amount
        document = issued_nfe(signer, by=seller, **sale)
        assert isinstance(document, SignedDocument), document

    def test_amount_includes_the_ipi_of_returned_goods(self, signer: Signer) -> None:
        body = given_back(quantity=1, unitValue=100, returnedIpi={"returnedShare": 100, "amount": 10})
        assert text_at(nfe(**body), "total/ICMSTot/vNF") == "110.00"
        assert isinstance(issued_nfe(signer, **body), SignedDocument)

    @given(st.lists(st.tuples(MONEY, MONEY, MONEY, MONEY, MONEY), min_size=1, max_size=8))
    def test_amount_is_goods_less_discount_plus_expenses(self, amounts: list[tuple[Decimal, ...]]) -> None:
        names = ("unitValue", "discount", "freight", "insurance", "other")
        document = nfe(items=[item(quantity=1) | dict(zip(names, values, strict=True)) for values in amounts])
        goods, discount, freight, insurance, other = (sum(column) for column in zip(*amounts, strict=True))
        totals = document.totals.invoice
        assert (totals.goods_amount, totals.discount) == (goods, discount)
        assert totals.amount == goods - discount + freight + insurance + other


class TestTaxes:
    def test_tax_totals_are_all_written_even_when_they_are_zero(self) -> None:
        tags = (
            "vBC vICMS vICMSDeson vFCP vBCST vST vFCPST vFCPSTRet vFrete vSeg vDesc vII vIPI vIPIDevol vPIS"
        )
        invoice = nfe()
        assert {text_at(invoice, f"total/ICMSTot/{tag}") for tag in [*tags.split(), "vCOFINS", "vOutro"]} == {
            "0.00"
        }

    @pytest.mark.parametrize(
        ("tag", "amount"),
        [
            ("vBC", "200.00"),
            ("vICMS", "36.00"),
            ("vFCP", "4.00"),
            ("vBCST", "280.00"),
            ("vST", "14.40"),
            ("vFCPST", "1.60"),
        ],
    )
    def test_totals_of_icms_are_the_sums_of_the_items(self, tag: str, amount: str) -> None:
        assert total(tag, costing(100, icms=ST), costing(1), costing(100, icms=ST)) == amount

    def test_totals_of_pis_cofins_and_ipi_are_the_sums_of_the_items(self) -> None:
        taxed = costing(
            100,
            pis={"cst": "01", "base": 100, "rate": 1.65, "amount": 1.65},
            cofins={"cst": "01", "base": 100, "rate": 7.6, "amount": 7.6},
            ipi={"cst": "50", "base": 100, "rate": 5, "amount": 5},
        )
        assert [total(tag, taxed, costing(1), taxed) for tag in ("vPIS", "vCOFINS", "vIPI")] == [
            "3.30",
            "15.20",
            "10.00",
        ]

    def test_totals_of_the_destination_are_written_only_when_an_item_has_them(self) -> None:
        share = {
            "base": 100,
            "internalRate": 20,
            "interstateRate": 12,
            "destinationShare": 100,
            "destinationAmount": 8,
            "originAmount": 0,
        }
        assert total("vICMSUFDest", costing(100)) is None
        assert total("vICMSUFDest", costing(100, stateShare=share), costing(1)) == "8.00"
        assert total("vFCPUFDest", costing(100, stateShare=share)) is None

    def test_total_of_approximate_taxes_is_written_only_when_an_item_has_them(self) -> None:
        assert total("vTotTrib", costing(100)) is None
        assert total("vTotTrib", costing(100, approximateTaxes=31.45), costing(1)) == "31.45"

    def test_totals_of_a_single_phase_are_quantities_and_amounts(self, signer: Signer) -> None:
        fuel = {
            "cst": "61",
            "singlePhaseRetainedQuantity": 10.5,
            "singlePhaseRetainedRate": 1.1,
            "singlePhaseRetainedAmount": 11.55,
        }
        assert total("qBCMonoRet", costing(100, icms=fuel), costing(100, icms=fuel)) == "21.00"
        assert total("vICMSMonoRet", costing(100, icms=fuel)) == "11.55"
        assert isinstance(issued_nfe(signer, items=[costing(100, icms=fuel)]), SignedDocument)

    def test_totals_of_a_single_phase_round_quantities_with_four_decimals(self, signer: Signer) -> None:
        fuel = {
            "cst": "61",
            "singlePhaseRetainedQuantity": 10.1234,
            "singlePhaseRetainedRate": 1.1,
            "singlePhaseRetainedAmount": 11.14,
        }
        assert isinstance(issued_nfe(signer, items=[costing(100, icms=fuel)]), SignedDocument)
        assert total("qBCMonoRet", costing(100, icms=fuel), costing(100, icms=fuel)) == "20.25"

    def test_withheld_taxes_are_those_of_the_caller(self, signer: Signer) -> None:
        withheld = {"pisAmount": 1.65, "incomeTaxBase": 100, "incomeTaxAmount": 1.5}
        assert isinstance(issued_nfe(signer, withheldTaxes=withheld), SignedDocument)
        assert text_at(nfe(withheldTaxes=withheld), "total/retTrib/vRetPIS") == "1.65"

    @pytest.mark.parametrize("amount", [1.001, 10**14], ids=["unwritable", "against the XSD"])
    def test_withheld_taxes_are_refused_at_the_field_of_the_caller(
        self, signer: Signer, amount: float
    ) -> None:
        problems = issued_nfe(signer, withheldTaxes={"pisAmount": amount})
        assert set(refused(problems)) == {"withheldTaxes.pisAmount"}
