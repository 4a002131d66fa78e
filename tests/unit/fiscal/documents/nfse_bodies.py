"""Bodies of NFS-e drawn at random, nearly all of them good, and what is said of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.issuance import Review
from unit.fiscal.documents.nfse_support import (
    APART,
    BRASILIA_CODE,
    EXCESS,
    FIRM,
    FOREIGNER,
    MEI,
    NBS,
    NORMAL,
    PERSON,
    RIO_CODE,
    SAO_PAULO_CODE,
    SHORTCUT,
    SIMPLES,
    TRADE,
    agreement,
    provider,
    reviewed,
)
from unit.fiscal.drawing import FLAG, SHARE, TEXT, Fields, Values, above_zero, having, number, one, some_of

PROVIDERS = (
    SIMPLES,
    APART,
    EXCESS,
    NORMAL,
    MEI,
    provider(simplesIssRegime=3, municipalRegistration="7654321"),
)
USUAL = {"federalServiceCode": "01.07", "issRate": 2.5, "nbs": NBS}

RATE = number(100)
TAX = having({"rate": RATE}, {"isWithheld": FLAG})
SITE_ADDRESS = having(
    {"zipcode": one("01001000"), "street": TEXT, "number": TEXT, "district": TEXT}, {"complement": TEXT}
)
PERSON_ELSEWHERE = {
    "cpf": "52998224725",
    "name": "Maria da Silva",
    "address": {
        "national": {"cityCode": SAO_PAULO_CODE, "zipcode": "01001000"},
        "street": "Rua",
        "number": "1",
        "district": "Sé",
    },
}
BOUGHT: Fields = {
    "kind": one("2"),
    "issuedOn": one("2026-11-01"),
    "deductibleAmount": above_zero(9),
    "amount": above_zero(9),
}
PROOF = having(BOUGHT | {"invoiceKey": one("35261111222333000181550010000000011739354219")}) | having(
    BOUGHT | {"otherDocumentNumber": TEXT, "supplier": one(PERSON_ELSEWHERE)}, {"description": TEXT}
)
SERVICES = (
    one(
        {"federalServiceCode": "01.05"},
        {"federalServiceCode": "17.01.01"},
        {"federalServiceCode": "17.05"},
        {"federalServiceCode": "07.10.02"},
        {"federalServiceCode": "99.01.01"},
    )
    | having({"federalServiceCode": one("07.02.01"), "construction": having({"address": SITE_ADDRESS})})
    | having(
        {
            "federalServiceCode": one("12.07"),
            "event": having(
                {
                    "name": TEXT,
                    "startsOn": one("2026-11-10"),
                    "endsOn": one("2026-11-11"),
                    "address": SITE_ADDRESS,
                }
            ),
        }
    )
)
NATURES = (
    one({}, {"natureOfOperation": "1"}, {"natureOfOperation": "4", "immunityType": "2"})
    | having({"natureOfOperation": one("5", "6"), "suspension": one({"processNumber": "0" * 30})})
    | having(
        {
            "natureOfOperation": one("3"),
            "benefit": having({"number": one("35503080400001")}, {"reductionRate": above_zero(100)}),
        }
    )
)
TAKERS = one(
    {"borrower": {"name": "Consumidor"}},
    {"borrower": PERSON},
    {"borrower": FIRM},
    {"borrower": PERSON | {"address": FIRM["address"], "email": "a@example.com", "phone": "1133334444"}},
    {"borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS},
    {"borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS, "resultCountryCode": "US"},
    {"borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS, "serviceCountryCode": "US"},
)
# Away from home as often as not: there the municipality may have stayed out.
PLACES = one({}, {"serviceCityCode": BRASILIA_CODE}, {"serviceCityCode": RIO_CODE})
ISS = having({"rate": number(5), "isWithheld": FLAG})
REFORM = having(
    {},
    {
        "cst": one("000", "200"),
        "taxClassCode": one("000001", "200028"),
        "operationIndicator": one("100301", "030101", "020201"),
        "personalUse": FLAG,
        "property": one({"cibCode": "1A2B3C45"}),
    },
)
OPTIONAL: Fields = {
    "serviceCode": one("123", "2800"),
    "name": one("Plano Pro"),
    "nbs": one("1.1502.10.00", "999999999"),
    "cnaeCode": one("6209-1/00"),
    "ibsCbs": REFORM,
    "serviceLocation": one("1", "2"),
    "municipalityOfIncidence": one("0", "1", "2"),
    "taxes": having({}, dict.fromkeys(("pis", "cofins", "csll", "ir", "inss"), TAX)),
    "totalTaxes": having({"federal": SHARE}, {"state": SHARE, "city": SHARE}),
    "discounts": having({}, {"unconditional": number(9), "conditional": number(9)}),
    "deductions": having({"amount": number(9)})
    | having({"rate": above_zero(100)})
    | having({"proof": having({"documents": one([])})})
    | PROOF.map(lambda proof: {"proof": {"documents": [proof]}}),
    "issueDate": one("2026-11-14", "2025-12-31", "2026-11-15"),
    "externalId": TEXT,
    "intermediary": one(FIRM, PERSON, FOREIGNER, {"name": "Ninguém"}),
    "notes": TEXT,
    "guarantee": one(1),
    "sku": one("PRO"),
    "category": one("saas"),
}


@st.composite
def bodies(draw: Callable[..., Any]) -> dict[str, Any]:
    """A body of either form, with any of its optional fields."""
    parts: list[Values] = [NATURES, TAKERS, PLACES]
    told = SHORTCUT | {"serviceDescription": draw(TEXT.strategy), "amount": draw(above_zero(999).strategy)}
    if draw(st.booleans()):
        told |= draw(SERVICES.strategy) | {"cityServiceCode": "2800", "iss": draw(ISS.strategy)}
    told |= draw(some_of(OPTIONAL))
    for part in parts:
        told |= draw(part.strategy)
    return told


@dataclass(frozen=True)
class Reviewed:
    """What is said of a body, and which municipalities have joined."""

    joined: Mapping[str, bool]
    review: Review

    @cached_property
    def root(self) -> etree._Element | None:
        """The declaration, if there is one."""
        return etree.fromstring(self.review.preview.xml) if self.review.preview else None


@st.composite
def reviews(draw: Callable[..., Any]) -> Reviewed:
    """A body of any provider, reviewed wherever it may be."""
    by = draw(st.sampled_from(PROVIDERS))
    joined = {city: draw(st.booleans()) for city in (RIO_CODE, BRASILIA_CODE)} | {SAO_PAULO_CODE: True}
    known = [agreement(city, is_active=active) for city, active in joined.items()]
    special = {"specialRegime": draw(st.sampled_from("0000006"))}
    return Reviewed(joined, reviewed(draw(bodies()), by=by, settings=USUAL | special, agreements=known))
