"""ICMS that the rules accept."""

import dataclasses
from typing import Any

import pytest

from carimbo.fiscal.rules import Judgement
from unit.fiscal.goods.support import ITEM, SAO_PAULO
from unit.fiscal.rules.breaking import RIO_DE_JANEIRO, Breaking, judge
from unit.fiscal.rules.breakings_operation import FUEL_OF_RIO
from unit.fiscal.rules.test_total_rules import VEHICLE

BETWEEN_STATES = "contributor in another state"
TO_A_CONSUMER = "consumer in another state"
SUBSTITUTED = {
    "cst": "10", "baseMode": "3", "base": 71.8, "rate": 12, "amount": 8.62, "stBaseMode": "4",
    "stBase": 100, "stRate": 18, "stAmount": 9.38,
}  # fmt: skip


def judgement_of(icms: dict[str, Any], good: str = "normal sale", **changes: Any) -> Judgement:
    """Applies the rules to a valid request whose first item has another ICMS."""
    body = {"items[0].icms": icms} | changes.pop("body", {})
    return judge(Breaking("", "", good, body, **changes))


def codes(icms: dict[str, Any], good: str = "normal sale", **changes: Any) -> set[str]:
    """Returns the codes of the rules that refuse it."""
    return {problem.code for problem in judgement_of(icms, good, **changes).problems}


class TestSituations:
    def test_mei_uses_csosn(self) -> None:
        assert not {"590", "591"} & codes({"csosn": "102"}, "simples sale", company={"taxRegime": "mei"})

    def test_simples_above_its_limit_uses_cst(self) -> None:
        above = {"taxRegime": "simplesExcess"}
        assert not {"590", "591"} & codes({"cst": "00", "rate": 18}, "simples sale", company=above)

    def test_simples_uses_cst_for_fuels(self) -> None:
        retained = {"singlePhaseRetainedRate": 1.47, "singlePhaseRetainedAmount": 2.94}
        assert "590" not in codes({"cst": "61"} | retained, "simples sale")


class TestCsosnForConsumers:
    @pytest.mark.parametrize("csosn", ["102", "103", "300", "400"])
    def test_csosn_without_credit_is_accepted_for_consumers(self, csosn: str) -> None:
        assert codes({"csosn": csosn}, "simples sale") == set()

    def test_csosn_with_credit_is_accepted_for_contributors(self) -> None:
        assert codes({"csosn": "101", "creditRate": 2}, "simples sale to a contributor") == set()

    def test_repairs_may_have_any_csosn(self) -> None:
        assert "600" not in codes({"csosn": "900"}, "simples sale", body={"cfop": "5915"})

    @pytest.mark.parametrize(("regime", "refused"), [("mei", False), ("simples", True)])
    def test_only_the_mei_may_sell_its_equipment_with_any_csosn(self, regime: str, refused: bool) -> None:
        refused_codes = codes(
            {"csosn": "900"}, "simples sale", body={"cfop": "5551"}, company={"taxRegime": regime}
        )
        assert ("600" in refused_codes) is refused


