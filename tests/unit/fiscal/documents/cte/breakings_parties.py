"""Changes that break the rules of identity, service, places and parties of a CT-e."""

from datetime import timedelta

from carimbo.fiscal.emission import Contingency, EmissionType
from unit.fiscal.documents.cte.bodies import (
    COLLECTION_ORDER,
    CURITIBA,
    DEPOSIT,
    FREIGHT,
    ISSUED_AT,
    OTHER_CARRIER,
    PREVIOUS,
    SHIPPER,
    SHIPPER_CNPJ,
    cte_key,
)
from unit.fiscal.documents.cte.breaking import Breaking, emission
from unit.fiscal.goods.support import LISBON
from unit.fiscal.rules.breaking import GONE
from unit.fiscal.rules.breakings_parties import NO_CITY

SAO_PAULO_CITY = "3550308"
WRONG_REGISTRATION = "115223386111"
RESPONSIBLE = {"taxId": SHIPPER_CNPJ, "contact": "Ana", "email": "ana@example.com", "phone": "1133334444"}
IN_CONTINGENCY = emission(type=EmissionType.SVC_SP, contingency=Contingency(ISSUED_AT, "SEFAZ fora do ar"))
IN_PARANA = {"address": CURITIBA, "stateRegistrations": [{"state": "PR", "number": "1234567850"}]}
FROM_CURITIBA = {"municipalityStartIbge": "4106902"}
SUBSTITUTE = [{"state": "SP", "number": "110042490114"}, {"state": "RJ", "number": "99999990"}]
TO_ANOTHER = {"taker": "other", "takerParty": OTHER_CARRIER}
BETWEEN_CARRIERS = "intermediate redispatch"

