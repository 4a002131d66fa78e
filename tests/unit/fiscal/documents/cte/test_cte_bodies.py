"""Values that the body of a CT-e refuses by itself, each with the code that an authority has for them."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.body.messages import json_path
from carimbo.fiscal.documents.cte.modes.road import RoadBody
from carimbo.fiscal.documents.cte.request import CteRequest
from unit.fiscal.documents.cte.bodies import COLLECTION_ORDER, FREIGHT, OTHER_CARRIER, RECIPIENT, SHIPPER

WRONG_CNPJ, WRONG_CPF = "44555666000182", "52998224726"
ISSUER = COLLECTION_ORDER["issuer"]
RESPONSIBLE = {"contact": "Ana", "email": "ana@example.com", "phone": "1133334444"}
# CNPJ, CPF, city of another state and unknown city, by party.
CODES = {
    "shipper": ("415", "416", "418", "532"),
    "recipient": ("208", "237", "424", "533"),
    "dispatcher": ("428", "429", "431", "534"),
    "receiver": ("436", "437", "439", "535"),
    "takerParty": ("444", "445", "447", "536"),
}
PARTIES: dict[str, dict[str, Any]] = {"shipper": SHIPPER, "recipient": RECIPIENT, "takerParty": OTHER_CARRIER}


def mistakes() -> list[Any]:
    """Returns the code of the authorities, the wrong field and the body for each mistake."""
    rows: list[Any] = []
    for name, (cnpj, cpf, other_state, no_city) in CODES.items():
        party = PARTIES.get(name, SHIPPER)
        address = {key: value for key, value in party["address"].items() if key != "city"}
        wrong = {
            cnpj: ("taxId", party | {"taxId": WRONG_CNPJ}),
            cpf: ("taxId", party | {"taxId": WRONG_CPF}),
            other_state: ("address.cityCode", party | {"address": address | {"cityCode": "4106902"}}),
            no_city: ("address.cityCode", party | {"address": address | {"cityCode": "3500000"}}),
        }
        rows += [
            pytest.param(f"{name}.{path}", {name: body}, id=code) for code, (path, body) in wrong.items()
        ]
    readers = {"699": WRONG_CNPJ, "700": WRONG_CPF}
    rows += [
        pytest.param("authorizedReaders[0].taxId", {"authorizedReaders": [{"taxId": tax_id}]}, id=code)
        for code, tax_id in readers.items()
    ]
    vehicle = {"color": "BRANCO", "colorCode": "1", "modelCode": "1", "unitValue": 1, "freightAmount": 1}
    rows += [
        pytest.param(
            "modal.collectionOrders[0].issuer.taxId",
            {"modal": {"collectionOrders": [COLLECTION_ORDER | {"issuer": ISSUER | {"taxId": WRONG_CNPJ}}]}},
            id="collection order",
        ),
        pytest.param(
            "newVehicles[0].chassis", {"newVehicles": [vehicle | {"chassis": "9BWZZZ377VT"}]}, id="chassis"
        ),
        pytest.param(
            "governmentPurchase.rateReduction",
            {"governmentPurchase": {"entityType": "1", "rateReduction": 130, "operationType": "1"}},
            id="reduction for a public taker",
        ),
    ]
    responsible = {"techResponsible": RESPONSIBLE | {"taxId": WRONG_CNPJ}}
    return [*rows, pytest.param("techResponsible.taxId", responsible, id="836")]


@pytest.mark.parametrize(("path", "change"), mistakes())
def test_wrong_value_is_refused_with_the_body(path: str, change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        CteRequest.model_validate(FREIGHT | change)
    assert [json_path(error["loc"]) for error in refused.value.errors()] == [path]


def test_punctuation_of_a_collection_order_is_removed() -> None:
    issuer = ISSUER | {
        "taxId": "44.555.666/0001-81",
        "stateRegistration": "115.223.386.110",
        "phone": "11 3333-4444",
    }
    modal = {"collectionOrders": [COLLECTION_ORDER | {"number": 12, "issuer": issuer}]}
    request = CteRequest.model_validate(FREIGHT | {"modal": modal})
    assert isinstance(request.modal, RoadBody)
    order = request.modal.collection_orders[0]
    assert (order.number, order.issuer.tax_id) == ("12", "44555666000181")
    assert (order.issuer.state_registration, order.issuer.phone) == ("115223386110", "1133334444")
