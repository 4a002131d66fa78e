"""Sefin's rules about the amounts of a declaration, checked before it is sent."""

from typing import Any

import pytest

from carimbo.fiscal.parties.company import Company
from unit.fiscal.documents.nfse_support import APART, FIRM, MEI, NORMAL, SIMPLES, body, refusals

SITE = {"workCode": "900123456789"}


class TestSums:
    @pytest.mark.parametrize(
        ("discounts", "codes"),
        [
            ({"unconditional": 149.99}, set()),
            ({"unconditional": 0}, {("E0431", "discounts.unconditional")}),
            ({"unconditional": 150}, {("E0431", "discounts.unconditional")}),
            ({"conditional": 0}, {("E0432", "discounts.conditional")}),
            ({"conditional": 150}, {("E0432", "discounts.conditional")}),
            ({"unconditional": 100, "conditional": 50}, set()),
            ({"unconditional": 100, "conditional": 50.01}, {("E0428", "amount")}),
        ],
    )
    def test_discounts_must_be_below_the_price(
        self, discounts: dict[str, float], codes: set[tuple[str, str]]
    ) -> None:
        assert refusals(body(discounts=discounts)) == codes

    @pytest.mark.parametrize(
        ("name", "code"), [("inss", "E0699"), ("ir", "E0700"), ("csll", "E0701"), ("pis", "E0701")]
    )
    def test_withholdings_must_be_below_the_price(self, name: str, code: str) -> None:
        problems = refusals(body(taxes={name: {"rate": 100, "isWithheld": True}}), by=NORMAL)
        assert code in {problem_code for problem_code, _ in problems}
        assert refusals(body(taxes={name: {"rate": 99.99, "isWithheld": True}}), by=NORMAL) == set()

    def test_withheld_iss_counts_towards_the_sum_of_reductions(self) -> None:
        taxed = {"borrower": FIRM, "taxes": {"ir": {"rate": 98, "isWithheld": True}}}
        assert refusals(body(**taxed, iss={"rate": 2, "isWithheld": True}), by=NORMAL) == set()
        refused = refusals(body(**taxed, iss={"rate": 2.5, "isWithheld": True}), by=NORMAL)
        assert refused == {("E0428", "amount")}

    def test_sum_of_reductions_must_not_exceed_the_price(self) -> None:
        site = {"federalServiceCode": "07.02.01", "construction": SITE}
        taxes = {"inss": {"rate": 11, "isWithheld": True}}
        for deductions in ({"amount": 140}, {"rate": 95}):
            payload = body(**site, deductions=deductions, taxes=taxes)
            assert refusals(payload, by=NORMAL) == {("E0428", "amount")}
        assert refusals(body(**site, deductions={"amount": 100}, taxes=taxes), by=NORMAL) == set()


class TestBenefitAndDeductions:
    deducted = {"deductions": {"amount": 10}}  # noqa: RUF012 - nobody changes it
    exempt = {"natureOfOperation": "3", "benefit": {"number": "35503080400001"}}  # noqa: RUF012 - nobody changes it

    @pytest.mark.parametrize(
        ("by", "changes", "settings", "codes"),
        [
            (NORMAL, {}, {}, set()),
            (APART, {}, {}, set()),
            (NORMAL, {"natureOfOperation": "4", "immunityType": "1"}, {}, {("E0435", "deductions")}),
            (MEI, {}, {}, {("E0436", "deductions")}),
            (NORMAL, {}, {"specialRegime": "2"}, {("E0438", "deductions")}),
            (SIMPLES, {}, {}, {("E0441", "deductions")}),
            (SIMPLES, {"federalServiceCode": "07.02.01", "construction": SITE}, {}, set()),
        ],
    )
    def test_deductions_are_only_for_providers_that_pay_iss_by_the_note(
        self, by: Company, changes: dict[str, Any], settings: dict[str, str], codes: set[tuple[str, str]]
    ) -> None:
        assert refusals(body(**self.deducted, **changes), by=by, settings=settings) == codes

    @pytest.mark.parametrize(
        ("by", "changes", "settings", "codes"),
        [
            (NORMAL, {}, {}, set()),
            (NORMAL, {"federalServiceCode": "99.01.01"}, {}, {("E0533", "benefit")}),
            (MEI, {}, {}, {("E0534", "benefit")}),
            (NORMAL, {}, {"specialRegime": "2"}, {("E0535", "benefit")}),
            (SIMPLES, {}, {}, {("E0536", "benefit")}),
        ],
    )
    def test_municipal_benefits_are_only_for_providers_that_pay_iss_by_the_note(
        self, by: Company, changes: dict[str, Any], settings: dict[str, str], codes: set[tuple[str, str]]
    ) -> None:
        assert refusals(body(**self.exempt, **changes), by=by, settings=settings) == codes
