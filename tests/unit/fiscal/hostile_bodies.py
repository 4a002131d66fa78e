"""A request with a value in every field, and the result with another value there."""

import copy
from typing import Any

from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import (
    BUYER_CNPJ,
    PRODUCTION,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    SCHEMAS,
    buyer,
    issuance,
    item,
    misformed,
    refused,
)

BODY: dict[str, Any] = {
    "nature": "Venda",
    "presence": "internet",
    "recipient": buyer(
        taxId=BUYER_CNPJ,
        stateRegistration="110042490114",
        email="compras@example.com",
        municipalRegistration="123",
        address=SAO_PAULO | {"complement": "Sala 1", "cityCode": "3550308"},
    ),
    "deliveryAddress": SAO_PAULO | {"taxId": BUYER_CNPJ, "name": "Depósito", "cityCode": "3550308"},
    "items": [
        item(),
        item(
            sku="CAN-1",
            unit="CX",
            notes="Cor azul",
            discount=1,
            freight=2,
            other=3,
            purchaseOrder="PED-9",
            observation={"name": "cor", "value": "azul"},
            icms={"csosn": "101", "creditRate": 1.25, "creditAmount": 0.9},
            pis={"cst": "01", "base": 100, "rate": 1.65, "amount": 1.65},
            importTax={"base": 10, "customsExpenses": 1, "amount": 2, "iofAmount": 0},
            medicine={"anvisaCode": "1234567890123", "maximumPrice": 50},
        ),
    ],
    "payments": [{"method": "other", "description": "Permuta", "amount": 150}],
    "change": 0.4,
    "intermediary": {"taxId": CNPJ, "sellerId": "loja-1"},
    "notes": "Obrigado",
    "authorityNotes": "Regime especial",
    "observations": [{"name": "pedido", "value": "9"}],
    "processes": [{"number": "123", "origin": "1"}],
    "billing": {
        "bill": {"number": "1", "netAmount": 71.8},
        "installments": [{"number": "001", "amount": 71.8}],
    },
    "purchase": {"order": "PED-9", "contract": "C-1"},
    "freight": {
        "mode": "sender",
        "carrier": {"name": "Rápido", "city": "Santos"},
        "volumes": [{"kind": "CX"}],
    },
}
DEFERRED = {"deferral": {"rate": 50}}
# A sale whose taxes are computed, by a company of the normal regime.
COMPUTED: dict[str, Any] = {
    "presence": "internet",
    "recipient": buyer(address=RIO_DE_JANEIRO),
    "items": [
        item(
            icms={"rate": 12},
            pis={"rate": 1.65},
            ipi={"cst": "50", "rate": 5},
            stateShare={"internalRate": 18, "fcpRate": 2},
        ),
        item(icms={"cst": "20", "baseReduction": 10}, pis={"cst": "03", "quantity": 1, "unitRate": 0.5}),
        item(
            # Sold on order of the buyer, to whom others deliver: otherwise no consumer has the tax deferred.
            cfop="6123",
            icms={"cst": "51", "rate": 12, "deferralRate": 50},
            ibsCbs={"taxClassCode": "510001", "state": DEFERRED, "city": DEFERRED, "cbs": DEFERRED},
        ),
    ],
    "discount": 1,
    "insurance": 1,
    "other": 1,
    "freight": {"mode": "sender", "amount": 2},
}
Step = str | int


def leaves(value: Any, types: tuple[type, ...], *steps: Step) -> list[tuple[Step, ...]]:
    """Returns the places of all values of some types in a body."""
    if isinstance(value, dict):
        return [place for name, inner in value.items() for place in leaves(inner, types, *steps, name)]
    if isinstance(value, list):
        return [place for index, inner in enumerate(value) for place in leaves(inner, types, *steps, index)]
    return [steps] if isinstance(value, types) else []


def path_of(place: tuple[Step, ...]) -> str:
    path = ""
    for step in place:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path.removeprefix(".")


def with_value(place: tuple[Step, ...], value: Any, *, among: dict[str, Any] = BODY) -> dict[str, Any]:
    body = copy.deepcopy(among)
    around: Any = body
    for step in place[:-1]:
        around = around[step]
    around[place[-1]] = value
    return body


def result_of(
    signer: Signer, body: dict[str, Any], under: Emission = PRODUCTION, by: Company | None = None
) -> SignedDocument | dict[str, str]:
    """Returns the document of a body, or its problems by path, whether of form or of content."""
    try:
        request = NFE.issuing.request.model_validate(body)
    except ValidationError as invalid:
        return misformed(invalid)
    result = NFE.issuing.issue(request, issuance(signer, NFE.settings(), by=by, under=under))
    return result if isinstance(result, SignedDocument) else refused(result)


def assert_good(document: SignedDocument) -> None:
    root = etree.fromstring(document.xml)
    assert etree.tostring(root, method="c14n") == document.xml
    assert SCHEMAS.problems(Schema.NFE, root) == ()
    assert verify(root).digest_value == document.digest_value


def is_about(path: str, place: tuple[Step, ...]) -> bool:
    """Returns whether a path leads to a place, or to the object or list that contains it."""
    wanted = path_of(place)
    return path == wanted or wanted.startswith((f"{path}.", f"{path}["))
