"""Requests for a CT-e that break no rule, and their carriers."""

from datetime import datetime
from typing import Any

from carimbo.fiscal.identity.access_key import AccessKey
from support import CNPJ

ISSUED_AT = datetime.fromisoformat("2026-11-24T08:30:00-03:00")
SHIPPER_CNPJ, RECIPIENT_CNPJ, CARRIER_CNPJ = "44555666000181", "11444777000161", "77888999000181"
SENDERS = (SHIPPER_CNPJ, RECIPIENT_CNPJ, CARRIER_CNPJ, "55666777000181", "12ABC34501DE35")


def nfe_key(
    number: int = 1,
    owner: str = SHIPPER_CNPJ,
    month: str = "2611",
    model: str = "55",
    emission_type: str = "1",
) -> str:
    """Returns the key of a document of the cargo."""
    return str(AccessKey("35", month, owner, model, 1, number, emission_type, "20261122"))


def cte_key(number: int = 1, owner: str = CNPJ, month: str = "2611", model: str = "57") -> str:
    """Returns the key of another CT-e."""
    return nfe_key(number, owner, month, model)


SAO_PAULO = {
    "zipcode": "02170-000",
    "street": "Rodovia Presidente Dutra",
    "number": "1500",
    "district": "Vila Maria",
    "city": "São Paulo",
    "state": "SP",
}
RIO_DE_JANEIRO = SAO_PAULO | {"zipcode": "20040-030", "city": "Rio de Janeiro", "state": "RJ"}
CURITIBA = SAO_PAULO | {"zipcode": "80010-000", "city": "Curitiba", "state": "PR"}
MANAUS = SAO_PAULO | {"zipcode": "69005-010", "city": "Manaus", "state": "AM"}
CARRIER = {
    "taxId": CNPJ,
    "legalName": "Transportadora Alvorada Ltda",
    "taxRegime": "normal",
    "pisCofinsRegime": "cumulative",
    "stateRegistrations": [{"state": "SP", "number": "110042490114"}],
    "address": SAO_PAULO,
}
SIMPLES_CARRIER = CARRIER | {"taxRegime": "simples"}
SHIPPER = {
    "taxId": SHIPPER_CNPJ,
    "name": "Indústria Paulista S.A.",
    "stateRegistration": "115223386110",
    "address": SAO_PAULO,
}
RECIPIENT = {
    "taxId": RECIPIENT_CNPJ,
    "name": "Lojas Guanabara Ltda",
    "stateRegistration": "99999993",
    "address": RIO_DE_JANEIRO,
}
OTHER_CARRIER = {
    "taxId": CARRIER_CNPJ,
    "name": "Rodoviária Central S.A.",
    "stateRegistration": "109334570110",
    "address": SAO_PAULO,
}
DEPOSIT = {"taxId": "55666777000181", "name": "Depósito Central Ltda", "address": SAO_PAULO}
PREVIOUS = [
    {
        "issuer": {"taxId": CARRIER_CNPJ, "name": "Rodoviária Central S.A."},
        "accessKeys": [cte_key(880, CARRIER_CNPJ)],
    }
]
COLLECTION_ORDER: dict[str, Any] = {
    "number": "1",
    "issueDate": "2026-11-20",
    "issuer": {"taxId": SHIPPER_CNPJ, "stateRegistration": "115223386110", "state": "SP"},
}

FREIGHT: dict[str, Any] = {
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "3304557",
    "shipper": SHIPPER,
    "recipient": RECIPIENT,
    "taker": "shipper",
    "cfop": "6352",
    "cargo": {
        "amount": 50000,
        "predominantProduct": "Aparelhos eletrônicos",
        "quantities": [{"unit": "KG", "quantity": 1500}],
    },
    "documents": {"nfes": [{"accessKey": nfe_key(1)}, {"accessKey": nfe_key(2)}]},
    "serviceAmount": 1000,
    "components": [{"name": "FRETE PESO", "amount": 820}, {"name": "PEDAGIO", "amount": 180}],
    "icms": {"cst": "00", "rate": 12},
    "authorizedReaders": [{"taxId": "52998224725"}],
}
_WITHOUT_CARGO = {
    name: value for name, value in FREIGHT.items() if name not in ("cargo", "documents", "components")
}
_BETWEEN_CARRIERS = {
    name: value for name, value in FREIGHT.items() if name not in ("shipper", "recipient", "documents")
} | {"dispatcher": DEPOSIT, "receiver": RECIPIENT, "taker": "other", "takerParty": OTHER_CARRIER}
_WITHIN_THE_STATE = {
    "municipalityEndIbge": "3509502",
    "cfop": "5353",
    "globalized": {"notes": "Procedimento do regime especial"},
}
_MANY = {"name": "DIVERSOS", "taxId": CNPJ, "stateRegistration": "110042490114", "address": SAO_PAULO}

