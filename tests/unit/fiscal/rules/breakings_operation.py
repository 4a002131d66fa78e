"""Changes that break the rules of the operation, references and payments."""

from datetime import datetime
from typing import Any

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.goods import Fuel
from carimbo.fiscal.layouts.nfe_v4.parties import InvoiceAddress
from unit.fiscal.goods.support import BUYER_CNPJ, ITEM, emission
from unit.fiscal.rules.breaking import GONE, Breaking
from unit.fiscal.rules.breakings_parties import carried_by

KEY = "35261011222333000181550010000000011123456802"
WRONG_DIGIT = "35261011222333000181550010000000011123456801"
STATE_99 = "99261011222333000181550010000000011123456800"
MONTH_13 = "35261311222333000181550010000000011123456803"
NEXT_YEAR = "35270111222333000181550010000000011123456805"
MARKETPLACE = {"taxId": "11222333000181", "sellerId": "loja-modelo"}
FUEL_OF_RIO = Fuel(anp_code="320102001", anp_description="GASOLINA C COMUM", consumption_state="RJ")
ADDRESS_IN_SAO_PAULO = InvoiceAddress(
    street="Praça da Sé",
    number="100",
    district="Sé",
    city_code="3550308",
    city="São Paulo",
    state="SP",
    zipcode="01001000",
    country_code="1058",
    country="BRASIL",
)
MEI = {"taxRegime": "mei"}
OF_ANOTHER = "35261012ABC34501DE35550010000000011123456803"
OF_A_THIRD = str(AccessKey("35", "2610", "11444777000161", "55", 1, 1, "1", "11234568"))
OF_A_RECEIPT = str(AccessKey("35", "2611", "11222333000181", "65", 1, 1, "1", "11234568"))
_SINCE_14_DECEMBER = emission(issued_at=datetime.fromisoformat("2026-12-14T00:01:00-03:00"))
TRUCK = {"plate": "ABC1D23", "state": "SP"}
_BY_INSTALLMENTS, _SECOND = "sale by installments", "billing.installments[1]"


def _paid_by_card(card: dict[str, str]) -> dict[str, Any]:
    return {"payments": [{"method": "creditCard", "amount": 71.8, "card": card}]}


def _returned(key: str, position: int) -> dict[str, Any]:
    return ITEM | {"icms": {"csosn": "102"}, "referencedItem": {"accessKey": key, "position": position}}


_OPERATION = (
    Breaking(
        "434",
        "intermediary",
        "consumer in another state",
        document={"identification.intermediation": None},
    ),
    Breaking("435", "presence", body={"presence": "none", "intermediary": MARKETPLACE}),
    Breaking(
        "440",
        "intermediary.taxId",
        body={"presence": "internet", "intermediary": MARKETPLACE | {"taxId": "11222333000180"}},
    ),
    Breaking(
        "521",
        "destination",
        "contributor in another state",
        {"destination": "internal", "finalConsumer": True, "presence": "internet"},
    ),
    Breaking("696", "finalConsumer", body={"finalConsumer": False}),
    Breaking("772", "destination", "simples sale to a contributor", {"destination": "interstate"}),
    Breaking("773", "destination", "contributor in another state", {"destination": "internal"}),
    Breaking("864", "references", body={"presence": "outside"}),
    Breaking("355", "export", "export", {"export": GONE, "presence": "other"}),
    Breaking("356", "export", body={"export": {"state": "SP", "exitPlace": "Porto de Santos"}}),
)

_TRANSPORT = (
    Breaking("845", "freight.carrier", body=carried_by(BUYER_CNPJ, "none")),
    Breaking(
        "559",
        "freight.carrier.state",
        body={"freight": {"mode": "sender", "carrier": {"name": "João", "stateRegistration": "ISENTO"}}},
    ),
    Breaking("846", "freight.carrier.taxId", body=carried_by(BUYER_CNPJ, "ownBySender")),
    Breaking("848", "freight.carrier.taxId", body=carried_by(BUYER_CNPJ, "ownByRecipient")),
    Breaking("868", "freight.vehicle", "contributor in another state", {"freight": {"vehicle": TRUCK}}),
    Breaking("868", "freight.trailers", "contributor in another state", {"freight": {"trailers": [TRUCK]}}),
)

