"""Exceptions and tolerances of the rules of IBS and CBS."""

from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.layouts.nfe_v4.goods import Fuel
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import OperationCredit, PresumedCredit
from carimbo.fiscal.layouts.nfe_v4.identification import ReferencedDocument
from carimbo.fiscal.layouts.nfe_v4.invoice import ReferencedItem
from unit.fiscal.goods.support import PRODUCTION, SAO_PAULO, emission, item
from unit.fiscal.rules.breaking import GONE, Breaking, judge
from unit.fiscal.rules.breakings_reform import IBS_CBS, IN_2027, ITEM_TAXES, TOTALS

OLD_KEY = "35261011222333000181550010000000011123456802"
NEW_KEY = "35270111222333000181550010000000011123456802"
PETROL = Fuel(anp_code="320102001", anp_description="GASOLINA C COMUM", consumption_state="SP")
WITHOUT_GROUP = {ITEM_TAXES: None, TOTALS: None}
MANAUS = {**SAO_PAULO, "zipcode": "69005-010", "city": "Manaus", "state": "AM"}
RIO_PRETO_DA_EVA = {**MANAUS, "city": "Rio Preto da Eva"}
BOA_VISTA = {**MANAUS, "zipcode": "69301-000", "city": "Boa Vista", "state": "RR"}
PERFUME, ESSENCE = "33030010", "33012990"


def refused_codes(good: str = "normal sale", body: dict[str, Any] | None = None, **more: Any) -> set[str]:
    """Returns the codes of the rules of IBS and CBS that refuse the document."""
    problems = judge(Breaking("", "", good, body or {}, **more)).problems
    return {problem.code for problem in problems if problem.source and "NT 2025.002" in problem.source}


def warned_paths(**more: Any) -> list[str]:
    """Returns the paths of the warnings."""
    return [text.partition(":")[0] for text in judge(Breaking("", "", "normal sale", **more)).warnings]


class TestTheGroup:
    def test_missing_group_only_causes_a_warning_in_production(self) -> None:
        assert refused_codes(document=WITHOUT_GROUP, under=PRODUCTION) == set()
        assert IBS_CBS in warned_paths(document=WITHOUT_GROUP, under=PRODUCTION)

    def test_missing_group_causes_no_extra_warning_in_homologation(self) -> None:
        assert IBS_CBS not in warned_paths(document=WITHOUT_GROUP)

    def test_group_is_not_required_of_the_simples(self) -> None:
        assert refused_codes("simples sale") == set()

    def test_group_is_not_required_for_fuels(self) -> None:
        assert refused_codes(document=WITHOUT_GROUP | {"items[0].product.fuel": PETROL}) == set()

    @pytest.mark.parametrize("purpose", ["2", "4"])
    @pytest.mark.parametrize(("key", "codes"), [(OLD_KEY, set()), (NEW_KEY, {"1115"})])
    def test_group_of_a_correction_is_required_by_the_year_of_the_original(
        self, purpose: str, key: str, codes: set[str]
    ) -> None:
        correction = WITHOUT_GROUP | {"identification.purpose": purpose}
        by_document = {"identification.references": (ReferencedDocument(access_key=key),)}
        by_item = {"items[0].referenced_item": ReferencedItem(access_key=key, position=1)}
        assert refused_codes(document=correction | by_document) & {"1115"} == codes
        assert refused_codes(document=correction | by_item) & {"1115"} == codes

    def test_group_is_not_required_in_the_correction_of_a_paper_document(self) -> None:
        assert "1115" not in refused_codes(document=WITHOUT_GROUP | {"identification.purpose": "4"})

    def test_group_may_be_a_tax_class_alone(self) -> None:
        assert refused_codes(body={IBS_CBS: {"taxClassCode": "410001"}}) == set()

    def test_group_by_rates_is_not_required_for_a_loss_of_stock(self) -> None:
        suspended = {IBS_CBS: {"taxClassCode": "550018"}}
        assert "1022" not in refused_codes(body=suspended, document={"identification.debit_type": "07"})


class TestTheRate:
    @pytest.mark.parametrize(
        "correction",
        [
            {"identification.purpose": "4"},
            *({"identification.credit_type": credit_type} for credit_type in ("03", "04", "06")),
        ],
    )
    def test_rate_of_a_correction_may_differ(self, correction: dict[str, Any]) -> None:
        other = {f"{IBS_CBS}.{share}.rate": 2 for share in ("state", "city", "cbs")}
        assert not refused_codes(body=other, document=correction) & {"1026", "1036", "1037"}

    def test_rate_of_the_cbs_may_be_any_while_the_table_has_none(self) -> None:
        other = {f"{IBS_CBS}.{share}.rate": 2 for share in ("state", "city", "cbs")}
        assert refused_codes(body=other, under=IN_2027) == {"1026", "1036"}

    def test_rate_of_an_unknown_tax_class_may_be_any(self) -> None:
        assert refused_codes(body={IBS_CBS: {"taxClassCode": "000099", "state": {"rate": 2}}}) == set()

    def test_message_states_the_expected_rate(self) -> None:
        (problem,) = judge(Breaking("", "", "normal sale", {f"{IBS_CBS}.cbs.rate": 1})).problems
        assert problem.message == "A alíquota da CBS não é a vigente. Esperado: 0.9."


