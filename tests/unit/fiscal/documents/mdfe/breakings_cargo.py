"""Changes that break the rules of identity, places, documents and cargo of an MDF-e."""

from datetime import timedelta
from typing import Any

from carimbo.fiscal.emission import Contingency, EmissionType
from support import CNPJ
from unit.fiscal.documents.cte.bodies import (
    CURITIBA,
    ISSUED_AT,
    RECIPIENT_CNPJ,
    SHIPPER_CNPJ,
    cte_key,
    nfe_key,
)
from unit.fiscal.documents.cte.breaking import Breaking, emission
from unit.fiscal.documents.mdfe.bodies import (
    AIR,
    CAMPINAS,
    INSURANCE,
    INSURER_CNPJ,
    SALVADOR,
    SAO_PAULO,
    UNKNOWN_CITY,
    mdfe_key,
    own_nfe_key,
)
from unit.fiscal.rules.breaking import GONE

RESPONSIBLE = {"taxId": SHIPPER_CNPJ, "contact": "Ana", "email": "ana@example.com", "phone": "1133334444"}
OFFLINE = emission(
    type=EmissionType.OFFLINE_MANIFEST, contingency=Contingency(ISSUED_AT, "Sem conexão no pátio")
)
IN_PARANA = {"address": CURITIBA, "stateRegistrations": [{"state": "PR", "number": "1234567850"}]}
RIO_DE_JANEIRO = "3304557"
BARCODE = "1" * 36
PARTIAL = {"totalQuantity": 10, "deliveredQuantity": 4}


def details(*given: dict[str, Any]) -> dict[str, Any]:
    """Returns the change of a body that gives details of documents of its first municipality."""
    return {"documents[0].details": list(given)}


def partial_service(*keys: str) -> dict[str, Any]:
    """Returns the change that makes the first CT-e of a carrier a partial service of some NF-e."""
    return details({"accessKey": cte_key(412), "partialNfeAccessKeys": list(keys)})