_CFOPS = (
    Breaking("770", "items[0].cfop", body={"items[0].cfop": "5199", "items[0].icms": {"csosn": "102"}}),
    Breaking("770", "items[0].cfop", body={"items[0].cfop": "5353", "items[0].icms": {"csosn": "102"}}),
    Breaking("518", "items[0].cfop", body={"items[0].cfop": "1102", "items[0].icms": {"csosn": "102"}}),
    Breaking(
        "519",
        "items[0].cfop",
        body={"operation": "inbound", "items[0].cfop": "5102", "items[0].icms": {"csosn": "102"}},
    ),
    Breaking(
        "731",
        "items[0].cfop",
        "export",
        {
            "destination": "internal",
            "finalConsumer": True,
            "export": GONE,
            "items[0].cfop": "7102",
            "items[0].icms": {"cst": "41"},
        },
    ),
    Breaking("732", "items[0].cfop", "simples sale to a contributor", {"items[0].cfop": "6102"}),
    Breaking("733", "items[0].cfop", "contributor in another state", {"items[0].cfop": "5102"}),
    # Goods delivered on board may go to someone in Brazil, and break no other rule of exports.
    Breaking(
        "520",
        "items[0].cfop",
        "export",
        {"items[1]": ITEM},
        document={"recipient.address": ADDRESS_IN_SAO_PAULO, "items[1].product.cfop": "7552"},
    ),
    # One item of fuel consumed elsewhere is enough for rule 772.
    Breaking(
        "523",
        "items[1].cfop",
        "simples sale to a contributor",
        {"destination": "interstate", "items[1]": ITEM},
        document={"items[0].product.fuel": FUEL_OF_RIO},
    ),
    Breaking("527", "items[0].icms.cst", "export", {"items[0].icms": {"cst": "40"}}),
    Breaking("327", "items[0].cfop", "return", {"items[0].cfop": "5102"}),
    Breaking("328", "items[0].cfop", body={"items[0].cfop": "5202", "items[0].icms": {"csosn": "102"}}),
    Breaking(
        "1179",
        "items[0].cfop",
        "return",
        {"items[0].cfop": "5411", "items[0].icms": {"csosn": "400"}},
        MEI,
    ),
    Breaking("337", "items[0].cfop", "sale of a MEI", {"items[0].cfop": "5101"}),
    Breaking("337", "items[0].cfop", "receipt", {"items[0].cfop": "5101"}, MEI),
)

_REFERENCES = (
    Breaking(
        "708",
        "items[0].referencedItem",
        "receipt",
        {"items[0].referencedItem": {"accessKey": KEY, "position": 1}},
    ),
    Breaking("547", "references[0].accessKey", "complement", {"references[0].accessKey": WRONG_DIGIT}),
    Breaking("522", "references[0].accessKey", "complement", {"references[0].accessKey": STATE_99}),
    Breaking("524", "references[0].accessKey", "complement", {"references[0].accessKey": MONTH_13}),
    Breaking("524", "references[0].accessKey", "complement", {"references[0].accessKey": NEXT_YEAR}),
    Breaking("254", "references", "complement", {"references": GONE}),
    Breaking("255", "references", "complement", {"references[1]": {"accessKey": KEY}}),
    Breaking("269", "references[0].accessKey", "complement", {"references[0].accessKey": OF_ANOTHER}),
    Breaking("321", "items[0].referencedItem", "return", {"items[0].referencedItem": GONE}),
    Breaking("1010", "references", "return", {"references": [{"accessKey": KEY}]}),
    Breaking(
        "1048",
        "items[0].referencedItem.position",
        "return",
        {"items[0].referencedItem.position": GONE},
    ),
    Breaking("1072", "items[1].referencedItem", "return", {"items[1]": _returned(KEY, 1)}),
    Breaking("1193", "items[1].referencedItem.accessKey", "return", {"items[1]": _returned(OF_ANOTHER, 1)}),
    Breaking(
        "1194",
        "recipient.taxId",
        "return",
        {"items[0].referencedItem.accessKey": OF_A_THIRD},
        under=emission(issued_at=datetime.fromisoformat("2026-11-16T10:00:00-03:00")),
    ),
    Breaking(
        "375",
        "items[0].cfop",
        "complement",
        {"references[0].accessKey": OF_A_RECEIPT, "items[0].cfop": "5929", "items[0].icms": {"csosn": "102"}},
        under=_SINCE_14_DECEMBER,
    ),
    Breaking(
        "679",
        "references[0].accessKey",
        body={"references": [{"accessKey": OF_A_RECEIPT}]},
        under=_SINCE_14_DECEMBER,
    ),
)