class TestZeroCbs:
    @pytest.mark.parametrize(
        ("seller", "buyer", "ncm", "codes"),
        [
            (MANAUS, MANAUS, "69120000", set()),
            (MANAUS, RIO_PRETO_DA_EVA, "69120000", set()),
            (MANAUS, RIO_PRETO_DA_EVA, PERFUME, set()),
            (MANAUS, RIO_PRETO_DA_EVA, ESSENCE, {"1037"}),
            (MANAUS, MANAUS, "22030000", {"1037"}),
            (MANAUS, BOA_VISTA, "69120000", {"1037"}),
            (SAO_PAULO, SAO_PAULO, "69120000", {"1037"}),
        ],
    )
    def test_zero_cbs_is_accepted_within_one_free_trade_area_for_most_goods(
        self, seller: dict[str, str], buyer: dict[str, str], ncm: str, codes: set[str]
    ) -> None:
        sale = {"recipient.address": buyer, "items[0].ncm": ncm, f"{IBS_CBS}.cbs.rate": 0}
        company = {
            "address": seller,
            "stateRegistrations": [{"state": seller["state"], "number": "111111111111"}],
        }
        assert refused_codes(body=sale, company=company) & {"1037"} == codes

    def test_zero_cbs_is_refused_without_a_buyer(self) -> None:
        assert refused_codes("receipt of the normal regime", {f"{IBS_CBS}.cbs.rate": 0}) == {"1037"}

    def test_zero_cbs_is_accepted_with_the_free_zone_group(self) -> None:
        free_zone = {"kind": "1", "rate": 0.9, "amount": 0.5}
        assert "1037" not in refused_codes(body={f"{IBS_CBS}.cbs": {"rate": 0, "freeZone": free_zone}})


class TestReductions:
    def test_reductions_of_a_public_buyer_and_of_the_law_may_be_combined(self) -> None:
        reduced: dict[str, Any] = {f"{IBS_CBS}.taxClassCode": "200034"} | {
            f"{IBS_CBS}.{share}.reduction": {"rate": 60, "effectiveRate": effective}
            for share, effective in (("state", 0.036), ("city", 0), ("cbs", 0.324))
        }
        reduced |= {
            f"{IBS_CBS}.governmentPurchase.stateAmount": 0.36,
            f"{IBS_CBS}.governmentPurchase.cbsAmount": 3.24,
        }
        assert refused_codes("government purchase", reduced) == set()

    def test_reduction_of_a_public_buyer_is_no_reduction_of_the_law(self) -> None:
        reduced = {f"{IBS_CBS}.state.reduction": {"rate": 5, "effectiveRate": 0.0855}}
        assert refused_codes("government purchase", reduced) == {"1032"}

    def test_reduction_of_a_public_buyer_lowers_the_rate(self) -> None:
        unlowered = {
            f"{IBS_CBS}.cbs.reduction.effectiveRate": 0.9,
            f"{IBS_CBS}.governmentPurchase.cbsAmount": 9,
        }
        assert refused_codes("government purchase", unlowered) == {"1064"}

    @pytest.mark.parametrize(
        ("effective", "codes"), [(0.0399, set()), (0.0401, set()), (0.0398, {"1035"}), (0.0402, {"1035"})]
    )
    def test_reduced_rate_may_be_rounded_either_way(self, effective: float, codes: set[str]) -> None:
        reduction = {"rate": 60, "effectiveRate": effective}
        assert refused_codes("reduced tax", {f"{IBS_CBS}.state.reduction": reduction}) == codes

    def test_reduction_of_an_unknown_tax_class_may_be_any(self) -> None:
        reduced = {f"{IBS_CBS}.{share}.reduction": {"rate": 12} for share in ("state", "city", "cbs")}
        assert refused_codes(body={f"{IBS_CBS}.taxClassCode": "200999"} | reduced) == set()


