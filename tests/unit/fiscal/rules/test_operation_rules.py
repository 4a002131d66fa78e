"""Operations and CFOPs that the rules accept."""

import dataclasses
from typing import Any

import pytest

from carimbo.fiscal.layouts.nfe_v4.parties import PickupOrDelivery
from unit.fiscal.goods.support import ITEM, RIO_DE_JANEIRO, SAO_PAULO
from unit.fiscal.rules.breaking import Breaking, judge
from unit.fiscal.rules.breakings_operation import ADDRESS_IN_SAO_PAULO, FUEL_OF_RIO, MARKETPLACE, MEI
from unit.fiscal.rules.breakings_parties import refusals

FUEL_OF_SAO_PAULO = dataclasses.replace(FUEL_OF_RIO, consumption_state="SP")
FUEL_ABROAD = dataclasses.replace(FUEL_OF_RIO, consumption_state="EX")
WAREHOUSE_IN_RIO = PickupOrDelivery(
    street="Rua da Alfândega",
    number="5",
    district="Centro",
    city_code="3304557",
    city="Rio de Janeiro",
    state="RJ",
)
NOT_STATED = {"identification.intermediation": None}
INTERNAL = {"destination": "internal"}
INTERSTATE = {"destination": "interstate"}
TO_A_NEIGHBOUR = {"recipient.address": ADDRESS_IN_SAO_PAULO}


def warned_of_cfop(good: str, **changes: Any) -> bool:
    """Whether a warning points at the CFOP of the first item."""
    return any(
        text.startswith("items[0].cfop:") for text in judge(Breaking("", "", good, **changes)).warnings
    )


class TestIntermediation:
    @pytest.mark.parametrize("presence", ["inPerson", "outside", "none"])
    def test_intermediation_is_optional_where_the_sale_is_not_at_a_distance(self, presence: str) -> None:
        assert "434" not in refusals(body={"presence": presence}, document=NOT_STATED)

    @pytest.mark.parametrize("presence", ["internet", "phone", "delivery", "other"])
    def test_intermediation_is_required_at_a_distance(self, presence: str) -> None:
        assert "434" in refusals(body={"presence": presence}, document=NOT_STATED)

    def test_intermediation_is_optional_where_nothing_is_sold(self) -> None:
        assert "434" not in refusals("return", body={"presence": "internet"}, document=NOT_STATED)

    def test_intermediation_is_optional_for_energy(self) -> None:
        document = NOT_STATED | {"items[0].product.cfop": "5258"}
        assert "434" not in refusals(body={"presence": "internet"}, document=document)

    @pytest.mark.parametrize("presence", ["inPerson", "internet", "phone", "other"])
    def test_intermediary_is_accepted_in_every_other_sale(self, presence: str) -> None:
        assert "435" not in refusals(body={"presence": presence, "intermediary": MARKETPLACE})

    def test_intermediation_may_be_denied_where_it_is_impossible(self) -> None:
        document = {"identification.intermediation": "0"}
        assert "435" not in refusals(body={"presence": "outside"}, document=document)


class TestContributorOfAnotherState:
    GOOD = "contributor in another state"
    AWAY = INTERNAL | {"finalConsumer": True, "presence": "internet"}

    def test_contributor_of_another_state_may_take_the_goods_along(self) -> None:
        assert "521" not in refusals(self.GOOD, body=self.AWAY | {"presence": "inPerson"})

    def test_contributor_of_another_state_may_not_have_the_goods_sent(self) -> None:
        body = self.AWAY | {"presence": "inPerson", "freight.mode": "sender"}
        assert "521" in refusals(self.GOOD, body=body)

    def test_contributor_of_another_state_may_have_the_goods_delivered_in_the_state(self) -> None:
        assert "521" not in refusals(self.GOOD, body=self.AWAY | {"deliveryAddress": SAO_PAULO})

    def test_contributor_of_another_state_may_consume_fuel_in_the_state(self) -> None:
        document = {"items[0].product.fuel": FUEL_OF_SAO_PAULO}
        assert "521" not in refusals(self.GOOD, body=self.AWAY, document=document)


