"""Federal withholdings, and the approximate total of taxes by regime."""

from itertools import product
from typing import Any, ClassVar

import pytest
from lxml import etree

from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from unit.fiscal.documents.nfse_support import (
    EXCESS,
    MEI,
    NORMAL,
    SIMPLES,
    body,
    composed,
    declared,
    has,
    provider,
    refusals,
    text_at,
)

FEDERAL = "valores/trib/tribFed"
TOTAL = "valores/trib/totTrib"
# tpRetPisCofins by the withheld ones of PIS, COFINS and CSLL.
CODES = {
    (False, False, False): "0",
    (True, True, True): "3",
    (True, True, False): "4",
    (True, False, False): "5",
    (False, True, False): "6",
    (False, True, True): "7",
    (False, False, True): "8",
    (True, False, True): "9",
}


def tax(rate: float, *, is_withheld: bool = True) -> dict[str, Any]:
    return {"rate": rate, "isWithheld": is_withheld}


def contributions(withheld: tuple[bool, bool, bool]) -> dict[str, Any]:
    """Returns PIS, COFINS and CSLL, each withheld or not."""
    rates = {"pis": 0.65, "cofins": 3, "csll": 1}
    return {
        name: tax(rate, is_withheld=flag) for (name, rate), flag in zip(rates.items(), withheld, strict=True)
    }


def federal(amount: float = 1000, **taxes: Any) -> dict[str, str | None]:
    """Returns the withholdings in the declaration of a company of the normal regime."""
    note = declared(body(amount=amount, taxes=taxes), by=NORMAL)
    tags = ("vRetCP", "vRetIRRF", "vRetCSLL", "piscofins/tpRetPisCofins")
    texts = {tag.rpartition("/")[2]: text_at(note, f"{FEDERAL}/{tag}") for tag in tags}
    return {tag: text for tag, text in texts.items() if text is not None}


class TestWithheldTogether:
    @pytest.mark.parametrize("withheld", list(product((False, True), repeat=3)))
    def test_code_says_which_contributions_are_withheld(self, withheld: tuple[bool, bool, bool]) -> None:
        assert federal(**contributions(withheld))["tpRetPisCofins"] == CODES[withheld]

    @pytest.mark.parametrize("withheld", list(product((False, True), repeat=3)))
    def test_withheld_contributions_are_one_amount(self, withheld: tuple[bool, bool, bool]) -> None:
        amounts = (6.5, 30, 10)
        expected = sum(amount for amount, flag in zip(amounts, withheld, strict=True) if flag)
        assert federal(**contributions(withheld)).get("vRetCSLL") == (f"{expected:.2f}" if expected else None)

    def test_csll_that_is_not_withheld_is_not_written(self) -> None:
        assert federal(csll=tax(1, is_withheld=False)) == {"tpRetPisCofins": "0"}

    def test_contribution_that_rounds_to_zero_is_not_withheld(self) -> None:
        assert federal(0.5, pis=tax(0.65), cofins=tax(3)) == {"vRetCSLL": "0.02", "tpRetPisCofins": "6"}


class TestWithheldAlone:
    def test_inss_and_income_tax_are_written_separately(self) -> None:
        withheld = federal(inss=tax(11), ir=tax(1.5))
        assert withheld == {"vRetCP": "110.00", "vRetIRRF": "15.00", "tpRetPisCofins": "0"}

    def test_inss_and_income_tax_are_left_out_when_not_withheld(self) -> None:
        assert federal(inss=tax(11, is_withheld=False), ir=tax(0)) == {"tpRetPisCofins": "0"}


class TestRounding:
    @pytest.mark.parametrize(
        ("amount", "rate", "pis"),
        [(650, 0.65, "4.22"), (150, 0.65, "0.98"), (250, 1.65, "4.12"), (350, 1.65, "5.78")],
    )
    def test_withholding_rounds_half_a_cent_to_even(self, amount: float, rate: float, pis: str) -> None:
        assert federal(amount, pis=tax(rate))["vRetCSLL"] == pis

    def test_each_tax_is_rounded_on_its_own(self) -> None:
        """0.975 + 4.50 + 1.50, not 4.65 % of the price."""
        assert federal(150, **contributions((True, True, True)))["vRetCSLL"] == "6.98"


