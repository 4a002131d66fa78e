"""Changes that break the rules of receipts."""

from typing import Any

from support import CNPJ
from unit.fiscal.drawing import Values
from unit.fiscal.goods.support import BUYER, BUYER_CNPJ, CONTRIBUTOR, CPF
from unit.fiscal.optional_goods import NEW_VEHICLE
from unit.fiscal.rules.breaking import GONE, Breaking

_NORMAL = "receipt of the normal regime"
_ST = {"stBaseMode": "4", "stBase": 100, "stRate": 18, "stAmount": 1}
_SHARED = {"baseMode": "3", "base": 71.8, "rate": 18, "amount": 12.92, "operationBaseShare": 50}
_PASSED_ON = {"retainedBase": 50, "retainedAmount": 9, "stDestinationBase": 50, "stDestinationAmount": 9}
_CONTRIBUTION = {"base": 10, "rate": 1, "amount": 0.1}
_GUN = {"kind": "0", "serialNumber": "1", "barrelNumber": "1", "description": "Espingarda"}
_IMPORTED = {"base": 10, "customsExpenses": 1, "amount": 2, "iofAmount": 0}
_KEPT_BACK = {"serviceAmount": 9, "base": 9, "rate": 12, "amount": 1.08, "cfop": "5353"}
_TRUCK = {"plate": "ABC1D23", "state": "SP"}


def _fullest(values: Values) -> Any:
    return values.samples[-1]


def _icms(code: str, path: str, **icms: Any) -> Breaking:
    good = "receipt" if "csosn" in icms else _NORMAL
    return Breaking(code, f"items[0].{path}", good, {"items[0].icms": icms})


def _item(code: str, name: str, value: Any) -> Breaking:
    return Breaking(code, f"items[0].{name}", "receipt", {f"items[0].{name}": value})


def _freight(code: str, name: str, value: Any) -> Breaking:
    return Breaking(code, f"freight.{name}", "receipt with delivery", {"freight": {name: value}})


_DOCUMENTS = (
    Breaking("373", "items[0].description", "receipt", document={"items[0].product.description": "Caneca"}),
    Breaking("709", "printFormat", "receipt", document={"identification.print_format": "1"}),
    Breaking("715", "purpose", "receipt", document={"identification.purpose": "4"}),
    Breaking("716", "finalConsumer", "receipt", document={"identification.final_consumer": "0"}),
    Breaking("717", "presence", "receipt", {"presence": "internet"}),
    Breaking("750", "recipient", "receipt", {"items[0].unitValue": 6000}),
    Breaking("753", "freight.mode", "receipt", {"freight.mode": "sender"}),
    Breaking("787", "recipient", "receipt", {"presence": "delivery"}),
    Breaking("788", "recipient.address", "receipt with delivery", {"recipient.address": GONE}),
    Breaking(
        "789",
        "recipient.stateRegistration",
        "receipt with delivery",
        {"recipient.stateRegistration": "ISENTO"},
    ),
    Breaking("1005", "ibsTaxableCityCode", "receipt", {"presence": "outside"}),
    Breaking("1000", "ibsTaxableCityCode", "receipt", {"ibsTaxableCityCode": "3550308"}),
    Breaking("220", "recipient.taxId", "receipt", {"recipient": BUYER | {"taxId": CNPJ}}),
    Breaking(
        "729",
        "recipient.stateRegistration",
        "receipt",
        {"recipient": CONTRIBUTOR | {"icmsContribution": "none"}},
    ),
    Breaking(
        "730",
        "recipient.suframaRegistration",
        "receipt",
        {"recipient": BUYER | {"taxId": BUYER_CNPJ, "suframaRegistration": "123456789"}},
    ),
    Breaking("754", "freight.carrier", "receipt", {"freight": {"carrier": {"taxId": CPF, "name": "João"}}}),
    _freight("755", "retainedIcms", _KEPT_BACK | {"taxableCityCode": "3550308"}),
    _freight("756", "vehicle", _TRUCK),
    _freight("757", "trailers", [_TRUCK]),
    _freight("758", "wagon", "V1"),
    _freight("759", "ferry", "B1"),
)

_ITEMS = (
    _item("736", "vehicle", _fullest(NEW_VEHICLE)),
    _item("738", "firearms", [_GUN]),
    _item("348", "recopiNumber", "1" * 20),
    _item("807", "stateShare", {"internalRate": 18}),
    _item("742", "ipi", {"cst": "53"}),
    _item("743", "importTax", _IMPORTED),
    _item("746", "pisSt", _CONTRIBUTION),
    _item("749", "cofinsSt", _CONTRIBUTION),
    _item("390", "returnedIpi", {"returnedShare": 100, "amount": 1}),
    _item("774", "countsInTotal", False),
    _item("471", "ncm", "00"),
    Breaking("725", "items[0].cfop", "receipt", {"items[0].cfop": "5106"}),
    Breaking("725", "items[0].cfop", "receipt", {"items[0].cfop": "5933"}),
    _icms("766", "icms.cst", cst="50"),
    _icms("766", "icms.cst", cst="10", **_ST),
    _icms("381", "icms.stBaseMode", cst="90", **_ST),
    _icms("385", "icms.stBaseMode", csosn="900", **_ST),
    _icms("741", "icms.operationBaseShare", cst="90", stState="RJ", **_SHARED, **_ST),
    _icms("740", "icms.stDestinationBase", cst="41", **_PASSED_ON),
    _icms("382", "cfop", cst="60"),
    _icms("386", "cfop", csosn="500"),
    _icms("383", "icms.csosn", csosn="101", creditRate=1),
)

BREAKINGS: tuple[Breaking, ...] = (*_DOCUMENTS, *_ITEMS)
