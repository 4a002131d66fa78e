"""Exports, carriers and sales outside the shop that the rules accept."""

from typing import Any

import pytest

from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CPF
from unit.fiscal.rules.breaking import GONE
from unit.fiscal.rules.breakings_operation import KEY, TRUCK
from unit.fiscal.rules.breakings_parties import FUEL, carried_by, refusals

OTHER_BRANCH = "11222333000262"


class TestSaleOutside:
    def test_sale_outside_the_shop_refers_to_the_document_of_the_shipment(self) -> None:
        assert refusals(body={"presence": "outside", "references": [{"accessKey": KEY}]}) == []

    def test_sale_outside_the_shop_may_refer_to_the_shipment_item_by_item(self) -> None:
        referred = {"items[0].referencedItem": {"accessKey": KEY, "position": 1}}
        assert refusals(body={"presence": "outside"} | referred) == []

    def test_sale_outside_the_shop_by_receipt_refers_to_nothing(self) -> None:
        outside = {"presence": "outside", "ibsTaxableCityCode": "3304557"}
        assert refusals("receipt", body=outside) == []

    def test_sale_outside_the_shop_printed_like_a_receipt_refers_to_nothing(self) -> None:
        document = {"identification.print_format": "6"}
        assert "864" not in refusals(body={"presence": "outside"}, document=document)


class TestExit:
    @pytest.mark.parametrize("product", [{"cfop": "7501"}, {"cfop": "7552"}, {"cfop": "7667", "fuel": FUEL}])
    def test_exit_place_is_optional_for_goods_that_stay_in_the_country(self, product: dict[str, Any]) -> None:
        document = {f"items[0].product.{name}": value for name, value in product.items()}
        assert "355" not in refusals("export", body={"export": GONE}, document=document)

    def test_imports_have_no_exit_place(self) -> None:
        inbound = {"identification.direction": "0"}
        assert "355" not in refusals("export", body={"export": GONE}, document=inbound)
        assert "356" in refusals("export", document=inbound)


class TestCarrier:
    @pytest.mark.parametrize("mode", ["sender", "recipient", "thirdParty"])
    def test_hired_carrier_may_be_any_company(self, mode: str) -> None:
        assert refusals(body=carried_by(BUYER_CNPJ, mode)) == []

    def test_carrier_of_a_receipt_may_have_the_freight_mode_none(self) -> None:
        body = carried_by(BUYER_CNPJ, "none")
        assert "845" not in refusals("receipt with delivery", body=body)

    @pytest.mark.parametrize("owner", [CNPJ, OTHER_BRANCH])
    def test_carrier_may_be_any_branch_of_the_sender(self, owner: str) -> None:
        assert refusals(body=carried_by(owner, "ownBySender")) == []

    def test_carrier_may_be_the_recipient(self) -> None:
        assert refusals(body=carried_by(CPF, "ownByRecipient")) == []

    @pytest.mark.parametrize(("mode", "owner"), [("ownBySender", CPF), ("ownByRecipient", CNPJ)])
    def test_sender_and_recipient_change_places_in_the_own_transport_of_inbound_goods(
        self, mode: str, owner: str
    ) -> None:
        inbound = {"identification.direction": "0"}
        refused_codes = refusals(body=carried_by(owner, mode), document=inbound)
        assert not {"846", "848"} & set(refused_codes)

    @pytest.mark.parametrize("mode", ["ownBySender", "ownByRecipient"])
    def test_carrier_may_be_a_name_alone(self, mode: str) -> None:
        assert refusals(body={"freight": {"mode": mode, "carrier": {"name": "João"}}}) == []

    def test_carrier_of_a_recipient_without_tax_id_may_be_anyone(self) -> None:
        assert refusals("export", body=carried_by(BUYER_CNPJ, "ownByRecipient")) == []


class TestVehicle:
    def test_vehicle_is_accepted_within_the_state(self) -> None:
        assert refusals(body={"freight": {"vehicle": TRUCK, "trailers": [TRUCK]}}) == []

    def test_vehicle_is_accepted_in_exports(self) -> None:
        assert refusals("export", body={"freight": {"vehicle": TRUCK}}) == []
