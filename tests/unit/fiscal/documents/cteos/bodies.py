"""Requests for a CT-e OS that break no rule."""

from typing import Any

from unit.fiscal.documents.cte.bodies import CARRIER, RECIPIENT_CNPJ, SAO_PAULO, SIMPLES_CARRIER, cte_key

TAF, AGENCY = "123456789012", "1" * 25


def os_key(number: int = 1, **parts: Any) -> str:
    """Returns the key of another CT-e OS of the carrier."""
    return cte_key(number, **{"model": "67"} | parts)


TAKER = {
    "taxId": RECIPIENT_CNPJ,
    "name": "Atacado Horizonte Ltda",
    "stateRegistration": "142881901116",
    "address": SAO_PAULO,
}
PERSON = {"taxId": "52998224725", "name": "Ana Lúcia Ramos", "address": SAO_PAULO}
OWNER = {
    "taxId": "39053344705",
    "name": "José Carlos Prado",
    "taf": "210987654321",
    "type": "independentTac",
    "stateRegistration": "ISENTO",
    "state": "SP",
}
CHARTER: dict[str, Any] = {
    "serviceType": "passengers",
    "serviceDescription": "Fretamento eventual",
    "serviceQuantity": 42,
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "2925303",
    "route": ["MG"],
    "takerParty": TAKER,
    "taf": TAF,
    "vehicle": {"plate": "ABC1D23", "renavam": "00123456789", "state": "SP", "owner": OWNER},
    "charter": {"type": "occasional", "tripAt": "2026-12-03T06:00:00-03:00"},
    "cfop": "6353",
    "serviceAmount": 8500,
    "icms": {"cst": "00", "rate": 7},
    "federalTaxes": {"pis": 55.25, "cofins": 255, "inss": 0},
    "insurance": [{"responsible": "issuer", "insurerName": "Seguradora Brasil", "policyNumber": "A-1"}],
}
WITHIN_STATE: dict[str, Any] = {
    "serviceType": "passengers",
    "serviceDescription": "Transporte escolar",
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "3509502",
    "takerParty": PERSON,
    "stateAgencyRegistration": AGENCY,
    "charter": {"type": "continuous"},
    "serviceAmount": 900,
    "icms": {"cst": "00", "rate": 12},
}
BAGGAGE: dict[str, Any] = {
    "serviceType": "excessBaggage",
    "serviceDescription": "Excesso de bagagem",
    "referencedDocuments": [
        {"number": "55", "series": "1", "issueDate": "2026-11-20", "amount": 100},
        {"bpeAccessKey": os_key(7, model="63")},
    ],
    "taf": TAF,
    "serviceAmount": 90,
    "icms": {"cst": "00", "rate": 12},
}
COMPLEMENT: dict[str, Any] = {
    "purpose": "complement",
    "complementedAccessKeys": [os_key(2)],
    "serviceType": "passengers",
    "municipalityStartIbge": "3550308",
    "municipalityEndIbge": "2925303",
    "route": ["MG"],
    "takerParty": TAKER,
    "cfop": "6353",
    "serviceAmount": 600,
    "icms": {"cst": "00", "rate": 7},
    "federalTaxes": {"inss": 0},
}
GUIDE = {"accessKey": os_key(51, model="64"), "components": [{"type": "boarding", "amount": 2300}]}
VALUABLES: dict[str, Any] = {
    "serviceType": "valuables",
    "serviceDescription": "Transporte de valores",
    "takerParty": TAKER,
    "taf": TAF,
    "cfop": "5353",
    "serviceAmount": 2300,
    "icms": {"cst": "00", "rate": 12},
    "gtves": [GUIDE],
}
GOOD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "charter": (CHARTER, CARRIER),
    "within a state": (WITHIN_STATE, CARRIER),
    "baggage": (BAGGAGE, CARRIER),
    "complement": (COMPLEMENT, CARRIER),
    "substitution": (
        CHARTER | {"purpose": "substitution", "substitution": {"accessKey": os_key(2)}},
        CARRIER,
    ),
    "simples": (CHARTER | {"icms": {}}, SIMPLES_CARRIER),
    "valuables": (VALUABLES, CARRIER),
}
"""Good requests with their carriers. Only that of valuables has a warning, about the unwritten TAF."""
