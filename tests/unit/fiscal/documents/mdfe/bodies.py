"""Requests for an MDF-e that break no rule."""

from typing import Any

from support import CNPJ
from unit.fiscal.documents.cte.bodies import (
    CARRIER_CNPJ,
    RECIPIENT_CNPJ,
    SHIPPER_CNPJ,
    cte_key,
    nfe_key,
)

INSURER_CNPJ, TOLL_CNPJ = "88999000000198", "99000111000165"
DRIVER_CPF, OTHER_DRIVER_CPF, OWNER_CPF = "52998224725", "11144477735", "39053344705"
RNTRC, RNTRC_OF_OWNER = "12345678", "87654321"
CAMPINAS, SAO_PAULO, SALVADOR = "3509502", "3550308", "2927408"
UNKNOWN_CITY = "3500000"


def mdfe_key(number: int = 1, **parts: Any) -> str:
    """Returns the key of another MDF-e of the company."""
    return cte_key(number, **{"model": "58"} | parts)


def own_nfe_key(number: int = 1, **parts: Any) -> str:
    """Returns the key of an NF-e of the company."""
    return nfe_key(number, **{"owner": CNPJ} | parts)


DRIVER = {"name": "João Batista Pereira", "taxId": DRIVER_CPF}
OTHER_DRIVER = {"name": "Carlos Alberto Souza", "taxId": OTHER_DRIVER_CPF}
TRUCK: dict[str, Any] = {
    "code": "CAM07",
    "plate": "FGH2J45",
    "renavam": "01234567890",
    "state": "SP",
    "tareKg": 6800,
    "capacityKg": 9000,
    "capacityM3": 45,
    "wheelType": "toco",
    "bodyType": "closed",
}
TRACTOR: dict[str, Any] = {
    "plate": "KLM3N67",
    "renavam": "00987654321",
    "state": "SP",
    "tareKg": 9200,
    "wheelType": "tractor",
}
TRAILER: dict[str, Any] = {
    "plate": "OPQ4R89",
    "renavam": "00987654322",
    "state": "SP",
    "tareKg": 7100,
    "capacityKg": 27000,
    "bodyType": "sider",
}
PERSON_AS_OWNER: dict[str, Any] = {
    "taxId": OWNER_CPF,
    "name": "Marcos Vinícius Lima",
    "rntrc": RNTRC_OF_OWNER,
    "type": "independentTac",
}
COMPANY_AS_OWNER: dict[str, Any] = {
    "taxId": CARRIER_CNPJ,
    "name": "Rodoviária Central S.A.",
    "rntrc": RNTRC_OF_OWNER,
    "stateRegistration": "109334570110",
    "state": "SP",
}
CIOT = {"ciot": "123456789012", "taxId": CNPJ}
CONTRACTORS: list[dict[str, Any]] = [
    {
        "taxId": SHIPPER_CNPJ,
        "name": "Indústria Paulista S.A.",
        "contract": {"number": "CT-2026-18", "amount": 120000},
    },
    {"taxId": RECIPIENT_CNPJ, "name": "Lojas Guanabara Ltda"},
]
TOLL_VOUCHER: dict[str, Any] = {
    "supplierTaxId": TOLL_CNPJ,
    "payerTaxId": SHIPPER_CNPJ,
    "purchaseNumber": "778899001",
    "amount": 412.6,
    "type": "tag",
}
INSURANCE: dict[str, Any] = {
    "responsible": "issuer",
    "insurerName": "Seguradora Brasil S.A.",
    "insurerTaxId": INSURER_CNPJ,
    "policyNumber": "RCTRC-998877",
    "endorsements": ["0001234567890123456789", "0001234567890123456790"],
}
INSURANCE_OF_CONTRACTOR: dict[str, Any] = {
    "responsible": "contractor",
    "responsibleTaxId": SHIPPER_CNPJ,
    "insurerName": "Companhia Nacional de Seguros",
    "insurerTaxId": INSURER_CNPJ,
    "policyNumber": "DDR-11",
    "endorsements": ["77001"],
}
PAYMENT: dict[str, Any] = {
    "payerTaxId": CNPJ,
    "payerName": "Transportadora Alvorada Ltda",
    "components": [{"type": "freight", "amount": 3000}, {"type": "toll", "amount": 250}],
    "contractAmount": 3250,
    "term": "installments",
    "advanceAmount": 1250,
    "installments": [
        {"number": 1, "dueDate": "2026-12-05", "amount": 1000},
        {"number": 2, "dueDate": "2026-12-20", "amount": 1000},
    ],
    "earlyInstallments": "none",
    "pixKey": "marcos.lima@example.com",
}
CASH: dict[str, Any] = {
    "payerForeignId": "AB12345",
    "components": [{"type": "other", "amount": 10, "description": "Extra"}],
    "highPerformance": True,
    "bank": {"code": "001", "branch": "1234"},
}
PLACES = {
    "loading": {"zipcode": "05477-000"},
    "unloading": {"latitude": -25.428954, "longitude": -49.267137},
}

