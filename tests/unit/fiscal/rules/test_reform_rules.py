"""Where the rules of IBS and CBS make exceptions, and how exact they are."""

from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.layouts.nfe_v4.goods import Fuel
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import OperationCredit, PresumedCredit
from carimbo.fiscal.layouts.nfe_v4.identification import Reference
from carimbo.fiscal.layouts.nfe_v4.invoice import ReferencedItem
from unit.fiscal.goods.support import PRODUCTION, SAO_PAULO, emission, item
from unit.fiscal.rules.breaking import GONE, Breaking, judge
from unit.fiscal.rules.breakings_reform import IBS_CBS, IN_2027, ITEM_TAXES, TOTALS

OLD_KEY = "35261011222333000181550010000000011123456802"
NEW_KEY = "35270111222333000181550010000000011123456802"
PETROL = Fuel(anp_code="320102001", anp_description="GASOLINA C COMUM", consumption_state="SP")
UNTOLD = {ITEM_TAXES: None, TOTALS: None}
MANAUS = {**SAO_PAULO, "zipcode": "69005-010", "city": "Manaus", "state": "AM"}
RIO_PRETO_DA_EVA = {**MANAUS, "city": "Rio Preto da Eva"}
BOA_VISTA = {**MANAUS, "zipcode": "69301-000", "city": "Boa Vista", "state": "RR"}
PERFUME, ESSENCE = "33030010", "33012990"


def told(good: str = "normal sale", body: dict[str, Any] | None = None, **more: Any) -> set[str]:
    """Codes of the rules of IBS and CBS that refuse the document."""
    problems = judge(Breaking("", "", good, body or {}, **more)).problems
    return {problem.code for problem in problems if problem.source and "NT 2025.002" in problem.source}


def warned(**more: Any) -> list[str]:
    """Paths that the document is warned about."""
    return [text.partition(":")[0] for text in judge(Breaking("", "", "normal sale", **more)).warnings]


class TestTheGroup:
    def test_is_missed_in_production_by_a_warning_alone(self) -> None:
        assert told(document=UNTOLD, under=PRODUCTION) == set()
        assert IBS_CBS in warned(document=UNTOLD, under=PRODUCTION)

    def test_is_missed_in_homologation_without_a_warning_besides(self) -> None:
        assert IBS_CBS not in warned(document=UNTOLD)

    def test_is_not_asked_of_the_simples(self) -> None:
        assert told("simples sale") == set()

    def test_is_not_asked_of_fuels(self) -> None:
        assert told(document=UNTOLD | {"items[0].product.fuel": PETROL}) == set()

    @pytest.mark.parametrize("purpose", ["2", "4"])
    @pytest.mark.parametrize(("key", "codes"), [(OLD_KEY, set()), (NEW_KEY, {"1115"})])
    def test_is_asked_by_the_year_of_the_document_that_is_corrected(
        self, purpose: str, key: str, codes: set[str]
    ) -> None:
        correction = UNTOLD | {"identification.purpose": purpose}
        by_document = {"identification.references": (Reference(access_key=key),)}
        by_item = {"items[0].referenced_item": ReferencedItem(access_key=key, position=1)}
        assert told(document=correction | by_document) & {"1115"} == codes
        assert told(document=correction | by_item) & {"1115"} == codes

    def test_is_not_asked_of_the_correction_of_a_paper_document(self) -> None:
        assert "1115" not in told(document=UNTOLD | {"identification.purpose": "4"})

    def test_may_be_a_classification_alone(self) -> None:
        assert told(body={IBS_CBS: {"taxClassCode": "410001"}}) == set()

    def test_by_rates_is_not_asked_of_a_loss_of_stock(self) -> None:
        suspended = {IBS_CBS: {"taxClassCode": "550018"}}
        assert "1022" not in told(body=suspended, document={"identification.debit_type": "07"})


