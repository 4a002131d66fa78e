"""Bodies that make a valid XML, each telling one thing more than a plain sale, and how they are issued."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.company import Company
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE as NFCE_TYPE
from carimbo.fiscal.documents.nfe.definition import NFE as NFE_TYPE
from carimbo.fiscal.emission import Emission, UnusableEmission, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from unit.fiscal import optional_fields as may
from unit.fiscal import optional_taxes as tax
from unit.fiscal.drawing import AMOUNT, Fields, Values, having, one
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
    """A company that leaves no tax of a sale open."""
    return company(
        taxRegime=regime,
        pisCofinsRegime="nonCumulative",
        address=address,
        stateRegistrations=[{"state": address["state"], "number": "111111110110"}],
        defaults={"simplesCreditRate": 1.25},
    )


@cache
def usual_seller(regime: str) -> Company:
    """Returns the seller in São Paulo of a regime, made once."""
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
OF_AN_NFCE = may.NFCE_ONLY | {"recipient": having({"taxId": one(BUYER_CNPJ)}, may.RECIPIENT)}


class QuickSigner(Signer):
    """Writes a signature of the right form that no key has made: the schema does not look further."""

    def sign_text(self, text: str) -> str:
        return "AA=="


def quick(signer: Signer) -> Signer:
    """The same certificate, signing in no time."""
    return QuickSigner(signer.private_key, signer.key_info)


@dataclass(frozen=True)
class Good:
    """A body, the regime of the company that sells by it, and what is published of such bodies."""

    body: Json
    regime: str = "normal"
    root: Published = field(default=NFE, repr=False)


def different(goods: Iterable[Good]) -> Iterator[Good]:
    """Yields bodies without those that came before."""
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
    for told in tax.ICMS_BY_CSOSN.samples:
        yield Good(NFE_BODY | {"items": [item(icms=told)]}, "simples")
    for told in tax.TAXES["returnedIpi"].samples:
        yield Good(NFE_BODY | given_back(returnedIpi=told), "simples")
    for body in _of_nfce():
        yield Good(body, root=NFCE)


def _of_nfce() -> Iterator[Json]:
    for told in _items():
        yield NFCE_BODY | {"items": [told]}
    for told in _alone(OF_ANY_SALE | OF_AN_NFCE, may.OFFLINE):
        yield NFCE_BODY | told


def _items() -> Iterator[Json]:
    for told in _alone(ITEM, may.SOLD, SCALE, may.CHARGES, SPECIAL_GOODS):
        yield item(**told)


def _of_nfe() -> Iterator[Json]:
    for told in _items():
        yield NFE_BODY | {"items": [told]}
    for told in _alone({"stateShare": tax.STATE_SHARE}):
        yield NFE_BODY | TO_A_CONSUMER | {"items": [item(**told)]}
    for told in _alone(OF_ANY_SALE | may.NFE_ONLY, may.OPERATION):
        yield NFE_BODY | told
    for told in _alone(may.RECIPIENT, may.WHO_BUYS):
        yield NFE_BODY | {"recipient": BUYER | told}
    for told in _alone({"recipient": may.WHO_BUYS_ABROAD}):
        yield NFE_BODY | EXPORTED | told
    for told in _alone({"exportDetails": may.ITEM["exportDetails"]}):
        yield NFE_BODY | EXPORTED | {"items": [item(**told)]}


def _alone(fields: Fields, *together: Values) -> Iterator[Json]:
    """Each field with nothing beside it, and each of those that need others."""
    for name, values in fields.items():
        yield from ({name: sample} for sample in values.samples)
    for values in together:
        yield from values.samples


def answer_to(good: Good, signer: Signer) -> SignedDocument | tuple[Problem, ...]:
    """The document of production, where all is written as told; or why there is none, if not by the form."""
    kind = NFCE_TYPE if good.root is NFCE else NFE_TYPE
    by = usual_seller(good.regime)
    try:
        request = kind.issuing.request.model_validate(good.body)
        under = _emission(kind, request, by)
    except (ValidationError, UnusableEmission):
        return ()
    if isinstance(under, tuple):
        return under
    settings = kind.settings.model_validate(CSC["homologation"] if good.root is NFCE else {})
    return kind.issuing.issue(request, replace(issuance(signer, settings, by=by, under=under), now=ISSUED_AT))


def _emission(kind: DocumentType, request: Any, by: Company) -> Emission | tuple[Problem, ...]:
    till = kind.point_of_sale
    printed = till and till.printed_emission(request, by, Environment.PRODUCTION)
    issued_at = local_moment(request.issue_date or ISSUED_AT, by.address.state)
    return printed or emission(environment=Environment.PRODUCTION, issued_at=issued_at)
