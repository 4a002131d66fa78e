"""Providers, bodies and the functions from a body to a declaration, for tests of the NFS-e."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfse.document import compose
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.xml import judge_note, review
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import ExternalFacts, Issuance, ReplacedDocument, Review
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, ServiceNote, write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.municipal_agreement import Agreement
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Problem
from support import CNPJ
from unit.fiscal.goods.support import SAO_PAULO, SCHEMAS, SOFTWARE, misformed

SAO_PAULO_CODE, RIO_CODE, BRASILIA_CODE = "3550308", "3304557", "5300108"
CPF = "52998224725"
TAKER_CNPJ = "66677788000183"
NBS = "115021000"
KEY = "35503082211222333000181000000000004126111234567891"
_MINIMAL = (Path(__file__).parents[4] / "examples/nfse/minimal.xml").read_bytes()
REPLACED = ReplacedDocument(KEY, _MINIMAL.replace(b"<CPF>12345678909<", f"<CPF>{CPF}<".encode()))
"""A note of ours, with the same taker and amount, that another note may replace."""
ISSUED_AT = datetime.fromisoformat("2026-11-14T10:00:00-03:00")
TODAY = "2026-11-14"

PERSON: dict[str, Any] = {"taxId": CPF, "name": "Maria da Silva"}
FIRM: dict[str, Any] = {"taxId": TAKER_CNPJ, "name": "Mercado Modelo S.A.", "address": SAO_PAULO}
NEW_YORK = {
    "street": "5th Avenue",
    "number": "350",
    "district": "Manhattan",
    "city": "New York",
    "region": "NY",
    "postalCode": "10118",
    "countryCode": "US",
}
FOREIGNER: dict[str, Any] = {"foreignId": "EIN 12-3456789", "name": "Model Stores Inc.", "address": NEW_YORK}
TRADE = {
    "deliveryMode": "1",
    "relationship": "0",
    "currencyCode": "220",
    "amount": 30,
    "providerSupport": "01",
    "takerSupport": "01",
    "temporaryGoods": "1",
    "sharedWithMdic": "0",
}
SHORTCUT: dict[str, Any] = {"serviceDescription": "Assinatura mensal", "amount": 150, "borrower": PERSON}
DETAILED: dict[str, Any] = SHORTCUT | {
    "cityServiceCode": "000",
    "federalServiceCode": "01.05",
    "iss": {"rate": 2},
}
COMPANY = {"taxId": CNPJ, "legalName": "Serviços Modelo Ltda", "taxRegime": "simples", "address": SAO_PAULO}


def provider(regime: str = "simples", **changes: Any) -> Company:
    """Returns a complete company in São Paulo."""
    contributions = {"pisCofinsRegime": "cumulative"} if regime == "normal" else {}
    usual = {"taxRegime": regime, "simplesRate": 8.25} | contributions
    return Company.model_validate(COMPANY | usual | changes)


SIMPLES, EXCESS, NORMAL, MEI = map(provider, ("simples", "simplesExcess", "normal", "mei"))
APART = provider(simplesIssRegime=2)
"""In Simples Nacional, but pays the ISS to the municipality."""
IN_ACRE = provider(address=SAO_PAULO | {"zipcode": "69900-000", "city": "Rio Branco", "state": "AC"})
EVENING_IN_ACRE = "2026-11-13T23:30:00-05:00"
"""In Brasília it is already the next day."""


def agreement(city: str, *, is_active: bool = True, uses_national_emitter: bool = True) -> Agreement:
    return Agreement(city, is_active, uses_national_emitter)


BRASILIA_STAYS_OUT = agreement(BRASILIA_CODE, is_active=False, uses_national_emitter=False)
# A service that is taxed where it is performed, in a municipality that has not joined.
IN_BRASILIA = {"federalServiceCode": "07.10.02", "serviceCityCode": BRASILIA_CODE}


def body(**changes: Any) -> dict[str, Any]:
    """Returns a body of the detailed form; a field that is None is left out."""
    return {name: value for name, value in (DETAILED | changes).items() if value is not None}


def request_of(**changes: Any) -> NfseRequest:
    return NfseRequest.model_validate(body(**changes))


def errors_in(payload: Mapping[str, Any]) -> dict[str, str]:
    """Returns the validation errors of a body, by field."""
    with pytest.raises(ValidationError) as caught:
        NfseRequest.model_validate(payload)
    return misformed(caught.value)


def issuance(
    *,
    by: Company = SIMPLES,
    settings: Mapping[str, Any] | None = None,
    agreements: Iterable[Agreement] = (),
    iss_rate: Decimal | None = None,
    replaced: ReplacedDocument | None = None,
    asked_at: datetime | None = None,
    number: int = 7,
    signer: Signer | None = None,
    issued_at: datetime = ISSUED_AT,
) -> Issuance:
    """Returns everything but the request that a declaration is composed from."""
    return Issuance(
        company=by,
        emission=Emission(Environment.HOMOLOGATION, 1, number, "48210379", issued_at),
        software=SOFTWARE,
        settings=NfseSettings.model_validate(settings or {}),
        signer=signer or Signer.throwaway(),
        schemas=SCHEMAS,
        now=issued_at,
        asked_at=asked_at,
        external_facts=ExternalFacts({agreed.city_code: agreed for agreed in agreements}, iss_rate, replaced),
    )


@dataclass(frozen=True)
class Composed:
    """The note composed from a body, with the problems of composing and of the rules."""

    note: ServiceNote | None
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]


def composed(payload: Mapping[str, Any], **circumstances: Any) -> Composed:
    """Composes a body, and checks the declaration against the rules."""
    request, issuance_facts = NfseRequest.model_validate(payload), issuance(**circumstances)
    composition = compose(request, issuance_facts)
    sums = composition.document
    broken = judge_note(sums, request, issuance_facts).problems if sums else ()
    return Composed(sums.note if sums else None, composition.problems + broken, composition.warnings)


def reviewed(payload: Mapping[str, Any], **circumstances: Any) -> Review:
    return review(NfseRequest.model_validate(payload), issuance(**circumstances))


def declared(payload: Mapping[str, Any], **circumstances: Any) -> etree._Element:
    """Returns the declaration of a valid body, written and parsed again."""
    result = composed(payload, **circumstances)
    assert result.problems == ()
    assert result.note
    written = write(result.note)
    assert isinstance(written, WrittenPart), written
    return etree.fromstring(written.canonical)


def text_at(declaration: etree._Element, path: str) -> str | None:
    """Returns the text of an element such as `prest/CNPJ`; None if it is missing."""
    return declaration.findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))


def has(declaration: etree._Element, tag: str) -> bool:
    """Returns whether a declaration contains an element."""
    return next(declaration.iter(f"{{{NAMESPACE}}}{tag}"), None) is not None


def refusals(payload: Mapping[str, Any], **circumstances: Any) -> set[tuple[str, str]]:
    """Returns code and field of everything that prevents a body from being issued."""
    return codes_of(composed(payload, **circumstances).problems)


def codes_of(problems: Iterable[Problem]) -> set[tuple[str, str]]:
    return {(problem.code, problem.path) for problem in problems}


def totals(payload: Mapping[str, Any], **circumstances: Any) -> dict[str, Decimal]:
    """Returns the totals of the preview that are not zero, without the rate."""
    preview = reviewed(payload, **circumstances).preview
    assert preview
    return {name: value for name, value in preview.totals.items() if value and name != "issRate"}
