"""The NFS-e before and after 1 January 2027, by its competence."""

from datetime import date, datetime
from typing import Any

import pytest

from carimbo.fiscal.documents.nfse.request_rules import missing_for_rules
from carimbo.fiscal.parties.company import Company
from unit.fiscal.documents.nfse_support import (
    FIRM,
    KEY,
    MEI,
    NBS,
    NORMAL,
    REPLACED,
    SIMPLES,
    body,
    composed,
    declared,
    has,
    provider,
    refusals,
    text_at,
)
from unit.fiscal.goods.support import SOFTWARE

JANUARY = datetime.fromisoformat("2027-01-01T00:10:00-03:00")
LAST_DAY, FIRST_DAY = "2026-12-31", "2027-01-01"
WHOLE = {"nbs": NBS, "borrower": FIRM, "amount": 1000}
FEDERAL = "valores/trib/tribFed"
REGULAR = provider(ibsCbsRegime=[{"halfYear": "2027-1", "regime": "regular"}])
MIXED = provider(ibsCbsRegime=[{"halfYear": "2027-1", "regime": "mixed"}])
WITHOUT_REGIME = provider("normal", pisCofinsRegime=None)


def body_on(day: str, **changes: Any) -> dict[str, Any]:
    """Returns a body with this competence."""
    return body(**WHOLE | {"issueDate": day} | changes)


def tax(rate: float, *, is_withheld: bool = True) -> dict[str, Any]:
    return {"rate": rate, "isWithheld": is_withheld}


def warnings(payload: dict[str, Any], by: Company = NORMAL) -> str:
    return "\n".join(composed(payload, by=by, issued_at=JANUARY).warnings)


class TestOwnDebit:
    def test_own_debit_is_written_in_a_january_note_of_december_competence(self) -> None:
        note = declared(body_on(LAST_DAY), by=NORMAL, issued_at=JANUARY)
        assert text_at(note, f"{FEDERAL}/piscofins/vPis") == "6.50"
        assert text_at(note, f"{FEDERAL}/piscofins/vCofins") == "30.00"

    def test_own_debit_is_not_written_from_2027(self) -> None:
        assert not has(declared(body_on(FIRST_DAY), by=NORMAL, issued_at=JANUARY), "tribFed")

    def test_own_debit_needs_no_regime_from_2027(self) -> None:
        problems = refusals(body_on(LAST_DAY), by=WITHOUT_REGIME, issued_at=JANUARY)
        assert problems == {("COMPANY_NOT_READY", "company.pisCofinsRegime")}
        assert refusals(body_on(FIRST_DAY), by=WITHOUT_REGIME, issued_at=JANUARY) == set()

    def test_own_debit_warning_for_simples_with_federal_taxes_apart_ends_in_2027(self) -> None:
        apart = provider(simplesIssRegime=3)
        assert "débito próprio" in warnings(body_on(LAST_DAY), apart)
        assert "débito próprio" not in warnings(body_on(FIRST_DAY), apart)

    def test_own_debit_follows_the_competence_of_the_replaced_note(self) -> None:
        payload = body(replaces={"documentId": "01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b", "reasonCode": "01"})
        note = declared(payload, by=NORMAL, replaced=REPLACED, issued_at=JANUARY)
        assert text_at(note, "subst/chSubstda") == KEY
        assert has(note, "vPis")

    def test_own_debit_follows_the_request_day_after_an_outage_over_midnight(self) -> None:
        asked_at = datetime.fromisoformat("2026-12-31T23:58:00-03:00")
        note = declared(body(**WHOLE), by=NORMAL, asked_at=asked_at, issued_at=JANUARY)
        assert text_at(note, "dCompet") == LAST_DAY
        assert has(note, "vPis")


class TestPositiveContribution:
    @pytest.mark.parametrize(
        ("taxes", "field"),
        [
            ({"pis": tax(0.65)}, "pis.rate"),
            ({"cofins": tax(3)}, "cofins.rate"),
            ({"pis": tax(0.65, is_withheld=False)}, "pis.rate"),
            ({"cofins": tax(3, is_withheld=False)}, "cofins.rate"),
            ({"ownDebit": {"pisRate": 1.65}}, "ownDebit.pisRate"),
            ({"ownDebit": {"cofinsRate": 7.6}}, "ownDebit.cofinsRate"),
            ({"ownDebit": {"base": 100}}, "ownDebit.base"),
            ({"ownDebit": {"cst": "01"}}, "ownDebit.cst"),
            ({"pisCofinsCst": "02"}, "pisCofinsCst"),
        ],
    )
    @pytest.mark.parametrize("by", [NORMAL, SIMPLES, REGULAR], ids=["normal", "das", "regular"])
    def test_positive_contribution_is_refused_by_its_field_from_2027(
        self, taxes: dict[str, Any], field: str, by: Company
    ) -> None:
        problems = refusals(body_on(FIRST_DAY, taxes=taxes), by=by, issued_at=JANUARY)
        assert problems == {("PIS_COFINS_ENDED", f"taxes.{field}")}

    def test_positive_contribution_is_accepted_on_the_last_day_of_2026(self) -> None:
        taxes = {"pis": tax(0.65), "cofins": tax(3), "csll": tax(1), "ownDebit": {"pisRate": 1.65}}
        assert refusals(body_on(LAST_DAY, taxes=taxes), by=NORMAL, issued_at=JANUARY) == set()

    def test_refused_contribution_has_a_hint_that_says_what_to_do(self) -> None:
        (problem,) = composed(
            body_on(FIRST_DAY, taxes={"pis": tax(0.65)}), by=NORMAL, issued_at=JANUARY
        ).problems
        assert "PIS e COFINS acabaram" in problem.message
        assert "Retire taxes.pis.rate" in (problem.hint or "")

    def test_zero_contribution_is_accepted_and_not_written(self) -> None:
        zeros = {"pis": tax(0), "cofins": tax(0, is_withheld=False)}
        own = {"ownDebit": {"pisRate": 0, "cofinsRate": 0, "base": 0, "cst": "08"}}
        assert not has(
            declared(body_on(FIRST_DAY, taxes=zeros | own), by=NORMAL, issued_at=JANUARY), "tribFed"
        )


