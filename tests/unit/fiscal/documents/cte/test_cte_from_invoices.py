"""CT-e that are filled from the NF-e of their cargo."""

from typing import Any

import pytest

from carimbo.fiscal.documents.cte.from_documents import FILLING, INVOICE_UNKNOWN
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.layouts.nfe_v4.invoice import write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.own_documents import OwnDocument
from unit.fiscal.documents.cte.bodies import CARRIER_CNPJ, CURITIBA, RECIPIENT, SHIPPER, SHIPPER_CNPJ, nfe_key
from unit.fiscal.goods.support import BUYER, company, item, nfe

CURITIBA_CODE, SAO_PAULO_CODE, RIO_CODE = "4106902", "3550308", "3304557"
KEYS = (nfe_key(1), nfe_key(2))
SOLD: dict[str, Any] = {"recipient": RECIPIENT, "items": [item(quantity=1, unitValue=100)]}


def invoice(seller: str = SHIPPER_CNPJ, **changes: Any) -> bytes:
    """Returns the XML of an NF-e to Rio de Janeiro."""
    written = write(nfe(by=company(taxId=seller), **SOLD | changes))
    assert isinstance(written, WrittenPart)
    return written.canonical


def filled(*invoices: bytes, **given: Any) -> dict[str, Any]:
    """Returns the body of a CT-e that is filled from NF-e."""
    keys = KEYS[: len(invoices)]
    nfes = [{"accessKey": key} for key in keys]
    body = given | {"documents": {"nfes": nfes, "fromInvoices": True}, "serviceAmount": 80, "icms": {}}
    request = CteRequest.model_validate(body)
    assert FILLING.keys(request) == keys
    own = {key: OwnDocument("nfe", {}, xml) for key, xml in zip(keys, invoices, strict=True)}
    result, review = FILLING.fill(body, request, own)
    assert review.problems == ()
    return dict(result)


def freight(mode: str, *volumes: dict[str, Any]) -> dict[str, Any]:
    return {"freight": {"mode": mode, "volumes": list(volumes)}}


class TestCargo:
    def test_amounts_and_volumes_of_all_nfe_are_added(self) -> None:
        heavy = freight("sender", {"quantity": 3, "grossWeight": 12.5, "netWeight": 10})
        light = freight("sender", {"quantity": 2, "netWeight": 4})
        cargo = filled(invoice(**heavy), invoice(**light))["cargo"]
        assert cargo["amount"] == 200
        assert cargo["quantities"] == [{"unit": "KG", "quantity": 16.5}, {"unit": "UNIT", "quantity": 5}]

    def test_predominant_product_is_the_one_with_the_highest_amount(self) -> None:
        cheap, dear = item(description="Caneca", unitValue=1), item(description="Mesa", unitValue=90)
        body = filled(invoice(items=[item(description="Copo"), dear]), invoice(items=[cheap]))
        assert body["cargo"]["predominantProduct"] == "Mesa"

    def test_given_values_are_kept(self) -> None:
        given = {"shipper": SHIPPER | {"name": "Outro nome"}, "cargo": {"amount": 70}}
        body = filled(invoice(), **given)
        assert (body["shipper"], body["cargo"]["amount"]) == (given["shipper"], 70)
        assert body["cargo"]["predominantProduct"] == "Caneca"


class TestParties:
    def test_seller_and_buyer_send_and_receive_the_cargo(self) -> None:
        body = filled(invoice(), invoice())
        assert (body["shipper"]["taxId"], body["recipient"]["taxId"]) == (SHIPPER_CNPJ, RECIPIENT["taxId"])
        assert (body["municipalityStartIbge"], body["municipalityEndIbge"]) == (SAO_PAULO_CODE, RIO_CODE)

    def test_sender_is_left_out_if_the_nfe_have_different_sellers(self) -> None:
        body = filled(invoice(), invoice(CARRIER_CNPJ))
        assert body.keys().isdisjoint({"shipper", "municipalityStartIbge"})
        assert body["municipalityEndIbge"] == RIO_CODE

    def test_recipient_is_left_out_if_the_nfe_have_different_buyers(self) -> None:
        body = filled(invoice(), invoice(recipient=BUYER))
        assert body.keys().isdisjoint({"recipient", "municipalityEndIbge"})
        assert body["municipalityStartIbge"] == SAO_PAULO_CODE

    @pytest.mark.parametrize(
        ("field", "place"),
        [("pickupAddress", "municipalityStartIbge"), ("deliveryAddress", "municipalityEndIbge")],
    )
    def test_route_follows_the_addresses_of_pickup_and_delivery(self, field: str, place: str) -> None:
        there: dict[str, Any] = {field: CURITIBA | {"taxId": CARRIER_CNPJ, "name": "Armazém"}}
        body = filled(invoice(**there))
        assert body[place] == CURITIBA_CODE

    def test_route_is_left_out_if_the_nfe_have_different_places(self) -> None:
        there: dict[str, Any] = {"deliveryAddress": CURITIBA | {"taxId": CARRIER_CNPJ, "name": "Armazém"}}
        body = filled(invoice(), invoice(**there))
        assert body["recipient"]["taxId"] == RECIPIENT["taxId"]
        assert "municipalityEndIbge" not in body

    @pytest.mark.parametrize(
        ("modes", "taker"),
        [
            (("recipient", "recipient"), "recipient"),
            (("recipient", "sender"), None),
            (("sender", "sender"), None),
        ],
    )
    def test_recipient_pays_if_all_nfe_say_so(self, modes: tuple[str, ...], taker: str | None) -> None:
        assert filled(*(invoice(**freight(mode)) for mode in modes)).get("taker") == taker


def test_document_of_another_type_can_not_fill_a_cte() -> None:
    body = {
        "documents": {"nfes": [{"accessKey": KEYS[0]}], "fromInvoices": True},
        "serviceAmount": 80,
        "icms": {},
    }
    own = {KEYS[0]: OwnDocument("nfce", {}, b"")}
    result, review = FILLING.fill(body, CteRequest.model_validate(body), own)
    assert [(problem.code, problem.path) for problem in review.problems] == [
        (INVOICE_UNKNOWN, "documents.nfes[0].accessKey")
    ]
    assert result == body
