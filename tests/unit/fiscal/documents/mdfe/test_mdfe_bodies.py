"""Values that the body of an MDF-e refuses by itself, and those that it accepts in several forms."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from unit.fiscal.documents.mdfe.bodies import AIR, GOOD, RAIL, WATER
from unit.fiscal.goods.support import misformed
from unit.fiscal.rules.breaking import changed

WRONG_CNPJ, WRONG_CPF = "44555666000182", "52998224726"
RESPONSIBLE = {"contact": "Ana", "email": "ana@example.com", "phone": "1133334444"}
DRIVER = {"name": "Ana", "taxId": "52998224725"}


def refused(good: str, path: str, value: Any) -> dict[str, str]:
    """Returns the messages of the body with a wrong value, by the paths of their fields."""
    with pytest.raises(ValidationError) as caught:
        MdfeRequest.model_validate(changed(GOOD[good], {path: value}))
    return misformed(caught.value)


@pytest.mark.parametrize(
    ("good", "path", "value"),
    [
        # Wrong check digits, with the code that the authority has for them.
        pytest.param("own cargo", "drivers[0].taxId", WRONG_CPF, id="645"),
        pytest.param("carrier", "modal.ciots[0].taxId", WRONG_CNPJ, id="716"),
        pytest.param("carrier", "modal.contractors[0].taxId", WRONG_CPF, id="717"),
        pytest.param("full load", "modal.vehicle.owner.taxId", WRONG_CPF, id="718"),
        pytest.param(
            "carrier",
            "modal.trailers[0].owner",
            {"taxId": WRONG_CNPJ, "name": "Ana", "rntrc": "12345678"},
            id="719",
        ),
        pytest.param("carrier", "modal.tollVouchers[0].supplierTaxId", WRONG_CNPJ, id="732"),
        pytest.param("carrier", "modal.tollVouchers[0].payerTaxId", WRONG_CPF, id="734"),
        pytest.param("full load", "payments[0].payerTaxId", WRONG_CNPJ, id="727"),
        pytest.param("full load", "payments[0].ipefTaxId", WRONG_CNPJ, id="728"),
        pytest.param("own cargo", "autXml[0].taxId", WRONG_CNPJ, id="660"),
        pytest.param("own cargo", "autXml[0].taxId", WRONG_CPF, id="661"),
        pytest.param("own cargo", "techResponsible", RESPONSIBLE | {"taxId": WRONG_CNPJ}, id="713"),
        pytest.param("carrier", "insurance[0].insurerTaxId", WRONG_CNPJ, id="insurer"),
        # Values that the layout has no room for.
        ("own cargo", "municipalityStartIbge", "355030"),
        ("own cargo", "loadingCityCodes", ["3509502"] * 50),
        ("own cargo", "route", ["MG"] * 26),
        ("own cargo", "drivers", [DRIVER] * 11),
        ("own cargo", "modal.drivers", [DRIVER] * 11),
        ("own cargo", "documents", [{"cityCode": "3509502"}] * 1001),
        ("own cargo", "autXml", [{"taxId": "52998224725"}] * 11),
        ("own cargo", "additional", "a" * 5001),
        ("own cargo", "tripStartsAt", "2026-11-24"),
        ("own cargo", "cargoQuantity", 1.00001),
        ("own cargo", "cargoTotalAmount", 1.001),
        ("own cargo", "modal.vehicle.plate", "ABCD12345"),
        ("own cargo", "modal.vehicle.renavam", "12345678"),
        ("own cargo", "modal.vehicle.tareKg", 1_000_000),
        ("own cargo", "modal.vehicle.capacityM3", 1000),
        ("own cargo", "modal.vehicle.wheelType", "03"),
        ("own cargo", "modal.rntrc", "ISENTO"),
        ("carrier", "modal.trailers[0].capacityKg", None),
        ("carrier", "modal.ciots[0].ciot", "12345678901"),
        ("carrier", "modal.contractors[0].contract.amount", 0),
        ("carrier", "modal.contractors[0].foreignId", "A"),
        ("carrier", "modal.tollVouchers[0].purchaseNumber", "1" * 21),
        ("carrier", "modal.tollAxles", 1),
        ("carrier", "insurance[0].policyNumber", "1" * 21),
        ("carrier", "insurance[0].insurerName", "a" * 31),
        ("carrier", "insurance[0].endorsements[0]", "1" * 41),
        ("full load", "predominantProduct.ncm", "1005"),
        ("full load", "predominantProduct.cargoType", "05"),
        ("full load", "predominantProduct.fullLoad.unloading.latitude", 90.1),
        ("full load", "payments[0].components", []),
        ("full load", "payments[0].installments[0].amount", 0),
        ("full load", "payments[0].installments[0].number", 1000),
        ("full load", "payments[0].pixKey", "1"),
        ("full load", "payments[0].payerForeignId", "ABCD"),
        ("own cargo", "documents[0].details", [{"accessKey": "1", "secondBarcode": "1" * 35}]),
        ("own cargo", "number", 12),
        ("own cargo", "modal.kilometers", 12),
    ],
)
def test_wrong_value_is_refused_at_its_field(good: str, path: str, value: Any) -> None:
    (reported,) = refused(good, path, value)
    # The fields of a whole group are inside of it.
    assert reported.startswith(path)


@pytest.mark.parametrize(
    ("path", "given", "expected"),
    [
        ("modal.vehicle.plate", "fgh-2j45", "FGH2J45"),
        ("modal.vehicle.plate", "fgh 2J45", "FGH2J45"),
        ("modal.vehicle.code", 7, "7"),
        ("drivers[0].taxId", "529.982.247-25", "52998224725"),
        ("drivers[0].name", "  Ana Lúcia  ", "Ana Lúcia"),
        ("route", ["mg"], ("MG",)),
        ("seals", [123], ("123",)),
    ],
)
def test_value_may_have_several_forms(path: str, given: Any, expected: Any) -> None:
    request = MdfeRequest.model_validate(changed(GOOD["own cargo"], {path: given}))
    road = request.road
    assert road is not None
    values = {
        "modal.vehicle.plate": road.vehicle.plate,
        "modal.vehicle.code": road.vehicle.code,
        "drivers[0].taxId": request.drivers[0].tax_id,
        "drivers[0].name": request.drivers[0].name,
        "route": request.route,
        "seals": request.seals,
    }
    assert values[path] == expected


class TestTheMode:
    @pytest.mark.parametrize("kind", [1, "1", "road", None, ""])
    def test_road_may_be_written_in_several_ways(self, kind: Any) -> None:
        request = MdfeRequest.model_validate(changed(GOOD["own cargo"], {"modal.kind": kind}))
        assert request.road is not None
        assert request.modal.kind.code == "1"

    @pytest.mark.parametrize(
        ("body", "kinds", "code"),
        [(AIR, (2, "2", "air"), "2"), (WATER, (3, "3", "water"), "3"), (RAIL, (4, "4", "rail"), "4")],
    )
    def test_other_modes_have_a_code_and_a_word(
        self, body: dict[str, Any], kinds: tuple[Any, ...], code: str
    ) -> None:
        for kind in kinds:
            request = MdfeRequest.model_validate(GOOD["by air"] | {"modal": body | {"kind": kind}})
            assert request.modal.kind.code == code
            assert request.road is None

    @pytest.mark.parametrize(
        ("modal", "path", "message"),
        [
            ({"kind": 5}, "modal.kind", None),
            (WATER | {"kind": "wather"}, "modal.kind", None),
            (
                {name: value for name, value in AIR.items() if name != "kind"},
                "modal.kind",
                "Informe kind: há campos de outro modal que não o rodoviário.",
            ),
            (
                {"kind": "space"},
                "modal.kind",
                "Valor inválido: use 'road' ou 'air' ou 'water' ou 'rail'.",
            ),
            ({"kind": True}, "modal.kind", None),
            ({"kind": ["air"]}, "modal.kind", None),
            ("road", "modal", "Deve ser um objeto JSON."),
            (AIR | {"vehicle": {}}, "modal.vehicle", None),
            (AIR | {"flightNumber": "1234"}, "modal.flightNumber", None),
            (AIR | {"boardingAirport": "SBGRU"}, "modal.boardingAirport", None),
            (WATER | {"vesselType": "1"}, "modal.vesselType", None),
            (WATER | {"tripNumber": "012"}, "modal.tripNumber", None),
            (WATER | {"mmsi": "12345678"}, "modal.mmsi", None),
            (WATER | {"navigation": "0"}, "modal.navigation", None),
            (RAIL | {"wagons": []}, "modal.wagons", None),
            (RAIL | {"train": RAIL["train"] | {"origin": "SAOP"}}, "modal.train.origin", None),
        ],
    )
    def test_wrong_value_of_a_mode_is_refused_at_its_field(
        self, modal: Any, path: str, message: str | None
    ) -> None:
        with pytest.raises(ValidationError) as caught:
            MdfeRequest.model_validate(GOOD["by air"] | {"modal": modal})
        reported = misformed(caught.value)
        assert path in reported
        assert message in (None, reported[path])