class TestWithholding:
    def test_only_csll_is_withheld_from_2027(self) -> None:
        note = declared(body_on(FIRST_DAY, taxes={"csll": tax(1)}), by=NORMAL, issued_at=JANUARY)
        assert text_at(note, f"{FEDERAL}/piscofins/tpRetPisCofins") == "8"
        assert text_at(note, f"{FEDERAL}/piscofins/CST") == "00"
        assert text_at(note, f"{FEDERAL}/vRetCSLL") == "10.00"
        assert not has(note, "vPis")

    def test_withheld_income_tax_has_no_pis_cofins_group_from_2027(self) -> None:
        note = declared(body_on(FIRST_DAY, taxes={"ir": tax(1.5)}), by=NORMAL, issued_at=JANUARY)
        assert text_at(note, f"{FEDERAL}/vRetIRRF") == "15.00"
        assert not has(note, "piscofins")

    def test_csll_at_the_rate_of_the_three_contributions_is_warned_of(self) -> None:
        message = "a que resta é a de CSLL, de 1% (Lei 10.833/2003, art. 31"
        assert message in warnings(body_on(FIRST_DAY, taxes={"csll": tax(4.65)}))
        assert message not in warnings(body_on(FIRST_DAY, taxes={"csll": tax(1)}))
        assert message not in warnings(body_on(LAST_DAY, taxes={"csll": tax(4.65)}))

    def test_small_csll_withholding_is_dispensed_by_its_own_law(self) -> None:
        text = warnings(body_on(FIRST_DAY, taxes={"csll": tax(1)}))
        assert "taxes.csll: A retenção de R$ 10,00 é dispensada" in text
        assert "Lei 10.833/2003, art. 31, § 3º" in text


class TestApproximateTotal:
    def test_approximate_total_is_the_iss_alone_from_2027(self) -> None:
        note = declared(body_on(FIRST_DAY), by=NORMAL, issued_at=JANUARY)
        rates = [
            text_at(note, f"valores/trib/totTrib/pTotTrib/pTotTrib{level}") for level in ("Fed", "Est", "Mun")
        ]
        assert rates == ["0.00", "0.00", "2.00"]
        assert "PIS" in warnings(body_on(LAST_DAY))
        assert "PIS" not in warnings(body_on(FIRST_DAY))
        assert "carga tributária aproximada é só a do ISS" in warnings(body_on(FIRST_DAY))


class TestGroup:
    @pytest.mark.parametrize(
        ("by", "before", "after"),
        [
            (NORMAL, True, True),
            (REGULAR, False, True),
            (MIXED, False, False),
            (SIMPLES, False, False),
            (MEI, False, False),
        ],
        ids=["normal", "regular", "mixed", "das", "mei"],
    )
    def test_ibs_cbs_group_is_written_by_the_regime_of_the_competence(
        self, by: Company, before: bool, after: bool
    ) -> None:
        days = (LAST_DAY, FIRST_DAY)
        written = [has(declared(body_on(day), by=by, issued_at=JANUARY), "IBSCBS") for day in days]
        assert written == [before, after]

    @pytest.mark.parametrize("by", [SIMPLES, MIXED, MEI], ids=["das", "mixed", "mei"])
    def test_ibs_cbs_group_is_written_on_request_and_not_warned_of_otherwise(self, by: Company) -> None:
        assert has(declared(body_on(FIRST_DAY, ibsCbs={}), by=by, issued_at=JANUARY), "IBSCBS")
        assert "IBS" not in warnings(body_on(FIRST_DAY), by)

    @pytest.mark.parametrize("by", [NORMAL, REGULAR], ids=["normal", "regular"])
    def test_ibs_cbs_group_without_its_facts_is_refused_from_2027(self, by: Company) -> None:
        problems = refusals(body_on(FIRST_DAY, nbs=None), by=by, issued_at=JANUARY)
        assert problems == {("E0322", "nbs")}

    def test_ibs_cbs_group_without_its_facts_is_left_out_with_a_warning_before_2027(self) -> None:
        payload = body_on(LAST_DAY, nbs=None)
        assert not has(declared(payload, by=NORMAL, issued_at=JANUARY), "IBSCBS")
        assert "A nota sai sem IBS e CBS" in warnings(payload)

    def test_ibs_cbs_group_is_refused_before_2026(self) -> None:
        problems = refusals(body_on("2025-12-31", ibsCbs={}), by=NORMAL, issued_at=JANUARY)
        assert problems == {("E0850", "ibsCbs")}
        assert refusals(body_on("2026-01-01", ibsCbs={}), by=NORMAL, issued_at=JANUARY) == set()


class TestReadiness:
    def test_pis_cofins_regime_is_required_until_the_end_of_2026(self) -> None:
        assert missing_for_rules(WITHOUT_REGIME, SOFTWARE, date(2026, 12, 31)) == ("pisCofinsRegime",)
        assert missing_for_rules(WITHOUT_REGIME, SOFTWARE, date(2027, 1, 1)) == ()
