"""Changes that break the rules of the road and of the payment of the freight of an MDF-e."""

from datetime import datetime
from typing import Any

from carimbo.fiscal.environment import Environment
from support import CNPJ
from unit.fiscal.documents.cte.bodies import SHIPPER_CNPJ
from unit.fiscal.documents.cte.breaking import Breaking, emission
from unit.fiscal.documents.mdfe.bodies import (
    COMPANY_AS_OWNER,
    CONTRACTORS,
    DRIVER,
    DRIVER_CPF,
    INSURER_CNPJ,
    PAYMENT,
)
from unit.fiscal.rules.breaking import GONE

IN_PRODUCTION = emission(environment=Environment.PRODUCTION)
BEFORE_THE_CIOT = emission(
    environment=Environment.PRODUCTION, issued_at=datetime.fromisoformat("2026-11-22T23:59:59-03:00")
)
WITHOUT_CONTRACTOR: dict[str, Any] = {
    "modal.ciots": [],
    "modal.contractors": [],
    "modal.tollVouchers[0].payerTaxId": GONE,
}
FOREIGN_PLATE = "ABC123"
FOREIGNER = {"foreignId": "AB12345"}

VEHICLES = (
    Breaking("646", "modal.vehicle.plate", "own cargo", {"modal.vehicle.plate": FOREIGN_PLATE}),
    Breaking("646", "modal.trailers[0].plate", "carrier", {"modal.trailers[0].plate": FOREIGN_PLATE}),
    Breaking("523", "modal.trailers", "carrier", {"modal.trailers": []}),
    Breaking("580", "modal.drivers", "own cargo", {"modal.drivers": [DRIVER]}),
    Breaking("577", "drivers[1].taxId", "carrier", {"drivers[0].taxId": DRIVER_CPF}),
    Breaking(
        "577", "modal.drivers[1].taxId", "own cargo", {"drivers": GONE, "modal.drivers": [DRIVER, DRIVER]}
    ),
    Breaking(
        "740",
        "modal.vehicle.owner",
        "vehicle of a cooperative",
        {"modal.vehicle.owner.taxId": CNPJ},
    ),
    Breaking(
        "740",
        "modal.trailers[0].owner",
        "carrier",
        {"modal.trailers[0].owner": COMPANY_AS_OWNER | {"taxId": CNPJ}},
    ),
    Breaking(
        "580",
        "modal.vehicle.owner.state",
        "vehicle of a cooperative",
        {"modal.vehicle.owner.state": GONE},
    ),
    Breaking(
        "580",
        "modal.vehicle.owner.stateRegistration",
        "vehicle of a cooperative",
        {"modal.vehicle.owner.stateRegistration": GONE},
    ),
    Breaking(
        "580",
        "modal.trailers[0].owner.state",
        "carrier",
        {"modal.trailers[0].owner": COMPANY_AS_OWNER | {"state": None}},
    ),
    Breaking("743", "carrierType", "full load", {"carrierType": "etc"}),
    Breaking("744", "carrierType", "vehicle of a cooperative", {"carrierType": "tac"}),
    Breaking("745", "carrierType", "carrier", {"carrierType": "etc"}),
    Breaking("745", "carrierType", "own cargo", {"carrierType": "tac"}),
)
CARRIER = (
    Breaking("688", "modal.rntrc", "carrier", {"modal.rntrc": GONE}),
    Breaking("688", "modal.rntrc", "globalized carrier", {"modal.rntrc": GONE}),
    *(
        Breaking("684", "modal.ciots", good, {"modal.ciots": []})
        for good in ("carrier", "globalized carrier", "full load", "own cargo on a hired vehicle")
    ),
    Breaking("684", "modal.ciots", "carrier", {"modal.ciots": []}, under=IN_PRODUCTION),
    Breaking("578", "modal.contractors", "carrier", WITHOUT_CONTRACTOR, under=BEFORE_THE_CIOT),
    Breaking("741", "modal.contractors[0].taxId", "full load", {"modal.contractors": CONTRACTORS[:1]}),
    Breaking(
        "741",
        "modal.contractors[1].foreignId",
        "own cargo on a hired vehicle",
        {"modal.contractors": [{"taxId": CNPJ}, FOREIGNER]},
    ),
    Breaking("742", "modal.contractors[1].taxId", "carrier", {"modal.contractors[1].taxId": SHIPPER_CNPJ}),
    Breaking(
        "742",
        "modal.contractors[1].foreignId",
        "carrier",
        {"modal.contractors": [FOREIGNER, FOREIGNER]},
    ),
    Breaking("580", "modal.contractors[1].taxId", "carrier", {"modal.contractors[1].taxId": GONE}),
    Breaking(
        "580", "modal.contractors[1].foreignId", "carrier", {"modal.contractors[1].foreignId": "AB12345"}
    ),
    Breaking("580", "modal.contractors[0].taxId", "full load", {"modal.contractors": [{"name": "Alguém"}]}),
    Breaking("731", "modal.tollAxles", "carrier", {"modal.tollAxles": GONE}),
    Breaking("580", "drivers", "by air", {"drivers": [DRIVER]}),
    Breaking("580", "payments", "by water", {"payments": [PAYMENT]}),
    Breaking("580", "carrierType", "by rail", {"carrierType": "etc"}),
)