class TestCstForConsumers:
    @pytest.mark.parametrize("icms", [{"cst": "40"}, {"cst": "41"}, {"cst": "20", "baseReduction": 10}])
    def test_cst_of_any_sale_is_accepted_for_consumers(self, icms: dict[str, Any]) -> None:
        assert codes(icms) == set()

    @pytest.mark.parametrize("cst", ["50", "90"])
    def test_other_csts_are_refused_for_consumers(self, cst: str) -> None:
        assert codes({"cst": cst}) == {"508"}

    @pytest.mark.parametrize("cst", ["50", "51", "90"])
    def test_other_csts_are_accepted_for_contributors(self, cst: str) -> None:
        assert "508" not in codes({"cst": cst}, "normal sale to a contributor")

    def test_other_csts_are_accepted_in_inbound_documents(self) -> None:
        inbound = {"identification.direction": "0"}
        assert "508" not in codes({"cst": "90"}, document=inbound)

    @pytest.mark.parametrize("cfop", ["5915", "5916", "5949", "5998"])
    def test_shipments_and_their_returns_may_be_suspended(self, cfop: str) -> None:
        assert "508" not in codes({"cst": "50"}, document={"items[0].product.cfop": cfop})

    @pytest.mark.parametrize(("cst", "refused"), [("50", False), ("51", False), ("90", True)])
    def test_returns_to_consumers_may_be_suspended_or_deferred(self, cst: str, refused: bool) -> None:
        returned = {"identification.purpose": "4"}
        assert ("508" in codes({"cst": cst}, TO_A_CONSUMER, document=returned)) is refused

    @pytest.mark.parametrize(("good", "refused"), [("normal sale", False), (TO_A_CONSUMER, True)])
    @pytest.mark.parametrize("icms", [{"cst": "51"}, SUBSTITUTED])
    def test_deferral_and_substitution_are_accepted_within_the_state(
        self, icms: dict[str, Any], good: str, refused: bool
    ) -> None:
        assert ("508" in codes(icms, good)) is refused

    @pytest.mark.parametrize("cfop", ["6123", "6922"])
    def test_goods_delivered_later_may_be_deferred(self, cfop: str) -> None:
        document = {"items[0].product.cfop": cfop}
        assert "508" not in codes({"cst": "51"}, TO_A_CONSUMER, document=document)

    @pytest.mark.parametrize(
        ("product", "refused"),
        [
            ({"ncm": "27160000"}, False),
            ({"fuel": FUEL_OF_RIO}, False),
            ({"fuel": dataclasses.replace(FUEL_OF_RIO, anp_code="810101001")}, True),
            ({}, True),
        ],
    )
    def test_energy_and_petroleum_may_be_exempt_and_substituted(
        self, product: dict[str, Any], refused: bool
    ) -> None:
        document = {f"items[0].product.{name}": value for name, value in product.items()}
        exempt = {key: value for key, value in SUBSTITUTED.items() if key.startswith("st")} | {"cst": "30"}
        assert ("508" in codes(exempt, TO_A_CONSUMER, document=document)) is refused

    @pytest.mark.parametrize(("cfop", "refused"), [("5405", False), ("5102", True)])
    def test_ceara_accepts_other_taxation_of_substituted_goods(self, cfop: str, refused: bool) -> None:
        document = {"issuer.address.state": "CE", "items[0].product.cfop": cfop}
        assert ("508" in codes({"cst": "90"}, document=document)) is refused

    def test_any_cst_is_accepted_beside_a_new_vehicle(self) -> None:
        beside = {"items[1]": ITEM | {"vehicle": VEHICLE}}
        assert "508" not in codes({"cst": "90"}, body=beside)


class TestAmounts:
    def test_amount_one_cent_higher_is_accepted(self) -> None:
        assert codes({"amount": 12.93}) == set()

    def test_amount_two_cents_higher_is_refused(self) -> None:
        judgement = judgement_of({"amount": 12.94})
        assert [problem.message for problem in judgement.problems] == [
            "O valor do ICMS não é base de cálculo vezes alíquota. Esperado: 12.92."
        ]

    def test_complement_may_have_the_tax_alone(self) -> None:
        tax_alone = {"base": 0, "rate": 18, "amount": 10}
        assert "528" not in codes(tax_alone, document={"identification.purpose": "2"})

    def test_amount_of_other_taxation_is_not_checked(self) -> None:
        others = {"cst": "90", "base": 50, "rate": 18, "amount": 1, "baseMode": "3"}
        assert codes(others, "normal sale to a contributor") == set()

    def test_fund_may_have_its_own_base(self) -> None:
        reduced = {"cst": "20", "baseReduction": 50, "rate": 18}
        assert codes(reduced | {"fcpBase": 70, "fcpRate": 2, "fcpAmount": 1.4}) == set()


class TestDeferral:
    def test_deferral_needs_no_values(self) -> None:
        assert codes({"cst": "51"}) == set()

    @pytest.mark.parametrize("deferral_rate", [0, 33.33, 100])
    def test_computed_deferral_is_accepted(self, deferral_rate: float) -> None:
        assert codes({"cst": "51", "rate": 18, "deferralRate": deferral_rate}) == set()

    def test_deferral_in_receipts_is_not_checked(self) -> None:
        deferred = {"cst": "51", "rate": 18, "amount": 3}
        assert not {"351", "352", "353"} & codes(deferred, "receipt of the normal regime")