class TestTheRate:
    @pytest.mark.parametrize(
        "correction",
        [
            {"identification.purpose": "4"},
            *({"identification.credit_type": kind} for kind in ("03", "04", "06")),
        ],
    )
    def test_of_a_correction_may_be_another(self, correction: dict[str, Any]) -> None:
        other = {f"{IBS_CBS}.{share}.rate": 2 for share in ("state", "city", "cbs")}
        assert not told(body=other, document=correction) & {"1026", "1036", "1037"}

    def test_of_the_cbs_may_be_any_while_the_table_has_none(self) -> None:
        other = {f"{IBS_CBS}.{share}.rate": 2 for share in ("state", "city", "cbs")}
        assert told(body=other, under=IN_2027) == {"1026", "1036"}

    def test_of_an_unknown_classification_may_be_any(self) -> None:
        assert told(body={IBS_CBS: {"taxClassCode": "000099", "state": {"rate": 2}}}) == set()

    def test_is_told_when_it_is_another(self) -> None:
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
    def test_holds_within_one_area_for_goods_that_are_not_left_out(
        self, seller: dict[str, str], buyer: dict[str, str], ncm: str, codes: set[str]
    ) -> None:
        sale = {"recipient.address": buyer, "items[0].ncm": ncm, f"{IBS_CBS}.cbs.rate": 0}
        company = {
            "address": seller,
            "stateRegistrations": [{"state": seller["state"], "number": "111111111111"}],
        }
        assert told(body=sale, company=company) & {"1037"} == codes

    def test_is_another_matter_without_a_buyer(self) -> None:
        assert told("receipt of the normal regime", {f"{IBS_CBS}.cbs.rate": 0}) == {"1037"}

    def test_holds_where_the_free_zone_is_told(self) -> None:
        free_zone = {"kind": "1", "rate": 0.9, "amount": 0.5}
        assert "1037" not in told(body={f"{IBS_CBS}.cbs": {"rate": 0, "freeZone": free_zone}})


class TestReductions:
    def test_of_a_public_buyer_stand_beside_one_of_the_law(self) -> None:
        reduced: dict[str, Any] = {f"{IBS_CBS}.taxClassCode": "200034"} | {
            f"{IBS_CBS}.{share}.reduction": {"rate": 60, "effectiveRate": effective}
            for share, effective in (("state", 0.036), ("city", 0), ("cbs", 0.324))
        }
        reduced |= {
            f"{IBS_CBS}.governmentPurchase.stateAmount": 0.36,
            f"{IBS_CBS}.governmentPurchase.cbsAmount": 3.24,
        }
        assert told("government purchase", reduced) == set()

    def test_of_a_public_buyer_are_no_reduction_of_the_law(self) -> None:
        reduced = {f"{IBS_CBS}.state.reduction": {"rate": 5, "effectiveRate": 0.0855}}
        assert told("government purchase", reduced) == {"1032"}

    def test_of_a_public_buyer_lower_the_rate(self) -> None:
        unlowered = {
            f"{IBS_CBS}.cbs.reduction.effectiveRate": 0.9,
            f"{IBS_CBS}.governmentPurchase.cbsAmount": 9,
        }
        assert told("government purchase", unlowered) == {"1064"}

    @pytest.mark.parametrize(
        ("effective", "codes"), [(0.0399, set()), (0.0401, set()), (0.0398, {"1035"}), (0.0402, {"1035"})]
    )
    def test_may_be_rounded_either_way(self, effective: float, codes: set[str]) -> None:
        reduction = {"rate": 60, "effectiveRate": effective}
        assert told("reduced tax", {f"{IBS_CBS}.state.reduction": reduction}) == codes

    def test_of_an_unknown_classification_may_be_any(self) -> None:
        reduced = {f"{IBS_CBS}.{share}.reduction": {"rate": 12} for share in ("state", "city", "cbs")}
        assert told(body={f"{IBS_CBS}.taxClassCode": "200999"} | reduced) == set()


