"""What the rules of exports, carriers and sales outside let through."""

from typing import Any

import pytest

from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CPF
from unit.fiscal.rules.breaking import GONE
from unit.fiscal.rules.breakings_operation import KEY, TRUCK
from unit.fiscal.rules.breakings_parties import FUEL, carried_by, refusals

OTHER_BRANCH = "11222333000262"


class TestSaleOutside:
    def test_refers_to_the_document_that_the_goods_left_with(self) -> None:
        assert refusals(body={"presence": "outside", "references": [{"accessKey": KEY}]}) == []

    def test_may_refer_to_it_item_by_item(self) -> None:
        referred = {"items[0].referencedItem": {"accessKey": KEY, "position": 1}}
        assert refusals(body={"presence": "outside"} | referred) == []

    def test_by_a_receipt_refers_to_nothing(self) -> None:
        outside = {"presence": "outside", "ibsTaxableCityCode": "3304557"}
        assert refusals("receipt", body=outside) == []

    def test_printed_like_a_receipt_refers_to_nothing(self) -> None:
        document = {"identification.print_format": "6"}
        assert "864" not in refusals(body={"presence": "outside"}, document=document)


class TestExit:
    @pytest.mark.parametrize("product", [{"cfop": "7501"}, {"cfop": "7552"}, {"cfop": "7667", "fuel": FUEL}])
    def test_of_what_stays_in_the_country_need_not_be_told(self, product: dict[str, Any]) -> None:
        document = {f"items[0].product.{name}": value for name, value in product.items()}
        assert "355" not in refusals("export", body={"export": GONE}, document=document)

    def test_is_not_of_imports(self) -> None:
        inbound = {"identification.direction": "0"}
        assert "355" not in refusals("export", body={"export": GONE}, document=inbound)
        assert "356" in refusals("export", document=inbound)


class TestCarrier:
    @pytest.mark.parametrize("mode", ["sender", "recipient", "thirdParty"])
    def test_is_anyone_that_is_hired(self, mode: str) -> None:
        assert refusals(body=carried_by(BUYER_CNPJ, mode)) == []

    def test_of_a_receipt_is_not_asked_who_hires_it(self) -> None:
        body = carried_by(BUYER_CNPJ, "none")
        assert "845" not in refusals("receipt with delivery", body=body)

    @pytest.mark.parametrize("owner", [CNPJ, OTHER_BRANCH])
    def test_is_any_place_of_the_sender(self, owner: str) -> None:
        assert refusals(body=carried_by(owner, "ownBySender")) == []

    def test_is_the_recipient_that_fetches_the_goods(self) -> None:
        assert refusals(body=carried_by(CPF, "ownByRecipient")) == []

    @pytest.mark.parametrize(("mode", "owner"), [("ownBySender", CPF), ("ownByRecipient", CNPJ)])
    def test_of_what_comes_in_is_told_the_other_way_round(self, mode: str, owner: str) -> None:
        inbound = {"identification.direction": "0"}
        found = refusals(body=carried_by(owner, mode), document=inbound)
        assert not {"846", "848"} & set(found)

    @pytest.mark.parametrize("mode", ["ownBySender", "ownByRecipient"])
    def test_may_be_a_name_alone(self, mode: str) -> None:
        assert refusals(body={"freight": {"mode": mode, "carrier": {"name": "João"}}}) == []

    def test_of_a_recipient_without_tax_id_may_be_anyone(self) -> None:
        assert refusals("export", body=carried_by(BUYER_CNPJ, "ownByRecipient")) == []


class TestVehicle:
    def test_may_be_told_within_the_state(self) -> None:
        assert refusals(body={"freight": {"vehicle": TRUCK, "trailers": [TRUCK]}}) == []

    def test_may_be_told_of_exports(self) -> None:
        assert refusals("export", body={"freight": {"vehicle": TRUCK}}) == []
