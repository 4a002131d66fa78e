"""Changes that break the rules of the modes of transport."""

from unit.fiscal.documents.cte.bodies import AIR, CARRIER_CNPJ, CONTAINER, RAIL, WATER, cte_key, nfe_key
from unit.fiscal.documents.cte.breaking import Breaking
from unit.fiscal.rules.breaking import GONE

CONTAINERS_BY_WATER = "part of a multimodal transport by water"
ORIGIN_KEY = "modal.mutualTraffic.originAccessKey"
TO_RIO = {"municipalityEndIbge": "3304557", "cfop": "6352"}

BREAKINGS = (
    *(
        Breaking("215", "rntrc", good, {"rntrc": "12345678"})
        for good in ("by air", "by water", "by rail", "by pipeline", "by several modes")
    ),
    Breaking("215", "modal.mutualTraffic", "by rail", {"modal.traffic": "own"}),
    Breaking("215", "modal.contractType", "by pipeline", {"modal.ductClass": "3"}),
    Breaking("215", "modal.contractType", "by pipeline", {"modal.ductClass": GONE}),
    Breaking("215", "rntrc", "complement by rail", {"rntrc": "12345678"}),
    *(
        Breaking("215", f"modal.{name}", "complement", {"modal": {"kind": kind, name: value}})
        for kind, name, value in (
            ("air", "tariff", AIR["tariff"]),
            ("air", "handlingCodes", ["02"]),
            ("water", "afrmmAmount", 0),
            ("rail", "mutualTraffic", RAIL["mutualTraffic"]),
            ("pipeline", "startDate", "2026-11-01"),
            ("multimodal", "negotiable", False),
        )
    ),
    *(
        Breaking("581", "cargo.amount", good, {"cargo.amount": GONE})
        for good in ("by air", "by water", "by rail", "by several modes")
    ),
    Breaking("526", "modal.containers", CONTAINERS_BY_WATER, {"modal.containers": GONE}),
    Breaking("526", "modal.containers", "intermediate redispatch", {"modal": WATER}),
    Breaking("526", "modal.containers", "by water", {"modal.containers": [CONTAINER]}),
    Breaking(
        "CONTAINER_REPEATED",
        "modal.containers[1].id",
        CONTAINERS_BY_WATER,
        {"modal.containers": [CONTAINER, CONTAINER | {"nfes": []}]},
    ),
    Breaking(
        "CONTAINER_NFE_KEY",
        "modal.containers[0].nfes[0].accessKey",
        CONTAINERS_BY_WATER,
        {"modal.containers[0].nfes[0].accessKey": nfe_key(9, model="65")},
    ),
    Breaking("582", "modal.mutualTraffic", "by rail", {"modal.mutualTraffic": GONE}),
    Breaking("583", "modal.mutualTraffic.issuedBy", "by rail", {"modal.mutualTraffic.billedBy": "origin"}),
    Breaking("584", ORIGIN_KEY, "by rail", {ORIGIN_KEY: GONE}),
    Breaking("842", ORIGIN_KEY, "by rail", {ORIGIN_KEY: nfe_key(55, CARRIER_CNPJ)}),
    Breaking("PIPELINE_PERIOD", "modal.endDate", "by pipeline", {"modal.endDate": "2026-10-31"}),
    Breaking(
        "933",
        "complementedAccessKeys[0]",
        "complement by rail",
        {"complementedAccessKeys": [cte_key(412, month="2410")]},
    ),
)
WARNINGS = (
    Breaking(
        "AIR_WAYBILL_NUMBER", "modal.airWaybillNumber", "by air", {"modal.airWaybillNumber": "95712345678"}
    ),
    Breaking(
        "AIR_DELIVERY_DATE",
        "modal.expectedDeliveryDate",
        "by air",
        {"modal.expectedDeliveryDate": "2026-11-23"},
    ),
    Breaking("AIR_DIMENSIONS", "modal.dimensions", "by air", {"modal.dimensions": GONE}),
    Breaking("AIR_HANDLING", "modal.handlingCodes", "by air", {"modal.handlingCodes": ["02", "06"]}),
    Breaking("AIR_ICMS_RATE", "icms.rate", "by air", TO_RIO),
    Breaking("AFRMM_ABOVE_BASE", "modal.afrmmAmount", "by water", {"modal.afrmmAmount": 1000.01}),
)