def dispensed(amount: float, **rates: float) -> list[str]:
    """Returns the warnings about withholdings that the law dispenses with."""
    taxes = {name: tax(rate) for name, rate in rates.items()}
    warnings = composed(body(amount=amount, taxes=taxes), by=NORMAL).warnings
    return [warning for warning in warnings if "é dispensada" in warning]


class TestSmallWithholding:
    def test_limit_of_the_three_contributions_applies_to_their_sum(self) -> None:
        (warning,) = dispensed(215, pis=0.65, cofins=3, csll=1)
        assert warning.startswith("taxes.pis, taxes.cofins, taxes.csll: A retenção de R$ 10,00 é dispensada")
        assert "Lei 10.833/2003, art. 31, § 3º" in warning
        assert dispensed(215.20, pis=0.65, cofins=3, csll=1) == []

    def test_warning_of_a_single_contribution_names_it_alone(self) -> None:
        (warning,) = dispensed(215, csll=1)
        assert warning.startswith("taxes.csll: A retenção de R$ 2,15 é dispensada")

    @pytest.mark.parametrize(("amount", "count"), [(666.67, 1), (667.33, 0)], ids=["10.00", "10.01"])
    def test_income_tax_is_dispensed_up_to_ten_reais(self, amount: float, count: int) -> None:
        warnings = dispensed(amount, ir=1.5)
        assert [warning[:8] for warning in warnings] == ["taxes.ir"] * count

    @pytest.mark.parametrize(("amount", "count"), [(90.80, 1), (90.91, 0)], ids=["9.99", "10.00"])
    def test_social_security_is_dispensed_below_ten_reais(self, amount: float, count: int) -> None:
        warnings = dispensed(amount, inss=11)
        assert [warning[:10] for warning in warnings] == ["taxes.inss"] * count


class TestWithheldFromSimples:
    TAXES: ClassVar = {**contributions((True, True, True)), "ir": tax(1.5), "inss": tax(11)}

    def test_withholding_from_simples_is_written_without_an_own_debit(self) -> None:
        note = declared(body(amount=1000, taxes=self.TAXES), by=SIMPLES)
        own = note.find(f".//{{{NAMESPACE}}}piscofins")
        assert own is not None
        assert {etree.QName(element).localname: element.text for element in own} == {
            "CST": "00",
            "tpRetPisCofins": "3",
        }
        assert text_at(note, f"{FEDERAL}/vRetCSLL") == "46.50"

    def test_withholding_from_simples_is_warned_of_where_the_law_dispenses_with_it(self) -> None:
        warnings = composed(body(amount=1000, taxes=self.TAXES), by=SIMPLES).warnings
        named = [warning.partition(":")[0] for warning in warnings if "não sofre esta retenção" in warning]
        assert named == ["taxes.pis, taxes.cofins, taxes.csll", "taxes.ir"]

    def test_withholding_from_simples_is_not_warned_of_if_federal_taxes_are_paid_apart(self) -> None:
        apart = provider("simples", simplesIssRegime=3, pisCofinsRegime="cumulative")
        warnings = composed(body(amount=1000, taxes=self.TAXES), by=apart).warnings
        assert not any("não sofre esta retenção" in warning for warning in warnings)


class TestTaxesOfAMei:
    def test_taxes_of_a_mei_are_refused(self) -> None:
        assert refusals(body(taxes={"ir": tax(1.5)}), by=MEI) == {("E0676", "taxes")}

    def test_note_of_a_mei_has_no_federal_taxes(self) -> None:
        assert not has(declared(body(), by=MEI), "tribFed")