IDENTITY = (
    Breaking("670", "company.settings.cte.series", under=emission(series=890)),
    Breaking("212", "issueDate", now=ISSUED_AT - timedelta(minutes=6)),
    Breaking("228", "issueDate", now=ISSUED_AT + timedelta(hours=169)),
    Breaking("229", "company.stateRegistrations", company={"stateRegistrations": []}),
    Breaking(
        "209", "company.stateRegistrations", company={"stateRegistrations[0].number": WRONG_REGISTRATION}
    ),
    Breaking(
        "614",
        "company.stateRegistrations",
        body={"taker": "recipient"},
        company={"stateRegistrations": SUBSTITUTE},
    ),
    Breaking("868", "techResponsible.csrt", body={"techResponsible": RESPONSIBLE | {"csrtId": "001"}}),
    Breaking("868", "techResponsible.csrtId", body={"techResponsible": RESPONSIBLE | {"csrt": "G8063VRTND"}}),
)
SERVICE = (
    Breaking("458", "cargo", body={"cargo": GONE}),
    Breaking("458", "cargo", "substitution", {"cargo": GONE}),
    Breaking("459", "complementedAccessKeys", "complement", {"complementedAccessKeys": GONE}),
    Breaking("505", "substitution", "substitution", {"substitution": GONE}),
    Breaking("503", "purpose", "substitution", under=IN_CONTINGENCY),
    Breaking("517", "purpose", "complement", under=IN_CONTINGENCY),
    *(
        Breaking("215", path, "complement", {path.partition(".")[0]: value})
        for path, value in (
            ("cargo", FREIGHT["cargo"]),
            ("documents", FREIGHT["documents"]),
            ("previousDocuments", PREVIOUS),
            ("multimodalAccessKeys", [cte_key(7)]),
            ("globalized", {"notes": "Procedimento do regime especial"}),
            ("rntrc", "12345678"),
            ("modal.collectionOrders", {"collectionOrders": [COLLECTION_ORDER]}),
            (
                "newVehicles",
                [
                    {
                        "chassis": "9BWZZZ377VT004251",
                        "colorCode": "01",
                        "color": "Prata",
                        "modelCode": "123456",
                        "unitValue": 90000,
                        "freightAmount": 180,
                    }
                ],
            ),
            ("billing", {"installments": [{"number": "001", "dueDate": "2026-12-24", "amount": 1000}]}),
        )
    ),
    Breaking("215", "substitution", body={"substitution": {"accessKey": cte_key(411)}}),
    Breaking("215", "complementedAccessKeys", body={"complementedAccessKeys": [cte_key(412)]}),
    Breaking("215", "takerParty", body={"takerParty": OTHER_CARRIER}),
    Breaking("469", "shipper", body={"shipper": GONE}),
    Breaking("470", "recipient", body={"recipient": GONE}),
    Breaking("470", "recipient", body={"recipient": GONE, "taker": "recipient"}),
    Breaking("474", "dispatcher", BETWEEN_CARRIERS, {"dispatcher": GONE}),
    Breaking("475", "receiver", "part of a multimodal transport", {"receiver": GONE}),
    Breaking("460", "shipper", BETWEEN_CARRIERS, {"taker": "shipper", "takerParty": GONE}),
    Breaking("461", "dispatcher", body={"taker": "dispatcher"}),
    Breaking("462", "receiver", body={"taker": "receiver"}),
    Breaking("463", "recipient", BETWEEN_CARRIERS, {"taker": "recipient", "takerParty": GONE}),
    Breaking("581", "cargo.amount", body={"cargo.amount": GONE}),
    Breaking("693", "documents", body={"documents": GONE}),
    Breaking("693", "documents", body={"documents": {"nfes": []}}),
    Breaking("694", "documents", BETWEEN_CARRIERS, {"documents": FREIGHT["documents"]}),
    Breaking("521", "previousDocuments", "subcontracting", {"previousDocuments": GONE}),
    Breaking("747", "previousDocuments", body={"previousDocuments": PREVIOUS}),
    Breaking("651", "multimodalAccessKeys", "part of a multimodal transport", {"multimodalAccessKeys": GONE}),
    Breaking("814", "multimodalAccessKeys", body={"multimodalAccessKeys": [cte_key(7)]}),
)
PLACES = (
    Breaking("541", "municipalityStartIbge", body={"municipalityStartIbge": NO_CITY}),
    Breaking("542", "municipalityEndIbge", body={"municipalityEndIbge": NO_CITY}),
    Breaking("676", "cfop", body={"cfop": "6102"}),
    Breaking("519", "cfop", body={"cfop": "5352"}),
    Breaking("519", "cfop", body={"municipalityEndIbge": "3509502"}),
    Breaking("519", "cfop", body=FROM_CURITIBA | {"cfop": "5932"}),
    Breaking("524", "cfop", body=FROM_CURITIBA),
    Breaking("524", "cfop", body=FROM_CURITIBA | {"cfop": "5353"}),
    Breaking("908", "cfop", body={"cfop": "6932"}),
    Breaking("908", "cfop", body={"cfop": "5932"}),
)
PARTIES = (
    *(
        Breaking(
            code,
            f"{path}.stateRegistration",
            body={path: party | {"stateRegistration": "115223386111"}},
            good="subcontracting" if path == "takerParty" else "freight",
        )
        for code, path, party in (
            ("419", "shipper", SHIPPER),
            ("432", "dispatcher", DEPOSIT),
            ("440", "receiver", DEPOSIT),
            ("210", "recipient", DEPOSIT),
            ("448", "takerParty", OTHER_CARRIER),
        )
    ),
    Breaking(
        "481",
        "takerContribution",
        body={"takerContribution": "contributor", "shipper.stateRegistration": GONE},
    ),
    Breaking(
        "481",
        "takerContribution",
        body={"takerContribution": "contributor", "shipper.stateRegistration": "ISENTO"},
    ),
    Breaking("482", "takerContribution", body={"taker": "recipient", "takerContribution": "exempt"}),
    Breaking(
        "617",
        "takerContribution",
        body={"takerContribution": "exempt", "shipper.stateRegistration": "ISENTO"},
    ),
    Breaking("617", "takerContribution", body={"takerContribution": "exempt"}),
    Breaking("799", "taker", body={"taker": "other", "takerParty": SHIPPER}),
    Breaking(
        "235",
        "recipient.suframaRegistration",
        "to Manaus",
        {"recipient.suframaRegistration": "200123458"},
    ),
    Breaking("251", "recipient.suframaRegistration", body={"recipient.suframaRegistration": "200123459"}),
    Breaking("715", "authorizedReaders[1].taxId", body={"authorizedReaders[1]": {"taxId": "52998224725"}}),
    Breaking("828", "authorizedReaders[0].taxId", body={"authorizedReaders[0].taxId": SHIPPER_CNPJ}),
)
WRONG_SUFRAMA = tuple(
    Breaking("235", "recipient.suframaRegistration", "to Manaus", {"recipient.suframaRegistration": number})
    for number in ("00000000", "200123458")
)
FOREIGN_REGISTRATION = Breaking(
    "432",
    "dispatcher.stateRegistration",
    body={"dispatcher": {"name": "Porto", "address": LISBON, "stateRegistration": "115223386110"}},
)
BREAKINGS = (*WRONG_SUFRAMA, FOREIGN_REGISTRATION, *IDENTITY, *SERVICE, *PLACES, *PARTIES)
WARNINGS = (
    Breaking("867", "techResponsible", body=FROM_CURITIBA, company=IN_PARANA),
    Breaking("746", "serviceType", body=TO_ANOTHER),
)
