"""PIS and COFINS that the provider owes on its own revenue, by regime and by the fields of the body."""

from typing import Any

import pytest

from carimbo.fiscal.parties.company import Company
from unit.fiscal.documents.nfse_support import (
    EXCESS,
    FIRM,
    FOREIGNER,
    MEI,
    NBS,
    SIMPLES,
    TRADE,
    body,
    composed,
    declared,
    has,
    provider,
    refusals,
    text_at,
    totals,
)

OWN = "valores/trib/tribFed/piscofins"
CUMULATIVE = provider("normal")
NON_CUMULATIVE = provider("normal", pisCofinsRegime="nonCumulative")
EXPORT: dict[str, Any] = {"resultCountryCode": "US", "borrower": FOREIGNER, "nbs": NBS, "foreignTrade": TRADE}


def own_debit(by: Company = NON_CUMULATIVE, **changes: Any) -> dict[str, str]:
    """Returns the elements of the provider's own debit in the declaration."""
    note = declared(body(**changes), by=by)
    tags = ("CST", "vBCPisCofins", "pAliqPis", "pAliqCofins", "vPis", "vCofins", "tpRetPisCofins")
    texts = {tag: text_at(note, f"{OWN}/{tag}") for tag in tags}
    return {tag: text for tag, text in texts.items() if text is not None}


def warnings(by: Company = NON_CUMULATIVE, **changes: Any) -> list[str]:
    """Returns the warnings about the own debit."""
    return [warning for warning in composed(body(**changes), by=by).warnings if "débito" in warning]


def written(base: str, rates: tuple[str, str], amounts: tuple[str, str], **other: str) -> dict[str, str]:
    own = {
        "CST": "01",
        "vBCPisCofins": base,
        "pAliqPis": rates[0],
        "pAliqCofins": rates[1],
        "vPis": amounts[0],
        "vCofins": amounts[1],
        "tpRetPisCofins": "0",
    }
    return own | other


class TestOwnDebitOfTheRegime:
    def test_own_debit_is_computed_without_any_taxes_in_the_body(self) -> None:
        cumulative = written("1000.00", ("0.65", "3.00"), ("6.50", "30.00"))
        assert own_debit(CUMULATIVE, amount=1000) == cumulative
        non_cumulative = written("1234.50", ("1.65", "7.60"), ("20.37", "93.82"))
        assert own_debit(NON_CUMULATIVE, amount=1234.5) == non_cumulative

    def test_own_debit_is_subtracted_from_the_base_of_ibs_and_cbs(self) -> None:
        """1234.50 less ISS 35.80, PIS 20.37 and COFINS 93.82."""
        amounts = totals(body(amount=1234.5, iss={"rate": 2.9}, borrower=FIRM, nbs=NBS), by=NON_CUMULATIVE)
        names = ("issAmount", "pis", "cofins", "ibsCbsBase", "netAmount")
        assert [str(amounts[name]) for name in names] == ["35.80", "20.37", "93.82", "1084.51", "1234.50"]

    def test_own_debit_does_not_depend_on_withholdings_at_other_rates(self) -> None:
        taxes = {
            name: {"rate": rate, "isWithheld": True}
            for name, rate in (("pis", 0.65), ("cofins", 3), ("csll", 1))
        }
        changes: dict[str, Any] = {"amount": 10_000, "taxes": taxes}
        debit = written("10000.00", ("1.65", "7.60"), ("165.00", "760.00"), tpRetPisCofins="3")
        assert own_debit(**changes) == debit
        sums = totals(body(**changes), by=NON_CUMULATIVE)
        assert (str(sums["federalWithheld"]), str(sums["netAmount"])) == ("465.00", "9535.00")
        assert warnings(**changes) == []

    def test_own_debit_base_includes_iss_and_excludes_the_unconditional_discount(self) -> None:
        debit = own_debit(CUMULATIVE, amount=1000, discounts={"unconditional": 100, "conditional": 50})
        assert (debit["vBCPisCofins"], debit["vPis"]) == ("900.00", "5.85")

    @pytest.mark.parametrize(("amount", "pis"), [(250, "4.12"), (350, "5.78")])
    def test_own_debit_rounds_half_a_cent_to_even(self, amount: float, pis: str) -> None:
        assert own_debit(amount=amount)["vPis"] == pis

    @pytest.mark.parametrize("by", [SIMPLES, EXCESS, MEI])
    def test_own_debit_is_absent_where_the_das_pays_it(self, by: Company) -> None:
        assert not has(declared(body(), by=by), "tribFed")

    def test_simples_with_federal_taxes_apart_has_an_own_debit(self) -> None:
        apart = provider(simplesIssRegime=3, pisCofinsRegime="cumulative")
        assert own_debit(apart, amount=1000)["vPis"] == "6.50"
        unknown = provider(simplesIssRegime=3)
        assert own_debit(unknown) == {}
        assert "pisCofinsRegime" in warnings(unknown)[0]

    def test_unknown_regime_of_pis_and_cofins_is_refused(self) -> None:
        unknown = provider("normal", pisCofinsRegime=None)
        assert refusals(body(), by=unknown) == {("COMPANY_NOT_READY", "company.pisCofinsRegime")}
        rates = {"ownDebit": {"pisRate": 1.65, "cofinsRate": 7.6}}
        assert own_debit(unknown, taxes=rates)["pAliqPis"] == "1.65"