def payment(code: str, path: str, changes: dict[str, Any], good: str = "full load") -> Breaking:
    """Returns a change of the payment of a full load."""
    changes = {f"payments[0].{name}": value for name, value in changes.items()}
    return Breaking(code, f"payments[0].{path}", good, changes)


IN_CASH = "payment in cash"
PAYMENTS = (
    payment("580", "payerTaxId", {"payerTaxId": GONE}),
    payment("580", "payerForeignId", {"payerForeignId": "AB12345"}),
    payment("580", "components[0].description", {"components[0].description": GONE}, IN_CASH),
    payment("746", "components", {"components[1].amount": 250.02}),
    payment("746", "components", {"contractAmount": 10.02}, IN_CASH),
    payment("724", "installments", {"installments": []}),
    payment("729", "installments", {"installments": PAYMENT["installments"], "term": "cash"}, IN_CASH),
    payment("735", "installments[1].number", {"installments[1].number": 3}),
    payment("735", "installments[0].number", {"installments[0].number": 2}),
    payment("736", "installments[0].dueDate", {"installments[0].dueDate": "2026-11-23"}),
    payment("736", "installments[1].dueDate", {"installments[1].dueDate": "2026-11-23"}),
    payment("737", "installments[1].dueDate", {"installments[1].dueDate": "2026-12-05"}),
    payment("738", "installments", {"installments[1].amount": 1000.02}),
    payment("738", "installments", {"advanceAmount": 1249.98}),
    payment("738", "installments", {"advanceAmount": GONE}),
    payment("724", "installments", {"advanceAmount": 5}, IN_CASH),
    payment("724", "installments", {"earlyInstallments": "none"}, IN_CASH),
    payment("739", "advanceAmount", {"advanceAmount": 0, "term": "cash"}, IN_CASH),
    payment("580", "earlyInstallments", {"earlyInstallments": "none", "term": "cash"}, IN_CASH),
    payment("580", "allowsEarlyAdvance", {"allowsEarlyAdvance": True}, IN_CASH),
    payment(
        "580",
        "allowsEarlyAdvance",
        {"allowsEarlyAdvance": True, "advanceAmount": GONE, "installments[0].amount": 2250},
    ),
    payment("580", "bank", {"pixKey": GONE}),
    payment("580", "pixKey", {"bank": {"code": "001", "branch": "1234"}}),
    payment("580", "ipefTaxId", {"ipefTaxId": INSURER_CNPJ}, IN_CASH),
)
BREAKINGS = (*VEHICLES, *CARRIER, *PAYMENTS)
WARNINGS = (Breaking("AXLES_WITHOUT_VOUCHERS", "modal.tollAxles", "own cargo", {"modal.tollAxles": 3}),)