class TestOperationWithinTheState:
    GOOD = "contributor in another state"

    def test_internal_operation_may_be_with_a_consumer_of_another_state(self) -> None:
        assert "773" not in refusals(self.GOOD, body=INTERNAL | {"finalConsumer": True})

    def test_internal_operation_may_be_delivered_in_the_state_for_a_buyer_of_another(self) -> None:
        assert "773" not in refusals(self.GOOD, body=INTERNAL | {"deliveryAddress": SAO_PAULO})

    def test_internal_operation_may_be_picked_up_in_the_buyers_state(self) -> None:
        assert "773" not in refusals(self.GOOD, body=INTERNAL | {"pickupAddress": RIO_DE_JANEIRO})

    def test_internal_operation_may_have_both_places_in_another_state(self) -> None:
        places = {"pickupAddress": RIO_DE_JANEIRO, "deliveryAddress": RIO_DE_JANEIRO}
        assert "773" not in refusals(self.GOOD, body=INTERNAL | places)

    def test_internal_operation_may_not_be_delivered_in_the_buyers_state(self) -> None:
        assert "773" in refusals(self.GOOD, body=INTERNAL | {"deliveryAddress": RIO_DE_JANEIRO})

    @pytest.mark.parametrize(("place", "refused"), [("pickup", True), ("delivery", False)])
    def test_internal_inbound_operation_may_be_delivered_in_the_senders_state(
        self, place: str, refused: bool
    ) -> None:
        document = {"identification.direction": "0", place: WAREHOUSE_IN_RIO}
        assert ("773" in refusals(self.GOOD, body=INTERNAL, document=document)) is refused


class TestOperationBetweenStates:
    GOOD = "simples sale to a contributor"

    def test_interstate_operation_may_deliver_to_another_state_for_a_local_buyer(self) -> None:
        assert "772" not in refusals(self.GOOD, body=INTERSTATE | {"deliveryAddress": RIO_DE_JANEIRO})

    def test_interstate_operation_may_pick_up_in_another_state_for_a_local_buyer(self) -> None:
        assert "772" not in refusals(self.GOOD, body=INTERSTATE | {"pickupAddress": RIO_DE_JANEIRO})

    def test_interstate_operation_may_not_pick_up_and_deliver_in_the_same_state(self) -> None:
        places = {"pickupAddress": RIO_DE_JANEIRO, "deliveryAddress": RIO_DE_JANEIRO}
        assert "772" in refusals(self.GOOD, body=INTERSTATE | places)

    def test_interstate_operation_may_be_with_the_company_itself(self) -> None:
        assert "772" not in refusals(self.GOOD, body=INTERSTATE | {"recipient.taxId": "11222333000181"})


class TestCfopAbroad:
    def test_export_cfop_is_accepted_for_fuel_consumed_abroad(self) -> None:
        document = {"items[0].product.cfop": "7667", "items[0].product.fuel": FUEL_ABROAD}
        assert not {"520", "731"} & set(refusals(document=document))

    @pytest.mark.parametrize("cfop", ["7501", "7552", "7667"])
    def test_some_export_cfops_are_accepted_for_buyers_in_brazil(self, cfop: str) -> None:
        document = TO_A_NEIGHBOUR | {"items[0].product.cfop": cfop}
        assert "520" not in refusals("export", document=document)


class TestInterstateCfopWithinAState:
    GOOD = "simples sale to a contributor"

    def test_interstate_cfop_within_a_state_causes_a_warning(self) -> None:
        assert warned_of_cfop(self.GOOD, body=INTERSTATE)

    @pytest.mark.parametrize("place", ["pickup", "delivery"])
    def test_interstate_cfop_is_right_with_a_place_in_another_state(self, place: str) -> None:
        assert not warned_of_cfop(self.GOOD, body=INTERSTATE, document={place: WAREHOUSE_IN_RIO})

    def test_interstate_cfop_is_right_with_the_company_itself(self) -> None:
        body = INTERSTATE | {"recipient.taxId": "11222333000181"}
        assert not warned_of_cfop(self.GOOD, body=body)

    def test_interstate_cfop_is_right_in_the_adjustment_of_a_transport(self) -> None:
        document = {"items[0].product.cfop": "6206"}
        body = INTERSTATE | {"purpose": "adjustment", "items[0].icms": {"csosn": "102"}}
        assert not warned_of_cfop(self.GOOD, body=body, document=document)