class TestOwnDebitInTheBody:
    def test_taxes_that_are_not_withheld_give_the_rates_of_the_own_debit(self) -> None:
        taxes = {"pis": {"rate": 0.65}, "cofins": {"rate": 7.6}}
        assert own_debit(amount=1000, taxes=taxes) == written("1000.00", ("0.65", "7.60"), ("6.50", "76.00"))
        (warning,) = warnings(amount=1000, taxes=taxes)
        assert warning.startswith("taxes.pis.rate: A alíquota do débito próprio é a informada, 0,65%")
        assert "1,65%" in warning

    def test_rate_of_zero_is_accepted_with_a_warning(self) -> None:
        taxes = {"pis": {"rate": 0}}
        assert own_debit(amount=1000, taxes=taxes)["vPis"] == "0.00"
        assert len(warnings(amount=1000, taxes=taxes)) == 1

    def test_own_debit_field_overrides_everything_else(self) -> None:
        taxes = {
            "pis": {"rate": 0.65},
            "pisCofinsCst": "49",
            "ownDebit": {"pisRate": 1, "cofinsRate": 4.55, "base": 800, "cst": "02"},
        }
        expected = written("800.00", ("1.00", "4.55"), ("8.00", "36.40"), CST="02")
        assert own_debit(amount=1000, taxes=taxes) == expected
        assert warnings(amount=1000, taxes=taxes) == []

    def test_fields_missing_in_own_debit_come_from_the_regime(self) -> None:
        debit = own_debit(amount=1000, taxes={"ownDebit": {"base": 971}})
        assert debit == written("971.00", ("1.65", "7.60"), ("16.02", "73.80"))

    def test_base_of_the_own_debit_is_the_price_at_most(self) -> None:
        taxes = {"ownDebit": {"base": 1000.01}}
        problems = refusals(body(amount=1000, taxes=taxes), by=NON_CUMULATIVE)
        assert problems == {("E0677", "taxes.ownDebit.base")}

    def test_written_rate_is_the_rounded_one_that_the_amount_is_computed_with(self) -> None:
        """The layout has two decimals, and Sefin multiplies base and rate (E0694)."""
        debit = own_debit(amount=100_000, taxes={"pis": {"rate": 1.6549}})
        assert (debit["pAliqPis"], debit["vPis"]) == ("1.65", "1650.00")

    def test_own_debit_of_simples_is_left_out_with_a_warning(self) -> None:
        taxes = {"pis": {"rate": 0.65}}
        assert own_debit(SIMPLES, taxes=taxes) == {}
        (warning,) = warnings(SIMPLES, taxes=taxes)
        assert "no DAS do Simples Nacional" in warning


