"""What the rules of receipts let through."""

import pytest

from unit.fiscal.goods.support import BUYER, CPF, ITEM, PRODUCTION
from unit.fiscal.rules.breakings_parties import refusals


class TestHomologation:
    def test_in_production_the_first_item_is_what_it_is(self) -> None:
        assert refusals("receipt", under=PRODUCTION) == []

    def test_only_the_first_item_says_that_the_receipt_is_worth_nothing(self) -> None:
        assert refusals("receipt", body={"items": [ITEM, ITEM]}) == []


class TestPresence:
    def test_the_buyer_comes_to_the_seller(self) -> None:
        assert refusals("receipt", body={"presence": "inPerson"}) == []

    def test_the_seller_goes_to_the_buyer_and_says_where(self) -> None:
        assert refusals("receipt", body={"presence": "outside", "ibsTaxableCityCode": "3550308"}) == []

    @pytest.mark.parametrize("presence", ["none", "internet", "phone", "other"])
    def test_sales_at_a_distance_are_refused(self, presence: str) -> None:
        assert refusals("receipt", body={"presence": presence}) == ["717"]


class TestDelivery:
    def test_a_delivery_may_have_freight_without_a_carrier(self) -> None:
        assert refusals("receipt with delivery", body={"freight.mode": "sender"}) == []

    def test_a_delivery_may_have_a_carrier(self) -> None:
        freight = {"mode": "thirdParty", "carrier": {"taxId": CPF, "name": "João de Souza"}}
        assert refusals("receipt with delivery", body={"freight": freight}) == []


class TestLargeAmounts:
    def test_ten_thousand_need_no_name(self) -> None:
        assert refusals("receipt", body={"items[0].unitValue": 5000}) == []

    def test_a_cent_more_does(self) -> None:
        body = {"items[0].quantity": 1, "items[0].unitValue": 10000.01}
        assert refusals("receipt", body=body) == ["750"]

    def test_a_known_buyer_may_spend_more(self) -> None:
        assert refusals("receipt", body={"items[0].unitValue": 6000, "recipient": BUYER}) == []

    def test_a_foreigner_without_papers_is_known_enough(self) -> None:
        document = {"recipient.cpf": None, "recipient.foreign_id": ""}
        body = {"items[0].unitValue": 6000}
        assert refusals("receipt with delivery", body=body, document=document) == []


class TestCfop:
    @pytest.mark.parametrize("cfop", ["5101", "5103", "5104", "5115", "5656", "5667", "5910"])
    def test_sales_and_gifts_are_taken(self, cfop: str) -> None:
        assert "725" not in refusals("receipt", document={"items[0].product.cfop": cfop})

    @pytest.mark.parametrize(("state", "is_taken"), [("SP", True), ("RS", True), ("RJ", False)])
    def test_other_goods_leave_where_the_state_may_allow_it(self, state: str, is_taken: bool) -> None:
        document = {"issuer.address.state": state, "items[0].product.cfop": "5949"}
        assert ("725" not in refusals("receipt", document=document)) is is_taken
