"""Changes that break the rules of the cargo's documents, of other CT-e, of the price and of its taxes."""

from datetime import datetime

from unit.fiscal.documents.cte.bodies import (
    CARRIER_CNPJ,
    DEPOSIT,
    RECIPIENT_CNPJ,
    SENDERS,
    SHIPPER_CNPJ,
    cte_key,
    nfe_key,
)
from unit.fiscal.documents.cte.breaking import Breaking, emission
from unit.fiscal.rules.breaking import GONE
from unit.fiscal.rules.breakings_parties import WRONG_CNPJ

BEFORE_NET_AMOUNT = emission(issued_at=datetime.fromisoformat("2026-11-15T12:00:00-03:00"))
WITH_CHECKED_AMOUNTS = emission(issued_at=datetime.fromisoformat("2027-03-01T08:30:00-03:00"))
OF_2027 = {"state": {"rate": 0.05}, "city": {"rate": 0.05}, "cbs": {"rate": 11.11}}
FIRST_NFE = "documents.nfes[0].accessKey"
PAPER = {
    "model": "01",
    "series": "1",
    "number": "55",
    "issueDate": "2026-11-20",
    "cfop": "6102",
    "goodsAmount": 900,
    "amount": 900,
}
PREVIOUS_KEY = "previousDocuments[0].accessKeys[0]"
DCE_KEY = nfe_key(1, model="99")
CONSUMER = {"taker": "recipient", "takerContribution": "none", "cfop": "6357"}
SHARE_OF_880 = {"rate": 0.1, "amount": 0.88}
ALL_VALUES = {
    "base": 880,
    "state": SHARE_OF_880,
    "city": {"rate": 0, "amount": 0},
    "ibsAmount": 0.88,
    "cbs": {"rate": 0.9, "amount": 7.92},
}
REGULAR = {
    "cst": "000",
    "taxClassCode": "000001",
    "stateRate": 0.1,
    "stateAmount": 0.88,
    "cityRate": 0,
    "cityAmount": 0,
    "cbsRate": 0.9,
    "cbsAmount": 7.92,
}
PURCHASE = {name: value for name, value in REGULAR.items() if name not in ("cst", "taxClassCode")}
STARTS_IN_PARANA = {"municipalityStartIbge": "4106902", "cfop": "6932"}
MULTIMODAL = "part of a multimodal transport"

