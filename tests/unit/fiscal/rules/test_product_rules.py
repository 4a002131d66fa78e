"""Products that the rules accept."""

from typing import Any

import pytest

from unit.fiscal.goods.support import ITEM, given_back
from unit.fiscal.rules.breaking import GONE, Breaking, judge


def codes(good: str = "simples sale", **changes: Any) -> list[str]:
    """Returns the codes of the rules that refuse a valid request after changes in its first item."""
    of_the_item = {f"items[0].{name}": value for name, value in changes.items()}
    judgement = judge(Breaking("", "", good, of_the_item))
    return [problem.code for problem in judgement.problems]


class TestBarCodes:
    @pytest.mark.parametrize("gtin", ["7891000315507", "96385074", "17891000315504"])
    def test_right_gtin_is_accepted_for_both_units(self, gtin: str) -> None:
        assert codes(gtin=gtin) == []

    def test_wrong_gtin_of_both_units_is_reported_once(self) -> None:
        problems = judge(Breaking("", "", body={"items[0].gtin": "7891000315508"})).problems
        assert [problem.code for problem in problems] == ["611"]
        assert problems[0].message.endswith("Esperado: 7 no fim.")

    def test_mei_may_leave_the_gtin_empty(self) -> None:
        empty = Breaking("", "", company={"taxRegime": "mei"}, document={"items[0].product.gtin": ""})
        assert judge(empty).problems == ()


class TestPrice:
    def test_price_of_the_taxable_unit_may_be_a_cent_off(self) -> None:
        assert codes(quantity=1, unitValue=10, taxableQuantity=3, taxableUnitValue=3.33) == []

    def test_price_of_the_taxable_unit_may_not_be_two_cents_off(self) -> None:
        assert codes(quantity=1, unitValue=10, taxableQuantity=3, taxableUnitValue=3.3267) == ["630"]

    def test_price_of_the_taxable_unit_with_more_decimals_is_accepted(self) -> None:
        assert codes(quantity=1, unitValue=10, taxableQuantity=3, taxableUnitValue=3.3333333333) == []

    def test_price_of_the_taxable_unit_is_checked_in_normal_documents_only(self) -> None:
        assert codes("return", taxableQuantity=4) == codes("return")


class TestNcm:
    def test_ncm_of_zeros_is_accepted(self) -> None:
        assert codes(ncm="00000000") == []

    def test_special_ncm_of_the_customs_is_accepted_in_exports(self) -> None:
        assert codes("export", ncm="99980101") == codes("export")

    def test_special_ncm_of_the_customs_is_refused_within_the_country(self) -> None:
        assert codes(ncm="99980101") == ["778"]

    def test_missing_ncm_is_reported_once_at_its_field(self) -> None:
        missing = judge(Breaking("", "", body={"items[0].ncm": GONE}))
        assert [(problem.code, problem.path) for problem in missing.problems] == [("777", "items[0].ncm")]
        assert missing.warnings == ()

    def test_receipt_of_a_mei_may_lack_the_ncm(self) -> None:
        sold = judge(Breaking("", "", "receipt", {"items[0].ncm": "00"}, {"taxRegime": "mei"}))
        assert sold.problems == ()

    def test_adjustment_may_lack_the_ncm(self) -> None:
        purpose = {"purpose": "adjustment", "items[0].icms": {"csosn": "900"}}
        adjusted = judge(Breaking("", "", "simples sale to a contributor", purpose | {"items[0].ncm": "00"}))
        assert not [warning for warning in adjusted.warnings if warning.startswith("items[0].ncm")]


class TestCest:
    def test_cest_is_optional_in_receipts(self) -> None:
        assert codes("receipt", icms={"csosn": "500"}, cfop="5405") == []

    def test_cest_that_is_given_is_accepted(self) -> None:
        assert codes(icms={"csosn": "500"}, cest="1400100") == []

    @pytest.mark.parametrize(
        ("good", "icms"),
        [
            ("normal sale to a contributor", {"cst": "90"}),
            ("simples sale to a contributor", {"csosn": "900"}),
        ],
    )
    def test_cest_is_optional_for_other_taxation_without_substitution(
        self, good: str, icms: dict[str, str]
    ) -> None:
        assert codes(good, icms=icms) == []

    def test_cest_is_optional_for_tax_shared_between_states(self) -> None:
        shared = {
            "cst": "10", "baseMode": "3", "base": 71.8, "rate": 18, "amount": 12.92, "stBaseMode": "4",
            "stBase": 100, "stRate": 18, "stAmount": 5.08, "operationBaseShare": 100, "stState": "SP",
        }  # fmt: skip
        assert codes("normal sale to a contributor", icms=shared) == []

    @pytest.mark.parametrize(
        ("good", "plain", "retained"),
        [
            ("normal sale", {"cst": "00"}, {"cst": "60"}),
            ("simples sale", {"csosn": "102"}, {"csosn": "500"}),
        ],
    )
    def test_cest_is_checked_in_every_item_however_similar_the_items_are(
        self, good: str, plain: dict[str, str], retained: dict[str, str]
    ) -> None:
        items = [ITEM | {"icms": icms} for icms in (plain, retained, plain)]
        problems = judge(Breaking("", "", good, {"items": items})).problems
        assert [(problem.code, problem.path) for problem in problems] == [("806", "items[1].cest")]

    @pytest.mark.parametrize(("cst", "expected"), [("60", ["806"]), ("41", [])])
    def test_cest_of_tax_passed_on_is_required_if_the_tax_was_retained(
        self, cst: str, expected: list[str]
    ) -> None:
        passed = {"retainedBase": 9, "retainedAmount": 1, "stDestinationBase": 9, "stDestinationAmount": 1}
        first = ITEM | {"icms": {"cst": "41", **passed}}
        judgement = judge(
            Breaking("", "", "normal sale", {"items": [first, first | {"icms": {"cst": cst, **passed}}]})
        )
        assert [problem.code for problem in judgement.problems] == expected


class TestContributions:
    def test_contributions_are_optional_in_receipts(self) -> None:
        without = {"items[0].taxes.pis": None, "items[0].taxes.cofins": None}
        assert judge(Breaking("", "", "receipt", document=without)).problems == ()

    @pytest.mark.parametrize("purpose", ["5", "6"])
    def test_contributions_are_optional_in_notes_of_the_reform(self, purpose: str) -> None:
        without = {"items[0].taxes.pis": None, "items[0].taxes.cofins": None}
        note = Breaking("", "", document=without | {"identification.purpose": purpose})
        assert not {"745", "748"} & {problem.code for problem in judge(note).problems}


class TestExtras:
    def test_exports_may_have_a_drawback(self) -> None:
        assert codes("export", exportDetails=[{"drawbackNumber": "20260001"}]) == []

    def test_returns_may_return_ipi(self) -> None:
        returned = given_back(returnedIpi={"returnedShare": 100, "amount": 1})
        assert judge(Breaking("", "", "return", returned)).problems == ()

    def test_credit_notes_may_return_ipi(self) -> None:
        note = Breaking(
            "",
            "",
            "return",
            given_back(returnedIpi={"returnedShare": 100, "amount": 1}),
            document={"identification.purpose": "5", "identification.credit_type": "03"},
        )
        assert "354" not in {problem.code for problem in judge(note).problems}

    def test_batch_may_be_made_and_expire_today(self) -> None:
        today = {"number": "L1", "quantity": 2, "manufactureDate": "2026-11-14", "expiryDate": "2026-11-14"}
        assert codes(batches=[today]) == []
