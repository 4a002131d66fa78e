"""Debit and credit notes of IBS and CBS: the taxes that they leave out, and the expected ICMS."""

from datetime import datetime
from typing import Any

import pytest

from carimbo.fiscal.emission import Emission
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs
from unit.fiscal.goods.support import PRODUCTION, emission, item, nfe
from unit.fiscal.rules.breaking import Breaking, judge

PAID_IN_ADVANCE: dict[str, Any] = {"purpose": "debit", "debitType": "06"}
TAXED: dict[str, Any] = {"ibsCbs": {"taxClassCode": "000001"}}
PAID_IN_ADVANCE_BY_GOVERNMENT = {
    "governmentPurchase": {"entityType": "1", "rateReduction": 10, "operationType": "4"}
}
PIS_COFINS = {name: {"cst": "49"} for name in ("pis", "cofins")}
# No rate of CBS is known in 2027, so these notes are altered after they were composed.
ALTERED = {"identification.purpose": "6", "identification.debit_type": "06"}
WITH_PIS_COFINS_ALONE = ALTERED | {
    "items[0].taxes.icms": None,
    "items[0].taxes.ibs_cbs": IbsCbs(cst="000", tax_class="000001"),
}
IPI = {"cst": "51"}


def on(day: str, environment: Environment = Environment.HOMOLOGATION) -> Emission:
    return emission(issued_at=datetime.fromisoformat(f"{day}T10:00:00-03:00"), environment=environment)


def refused_paths(
    code: str,
    body: dict[str, Any],
    under: Emission | None = None,
    document: dict[str, Any] | None = None,
) -> list[str]:
    """Returns the paths at which a rule refuses a sale with these changes."""
    problems = judge(Breaking("", "", body=body, under=under, document=document or {})).problems
    return [problem.path for problem in problems if problem.code == code]


def with_taxes(**taxes: Any) -> dict[str, Any]:
    return {f"items[0].{name}": group for name, group in taxes.items()}


class TestOtherTaxes:
    def test_other_taxes_are_left_out_of_the_note(self) -> None:
        taxes = nfe(**PAID_IN_ADVANCE, items=[item(**TAXED)]).items[0].taxes
        assert (taxes.icms, taxes.pis, taxes.cofins) == (None, None, None)
        assert refused_paths("1001", PAID_IN_ADVANCE | with_taxes(**TAXED)) == []

    def test_note_without_ibs_and_cbs_is_refused(self) -> None:
        assert refused_paths("1001", PAID_IN_ADVANCE) == ["items[0].ibsCbs"]

    def test_note_of_the_normal_regime_leaves_other_taxes_out_by_itself(self) -> None:
        body = PAID_IN_ADVANCE | with_taxes(**TAXED)
        judgement = judge(Breaking("", "", "normal sale", body))
        assert "1001" not in {problem.code for problem in judgement.problems}

    @pytest.mark.parametrize(
        "kept", [{"creditType": "03"}, {"creditType": "04"}, {"creditType": "06"}, {"debitType": "07"}]
    )
    def test_other_taxes_are_written_in_notes_that_repeat_a_sale(self, kept: dict[str, str]) -> None:
        body: dict[str, Any] = {"purpose": "credit" if "creditType" in kept else "debit", **kept}
        assert nfe(**body).items[0].taxes.icms
        assert refused_paths("1001", body) == []

    def test_other_taxes_that_the_caller_gives_are_refused(self) -> None:
        given = with_taxes(icms={"csosn": "102"}, ipi=IPI, **PIS_COFINS, **TAXED)
        paths = [f"items[0].{name}" for name in ("icms", "ipi", "pis", "cofins")]
        assert refused_paths("1001", {"purpose": "debit", "debitType": "01"} | given) == paths

    def test_ipi_is_accepted_in_a_payment_in_advance(self) -> None:
        assert refused_paths("1001", PAID_IN_ADVANCE | with_taxes(ipi=IPI, **TAXED)) == []

    def test_contributions_are_accepted_in_a_payment_in_advance_until_the_end_of_2026(self) -> None:
        assert refused_paths("1001", {}, on("2026-12-31"), WITH_PIS_COFINS_ALONE) == []
        refused = refused_paths("1001", {}, on("2027-01-01"), WITH_PIS_COFINS_ALONE)
        assert refused == ["items[0].pis", "items[0].cofins"]

    def test_other_taxes_are_left_out_of_a_payment_by_a_government(self) -> None:
        purchase = {"entityType": "1", "rateReduction": 10, "operationType": "2"}
        assert nfe(governmentPurchase=purchase, items=[item(**TAXED)]).items[0].taxes.icms is None
        given = {"governmentPurchase": purchase, **with_taxes(icms={"csosn": "102"}, **TAXED)}
        assert refused_paths("1001", given) == ["items[0].icms"]

    def test_other_taxes_are_written_in_every_other_document(self) -> None:
        assert nfe(items=[item()]).items[0].taxes.icms
        assert refused_paths("1001", with_taxes(icms={"csosn": "102"}, ipi=IPI, **PIS_COFINS)) == []


class TestExpectedIcms:
    @pytest.mark.parametrize(
        ("body", "path"),
        [
            (PAID_IN_ADVANCE, "debitType"),
            (PAID_IN_ADVANCE_BY_GOVERNMENT, "governmentPurchase.operationType"),
        ],
    )
    @pytest.mark.parametrize(
        ("environment", "before", "since"),
        [
            (Environment.HOMOLOGATION, "2027-01-31", "2027-02-01"),
            (Environment.PRODUCTION, "2027-02-28", "2027-03-01"),
        ],
    )
    def test_expected_icms_is_required_from_a_day_that_depends_on_the_environment(
        self, body: dict[str, Any], path: str, environment: Environment, before: str, since: str
    ) -> None:
        assert refused_paths("1281", body, on(before, environment)) == []
        assert refused_paths("1281", body, on(since, environment)) == [path]

    def test_message_says_that_the_schema_package_lacks_the_expected_icms(self) -> None:
        judgement = judge(Breaking("", "", body=PAID_IN_ADVANCE, under=on("2027-03-01")))
        [message] = [problem.message for problem in judgement.problems if problem.code == "1281"]
        assert "ICMSPrevistoPagtoAntecip, da NT 2026.008" in message
        assert "PL_010f" in message

    def test_expected_icms_is_not_required_of_other_debits(self) -> None:
        other = {"purpose": "debit", "debitType": "01"}
        assert refused_paths("1281", other, on("2027-03-01")) == []
        assert refused_paths("1281", {}, on("2027-03-01", PRODUCTION.environment)) == []