OWN_CARGO: dict[str, Any] = {
    "issuerType": "ownCargo",
    "ufStart": "SP",
    "ufEnd": "MG",
    "municipalityStartIbge": SAO_PAULO,
    "tripStartsAt": "2026-11-24T09:00:00-03:00",
    "modal": {"kind": 1, "vehicle": TRUCK},
    "drivers": [DRIVER],
    "documents": [
        {"cityCode": "3170206", "nfeAccessKeys": [own_nfe_key(1)]},
        {"cityCode": "3106200", "nfeAccessKeys": [own_nfe_key(2), own_nfe_key(3)]},
    ],
    "cargoTotalAmount": 48310.77,
    "cargoQuantity": 5320.5,
    "cargoUnit": "KG",
    "seals": ["LAC000123"],
    "autXml": [{"taxId": RECIPIENT_CNPJ}],
    "additional": {"notes": "Carga própria, entrega em duas cidades."},
}
CARRIER_ROAD: dict[str, Any] = {
    "kind": 1,
    "rntrc": RNTRC,
    "vehicle": TRACTOR,
    "trailers": [TRAILER],
    "ciots": [CIOT],
    "contractors": CONTRACTORS,
    "tollVouchers": [TOLL_VOUCHER],
    "tollAxles": 6,
}
CARRIER_TRIP: dict[str, Any] = {
    "issuerType": "carrier",
    "ufStart": "SP",
    "ufEnd": "BA",
    "municipalityStartIbge": SAO_PAULO,
    "loadingCityCodes": [CAMPINAS],
    "route": ["MG"],
    "modal": CARRIER_ROAD,
    "drivers": [OTHER_DRIVER, DRIVER],
    "documents": [
        {"cityCode": SALVADOR, "cteAccessKeys": [cte_key(412), cte_key(413)]},
        {"cityCode": "2910800", "cteAccessKeys": [cte_key(414)]},
    ],
    "insurance": [INSURANCE, INSURANCE_OF_CONTRACTOR],
    "predominantProduct": {
        "cargoType": "general",
        "description": "Aparelhos eletrônicos",
        "ncm": "85287200",
    },
    "cargoTotalAmount": 310250,
    "cargoQuantity": 18.4,
    "cargoUnit": "TON",
}
HIRED_TRUCK: dict[str, Any] = {
    "plate": "STU5V01",
    "renavam": "00456789123",
    "state": "PR",
    "tareKg": 8300,
    "capacityKg": 14000,
    "wheelType": "truck",
    "bodyType": "open",
    "owner": PERSON_AS_OWNER,
}
FULL_LOAD: dict[str, Any] = {
    "municipalityStartIbge": SAO_PAULO,
    "modal": {"kind": 1, "rntrc": RNTRC, "vehicle": HIRED_TRUCK, "ciots": [CIOT]},
    "drivers": [{"name": "Marcos Vinícius Lima", "taxId": OWNER_CPF}],
    "documents": [{"cityCode": "4106902", "cteAccessKeys": [cte_key(420)]}],
    "insurance": [INSURANCE],
    "predominantProduct": {
        "cargoType": "solidBulk",
        "description": "Milho em grãos",
        "gtin": "SEM GTIN",
        "ncm": "10059010",
        "fullLoad": PLACES,
    },
    "payments": [PAYMENT],
    "cargoTotalAmount": 21500,
    "cargoQuantity": 13500,
}
LATER_LOADING: dict[str, Any] = {
    name: value
    for name, value in OWN_CARGO.items()
    if name not in ("ufEnd", "documents", "cargoTotalAmount", "cargoQuantity")
} | {"laterLoading": True}
GLOBALIZED: dict[str, Any] = {
    name: value for name, value in CARRIER_TRIP.items() if name not in ("ufEnd", "route")
} | {
    "issuerType": "globalizedCarrier",
    "documents": [{"cityCode": "3509502", "nfeAccessKeys": [nfe_key(1), nfe_key(2)]}],
}
AIR: dict[str, Any] = {
    "kind": "air",
    "nationality": "PT",
    "registration": "ABC",
    "flightNumber": "AB1234",
    "boardingAirport": "GRU",
    "destinationAirport": "REC",
    "flightDate": "2026-11-24",
}
WATER: dict[str, Any] = {
    "kind": 3,
    "irin": "PPAA123",
    "vesselType": "02",
    "vesselCode": "BALSA-1",
    "vesselName": "Balsa Rio Negro",
    "tripNumber": "26114",
    "boardingPort": "BRBEL",
    "destinationPort": "BRMAO",
    "transshipmentPort": "Santarém",
    "navigation": "interior",
    "loadingTerminals": [{"code": "PA0001", "name": "Terminal de Belém"}],
    "unloadingTerminals": [{"code": "AM0001", "name": "Terminal de Manaus"}],
    "convoy": [{"code": "BALSA-2", "name": "Balsa Solimões"}],
    "emptyCargoUnits": [{"id": "MSCU1234567", "type": "container"}],
    "emptyTransportUnits": [{"id": "OPQ4R89", "type": "trailer"}],
    "mmsi": "710000001",
}
RAIL: dict[str, Any] = {
    "kind": "4",
    "train": {
        "prefix": "TR-11",
        "departedAt": "2026-11-24T07:00:00-03:00",
        "origin": "SAO",
        "destination": "STS",
    },
    "wagons": [
        {
            "baseWeight": 60.5,
            "realWeight": 61.25,
            "type": "HFE",
            "series": "ABC",
            "number": "1234",
            "sequence": 1,
            "usefulTons": 61.25,
        },
        {"baseWeight": 60, "realWeight": 60, "series": "ABC", "number": "1235", "usefulTons": 60},
    ],
}
_WITHOUT_ROAD: dict[str, Any] = {
    name: value
    for name, value in CARRIER_TRIP.items()
    if name not in ("drivers", "loadingCityCodes", "insurance")
}
GOOD: dict[str, dict[str, Any]] = {
    "own cargo": OWN_CARGO,
    "own cargo on a hired vehicle": OWN_CARGO
    | {
        "modal": {"kind": 1, "vehicle": HIRED_TRUCK, "ciots": [CIOT]},
        "predominantProduct": {"cargoType": "general", "description": "Canecas"},
    },
    "later loading": LATER_LOADING,
    "carrier": CARRIER_TRIP,
    "full load": FULL_LOAD,
    "vehicle of a cooperative": FULL_LOAD
    | {
        "carrierType": "ctc",
        "modal": FULL_LOAD["modal"] | {"vehicle": HIRED_TRUCK | {"owner": COMPANY_AS_OWNER}},
        "payments": [PAYMENT | {"earlyInstallments": "onConfirmation", "allowsEarlyAdvance": True}],
    },
    "payment in cash": FULL_LOAD | {"payments": [CASH]},
    "globalized carrier": GLOBALIZED,
    "by air": _WITHOUT_ROAD | {"modal": AIR, "route": []},
    "by water": {
        "issuerType": "carrier",
        "municipalityStartIbge": "1501402",
        "modal": WATER,
        "documents": [
            {"cityCode": "1302603", "cteAccessKeys": [cte_key(1)], "mdfeAccessKeys": [mdfe_key(7)]},
        ],
        "cargoTotalAmount": 900,
        "cargoQuantity": 80,
    },
    "by rail": _WITHOUT_ROAD | {"modal": RAIL},
}
"""Good requests by description, all of the company `CARRIER`; none of them has a warning."""
