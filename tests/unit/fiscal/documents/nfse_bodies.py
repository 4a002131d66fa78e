"""Random NFS-e request bodies, nearly all of them valid, and their reviews."""

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
from unit.fiscal.drawing import FLAG, SHARE, TEXT, Fields, Values, above_zero, any_of, having, number, some_of

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
    {"zipcode": any_of("01001000"), "street": TEXT, "number": TEXT, "district": TEXT}, {"complement": TEXT}
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
    "kind": any_of("2"),
    "issuedOn": any_of("2026-11-01"),
    "deductibleAmount": above_zero(9),
    "amount": above_zero(9),
}
PROOF = having(BOUGHT | {"invoiceKey": any_of("35261111222333000181550010000000011739354219")}) | having(
    BOUGHT | {"otherDocumentNumber": TEXT, "supplier": any_of(PERSON_ELSEWHERE)}, {"description": TEXT}
)
SERVICES = (
    any_of(
        {"federalServiceCode": "01.05"},
        {"federalServiceCode": "17.01.01"},
        {"federalServiceCode": "17.05"},
        {"federalServiceCode": "07.10.02"},
        {"federalServiceCode": "99.01.01"},
    )
    | having({"federalServiceCode": any_of("07.02.01"), "construction": having({"address": SITE_ADDRESS})})
    | having(
        {
            "federalServiceCode": any_of("12.07"),
            "event": having(
                {
                    "name": TEXT,
                    "startsOn": any_of("2026-11-10"),
                    "endsOn": any_of("2026-11-11"),
                    "address": SITE_ADDRESS,
                }
            ),
        }
    )
)
NATURES = (
    any_of({}, {"natureOfOperation": "1"}, {"natureOfOperation": "4", "immunityType": "2"})
    | having({"natureOfOperation": any_of("5", "6"), "suspension": any_of({"processNumber": "0" * 30})})
    | having(
        {
            "natureOfOperation": any_of("3"),
            "benefit": having({"number": any_of("35503080400001")}, {"reductionRate": above_zero(100)}),
        }
    )
)
TAKERS = any_of(
    {"borrower": {"name": "Consumidor"}},
    {"borrower": PERSON},
    {"borrower": FIRM},
    {"borrower": PERSON | {"address": FIRM["address"], "email": "a@example.com", "phone": "1133334444"}},
    {"borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS},
    {"borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS, "resultCountryCode": "US"},
    {"borrower": FOREIGNER, "foreignTrade": TRADE, "nbs": NBS, "serviceCountryCode": "US"},
)
# Outside São Paulo as often as not: there the municipality may not have joined.
PLACES = any_of({}, {"serviceCityCode": BRASILIA_CODE}, {"serviceCityCode": RIO_CODE})
ISS = having({"rate": number(5), "isWithheld": FLAG})
REFORM = having(
    {},
    {
        "cst": any_of("000", "200"),
        "taxClassCode": any_of("000001", "200028"),
        "operationIndicator": any_of("100301", "030101", "020201"),
        "personalUse": FLAG,
        "property": any_of({"cibCode": "1A2B3C45"}),
    },
)
OPTIONAL: Fields = {
    "serviceCode": any_of("123", "2800"),
    "name": any_of("Plano Pro"),
    "nbs": any_of("1.1502.10.00", "999999999"),
    "cnaeCode": any_of("6209-1/00"),
    "ibsCbs": REFORM,
    "serviceLocation": any_of("1", "2"),
    "municipalityOfIncidence": any_of("0", "1", "2"),
    "taxes": having({}, dict.fromkeys(("pis", "cofins", "csll", "ir", "inss"), TAX)),
    "totalTaxes": having({"federal": SHARE}, {"state": SHARE, "city": SHARE}),
    "discounts": having({}, {"unconditional": number(9), "conditional": number(9)}),
    "deductions": having({"amount": number(9)})
    | having({"rate": above_zero(100)})
    | having({"proof": having({"documents": any_of([])})})
    | PROOF.map(lambda proof: {"proof": {"documents": [proof]}}),
    "issueDate": any_of("2026-11-14", "2025-12-31", "2026-11-15"),
    "externalId": TEXT,
    "intermediary": any_of(FIRM, PERSON, FOREIGNER, {"name": "Ninguém"}),
    "notes": TEXT,
    "guarantee": any_of(1),
    "sku": any_of("PRO"),
    "category": any_of("saas"),
}


@st.composite
def bodies(draw: Callable[..., Any]) -> dict[str, Any]:
    """Draws a body of either form, with any of its optional fields."""
    parts: list[Values] = [NATURES, TAKERS, PLACES]
    payload = SHORTCUT | {"serviceDescription": draw(TEXT.strategy), "amount": draw(above_zero(999).strategy)}
    if draw(st.booleans()):
        payload |= draw(SERVICES.strategy) | {"cityServiceCode": "2800", "iss": draw(ISS.strategy)}
    payload |= draw(some_of(OPTIONAL))
    for part in parts:
        payload |= draw(part.strategy)
    return payload


@dataclass(frozen=True)
class Reviewed:
    """The review of a body, and which municipalities have joined the national NFS-e."""

    joined: Mapping[str, bool]
    review: Review

    @cached_property
    def root(self) -> etree._Element | None:
        """The declaration, if there is one."""
        return etree.fromstring(self.review.preview.xml) if self.review.preview else None


@st.composite
def reviews(draw: Callable[..., Any]) -> Reviewed:
    """Draws the review of a body of any provider and any service place."""
    by = draw(st.sampled_from(PROVIDERS))
    joined = {city: draw(st.booleans()) for city in (RIO_CODE, BRASILIA_CODE)} | {SAO_PAULO_CODE: True}
    agreements = [agreement(city, is_active=active) for city, active in joined.items()]
    special = {"specialRegime": draw(st.sampled_from("0000006"))}
    return Reviewed(joined, reviewed(draw(bodies()), by=by, settings=USUAL | special, agreements=agreements))