AIR: dict[str, Any] = {
    "kind": "air",
    "waybillDraftNumber": "000004321",
    "airWaybillNumber": "95712345675",
    "expectedDeliveryDate": "2026-11-26",
    "dimensions": "120X80X60",
    "handlingCodes": ["02", "03"],
    "tariff": {"class": "specific", "code": "0300", "amount": 4.25},
    "dangerousGoods": [{"unNumber": "3480", "packages": 12, "quantity": 36.5, "unit": "kgG"}],
}
CONTAINER: dict[str, Any] = {
    "id": "MSCU1234567",
    "seals": ["L-1", "L-2"],
    "nfes": [{"accessKey": nfe_key(9), "apportionedQuantity": 12.5}],
}
WATER: dict[str, Any] = {
    "kind": "water",
    "afrmmBase": 1000,
    "afrmmAmount": 80,
    "vesselName": "Navio Alvorada",
    "ferries": ["Balsa Um"],
    "tripNumber": "26114",
    "direction": "east",
    "irin": "PPAA123",
    "navigation": "coastal",
}
RAIL: dict[str, Any] = {
    "kind": "rail",
    "traffic": "mutual",
    "mutualTraffic": {
        "billedBy": "destination",
        "issuedBy": "destination",
        "freightAmount": 640.5,
        "originAccessKey": cte_key(55, CARRIER_CNPJ),
        "railways": [
            {
                "taxId": CARRIER_CNPJ,
                "code": "F1",
                "stateRegistration": "109334570110",
                "name": "Ferrovia Central S.A.",
                "address": {**SAO_PAULO},
            }
        ],
    },
    "flow": "FX-2026",
}
PIPELINE: dict[str, Any] = {
    "kind": "pipeline",
    "tariff": 0.052317,
    "startDate": "2026-11-01",
    "endDate": "2026-11-24",
    "ductClass": "1",
    "contractType": "0",
    "entryPoint": "PE-01",
    "exitPoint": "PS-07",
    "contractNumber": "GAS-2026",
}
MULTIMODAL: dict[str, Any] = {
    "kind": "multimodal",
    "cotm": "COTM-000123",
    "negotiable": False,
    "insurance": {
        "insurerName": "Seguradora Brasil S.A.",
        "insurerTaxId": "55666777000181",
        "policyNumber": "RCTRC-1",
        "endorsement": "000778899",
    },
}
_WITHIN_SAO_PAULO = {"municipalityEndIbge": "3509502", "cfop": "5352"}

GOOD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "freight": (FREIGHT, CARRIER),
    "subcontracting": (
        FREIGHT
        | {
            "serviceType": "subcontracting",
            "taker": "other",
            "takerParty": OTHER_CARRIER,
            "previousDocuments": PREVIOUS,
            "cfop": "6351",
            "icms": {},
        },
        SIMPLES_CARRIER,
    ),
    "intermediate redispatch": (
        _BETWEEN_CARRIERS
        | {"serviceType": "intermediateRedispatch", "previousDocuments": PREVIOUS, "cfop": "6351"},
        CARRIER,
    ),
    "part of a multimodal transport": (
        _BETWEEN_CARRIERS
        | {"serviceType": "multimodalLinked", "multimodalAccessKeys": [cte_key(7, CARRIER_CNPJ)]},
        CARRIER,
    ),
    "by air": (FREIGHT | _WITHIN_SAO_PAULO | {"modal": AIR}, CARRIER),
    "by water": (FREIGHT | {"modal": WATER}, CARRIER),
    "part of a multimodal transport by water": (
        _BETWEEN_CARRIERS
        | {
            "serviceType": "multimodalLinked",
            "multimodalAccessKeys": [cte_key(7, CARRIER_CNPJ)],
            "modal": WATER | {"containers": [CONTAINER]},
        },
        CARRIER,
    ),
    "by rail": (FREIGHT | {"modal": RAIL}, CARRIER),
    "by pipeline": (
        FREIGHT
        | {
            "modal": PIPELINE,
            "cargo": {"predominantProduct": "Gás natural", "quantities": [{"unit": "MMBTU", "quantity": 9}]},
        },
        CARRIER,
    ),
    "by several modes": (FREIGHT | {"modal": MULTIMODAL}, CARRIER),
    "complement by rail": (
        _WITHOUT_CARGO
        | {
            "purpose": "complement",
            "complementedAccessKeys": [cte_key(412)],
            "modal": {"kind": "rail"},
        },
        CARRIER,
    ),
    "complement": (
        _WITHOUT_CARGO
        | {
            "purpose": "complement",
            "complementedAccessKeys": [cte_key(412)],
            "icms": {"cst": "20", "rate": 12, "baseReduction": 20},
        },
        CARRIER,
    ),
    "substitution": (
        FREIGHT | {"purpose": "substitution", "substitution": {"accessKey": cte_key(411)}},
        CARRIER,
    ),
    "to Manaus": (
        FREIGHT
        | {
            "municipalityEndIbge": "1302603",
            "icms": {"cst": "00", "rate": 7},
            "recipient": RECIPIENT
            | {"address": MANAUS, "stateRegistration": "041234561", "suframaRegistration": "200123459"},
        },
        CARRIER,
    ),
    "many senders": (
        FREIGHT
        | _WITHIN_THE_STATE
        | {
            "shipper": _MANY,
            "recipient": RECIPIENT | {"stateRegistration": "115223386110", "address": SAO_PAULO},
            "taker": "recipient",
            "documents": {"nfes": [{"accessKey": nfe_key(1, owner)} for owner in SENDERS]},
        },
        CARRIER,
    ),
    "many recipients": (
        FREIGHT
        | _WITHIN_THE_STATE
        | {
            "recipient": _MANY,
            "documents": {"nfes": [{"accessKey": nfe_key(number)} for number in range(1, 6)]},
        },
        CARRIER,
    ),
}
"""Bodies that break no rule with their companies, by description; tests of rules change one of them."""