_PAYMENTS = (
    Breaking(
        "871",
        "payments[0].method",
        "return",
        {"payments": [{"method": "cash", "amount": 71.8}]},
    ),
    Breaking("857", "paymentMethod", "receipt", {"paymentMethod": "14"}),
    Breaking(
        "899",
        "payments[1].method",
        "receipt",
        {"payments": [{"method": "cash", "amount": 71.8}, {"method": "90", "amount": 0}]},
    ),
    Breaking("441", "payments[0].description", body={"payments": [{"method": "99", "amount": 71.8}]}),
    Breaking(
        "391",
        "paymentMethod",
        "receipt",
        {"paymentMethod": "creditCard"},
        document={"payment.payments[0].card": None},
    ),
    Breaking(
        "963",
        "payments[0].card",
        body={"payments": [{"method": "cash", "amount": 71.8, "card": {"integration": "2"}}]},
    ),
    Breaking("392", "payments[0].card.institutionTaxId", body=_paid_by_card({"integration": "1"})),
    Breaking(
        "392",
        "payments[0].card.authorization",
        "receipt",
        _paid_by_card({"integration": "1", "institutionTaxId": BUYER_CNPJ}),
    ),
    Breaking(
        "437",
        "payments[0].card.institutionTaxId",
        body=_paid_by_card({"integration": "2", "institutionTaxId": "11222333000180"}),
    ),
    Breaking(
        "904",
        "payments[0].amount",
        body={"payments": [{"method": "91", "amount": 71.8}]},
    ),
    Breaking("865", "payments", "receipt", {"payments": [{"method": "cash", "amount": 71.79}]}),
    Breaking("866", "change", body={"payments": [{"method": "cash", "amount": 100}]}),
    Breaking("869", "change", body={"payments": [{"method": "cash", "amount": 100}], "change": 28}),
)

_BILLS = (
    Breaking("905", "billing.bill.number", _BY_INSTALLMENTS, {"billing.bill.number": GONE}),
    Breaking("901", "billing.bill.discount", _BY_INSTALLMENTS, {"billing.bill.discount": 80.01}),
    Breaking("902", "billing.bill.netAmount", _BY_INSTALLMENTS, {"billing.bill.discount": 8}),
    Breaking("852", f"{_SECOND}.number", _BY_INSTALLMENTS, {f"{_SECOND}.number": "2"}),
    Breaking("900", f"{_SECOND}.dueDate", _BY_INSTALLMENTS, {f"{_SECOND}.dueDate": GONE}),
    Breaking("850", f"{_SECOND}.dueDate", _BY_INSTALLMENTS, {f"{_SECOND}.dueDate": "2026-12-13"}),
    Breaking("797", f"{_SECOND}.dueDate", _BY_INSTALLMENTS, {f"{_SECOND}.dueDate": "2036-11-15"}),
    Breaking("851", "billing.installments", _BY_INSTALLMENTS, {f"{_SECOND}.amount": 35.91}),
    Breaking(
        "853",
        "billing.installments[0].dueDate",
        _BY_INSTALLMENTS,
        {"billing.installments": [{"number": "001", "dueDate": "2026-11-14", "amount": 71.8}]},
    ),
)

_IN_MARCH_2027 = emission(issued_at=datetime.fromisoformat("2027-03-01T10:00:00-03:00"))
_CONDITIONAL = {"rate": 1, "conditionalAmount": 1}
# Debit notes, credit notes and presumed credits.
_ADJUSTMENTS = (
    Breaking(
        "1001",
        "items[0].icms",
        body={
            "purpose": "debit",
            "debitType": "01",
            "items[0].icms": {"csosn": "102"},
            "items[0].ibsCbs": {"taxClassCode": "000001"},
        },
    ),
    Breaking(
        "1281",
        "governmentPurchase.operationType",
        body={"governmentPurchase": {"entityType": "1", "rateReduction": 10, "operationType": "4"}},
        under=_IN_MARCH_2027,
    ),
    Breaking(
        "1060",
        "items[0].ibsCbs.operationCredit.cbs.conditionalAmount",
        "normal sale",
        {
            "items[0].ibsCbs": {
                "taxClassCode": "000001",
                "operationCredit": {"base": 100, "code": "04", "cbs": _CONDITIONAL},
            }
        },
    ),
)

BREAKINGS: tuple[Breaking, ...] = (
    *_ADJUSTMENTS,
    *_OPERATION,
    *_TRANSPORT,
    *_CFOPS,
    *_REFERENCES,
    *_PAYMENTS,
    *_BILLS,
)