class TestIcmsOfExports:
    def test_icms_of_an_export_may_be_immune_under_the_simples(self) -> None:
        body = {"items[0].icms": {"csosn": "300"}}
        assert "527" not in refusals("export", body=body, company={"taxRegime": "simples"})

    @pytest.mark.parametrize("csosn", ["102", "400"])
    def test_icms_of_an_export_may_not_be_taxed_under_the_simples(self, csosn: str) -> None:
        body = {"items[0].icms": {"csosn": csosn}}
        assert "527" in refusals("export", body=body, company={"taxRegime": "simples"})

    def test_icms_of_a_returned_import_may_be_that_of_the_import(self) -> None:
        body = {
            "purpose": "return",
            "items[0].icms": {"cst": "40"},
            "items[0].pis": {"cst": "49"},
            "items[0].cofins": {"cst": "49"},
            "items[0].ibsCbs": {"taxClassCode": "410004"},
        }
        assert "527" not in refusals("export", body=body, document={"items[0].product.cfop": "7202"})

    def test_icms_of_an_export_may_be_absent(self) -> None:
        assert "527" not in refusals("export", document={"items[0].taxes.icms": None})


class TestCfopOfReturns:
    GOOD = "return"

    @pytest.mark.parametrize("cfop", ["1949", "2949", "1202", "5411", "5921", "6556"])
    def test_cfop_of_a_return_may_be_a_return_or_another_entry(self, cfop: str) -> None:
        assert "327" not in refusals(self.GOOD, document={"items[0].product.cfop": cfop})

    @pytest.mark.parametrize(("ncm", "refused"), [("27112100", False), ("69120000", True)])
    def test_cfop_of_a_return_may_be_another_exit_for_natural_gas_only(self, ncm: str, refused: bool) -> None:
        document = {"items[0].product.cfop": "5949", "items[0].product.ncm": ncm}
        assert ("327" in refusals(self.GOOD, document=document)) is refused

    def test_cfop_of_a_return_that_does_not_exist_is_reported_once(self) -> None:
        refused_codes = refusals(self.GOOD, document={"items[0].product.cfop": "5199"})
        assert "770" in refused_codes
        assert "327" not in refused_codes

    @pytest.mark.parametrize(
        ("credit", "refused"), [("03", True), ("06", True), ("04", False), ("01", False)]
    )
    def test_cfop_of_a_return_is_required_in_credits_of_returned_goods(
        self, credit: str, refused: bool
    ) -> None:
        document = {"identification.purpose": "5", "identification.credit_type": credit}
        assert ("327" in refusals(document=document)) is refused

    @pytest.mark.parametrize(
        ("credit", "refused"), [("03", False), ("06", False), ("04", False), ("01", True)]
    )
    def test_cfop_of_a_return_is_accepted_in_credits_of_goods_or_amounts(
        self, credit: str, refused: bool
    ) -> None:
        document = {
            "identification.purpose": "5",
            "identification.credit_type": credit,
            "items[0].product.cfop": "1202",
        }
        assert ("328" in refusals(document=document)) is refused

    def test_cfop_of_a_return_is_accepted_in_the_complement_of_a_return(self) -> None:
        assert "328" not in refusals("complement", document={"items[0].product.cfop": "5202"})


class TestCfopOfTheMei:
    @pytest.mark.parametrize("cfop", ["1202", "1553", "2202", "2553", "5202", "6202"])
    def test_cfop_of_returns_of_a_mei_is_one_of_six(self, cfop: str) -> None:
        document = {"items[0].product.cfop": cfop}
        assert "1179" not in refusals("return", company=MEI, document=document)

    @pytest.mark.parametrize(
        ("csosn", "cfop", "refused"),
        [
            ("102", "5102", False),
            ("102", "6102", False),
            ("102", "6108", True),
            ("102", "5202", True),
            ("300", "5101", False),
            ("400", "5915", False),
            ("900", "5202", False),
            ("900", "2904", False),
            ("900", "5551", False),
            ("900", "5102", True),
            ("900", "2551", True),
        ],
    )
    def test_cfop_of_a_mei_must_match_the_csosn(self, csosn: str, cfop: str, refused: bool) -> None:
        body = {"items[0].icms": {"csosn": csosn}}
        refused_codes = refusals("sale of a MEI", body=body, document={"items[0].product.cfop": cfop})
        assert ("337" in refused_codes) is refused

    def test_cfop_of_exports_of_a_mei_is_not_limited(self) -> None:
        body = {"items[0].icms": {"csosn": "300"}}
        assert not {"337", "1179"} & set(refusals("export", body=body, company=MEI))

    def test_cfop_of_receipts_of_a_mei_is_5102(self) -> None:
        assert refusals("receipt", company=MEI) == []

    def test_cfop_of_other_regimes_is_not_limited(self) -> None:
        assert "337" not in refusals(body={"items": [ITEM | {"cfop": "5101"}]})