IDENTITY = (
    *(
        Breaking("232", "company.settings.mdfe.series", "own cargo", under=emission(series=series))
        for series in (920, 969)
    ),
    Breaking("212", "issueDate", "own cargo", now=ISSUED_AT - timedelta(minutes=5, seconds=1)),
    Breaking("228", "issueDate", "own cargo", now=ISSUED_AT + timedelta(hours=24, seconds=1)),
    Breaking("228", "issueDate", "own cargo", under=OFFLINE, now=ISSUED_AT + timedelta(hours=168, seconds=1)),
    Breaking("229", "company.stateRegistrations", "own cargo", company={"stateRegistrations": []}),
    Breaking(
        "209",
        "company.stateRegistrations",
        "own cargo",
        company={"stateRegistrations[0].number": "110042490115"},
    ),
    Breaking("459", "autXml[1].taxId", "own cargo", {"autXml[1]": {"taxId": RECIPIENT_CNPJ}}),
    Breaking(
        "721", "techResponsible.csrt", "own cargo", {"techResponsible": RESPONSIBLE | {"csrtId": "001"}}
    ),
    Breaking(
        "721",
        "techResponsible.csrtId",
        "own cargo",
        {"techResponsible": RESPONSIBLE | {"csrt": "G8063VRTND"}},
    ),
)
PLACES = (
    Breaking("405", "municipalityStartIbge", "own cargo", {"municipalityStartIbge": UNKNOWN_CITY}),
    Breaking(
        "405", "municipalityStartIbge", "own cargo", {"municipalityStartIbge": UNKNOWN_CITY, "ufStart": GONE}
    ),
    Breaking("405", "loadingCityCodes[0]", "carrier", {"loadingCityCodes[0]": UNKNOWN_CITY}),
    Breaking(
        "405",
        "municipalityStartIbge",
        "later loading",
        {"municipalityStartIbge": UNKNOWN_CITY, "ufStart": GONE},
    ),
    Breaking("456", "municipalityStartIbge", "own cargo", {"ufStart": "RJ"}),
    Breaking("456", "municipalityStartIbge", "own cargo", {"municipalityStartIbge": RIO_DE_JANEIRO}),
    Breaking("456", "loadingCityCodes[0]", "carrier", {"loadingCityCodes[0]": RIO_DE_JANEIRO}),
    Breaking("685", "loadingCityCodes[0]", "carrier", {"loadingCityCodes[0]": SAO_PAULO}),
    Breaking("406", "documents[0].cityCode", "own cargo", {"documents[0].cityCode": UNKNOWN_CITY}),
    Breaking(
        "406", "documents[0].cityCode", "own cargo", {"documents[0].cityCode": UNKNOWN_CITY, "ufEnd": GONE}
    ),
    Breaking("612", "documents[1].cityCode", "own cargo", {"documents[1].cityCode": RIO_DE_JANEIRO}),
    Breaking(
        "612",
        "documents[1].cityCode",
        "own cargo",
        {"documents[1].cityCode": RIO_DE_JANEIRO, "ufEnd": GONE},
    ),
    Breaking("680", "documents[1].cityCode", "carrier", {"documents[1].cityCode": SALVADOR}),
    Breaking("663", "route", "carrier", {"route": ["GO"]}),
    Breaking("663", "route", "carrier", {"route": ["MG", "SP"]}),
    Breaking("663", "route", "carrier", {"route": ["SP", "MG"]}),
    Breaking("541", "issuerType", "globalized carrier", {"documents[0].cityCode": RIO_DE_JANEIRO}),
    Breaking(
        "541",
        "issuerType",
        "globalized carrier",
        {
            "ufStart": GONE,
            "municipalityStartIbge": "9999999",
            "loadingCityCodes": [],
            "documents[0].cityCode": "9999999",
        },
    ),
)
DOCUMENTS = (
    Breaking("638", "documents[1].nfeAccessKeys[0]", "carrier", {"documents[1].nfeAccessKeys": [nfe_key()]}),
    Breaking(
        "639", "documents[1].cteAccessKeys[0]", "own cargo", {"documents[1].cteAccessKeys": [cte_key()]}
    ),
    Breaking(
        "540",
        "documents[0].cteAccessKeys[0]",
        "globalized carrier",
        {"documents[0].cteAccessKeys": [cte_key()]},
    ),
    Breaking("616", "documents[0]", "own cargo", {"documents[0].nfeAccessKeys": []}),
    Breaking(
        "668",
        "documents[1].cteAccessKeys[1]",
        "carrier",
        {"documents[1].cteAccessKeys[1]": cte_key(412)},
    ),
    Breaking(
        "669",
        "documents[1].nfeAccessKeys[0]",
        "own cargo",
        {"documents[1].nfeAccessKeys[0]": own_nfe_key(1)},
    ),
    Breaking(
        "669",
        "documents[0].nfeAccessKeys[1]",
        "globalized carrier",
        {"documents[0].nfeAccessKeys[1]": nfe_key(1)},
    ),
    *(
        Breaking(
            "601", "documents[1].cteAccessKeys[0]", "carrier", {"documents[1].cteAccessKeys[0]": wrong_key}
        )
        for wrong_key in ("123", cte_key(414)[:-1] + "0", nfe_key(1), cte_key(1, month="2612"))
    ),
    Breaking("604", "documents[0].nfeAccessKeys[0]", "own cargo", {"documents[0].nfeAccessKeys[0]": "123"}),
    Breaking(
        "604",
        "documents[0].nfeAccessKeys[0]",
        "own cargo",
        {"documents[0].nfeAccessKeys[0]": nfe_key(1, model="65")},
    ),
    Breaking("649", "documents[0].mdfeAccessKeys[0]", "by water", {"documents[0].mdfeAccessKeys[0]": "123"}),
    Breaking(
        "518",
        "documents[1].cteAccessKeys[0]",
        "carrier",
        {"documents[1].cteAccessKeys[0]": cte_key(414, month="2604")},
    ),
    Breaking(
        "519",
        "documents[0].nfeAccessKeys[0]",
        "own cargo",
        {"documents[0].nfeAccessKeys[0]": own_nfe_key(1, month="2604")},
    ),
    Breaking(
        "520",
        "documents[0].mdfeAccessKeys[0]",
        "by water",
        {"documents[0].mdfeAccessKeys[0]": mdfe_key(7, month="2604")},
    ),
    Breaking(
        "647", "documents[1].mdfeAccessKeys[0]", "carrier", {"documents[1].mdfeAccessKeys": [mdfe_key(7)]}
    ),
    Breaking(
        "648",
        "documents[0].mdfeAccessKeys[0]",
        "by water",
        {"municipalityStartIbge": SAO_PAULO, "documents[0].cityCode": SALVADOR},
    ),
)
DETAILS = (
    Breaking(
        "215",
        "documents[0].details[0].accessKey",
        "carrier",
        details({"accessKey": cte_key(414), "isRedelivery": True}),
    ),
    Breaking(
        "215",
        "documents[0].details[1].accessKey",
        "own cargo",
        details({"accessKey": own_nfe_key(1)}, {"accessKey": own_nfe_key(1), "isRedelivery": True}),
    ),
    Breaking(
        "215",
        "documents[0].details[0].partialDelivery",
        "own cargo",
        details({"accessKey": own_nfe_key(1), "partialDelivery": PARTIAL}),
    ),
    Breaking(
        "215",
        "documents[0].details[0].partialNfeAccessKeys",
        "own cargo",
        details({"accessKey": own_nfe_key(1), "partialNfeAccessKeys": [nfe_key(1)]}),
    ),
    *(
        Breaking(
            "215",
            f"documents[0].details[0].{name}",
            "by water",
            details({"accessKey": mdfe_key(7), name: value}),
        )
        for name, value in (
            ("secondBarcode", BARCODE),
            ("partialDelivery", PARTIAL),
            ("partialNfeAccessKeys", [nfe_key(1)]),
        )
    ),
    Breaking(
        "702",
        "documents[0].details[0].partialDelivery",
        "carrier",
        details({"accessKey": cte_key(412), "partialDelivery": PARTIAL}),
    ),
    Breaking(
        "525",
        "documents[0].details[0].partialNfeAccessKeys[1]",
        "carrier",
        partial_service(nfe_key(1), nfe_key(2, month="2604")),
    ),
    Breaking(
        "526",
        "documents[0].details[0].partialNfeAccessKeys[1]",
        "carrier",
        partial_service(nfe_key(1), nfe_key(1)),
    ),
    *(
        Breaking(
            "527", "documents[0].details[0].partialNfeAccessKeys[0]", "carrier", partial_service(wrong_key)
        )
        for wrong_key in ("123", nfe_key(1, model="65"))
    ),
    Breaking(
        "602",
        "documents[1].cteAccessKeys[0]",
        "carrier",
        {"documents[1].cteAccessKeys[0]": nfe_key(414, CNPJ, model="57", emission_type="5")},
    ),
    Breaking(
        "603",
        "documents[0].details[0].secondBarcode",
        "carrier",
        details({"accessKey": cte_key(412), "secondBarcode": BARCODE}),
    ),
    *(
        Breaking(
            "606",
            "documents[0].nfeAccessKeys[0]",
            "own cargo",
            {"documents[0].nfeAccessKeys[0]": own_nfe_key(1, emission_type=emission_type)},
        )
        for emission_type in ("2", "5")
    ),
    Breaking(
        "607",
        "documents[0].details[0].secondBarcode",
        "own cargo",
        details({"accessKey": own_nfe_key(1), "secondBarcode": BARCODE}),
    ),
)
CARGO = (
    Breaking("698", "insurance", "carrier", {"insurance": []}),
    Breaking("698", "insurance", "globalized carrier", {"insurance": []}),
    *(
        Breaking("699", f"insurance[0].{name}", "carrier", {f"insurance[0].{name}": GONE})
        for name in ("insurerName", "insurerTaxId", "policyNumber", "endorsements")
    ),
    Breaking(
        "215", "insurance[0].insurerTaxId", "own cargo", {"insurance": [{"insurerName": "Seguradora Brasil"}]}
    ),
    Breaking("215", "insurance[0].insurerName", "own cargo", {"insurance": [{"insurerTaxId": INSURER_CNPJ}]}),
    Breaking("542", "insurance[1].responsibleTaxId", "carrier", {"insurance[1].responsibleTaxId": GONE}),
    Breaking(
        "542",
        "insurance[0].responsibleTaxId",
        "own cargo",
        {"insurance": [INSURANCE | {"responsible": "contractor"}]},
    ),
    Breaking("725", "predominantProduct", "carrier", {"predominantProduct": GONE}),
    Breaking("725", "predominantProduct", "own cargo on a hired vehicle", {"predominantProduct": GONE}),
    Breaking("725", "predominantProduct", "full load", {"predominantProduct": GONE}),
    Breaking("301", "predominantProduct.ncm", "full load", {"predominantProduct.ncm": GONE}),
    Breaking("726", "predominantProduct.fullLoad", "full load", {"predominantProduct.fullLoad": GONE}),
    Breaking("302", "payments", "full load", {"payments": []}),
    Breaking("215", "cargoQuantity", "own cargo", {"cargoQuantity": 0}),
    *(
        Breaking(
            "215",
            f"predominantProduct.fullLoad.{name}",
            "full load",
            {f"predominantProduct.fullLoad.{name}": place},
        )
        for name in ("loading", "unloading")
        for place in ({}, {"latitude": -25.4}, {"zipcode": "05477000", "latitude": -25.4, "longitude": -49.2})
    ),
)
LATER = (
    Breaking(
        "707",
        "laterLoading",
        "globalized carrier",
        {"laterLoading": True, "documents": [], "loadingCityCodes": []},
    ),
    Breaking("705", "laterLoading", "later loading", {"modal": AIR, "drivers": []}),
    Breaking("704", "laterLoading", "later loading", {"ufEnd": "RJ"}),
    Breaking("704", "laterLoading", "later loading", {"documents": [{"cityCode": RIO_DE_JANEIRO}]}),
    Breaking("704", "laterLoading", "later loading", {"municipalityStartIbge": "9999999", "ufStart": GONE}),
    Breaking("703", "laterLoading", "later loading", {"loadingCityCodes": [CAMPINAS]}),
    Breaking("703", "laterLoading", "later loading", {"documents": [{"cityCode": CAMPINAS}]}),
    Breaking(
        "706",
        "documents[0]",
        "later loading",
        {"documents": [{"cityCode": SAO_PAULO, "nfeAccessKeys": [own_nfe_key(1)]}]},
    ),
)
BREAKINGS = (*IDENTITY, *PLACES, *DOCUMENTS, *DETAILS, *CARGO, *LATER)
WARNINGS = (
    Breaking("720", "techResponsible", "own cargo", company=IN_PARANA),
    Breaking("TRIP_BEFORE_ISSUE", "tripStartsAt", "own cargo", {"tripStartsAt": "2026-11-24T08:29:59-03:00"}),
)
