"""What the rules of the share of the buyer's state let pass."""

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
    """The codes of what is refused in a sale to a consumer in another state, after changes."""
    broken = Breaking("", "", CONSUMER, body or {}, company or {}, document or {})
    return {problem.code for problem in judge(broken).problems}


class TestShareTold:
    def test_without_exceptions_it_is_missed(self) -> None:
        assert "694" in codes(document=WITHOUT)

    @pytest.mark.parametrize("regime", ["simples", "mei"])
    def test_the_simples_owes_none(self, regime: str) -> None:
        assert "694" not in codes(company={"taxRegime": regime})

    def test_the_simples_above_its_limit_owes_it(self) -> None:
        assert "694" in codes(document=WITHOUT, company={"taxRegime": "simplesExcess"})

    @pytest.mark.parametrize("purpose", ["2", "3", "5", "6"])
    def test_only_sales_and_returns_have_it(self, purpose: str) -> None:
        assert "694" not in codes(document=WITHOUT | {"identification.purpose": purpose})

    def test_what_comes_in_has_none(self) -> None:
        assert "694" not in codes(document=WITHOUT | {"identification.direction": "0"})

    @pytest.mark.parametrize("cfop", ["6916", "6910", "6552", "6922", "6929"])
    def test_what_is_not_sold_has_none(self, cfop: str) -> None:
        assert "694" not in codes(document=WITHOUT | {"items[0].product.cfop": cfop})

    @pytest.mark.parametrize(("cst", "owed"), [("40", False), ("41", False), ("50", True)])
    def test_what_is_exempt_has_none(self, cst: str, owed: bool) -> None:
        assert ("694" in codes({"items[0].icms": {"cst": cst}})) is owed

    @pytest.mark.parametrize(("place", "owed"), [(SAO_PAULO, False), (RIO_DE_JANEIRO, True)])
    def test_goods_delivered_in_the_sellers_state_have_none(self, place: dict[str, str], owed: bool) -> None:
        assert ("694" in codes({"deliveryAddress": place}, WITHOUT)) is owed

    @pytest.mark.parametrize(("anp_code", "owed"), [("320102001", False), ("810101001", True)])
    def test_of_fuels_only_those_without_petroleum_have_it(self, anp_code: str, owed: bool) -> None:
        fuel = {"anpCode": anp_code, "anpDescription": "COMBUSTIVEL", "consumptionState": "RJ"}
        assert ("694" in codes({"items[0].fuel": fuel}, WITHOUT)) is owed

    @pytest.mark.parametrize(("year", "owed"), [("15", False), ("16", True)])
    def test_returns_of_what_was_sold_before_it_have_none(self, year: str, owed: bool) -> None:
        key = f"35{year}1011222333000181550010000000011123456806"
        returned = WITHOUT | {"identification.purpose": "4", "items[0].product.cfop": "6202"}
        assert ("694" in codes({"references": [{"accessKey": key}]}, returned)) is owed

    def test_a_payment_by_government_has_none(self) -> None:
        payment = GovernmentPurchase(entity_type="1", rate_reduction=Decimal(0), operation_type="2")
        assert "694" not in codes(document=WITHOUT | {"identification.government_purchase": payment})

    def test_an_issuer_without_registration_owes_none(self) -> None:
        assert "694" not in codes(document=WITHOUT | {"issuer.state_registration": None})


class TestShareOfConsumersAlone:
    def test_goods_delivered_in_another_state_may_have_it(self) -> None:
        within = {"items[0].stateShare": {"internalRate": 18}, "deliveryAddress": RIO_DE_JANEIRO}
        found = judge(Breaking("", "", "normal sale", within)).problems
        assert "695" not in {problem.code for problem in found}

    def test_returns_may_have_it(self) -> None:
        assert "695" not in codes(document={"identification.purpose": "4"})


class TestRates:
    def test_foreign_goods_pay_four(self) -> None:
        assert codes({"items[0].origin": "1"}) == set()

    def test_foreign_goods_do_not_pay_twelve(self) -> None:
        assert "697" in codes({"items[0].origin": "1", "items[0].stateShare": {"interstateRate": 12}})

    def test_to_the_northeast_it_is_seven(self) -> None:
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
    def test_only_normal_sales_are_looked_at(self, document: dict[str, Any]) -> None:
        assert "698" not in codes({"items[0].stateShare": {"interstateRate": 7}}, document)

    def test_goods_picked_up_elsewhere_may_have_another(self) -> None:
        seven = {"items[0].stateShare": {"interstateRate": 7}}
        assert "698" not in codes(seven | {"pickupAddress": SAO_PAULO})

    def test_what_is_returned_may_have_been_shared(self) -> None:
        shared = {"items[0].stateShare": {"destinationShare": 60}}
        assert "699" not in codes(shared, {"identification.purpose": "4"})


class TestAmounts:
    def test_no_fund_is_nothing_to_compute(self) -> None:
        assert codes({"recipient.address": BAHIA}) == set()

    def test_a_cent_more_is_taken(self) -> None:
        share = {"fcpBase": 71.8, "fcpRate": 2, "fcpAmount": 1.45, "internalRate": 20}
        assert codes({"items[0].stateShare": share}) == set()

    def test_a_share_by_another_reckoning_is_only_a_warning(self) -> None:
        told = judge(Breaking("", "", CONSUMER, {"items[0].stateShare": {"destinationAmount": 9}}))
        assert told.problems == ()
        assert "Esperado:" in told.warnings[-1]

    def test_a_lower_rate_inside_the_state_leaves_no_share(self) -> None:
        told = judge(Breaking("", "", CONSUMER, {"items[0].stateShare": {"internalRate": 7}}))
        assert not [warning for warning in told.warnings if "destinationAmount" in warning]
