"""Totals that the rules accept."""

from decimal import Decimal
from typing import Any

import pytest

from unit.fiscal.goods.support import ITEM
from unit.fiscal.rules.breaking import Breaking, judge

SUMS = {
    "531", "532", "533", "534", "535", "536", "537", "538", "564", "602", "603", "604", "610", "685",
}  # fmt: skip
VEHICLE = {
    "operationType": "2", "chassis": "9BWZZZ377VT004251", "colorCode": "1", "color": "AZUL",
    "horsepower": "0100", "displacement": "1000", "netWeight": "1000", "grossWeight": "1500",
    "serialNumber": "123456789", "fuelType": "16", "engineNumber": "1234", "towingCapacity": "100",
    "wheelbase": "2500", "modelYear": "2026", "manufactureYear": "2026", "paintType": "M",
    "vehicleType": "06", "species": "1", "chassisCondition": "N", "condition": "1", "modelCode": "123456",
    "denatranColorCode": "04", "seats": 5, "restriction": "0",
}  # fmt: skip


def codes(
    body: dict[str, Any] | None = None, document: dict[str, Any] | None = None, good: str = "simples sale"
) -> set[str]:
    """Returns the codes of the rules that refuse a valid request after changes."""
    problems = judge(Breaking("", "", good, body or {}, document=document or {})).problems
    return {problem.code for problem in problems}


def amount(value: str) -> dict[str, Any]:
    """Returns the changes of a document with another amount."""
    return {"totals.invoice.amount": Decimal(value)}


class TestSums:
    @pytest.mark.parametrize(
        "good", ["simples sale", "normal sale", "receipt", "receipt of the normal regime"]
    )
    def test_many_items_with_all_charges_add_up(self, good: str) -> None:
        items = [ITEM | {"quantity": number, "approximateTaxes": 1.11} for number in range(1, 8)]
        charged = {"items": items, "insurance": 3.33, "other": 2.22, "discount": 10.01}
        assert not SUMS & codes(charged, good=good)

    def test_groups_of_every_kind_add_up(self) -> None:
        substituted = {"stBaseMode": "4", "stBase": 100, "stRate": 18, "stAmount": 5.08}
        situations = [
            {"cst": "00"},
            {"cst": "10"} | substituted,
            {"cst": "20", "baseReduction": 33.33},
            {"cst": "40"},
            {"cst": "51", "rate": 18, "deferralRate": 50},
            {"cst": "60"},
            {"cst": "70", "baseReduction": 10} | substituted,
            {"cst": "90"},
        ]
        ipi = {"cst": "50", "rate": 10}
        items = [ITEM | {"icms": icms, "ipi": ipi, "cest": "1400100"} for icms in situations]
        assert codes({"items": items}, good="normal sale to a contributor") == set()

    def test_item_outside_the_total_may_be_added_or_not(self) -> None:
        outside = {"items[1]": ITEM | {"countsInTotal": False, "approximateTaxes": 5}}
        assert not SUMS & codes(outside)
        assert not SUMS & codes(outside, {"totals.invoice.approximate_taxes": None})

    def test_price_of_an_item_outside_the_total_is_not_added(self) -> None:
        outside = {"items[1]": ITEM | {"countsInTotal": False}}
        assert "564" in codes(outside, {"totals.invoice.goods_amount": Decimal("143.60")})

    def test_contributions_by_substitution_may_be_added_or_not(self) -> None:
        substituted = {"items[0].pisSt": {"base": 100, "rate": 1, "amount": 1}}
        assert not SUMS & codes(substituted, {"totals.invoice.pis_amount": Decimal("1.00")})

    def test_approximate_taxes_may_be_zero(self) -> None:
        assert not SUMS & codes(document={"totals.invoice.approximate_taxes": Decimal("0.00")})


class TestAmount:
    @pytest.mark.parametrize("value", ["71.30", "72.30"])
    def test_amount_may_be_half_a_real_off(self, value: str) -> None:
        assert "610" not in codes(document=amount(value))

    @pytest.mark.parametrize("value", ["71.29", "72.31"])
    def test_amount_may_not_be_more_than_half_a_real_off(self, value: str) -> None:
        assert "610" in codes(document=amount(value))

    @pytest.mark.parametrize("value", ["71.80", "61.80"])
    @pytest.mark.parametrize("deducted", ["0", "1"])
    def test_benefit_may_be_deducted_or_not(self, value: str, deducted: str) -> None:
        exempt = {"cst": "40", "exemptedAmount": 10, "exemptionReason": "9", "exemptionIsDeducted": deducted}
        refused_codes = codes({"items[0].icms": exempt}, amount(value), "normal sale to a contributor")
        assert "610" not in refused_codes

    def test_contributions_by_substitution_may_be_charged(self) -> None:
        charged = {"base": 100, "rate": 5, "amount": 5, "addsToTotal": "1"}
        assert not SUMS & codes({"items[0].pisSt": charged, "items[0].cofinsSt": charged})

    @pytest.mark.parametrize("value", ["76.88", "71.80"])
    def test_amount_of_a_vehicle_sold_directly_may_exclude_substitution(self, value: str) -> None:
        substituted = {"cst": "10", "stBaseMode": "4", "stBase": 100, "stRate": 18, "stAmount": 5.08}
        sold = {"items[0].icms": substituted, "items[0].cest": "1400100", "items[0].vehicle": VEHICLE}
        assert "610" not in codes(sold, amount(value), "normal sale to a contributor")

    def test_amount_of_an_import_is_not_checked(self) -> None:
        assert "610" not in codes(document=amount("100.00") | {"items[0].product.cfop": "3102"})


class TestDiscount:
    def test_discount_may_be_the_whole_price(self) -> None:
        assert "483" not in codes({"items[0].discount": 71.8})

    def test_discount_of_the_document_is_reported_once_for_all_items(self) -> None:
        discounted = Breaking("", "", body={"items": [ITEM, ITEM, ITEM], "discount": 300})
        paths = [problem.path for problem in judge(discounted).problems if problem.code == "483"]
        assert paths == ["discount"]

    def test_discounts_of_items_are_reported_one_by_one(self) -> None:
        discounted = Breaking(
            "", "", body={"items": [ITEM | {"discount": 80}, ITEM, ITEM | {"discount": 90}]}
        )
        paths = [problem.path for problem in judge(discounted).problems if problem.code == "483"]
        assert paths == ["items[0].discount", "items[2].discount"]