class TestAmounts:
    @pytest.mark.parametrize(
        ("amount", "codes"), [(0.99, set()), (1.01, set()), (0.98, {"1041"}), (1.02, {"1041"})]
    )
    def test_may_be_a_cent_off(self, amount: float, codes: set[str]) -> None:
        assert told(body={f"{IBS_CBS}.base": 1000, f"{IBS_CBS}.state.amount": amount}) == codes

    def test_are_without_what_goes_back(self) -> None:
        refunded = {"refund": {"rate": 20, "amount": 1.8}}
        assert told(body={f"{IBS_CBS}.base": 1000, f"{IBS_CBS}.cbs": refunded | {"amount": 7.2}}) == set()
        assert told(body={f"{IBS_CBS}.base": 1000, f"{IBS_CBS}.cbs": refunded | {"amount": 9}}) == {"1069"}

    def test_are_without_what_is_paid_later(self) -> None:
        assert told("deferred tax", {f"{IBS_CBS}.cbs.amount": 45}) == set()
        assert told("deferred tax", {f"{IBS_CBS}.cbs.amount": 90}) == {"1069"}

    @pytest.mark.parametrize(("amount", "codes"), [(8.06, set()), (8.14, set()), (8.15, {"1142"})])
    def test_of_a_public_buyer_may_be_a_few_cents_off(self, amount: float, codes: set[str]) -> None:
        assert told("government purchase", {f"{IBS_CBS}.governmentPurchase.cbsAmount": amount}) == codes

    @pytest.mark.parametrize(("amount", "codes"), [("1.00", set()), ("0.70", set()), ("0.50", {"1150"})])
    def test_of_the_ibs_may_be_without_a_presumed_credit(self, amount: str, codes: set[str]) -> None:
        credit = PresumedCredit(rate=Decimal(30), amount=Decimal("0.30"))
        granted = OperationCredit(base=Decimal(1), code="01", ibs=credit)
        document = {
            f"{ITEM_TAXES}.operation_credit": granted,
            f"{ITEM_TAXES}.by_rate.ibs_amount": Decimal(amount),
            f"{TOTALS}.ibs.amount": Decimal(amount),
            f"{TOTALS}.ibs.presumed_credit": Decimal("0.30"),
        }
        assert told(body={f"{IBS_CBS}.base": 1000}, document=document) == codes


class TestTotals:
    def test_are_asked_for_even_of_classifications_alone(self) -> None:
        assert told("export", document={TOTALS: None}) == {"1119"}

    def test_add_all_items_up(self) -> None:
        both = {f"{IBS_CBS}.base": 1000, "items[1]": item(ibsCbs={"base": 500})}
        assert told(body=both) == set()
        wrong = Breaking("", "", "normal sale", both, document={f"{TOTALS}.cbs.amount": Decimal(9)})
        (problem,) = judge(wrong).problems
        assert problem.message == "O total da CBS não é a soma dos itens. Esperado: 13.50."

    @pytest.mark.parametrize("group", ["ibs", "cbs"])
    def test_that_are_not_told_are_not_held_against_anything(self, group: str) -> None:
        assert told(document={f"{TOTALS}.{group}": None}) == set()

    def test_of_a_single_phase_add_both_ways_of_taxing_up(self) -> None:
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
        assert told(body=fuel) == set()
        amounts = f"{TOTALS}.single_phase"
        wrong = {
            f"{amounts}.ibs_withholding_amount": Decimal(2),
            f"{amounts}.cbs_retained_amount": Decimal(3),
        }
        assert told(body=fuel, document=wrong) == {"1120", "1123"}


def test_documents_of_another_offset_are_judged_by_their_own_day() -> None:
    last_evening = emission(issued_at=IN_2027.issued_at.replace(year=2026, month=12, day=31, hour=23))
    assert told(body={f"{IBS_CBS}.state.rate": 2}, under=last_evening) == {"1026"}


class TestGovernmentPurchase:
    def test_has_the_rates_that_the_law_leaves_of_the_general_ones(self) -> None:
        # 10 % off by the public buyer: 0.09 % and 0.81 %, told beside a reduction of zero.
        shares = {f"{IBS_CBS}.{name}": GONE for name in ("state", "city", "cbs")}
        assert told("government purchase", body=shares) == set()


class TestSuspension:
    def test_has_rates_of_zero_and_tells_what_would_be_due(self) -> None:
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
        assert told(body={IBS_CBS: {"taxClassCode": "550018", "regularTaxation": regular}}) == set()