class TestAmounts:
    @pytest.mark.parametrize(
        ("amount", "codes"), [(0.99, set()), (1.01, set()), (0.98, {"1041"}), (1.02, {"1041"})]
    )
    def test_amount_may_be_a_cent_off(self, amount: float, codes: set[str]) -> None:
        assert refused_codes(body={f"{IBS_CBS}.base": 1000, f"{IBS_CBS}.state.amount": amount}) == codes

    def test_amount_excludes_the_refund(self) -> None:
        refunded = {"refund": {"rate": 20, "amount": 1.8}}
        assert (
            refused_codes(body={f"{IBS_CBS}.base": 1000, f"{IBS_CBS}.cbs": refunded | {"amount": 7.2}})
            == set()
        )
        assert refused_codes(body={f"{IBS_CBS}.base": 1000, f"{IBS_CBS}.cbs": refunded | {"amount": 9}}) == {
            "1069"
        }

    def test_amount_excludes_the_deferred_part(self) -> None:
        assert refused_codes("deferred tax", {f"{IBS_CBS}.cbs.amount": 45}) == set()
        assert refused_codes("deferred tax", {f"{IBS_CBS}.cbs.amount": 90}) == {"1069"}

    @pytest.mark.parametrize(("amount", "codes"), [(8.06, set()), (8.14, set()), (8.15, {"1142"})])
    def test_amount_for_a_public_buyer_may_be_a_few_cents_off(self, amount: float, codes: set[str]) -> None:
        assert (
            refused_codes("government purchase", {f"{IBS_CBS}.governmentPurchase.cbsAmount": amount}) == codes
        )

    @pytest.mark.parametrize(("amount", "codes"), [("1.00", set()), ("0.70", set()), ("0.50", {"1150"})])
    def test_amount_of_the_ibs_may_exclude_a_presumed_credit(self, amount: str, codes: set[str]) -> None:
        credit = PresumedCredit(rate=Decimal(30), amount=Decimal("0.30"))
        granted = OperationCredit(base=Decimal(1), code="01", ibs=credit)
        document = {
            f"{ITEM_TAXES}.operation_credit": granted,
            f"{ITEM_TAXES}.by_rate.ibs_amount": Decimal(amount),
            f"{TOTALS}.ibs.amount": Decimal(amount),
            f"{TOTALS}.ibs.presumed_credit": Decimal("0.30"),
        }
        assert refused_codes(body={f"{IBS_CBS}.base": 1000}, document=document) == codes


class TestTotals:
    def test_totals_are_required_even_with_tax_classes_alone(self) -> None:
        assert refused_codes("export", document={TOTALS: None}) == {"1119"}

    def test_totals_add_up_all_items(self) -> None:
        both = {f"{IBS_CBS}.base": 1000, "items[1]": item(ibsCbs={"base": 500})}
        assert refused_codes(body=both) == set()
        wrong = Breaking("", "", "normal sale", both, document={f"{TOTALS}.cbs.amount": Decimal(9)})
        (problem,) = judge(wrong).problems
        assert problem.message == "O total da CBS não é a soma dos itens. Esperado: 13.50."

    @pytest.mark.parametrize("group", ["ibs", "cbs"])
    def test_missing_totals_are_not_compared(self, group: str) -> None:
        assert refused_codes(document={f"{TOTALS}.{group}": None}) == set()

    def test_totals_of_a_single_phase_add_up_both_ways_of_taxing(self) -> None:
        by_quantity = {
            "standard": {"quantity": 10, "unitRate": 0.2, "amount": 2},
            "withholding": {"quantity": 10, "unitRate": 0.1, "amount": 1},
        }
        by_value = {"standard": {"base": 100, "rate": 3, "amount": 3}, "retained": {"amount": 4}}
        phase = {
            "ibsByQuantity": by_quantity,
            "cbsByValue": by_value,
            "ibsAmount": 3,
            "cbsAmount": 3,
        }
        fuel = {IBS_CBS: {"taxClassCode": "620001", "singlePhase": phase}}
        assert refused_codes(body=fuel) == set()
        amounts = f"{TOTALS}.single_phase"
        wrong = {
            f"{amounts}.ibs_withholding_amount": Decimal(2),
            f"{amounts}.cbs_retained_amount": Decimal(3),
        }
        assert refused_codes(body=fuel, document=wrong) == {"1120", "1123"}


def test_documents_are_judged_by_the_day_of_their_own_offset() -> None:
    last_evening = emission(issued_at=IN_2027.issued_at.replace(year=2026, month=12, day=31, hour=23))
    assert refused_codes(body={f"{IBS_CBS}.state.rate": 2}, under=last_evening) == {"1026"}


class TestGovernmentPurchase:
    def test_government_purchase_has_the_general_rates_after_the_reduction(self) -> None:
        # 10 % off by the public buyer: 0.09 % and 0.81 %, beside a reduction of zero.
        shares = {f"{IBS_CBS}.{name}": GONE for name in ("state", "city", "cbs")}
        assert refused_codes("government purchase", body=shares) == set()


class TestSuspension:
    def test_suspension_has_rates_of_zero_and_states_the_regular_tax(self) -> None:
        regular = {
            "cst": "000",
            "taxClassCode": "000001",
            "stateRate": 0.1,
            "stateAmount": 0.05,
            "cityRate": 0,
            "cityAmount": 0,
            "cbsRate": 0.9,
            "cbsAmount": 0.48,
        }
        assert refused_codes(body={IBS_CBS: {"taxClassCode": "550018", "regularTaxation": regular}}) == set()