class TestTotal:
    def test_total_of_a_mei_is_not_written(self) -> None:
        note = declared(body(), by=MEI)
        assert text_at(note, f"{TOTAL}/indTotTrib") == "0"
        assert not has(note, "pTotTribSN")

    @pytest.mark.parametrize("by", [SIMPLES, EXCESS])
    def test_total_of_simples_is_its_rate(self, by: Any) -> None:
        assert text_at(declared(body(), by=by), f"{TOTAL}/pTotTribSN") == "8.25"

    @pytest.mark.parametrize("regime", ["simples", "simplesExcess"])
    def test_simples_rate_is_required(self, regime: str) -> None:
        assert refusals(body(), by=provider(regime, simplesRate=None)) == {("E0712", "company.simplesRate")}

    def test_simples_rate_may_be_zero(self) -> None:
        assert text_at(declared(body(), by=provider(simplesRate=0)), f"{TOTAL}/pTotTribSN") == "0.00"

    @pytest.mark.parametrize(("regime", "rate"), [("cumulative", "3.65"), ("nonCumulative", "9.25")])
    def test_total_of_the_normal_regime_is_assumed_and_warned_of(self, regime: str, rate: str) -> None:
        by = provider("normal", pisCofinsRegime=regime)
        result = composed(body(), by=by)
        note = declared(body(), by=by)
        texts = [text_at(note, f"{TOTAL}/pTotTrib/pTotTrib{sphere}") for sphere in ("Fed", "Est", "Mun")]
        assert texts == [rate, "0.00", "2.00"]
        assert any("carga tributária aproximada" in warning for warning in result.warnings)

    @pytest.mark.parametrize(
        ("taxes", "rate"),
        [
            ({"ownDebit": {"pisRate": 1, "cofinsRate": 4.5}}, "5.50"),
            ({"ownDebit": {"cst": "06"}}, "0.00"),
            ({"pis": tax(0.65), "cofins": tax(3), "csll": tax(1)}, "3.65"),
        ],
        ids=["other rates", "no debit", "withheld"],
    )
    def test_federal_total_is_the_own_debit_that_is_written(self, taxes: dict[str, Any], rate: str) -> None:
        note = declared(body(taxes=taxes), by=NORMAL)
        assert text_at(note, f"{TOTAL}/pTotTrib/pTotTribFed") == rate

    def test_totals_of_the_body_are_written(self) -> None:
        payload = body(totalTaxes={"federal": 13.45, "state": 1.5, "city": 4})
        note = declared(payload, by=NORMAL)
        spheres = [text_at(note, f"{TOTAL}/pTotTrib/pTotTrib{sphere}") for sphere in ("Fed", "Est", "Mun")]
        assert spheres == ["13.45", "1.50", "4.00"]
        assert not any("carga tributária" in warning for warning in composed(payload, by=NORMAL).warnings)

    @pytest.mark.parametrize(
        "changes",
        [
            {"natureOfOperation": "3", "benefit": {"number": "35503080400001"}},
            {"natureOfOperation": "4", "immunityType": "1"},
            {"federalServiceCode": "99.01.01"},
        ],
        ids=["exempt", "immune", "not taxed"],
    )
    def test_municipal_total_is_zero_where_no_iss_is_due(self, changes: dict[str, Any]) -> None:
        note = declared(body(**changes), by=NORMAL)
        assert text_at(note, f"{TOTAL}/pTotTrib/pTotTribMun") == "0.00"

    def test_total_is_rounded_to_two_decimals(self) -> None:
        by_simples = declared(body(), by=provider(simplesRate=8.2567))
        assert text_at(by_simples, f"{TOTAL}/pTotTribSN") == "8.26"
        by_city = declared(body(iss={"rate": 2.1234}), by=NORMAL)
        assert text_at(by_city, f"{TOTAL}/pTotTrib/pTotTribMun") == "2.12"

    def test_municipal_total_is_the_iss_rate_by_default(self) -> None:
        note = declared(body(totalTaxes={"federal": 13.45}), by=NORMAL)
        assert text_at(note, f"{TOTAL}/pTotTrib/pTotTribMun") == "2.00"
