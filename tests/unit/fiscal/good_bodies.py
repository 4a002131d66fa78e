"""Bodies that make a valid XML, each with one field more than a plain sale, and how they are issued."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE as NFCE_TYPE
from carimbo.fiscal.documents.nfe.definition import NFE as NFE_TYPE
from carimbo.fiscal.emission import Emission, UnusableEmission, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal import optional_fields as may
from unit.fiscal import optional_taxes as tax
from unit.fiscal.drawing import AMOUNT, Fields, Values, any_of, having
from unit.fiscal.goods.support import (
    BUYER,
    BUYER_CNPJ,
    CSC,
    ISSUED_AT,
    LISBON,
    NFCE_BODY,
    NFE_BODY,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    company,
    emission,
    given_back,
    issuance,
    item,
)
from unit.fiscal.optional_goods import SCALE, SPECIAL_GOODS
from unit.fiscal.published_fields import NFCE, NFE, Json, Published

SIMPLES = ("simples", "mei")
REGIMES = (*SIMPLES, "simplesExcess", "normal")


def seller(regime: str, address: dict[str, str] = SAO_PAULO) -> Company:
    """Returns a company with all the facts that the taxes of a sale need."""
    return company(
        taxRegime=regime,
        pisCofinsRegime="nonCumulative",
        address=address,
        stateRegistrations=[{"state": address["state"], "number": "111111110110"}],
        defaults={"simplesCreditRate": 1.25},
    )


@cache
def usual_seller(regime: str) -> Company:
    """Returns the cached seller in São Paulo of a regime."""
    return seller(regime)


def buyer_in(address: dict[str, str], *, contributes: bool) -> Json:
    registered = {"taxId": BUYER_CNPJ, "stateRegistration": "110042490114"} if contributes else {}
    return BUYER | {"address": address} | registered


IN_THE_STATE: Json = {"recipient": BUYER}
TO_A_CONSUMER: Json = {"recipient": buyer_in(RIO_DE_JANEIRO, contributes=False)}
TO_A_COMPANY: Json = {"recipient": buyer_in(RIO_DE_JANEIRO, contributes=True)}
EXPORTED: Json = {
    "recipient": {"foreignId": "PASS12345", "name": "John Smith", "address": LISBON},
    "export": {"state": "SP", "exitPlace": "Santos"},
}
ITEM = may.ITEM | {"icms": tax.ICMS_BY_CST}
OF_ANY_SALE = may.SALE | may.SALE_CHARGES
OF_ANY_SALE |= {"freight": having({}, may.FREIGHT | {"amount": AMOUNT}) | may.CARRIAGE}
OF_AN_NFCE = may.NFCE_ONLY | {"recipient": having({"taxId": any_of(BUYER_CNPJ)}, may.RECIPIENT)}


class QuickSigner(Signer):
    """Writes a well-formed but false signature: the schema does not check it."""

    def sign_text(self, text: str) -> str:
        return "AA=="


def quick(signer: Signer) -> Signer:
    """Returns a signer with the same certificate that does no cryptography."""
    return QuickSigner(signer.private_key, signer.key_info)


@dataclass(frozen=True)
class Good:
    """A body, the regime of the selling company, and the published fields of such bodies."""

    body: Json
    regime: str = "normal"
    root: Published = field(default=NFE, repr=False)


def different(goods: Iterable[Good]) -> Iterator[Good]:
    """Yields each body once."""
    seen = set()
    for good in goods:
        key = (good.root.title, good.regime, repr(good.body))
        if key not in seen:
            seen.add(key)
            yield good


def good_bodies() -> Iterator[Good]:
    """Yields each value of each optional field beside those that it needs, and each choice between fields."""
    return different(_good_bodies())


def _good_bodies() -> Iterator[Good]:
    yield from map(Good, _of_nfe())
    for sample in tax.ICMS_BY_CSOSN.samples:
        yield Good(NFE_BODY | {"items": [item(icms=sample)]}, "simples")
    for sample in tax.TAXES["returnedIpi"].samples:
        yield Good(NFE_BODY | given_back(returnedIpi=sample), "simples")
    for body in _of_nfce():
        yield Good(body, root=NFCE)


def _of_nfce() -> Iterator[Json]:
    for part in _items():
        yield NFCE_BODY | {"items": [part]}
    for part in _alone(OF_ANY_SALE | OF_AN_NFCE, may.OFFLINE):
        yield NFCE_BODY | part


def _items() -> Iterator[Json]:
    for part in _alone(ITEM, may.SOLD, SCALE, may.CHARGES, SPECIAL_GOODS):
        yield item(**part)


def _of_nfe() -> Iterator[Json]:
    for part in _items():
        yield NFE_BODY | {"items": [part]}
    for part in _alone({"stateShare": tax.STATE_SHARE}):
        yield NFE_BODY | TO_A_CONSUMER | {"items": [item(**part)]}
    for part in _alone(OF_ANY_SALE | may.NFE_ONLY, may.OPERATION):
        yield NFE_BODY | part
    for part in _alone(may.RECIPIENT, may.BUYER_FIELDS):
        yield NFE_BODY | {"recipient": BUYER | part}
    for part in _alone({"recipient": may.FOREIGN_BUYER_FIELDS}):
        yield NFE_BODY | EXPORTED | part
    for part in _alone({"exportDetails": may.ITEM["exportDetails"]}):
        yield NFE_BODY | EXPORTED | {"items": [item(**part)]}


def _alone(fields: Fields, *together: Values) -> Iterator[Json]:
    """Yields each field alone, and then those that need each other."""
    for name, values in fields.items():
        yield from ({name: sample} for sample in values.samples)
    for values in together:
        yield from values.samples


def answer_to(good: Good, signer: Signer) -> SignedDocument | tuple[Problem, ...]:
    """Returns the document as issued in production, or its problems; an invalid form gives no problems."""
    document_type = NFCE_TYPE if good.root is NFCE else NFE_TYPE
    by = usual_seller(good.regime)
    try:
        request = document_type.issuing.request.model_validate(good.body)
        under = _emission(document_type, request, by)
    except (ValidationError, UnusableEmission):
        return ()
    if isinstance(under, tuple):
        return under
    settings = document_type.settings.model_validate(CSC["homologation"] if good.root is NFCE else {})
    return document_type.issuing.issue(
        request, replace(issuance(signer, settings, by=by, under=under), now=ISSUED_AT)
    )


def _emission(document_type: DocumentType, request: Any, by: Company) -> Emission | tuple[Problem, ...]:
    rules = document_type.point_of_sale
    printed = rules and rules.printed_emission(request, by, Environment.PRODUCTION)
    issued_at = local_moment(request.issue_date or ISSUED_AT, by.address.state)
    return printed or emission(environment=Environment.PRODUCTION, issued_at=issued_at)