DOCUMENTS = (
    Breaking(
        "601",
        "documents",
        body={"documents.nfes": [{"accessKey": nfe_key(number)} for number in range(1, 2002)]},
    ),
    Breaking(
        "215",
        "documents.nfes",
        body={"documents": {"others": [{"type": "declaration"}], "fromInvoices": True}},
    ),
    Breaking("527", "documents.nfes[1].accessKey", body={"documents.nfes[1].accessKey": nfe_key(1)}),
    *(
        Breaking("843", FIRST_NFE, body={FIRST_NFE: key})
        for key in (
            "123",
            nfe_key(1)[:-1] + "X",
            nfe_key(1)[:-1] + str((int(nfe_key(1)[-1]) + 1) % 10),
            nfe_key(1, model="65"),
            nfe_key(1, owner=WRONG_CNPJ),
            nfe_key(1, month="2612"),
        )
    ),
    Breaking("NFE_TOO_OLD", FIRST_NFE, body={FIRST_NFE: nfe_key(1, month="2604")}),
    Breaking(
        "813", "documents.others[0].type", body={"documents": {"others": [{"type": "nfce", "number": "1"}]}}
    ),
    Breaking("215", "documents.others[0].description", body={"documents": {"others": [{"type": "other"}]}}),
    *(
        Breaking("DCE_KEY", "documents.dces[0].accessKey", body={"documents": {"dces": [{"accessKey": key}]}})
        for key in (nfe_key(1), DCE_KEY[:-1] + str((int(DCE_KEY[-1]) + 1) % 10))
    ),
    Breaking(
        "DCE_REPEATED",
        "documents.dces[1].accessKey",
        body={"documents": {"dces": [{"accessKey": DCE_KEY}, {"accessKey": DCE_KEY}]}},
    ),
)
REFERENCES = (
    Breaking(
        "543",
        "previousDocuments[0].accessKeys[1]",
        "subcontracting",
        {"previousDocuments[0].accessKeys[1]": cte_key(880, CARRIER_CNPJ)},
    ),
    Breaking("844", PREVIOUS_KEY, "subcontracting", {PREVIOUS_KEY: cte_key(880, CARRIER_CNPJ, model="67")}),
    Breaking(
        "733",
        "previousDocuments[0].issuer.taxId",
        "subcontracting",
        {"previousDocuments[0].issuer.taxId": SHIPPER_CNPJ},
    ),
    Breaking(
        "745",
        "taker",
        "subcontracting",
        {"taker": "shipper", "takerParty": GONE},
    ),
    Breaking("745", "taker", "subcontracting", {"takerParty.taxId": "11144477735"}),
    Breaking(
        "714",
        "multimodalAccessKeys[1]",
        MULTIMODAL,
        {"multimodalAccessKeys[1]": cte_key(7, CARRIER_CNPJ)},
    ),
    Breaking("845", "multimodalAccessKeys[0]", MULTIMODAL, {"multimodalAccessKeys[0]": "123"}),
    Breaking("667", "taker", MULTIMODAL, {"multimodalAccessKeys[0]": cte_key(7, SHIPPER_CNPJ)}),
    Breaking("667", "taker", MULTIMODAL, {"takerParty.taxId": "11144477735"}),
    Breaking("847", "substitution.accessKey", "substitution", {"substitution.accessKey": nfe_key(1)}),
    Breaking(
        "510",
        "substitution.accessKey",
        "substitution",
        {"substitution.accessKey": cte_key(411, CARRIER_CNPJ)},
    ),
    Breaking(
        "563",
        "substitution.accessKey",
        "substitution",
        {"substitution.accessKey": cte_key(411, month="2608")},
    ),
    Breaking("849", "complementedAccessKeys[0]", "complement", {"complementedAccessKeys[0]": "123"}),
    Breaking("907", "complementedAccessKeys[1]", "complement", {"complementedAccessKeys[1]": cte_key(412)}),
    Breaking(
        "269",
        "complementedAccessKeys[0]",
        "complement",
        {"complementedAccessKeys[0]": cte_key(412, CARRIER_CNPJ)},
    ),
    Breaking(
        "933",
        "complementedAccessKeys[0]",
        "complement",
        {"complementedAccessKeys": [cte_key(412, month="2510")]},
    ),
)
GLOBALIZED = (
    Breaking("743", "globalized", "many senders", {"municipalityEndIbge": "3304557", "cfop": "6353"}),
    Breaking("722", "taker", "many senders", {"taker": "dispatcher", "dispatcher": DEPOSIT}),
    Breaking("723", "documents.nfes", "many senders", {"documents": {"others": [{"type": "declaration"}]}}),
)
PRICE = (
    *(
        Breaking(
            "STATE_SHARE",
            "stateShare",
            body=CONSUMER | {"icms": icms, "stateShare": {"internalRate": 20}},
        )
        for icms in ({"cst": "40"}, {"cst": "60", "rate": 12})
    ),
    Breaking(
        "STATE_SHARE_AMOUNT",
        "stateShare.originAmount",
        body=CONSUMER | {"stateShare": {"internalRate": 20, "originAmount": 40}},
    ),
    Breaking("650", "serviceAmount", body={"serviceAmount": 10_000_000, "components": GONE}),
    Breaking("531", "receivableAmount", body={"receivableAmount": 1000.01}),
    Breaking("COMPONENTS_SUM", "components", body={"components[0].amount": 820.01}),
    Breaking("215", "netServiceAmount", body={"netServiceAmount": 880}, under=BEFORE_NET_AMOUNT),
    Breaking("NET_ABOVE_PRICE", "netServiceAmount", body={"netServiceAmount": 1000.01}),
    Breaking("675", "icms.amount", body={"icms.amount": 120.02}),
    Breaking("675", "icms.amount", "complement", {"icms.amount": 119}),
    Breaking("ICMS_ABOVE_PRICE", "icms", body={"icms": {"cst": "00", "base": 10_000, "rate": 12}}),
    *(
        Breaking(
            "ICMS_CREDIT",
            "icms.creditAmount",
            body={"icms": {"cst": cst, "rate": 12, "creditAmount": 120.01}},
        )
        for cst in ("60", "90")
    ),
    Breaking(
        "ICMS_ABOVE_PRICE",
        "stateShare",
        body=CONSUMER | {"stateShare": {"base": 20_000, "internalRate": 20}},
    ),
    Breaking(
        "STATE_SHARE",
        "stateShare",
        body=CONSUMER
        | {"municipalityEndIbge": "3509502", "cfop": "5357", "stateShare": {"internalRate": 20}},
    ),
    Breaking(
        "STATE_SHARE",
        "stateShare",
        body=CONSUMER | {"icms": {}, "stateShare": {"internalRate": 20}},
        company={"taxRegime": "simples"},
    ),
    Breaking(
        "STATE_SHARE_AMOUNT",
        "stateShare.destinationAmount",
        body=CONSUMER | {"stateShare": {"internalRate": 20, "destinationAmount": 81}},
    ),
    Breaking(
        "STATE_SHARE_AMOUNT",
        "stateShare.fcpAmount",
        body=CONSUMER | {"stateShare": {"internalRate": 20, "fcpAmount": 20}},
    ),
)
REFORM = (
    *(
        Breaking("IBS_CBS_CLASS", "ibsCbs.taxClassCode", body={"ibsCbs": {"taxClassCode": code}})
        for code in ("000999", "200034")
    ),
    Breaking("IBS_CBS_SITUATION", "ibsCbs.cst", body={"ibsCbs": {"cst": "200", "taxClassCode": "000001"}}),
    *(
        Breaking("IBS_CBS_RATE", f"ibsCbs.{share}.rate", body={"ibsCbs": {share: {"rate": 0.5}}})
        for share in ("state", "city", "cbs")
    ),
    Breaking(
        "IBS_CBS_REDUCTION",
        "ibsCbs.state.reduction",
        body={"ibsCbs": {"state": {"reduction": {"rate": 40}}}},
    ),
    Breaking(
        "IBS_CBS_REDUCTION",
        "ibsCbs.cbs.reduction.rate",
        body={"ibsCbs": {"taxClassCode": "200050", "cbs": {"reduction": {"rate": 30}}}},
    ),
    Breaking(
        "IBS_CBS_REDUCTION",
        "ibsCbs.cbs.reduction.effectiveRate",
        body={"ibsCbs": {"taxClassCode": "200050", "cbs": {"reduction": {"rate": 40, "effectiveRate": 0.5}}}},
    ),
    Breaking("IBS_SUM", "ibsCbs.ibsAmount", body={"ibsCbs": {"ibsAmount": 0.89}}),
    Breaking(
        "IBS_CBS_GROUP",
        "ibsCbs.cbs.deferral",
        body={"ibsCbs": {"cbs": {"deferral": {"rate": 100}}}},
    ),
    Breaking(
        "IBS_CBS_GROUP",
        "ibsCbs.regularTaxation",
        body={"ibsCbs": {"regularTaxation": REGULAR}},
    ),
    Breaking("IBS_CBS_GROUP", "ibsCbs", body={"ibsCbs": {"taxClassCode": "410003", **ALL_VALUES}}),
    Breaking("IBS_CBS_BASE", "ibsCbs.base", body={"ibsCbs": {"base": 1000.01}}),
    Breaking(
        "IBS_CBS_REFUND",
        "ibsCbs.cbs.refund.amount",
        body={"ibsCbs": {"cbs": {"refund": {"amount": 7.93}, "amount": 0}}},
    ),
    Breaking(
        "IBS_CBS_PUBLIC", "ibsCbs.governmentPurchase", body={"ibsCbs": {"governmentPurchase": PURCHASE}}
    ),
    Breaking(
        "CBS_FREE_ZONE",
        "ibsCbs.cbs.freeZone",
        body={"ibsCbs": {"cbs": {"rate": 0.9, "freeZone": {"rate": 0.9, "amount": 7.92}}}},
    ),
    *(
        Breaking(
            code,
            f"ibsCbs.{share}.amount",
            body={"ibsCbs": {**OF_2027, share: {**OF_2027[share], "amount": 200}}},
            under=WITH_CHECKED_AMOUNTS,
        )
        for share, code in (("state", "1051"), ("city", "1052"), ("cbs", "1053"))
    ),
)
BREAKINGS = (*DOCUMENTS, *REFERENCES, *GLOBALIZED, *PRICE, *REFORM)
FEW_NFES = [{"accessKey": nfe_key(number)} for number in range(1, 5)]
FOUR_SENDERS = [
    {"accessKey": nfe_key(number, owner)} for number, owner in enumerate((*SENDERS[:4], SENDERS[0]), 1)
]
WARNINGS = (
    Breaking(
        "729",
        "documents.nfes[1].accessKey",
        body={"documents.nfes[1].accessKey": nfe_key(2, RECIPIENT_CNPJ)},
    ),
    Breaking("540", "documents.papers", body={"documents": {"papers": [PAPER]}}),
    Breaking("724", "documents.nfes", "many senders", {"documents.nfes": FOUR_SENDERS}),
    Breaking("737", "documents.nfes", "many recipients", {"documents.nfes": FEW_NFES}),
    Breaking(
        "744",
        "documents.nfes[4].accessKey",
        "many recipients",
        {"documents.nfes[4].accessKey": nfe_key(5, RECIPIENT_CNPJ)},
    ),
    Breaking("725", "shipper.name", "many senders", {"shipper.name": "Indústria Paulista S.A."}),
    Breaking("726", "recipient.name", "many recipients", {"recipient.name": "Lojas Guanabara Ltda"}),
    Breaking("727", "shipper.taxId", "many senders", {"shipper.taxId": SHIPPER_CNPJ}),
    Breaking("728", "recipient.taxId", "many recipients", {"recipient.taxId": RECIPIENT_CNPJ}),
    Breaking("730", "shipper.name", body={"shipper.name": "Diversos"}),
    Breaking("730", "recipient.name", body={"recipient.name": "DIVERSOS"}),
    Breaking("310", "ibsCbs", document={"taxes.ibs_cbs": None}),
    Breaking("STATE_SHARE", "stateShare", body={"stateShare": {"internalRate": 20}}),
    Breaking("ICMS_BASE", "icms.base", body={"icms": {"cst": "00", "base": 1000.01, "rate": 12}}),
    Breaking("ICMS_RATE", "icms.rate", body={"icms": {"cst": "00", "rate": 18}}),
    Breaking("ICMS_STATE", "icms.cst", body=STARTS_IN_PARANA | {"icms": {"cst": "00", "rate": 12}}),
    Breaking("ICMS_STATE", "icms.otherState", body={"icms": {"cst": "90", "rate": 12, "otherState": True}}),
    Breaking(
        "ICMS_ABROAD",
        "icms.cst",
        body={"municipalityEndIbge": "9999999", "cfop": "7358", "ibsCbs": {"taxClassCode": "410004"}},
    ),
    *(
        Breaking(code, f"ibsCbs.{share}.amount", body={"ibsCbs": {share: {"amount": 50}}})
        for share, code in (("state", "1051"), ("city", "1052"), ("cbs", "1053"))
    ),
)
