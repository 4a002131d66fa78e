"""Shares of the buyer's state that the rules accept."""

from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.layouts.nfe_v4.identification import GovernmentPurchase
from unit.fiscal.goods.support import SAO_PAULO
from unit.fiscal.rules.breaking import RIO_DE_JANEIRO, Breaking, judge

CONSUMER = "consumer in another state"
WITHOUT = {"items[0].taxes.state_share": None}
BAHIA = RIO_DE_JANEIRO | {"city": "Salvador", "state": "BA", "zipcode": "40020-000"}


def codes(
    body: dict[str, Any] | None = None,
    document: dict[str, Any] | None = None,
    company: dict[str, Any] | None = None,
) -> set[str]:
    """Returns the codes of the rules that refuse a sale to a consumer in another state after changes."""
    broken = Breaking("", "", CONSUMER, body or {}, company or {}, document or {})
    return {problem.code for problem in judge(broken).problems}


class TestMissingShare:
    def test_missing_share_is_refused(self) -> None:
        assert "694" in codes(document=WITHOUT)

    @pytest.mark.parametrize("regime", ["simples", "mei"])
    def test_simples_owes_no_share(self, regime: str) -> None:
        assert "694" not in codes(company={"taxRegime": regime})

    def test_simples_above_its_limit_owes_the_share(self) -> None:
        assert "694" in codes(document=WITHOUT, company={"taxRegime": "simplesExcess"})

    @pytest.mark.parametrize("purpose", ["2", "3", "5", "6"])
    def test_share_is_required_in_sales_and_returns_only(self, purpose: str) -> None:
        assert "694" not in codes(document=WITHOUT | {"identification.purpose": purpose})

    def test_share_is_not_required_in_inbound_documents(self) -> None:
        assert "694" not in codes(document=WITHOUT | {"identification.direction": "0"})

    @pytest.mark.parametrize("cfop", ["6916", "6910", "6552", "6922", "6929"])
    def test_share_is_not_required_where_nothing_is_sold(self, cfop: str) -> None:
        assert "694" not in codes(document=WITHOUT | {"items[0].product.cfop": cfop})

    @pytest.mark.parametrize(("cst", "owed"), [("40", False), ("41", False), ("50", True)])
    def test_share_is_not_required_for_exempt_goods(self, cst: str, owed: bool) -> None:
        assert ("694" in codes({"items[0].icms": {"cst": cst}})) is owed

    @pytest.mark.parametrize(("place", "owed"), [(SAO_PAULO, False), (RIO_DE_JANEIRO, True)])
    def test_share_is_not_required_for_goods_delivered_in_the_sellers_state(
        self, place: dict[str, str], owed: bool
    ) -> None:
        assert ("694" in codes({"deliveryAddress": place}, WITHOUT)) is owed

    @pytest.mark.parametrize(("anp_code", "owed"), [("320102001", False), ("810101001", True)])
    def test_share_is_required_only_for_fuels_without_petroleum(self, anp_code: str, owed: bool) -> None:
        fuel = {"anpCode": anp_code, "anpDescription": "COMBUSTIVEL", "consumptionState": "RJ"}
        assert ("694" in codes({"items[0].fuel": fuel}, WITHOUT)) is owed

    @pytest.mark.parametrize(("year", "owed"), [("15", False), ("16", True)])
    def test_share_is_not_required_in_returns_of_sales_before_2016(self, year: str, owed: bool) -> None:
        key = f"35{year}1011222333000181550010000000011123456806"
        returned = WITHOUT | {"identification.purpose": "4", "items[0].product.cfop": "6202"}
        assert ("694" in codes({"references": [{"accessKey": key}]}, returned)) is owed

    def test_share_is_not_required_in_a_payment_by_government(self) -> None:
        payment = GovernmentPurchase(entity_type="1", rate_reduction=Decimal(0), operation_type="2")
        assert "694" not in codes(document=WITHOUT | {"identification.government_purchase": payment})

    def test_issuer_without_registration_owes_no_share(self) -> None:
        assert "694" not in codes(document=WITHOUT | {"issuer.state_registration": None})


class TestShareOfConsumersAlone:
    def test_goods_delivered_in_another_state_may_have_the_share(self) -> None:
        within = {"items[0].stateShare": {"internalRate": 18}, "deliveryAddress": RIO_DE_JANEIRO}
        problems = judge(Breaking("", "", "normal sale", within)).problems
        assert "695" not in {problem.code for problem in problems}

    def test_returns_may_have_the_share(self) -> None:
        assert "695" not in codes(document={"identification.purpose": "4"})


class TestRates:
    def test_foreign_goods_have_the_interstate_rate_of_four(self) -> None:
        assert codes({"items[0].origin": "1"}) == set()

    def test_foreign_goods_do_not_have_the_interstate_rate_of_twelve(self) -> None:
        assert "697" in codes({"items[0].origin": "1", "items[0].stateShare": {"interstateRate": 12}})

    def test_interstate_rate_to_the_northeast_is_seven(self) -> None:
        to_bahia = {"recipient.address": BAHIA}
        assert codes(to_bahia) == set()
        assert codes(to_bahia | {"items[0].stateShare": {"interstateRate": 12}}) == {"698"}

    @pytest.mark.parametrize(
        "document",
        [
            {"identification.purpose": "4"},
            {"identification.direction": "0"},
            {"items[0].product.cfop": "6916"},
        ],
    )
    def test_interstate_rate_is_checked_in_normal_sales_only(self, document: dict[str, Any]) -> None:
        assert "698" not in codes({"items[0].stateShare": {"interstateRate": 7}}, document)

    def test_goods_picked_up_elsewhere_may_have_another_interstate_rate(self) -> None:
        seven = {"items[0].stateShare": {"interstateRate": 7}}
        assert "698" not in codes(seven | {"pickupAddress": SAO_PAULO})

    def test_returned_sale_may_have_shared_the_tax(self) -> None:
        shared = {"items[0].stateShare": {"destinationShare": 60}}
        assert "699" not in codes(shared, {"identification.purpose": "4"})


class TestAmounts:
    def test_share_without_a_fund_is_accepted(self) -> None:
        assert codes({"recipient.address": BAHIA}) == set()

    def test_fund_one_cent_higher_is_accepted(self) -> None:
        share = {"fcpBase": 71.8, "fcpRate": 2, "fcpAmount": 1.45, "internalRate": 20}
        assert codes({"items[0].stateShare": share}) == set()

    def test_share_computed_in_another_way_only_causes_a_warning(self) -> None:
        judgement = judge(Breaking("", "", CONSUMER, {"items[0].stateShare": {"destinationAmount": 9}}))
        assert judgement.problems == ()
        assert "Esperado:" in judgement.warnings[-1]

    def test_lower_internal_rate_leaves_no_share(self) -> None:
        judgement = judge(Breaking("", "", CONSUMER, {"items[0].stateShare": {"internalRate": 7}}))
        assert not [warning for warning in judgement.warnings if "destinationAmount" in warning]