class TestRateBetweenStates:
    @pytest.mark.parametrize("rate", [4, 7, 12])
    def test_lower_interstate_rate_is_accepted(self, rate: int) -> None:
        assert codes({"rate": rate}, BETWEEN_STATES) == set()

    def test_highest_rate_to_the_north_is_seven(self) -> None:
        amazonas = RIO_DE_JANEIRO | {"city": "Manaus", "state": "AM", "zipcode": "69005-010"}
        to_the_north = {"recipient.address": amazonas, "recipient.stateRegistration": "041939808"}
        assert "693" in codes({"rate": 12}, BETWEEN_STATES, body=to_the_north)

    def test_shared_tax_has_the_same_highest_interstate_rate(self) -> None:
        shared = SUBSTITUTED | {"rate": 18, "amount": 12.92, "operationBaseShare": 100, "stState": "RJ"}
        assert codes(shared, BETWEEN_STATES) == {"693"}

    def test_interstate_rate_of_foreign_goods_has_its_own_rule(self) -> None:
        assert "693" not in codes({"rate": 18}, BETWEEN_STATES, body={"items[0].origin": "1"})

    def test_rate_within_the_state_has_no_limit(self) -> None:
        assert codes({"rate": 25}, "normal sale to a contributor") == set()

    @pytest.mark.parametrize("cfop", ["6118", "6206", "6902"])
    def test_sales_by_order_annulments_and_returns_may_have_a_higher_rate(self, cfop: str) -> None:
        changed = {"items[0].product.cfop": cfop}
        assert "693" not in codes({"rate": 18}, BETWEEN_STATES, document=changed)

    def test_goods_delivered_in_another_state_may_have_a_higher_rate(self) -> None:
        there = {"deliveryAddress": RIO_DE_JANEIRO}
        assert "693" not in codes({"rate": 18}, BETWEEN_STATES, body=there)

    def test_goods_picked_up_in_another_state_may_have_a_higher_rate(self) -> None:
        here = {"pickupAddress": SAO_PAULO}
        assert "693" not in codes({"rate": 18}, BETWEEN_STATES, body=here)

    @pytest.mark.parametrize(("field", "code"), [("direction", "0"), ("purpose", "2"), ("purpose", "4")])
    def test_interstate_rate_is_checked_in_normal_sales_only(self, field: str, code: str) -> None:
        changed = {f"identification.{field}": code}
        assert "693" not in codes({"rate": 18}, BETWEEN_STATES, document=changed)


class TestRateOfForeignGoods:
    def test_rate_of_four_is_accepted_for_foreign_goods(self) -> None:
        assert codes({"rate": 4}, BETWEEN_STATES, body={"items[0].origin": "1"}) == set()

    def test_deferred_tax_of_foreign_goods_is_not_checked(self) -> None:
        assert codes({"cst": "51", "rate": 12}, BETWEEN_STATES, body={"items[0].origin": "1"}) == set()

    def test_rate_of_foreign_goods_within_the_state_has_no_limit(self) -> None:
        assert codes({"rate": 18}, "normal sale", body={"items[0].origin": "1"}) == set()


class TestFunds:
    def test_fund_of_zero_is_left_out(self) -> None:
        assert codes({"fcpRate": 0, "fcpAmount": 0}) == set()

    @pytest.mark.parametrize("good", [BETWEEN_STATES, "normal sale"])
    def test_fund_of_the_sellers_state_is_accepted_in_other_sales(self, good: str) -> None:
        assert codes({"fcpRate": 2}, good) == set()


class TestExemption:
    def test_exemption_with_reason_and_amount_is_accepted(self) -> None:
        assert codes({"cst": "40", "exemptedAmount": 12.92, "exemptionReason": "9"}) == set()

    def test_exemption_without_amount_is_accepted(self) -> None:
        assert codes({"cst": "40"}) == set()


class TestWarnings:
    @pytest.mark.parametrize("code", ["SP010010", "SEM CBENEF"])
    def test_benefit_code_that_is_given_causes_no_warning(self, code: str) -> None:
        assert judgement_of({"cst": "40"}, body={"items[0].benefitCode": code}).warnings == ()

    def test_goods_outside_of_taxation_need_no_benefit_code(self) -> None:
        assert judgement_of({"cst": "41"}).warnings == ()

    @pytest.mark.parametrize("purpose", ["3", "4", "5", "6"])
    def test_benefit_code_is_expected_of_sales_only(self, purpose: str) -> None:
        judgement = judgement_of({"cst": "40"}, document={"identification.purpose": purpose})
        assert not [warning for warning in judgement.warnings if "benefitCode" in warning]

    def test_other_states_expect_no_benefit_code(self) -> None:
        manaus = SAO_PAULO | {"city": "Manaus", "state": "AM"}
        home = {"address": manaus, "stateRegistrations": [{"state": "AM", "number": "041939808"}]}
        judgement = judgement_of({"cst": "40"}, company=home)
        assert not [warning for warning in judgement.warnings if "benefitCode" in warning]

    def test_retained_tax_may_be_missing_in_sales_to_consumers(self) -> None:
        assert judgement_of({"cst": "60"}, body={"items[0].cest": "1400100"}).warnings == ()

    def test_retained_tax_of_zero_counts_as_given(self) -> None:
        zeros = dict.fromkeys(("retainedBase", "retainedRate", "substituteAmount", "retainedAmount"), 0)
        judgement = judgement_of(
            {"cst": "60"} | zeros, "normal sale to a contributor", body={"items[0].cest": "1400100"}
        )
        assert judgement.warnings == ()