class TestSituation:
    @pytest.mark.parametrize("cst", ["00", "04", "05", "06", "07", "08", "09"])
    def test_situation_without_debit_has_no_amounts(self, cst: str) -> None:
        assert own_debit(taxes={"ownDebit": {"cst": cst}}) == {"CST": cst}

    def test_situation_may_be_sent_under_its_older_name(self) -> None:
        assert own_debit(taxes={"pisCofinsCst": "07"}) == {"CST": "07"}

    def test_situation_without_debit_still_writes_withholdings(self) -> None:
        taxes = {"ownDebit": {"cst": "06"}, "csll": {"rate": 1, "isWithheld": True}}
        assert own_debit(taxes=taxes) == {"CST": "06", "tpRetPisCofins": "8"}

    @pytest.mark.parametrize("field", ["pisRate", "cofinsRate", "base"])
    def test_situation_without_debit_refuses_an_explicit_debit(self, field: str) -> None:
        taxes = {"ownDebit": {"cst": "06", field: 1}}
        problems = refusals(body(taxes=taxes), by=NON_CUMULATIVE)
        assert problems == {("CONTRADICTION", f"taxes.ownDebit.{field}")}

    def test_situation_without_debit_leaves_other_rates_out_with_a_warning(self) -> None:
        taxes = {"pis": {"rate": 1.65}, "pisCofinsCst": "06"}
        assert own_debit(taxes=taxes) == {"CST": "06"}
        assert [warning.partition(":")[0] for warning in warnings(taxes=taxes)] == ["taxes.pis.rate"]

    def test_situation_of_another_rate_requires_the_rates(self) -> None:
        problems = refusals(body(taxes={"ownDebit": {"cst": "02", "pisRate": 1}}), by=NON_CUMULATIVE)
        assert problems == {("MISSING", "taxes.ownDebit.cofinsRate")}

    def test_situation_of_other_operations_has_amounts_only_where_rates_are_sent(self) -> None:
        assert own_debit(taxes={"ownDebit": {"cst": "49"}}) == {"CST": "49"}
        debit = own_debit(amount=1000, taxes={"ownDebit": {"cst": "49", "pisRate": 1}})
        assert debit == {
            "CST": "49",
            "vBCPisCofins": "1000.00",
            "pAliqPis": "1.00",
            "vPis": "10.00",
            "tpRetPisCofins": "0",
        }


class TestExport:
    def test_export_has_no_debit_and_no_federal_taxes_in_the_total(self) -> None:
        note = declared(body(**EXPORT), by=NON_CUMULATIVE)
        assert own_debit(**EXPORT) == {"CST": "08"}
        assert text_at(note, "valores/trib/totTrib/pTotTrib/pTotTribFed") == "0.00"
        assert warnings(**EXPORT) == []

    def test_export_may_have_an_explicit_debit(self) -> None:
        debit = own_debit(**EXPORT, amount=1000, taxes={"ownDebit": {"pisRate": 1.65}})
        assert debit == written("1000.00", ("1.65", "7.60"), ("16.50", "76.00"))

    def test_service_abroad_to_a_brazilian_taker_has_a_debit(self) -> None:
        """The law spares services to takers abroad (Lei 10.833/2003, art. 6º, II)."""
        abroad = EXPORT | {"resultCountryCode": None, "serviceCountryCode": "PT", "borrower": FIRM}
        assert own_debit(**abroad)["CST"] == "01"
        assert len(warnings(**abroad)) == 1
        assert warnings(**abroad, taxes={"ownDebit": {"cst": "08"}}) == []


class TestImmuneProvider:
    @pytest.mark.parametrize(("immunity", "expected"), [("3", 1), ("4", 0)])
    def test_immune_provider_is_warned_that_the_debit_may_not_be_due(
        self, immunity: str, expected: int
    ) -> None:
        immune: dict[str, Any] = {"natureOfOperation": "4", "immunityType": immunity}
        assert len(warnings(**immune)) == expected
        assert warnings(**immune, taxes={"ownDebit": {"cst": "07"}}) == []


def test_simples_company_with_federal_taxes_apart_gets_the_rates_of_the_body() -> None:
    apart = provider("simples", simplesIssRegime=3)
    rates = {"pisRate": 0.65, "cofinsRate": 3}
    expected = written("1000.00", ("0.65", "3.00"), ("6.50", "30.00"))
    assert own_debit(apart, amount=1000, taxes={"ownDebit": rates}) == expected
