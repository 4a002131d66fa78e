"""A company, its sales, and functions that turn a body into a document, for tests of goods."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.body.messages import in_portuguese, json_path
from carimbo.fiscal.documents.nfce import document as nfce_document
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe import document as nfe_document
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance, Software
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice, write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.making import Composition
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ

CPF = "52998224725"
BUYER_CNPJ = "12ABC34501DE35"
ISSUED_AT = datetime.fromisoformat("2026-11-14T10:00:00-03:00")
SAO_PAULO = {
    "zipcode": "01001-000",
    "street": "Praça da Sé",
    "number": "100",
    "district": "Sé",
    "city": "São Paulo",
    "state": "SP",
}
RIO_DE_JANEIRO = {**SAO_PAULO, "zipcode": "20040-020", "city": "Rio de Janeiro", "state": "RJ"}
LISBON = {
    "street": "Rua Augusta",
    "number": "24",
    "district": "Baixa",
    "city": "Lisboa",
    "countryCode": "6076",
    "country": "PORTUGAL",
}
COMPANY = {
    "taxId": CNPJ,
    "legalName": "Loja Modelo Ltda",
    "taxRegime": "simples",
    "address": SAO_PAULO,
    "stateRegistrations": [{"state": "SP", "number": "111111110110"}],
}
BUYER = {"taxId": CPF, "name": "Maria da Silva", "address": SAO_PAULO}
CONTRIBUTOR = BUYER | {"taxId": BUYER_CNPJ, "stateRegistration": "110042490114"}
"""A buyer that pays ICMS and sells the goods again."""
ITEM = {"description": "Caneca", "ncm": "69120000", "quantity": 2, "unitValue": 35.9}
NFE_BODY = {"recipient": BUYER, "items": [ITEM]}
SOLD_IN_THE_SHOP: dict[str, Any] = {"presence": "inPerson", "paymentMethod": "cash"}
"""Values that an NF-e assumes, with a warning, if the caller does not give them."""
NFCE_BODY = {"paymentMethod": "cash", "items": [ITEM]}
CSC = {"homologation": {"cscId": "000001", "csc": "0123456789ABCDEF0123456789ABCDEF"}}
SOFTWARE = Software("carimbo")
SCHEMAS = Schemas()


def company(**changes: Any) -> Company:
    """A shop of the Simples Nacional in São Paulo."""
    return Company.model_validate(COMPANY | changes)


NORMAL = company(taxRegime="normal", pisCofinsRegime="nonCumulative", defaults={"icmsRate": 18})
"""The same shop in the normal regime, which states ICMS by CST."""


def emission(**changes: Any) -> Emission:
    """A number of a series in homologation."""
    usual: dict[str, Any] = {
        "environment": Environment.HOMOLOGATION,
        "series": 1,
        "number": 3,
        "numeric_code": "12345682",
        "issued_at": ISSUED_AT,
    }
    return Emission(**usual | changes)


PRODUCTION = emission(environment=Environment.PRODUCTION)


def nfe(*, by: Company | None = None, under: Emission | None = None, **changes: Any) -> Invoice:
    """Returns the NF-e of a body, which must have no problems."""
    composition = composed_nfe(by=by, under=under, **changes)
    assert isinstance(composition, Composition), composition
    return composition.document


def composed_nfe(
    *, by: Company | None = None, under: Emission | None = None, **changes: Any
) -> Composition[Invoice] | tuple[Problem, ...]:
    """Returns the composed NF-e of a body, or the problems of the body."""
    request = NfeRequest.model_validate(NFE_BODY | changes)
    composition = nfe_document.compose(request, by or company(), under or emission(), SOFTWARE)
    return composition.problems or composition


def nfce(*, by: Company | None = None, under: Emission | None = None, **changes: Any) -> Invoice:
    """Returns the NFC-e of a body, which must have no problems."""
    request = NfceRequest.model_validate(NFCE_BODY | changes)
    composition = nfce_document.compose(request, by or company(), under or emission(), SOFTWARE)
    assert not composition.problems, composition.problems
    return composition.document


def item(**changes: Any) -> dict[str, Any]:
    """An item of a body."""
    return ITEM | changes


def given_back(**changes: Any) -> dict[str, Any]:
    """A body of a Simples company that returns an item to its seller."""
    original = {"accessKey": "35261011222333000181550010000000011123456802", "position": 1}
    returned = item(icms={"csosn": "102"}, referencedItem=original, **changes)
    return {"recipient": CONTRIBUTOR, "purpose": "return", "cfop": "5202", "items": [returned]}


def buyer(**changes: Any) -> dict[str, Any]:
    """A recipient of a body; a field that is None is not sent."""
    return {name: value for name, value in (BUYER | changes).items() if value is not None}


def signer_of(certificate: SampleCertificate) -> Signer:
    """The signer of a test certificate."""
    return Signer.of(A1Certificate.from_bundle(certificate.to_pem()))


def issuance(
    signer: Signer, settings: ModuleSettings, *, by: Company | None = None, under: Emission | None = None
) -> Issuance:
    """Everything that a signed document needs, except the request."""
    return Issuance(
        company=by or company(),
        emission=under or emission(),
        software=SOFTWARE,
        settings=settings,
        signer=signer,
        schemas=SCHEMAS,
        now=(under or emission()).issued_at,
    )


def issued_nfe(
    signer: Signer, *, by: Company | None = None, under: Emission | None = None, **changes: Any
) -> SignedDocument | tuple[Problem, ...]:
    """Returns the signed NF-e of a body, or its problems; the body itself must be well formed."""
    request = NFE.issuing.request.model_validate(NFE_BODY | changes)
    return NFE.issuing.issue(request, issuance(signer, NFE.settings(), by=by, under=under))


def issued_nfce(
    signer: Signer,
    *,
    by: Company | None = None,
    under: Emission | None = None,
    settings: dict[str, Any] | None = None,
    **changes: Any,
) -> SignedDocument | tuple[Problem, ...]:
    """Returns the signed NFC-e of a body, or its problems."""
    request = NFCE.issuing.request.model_validate(NFCE_BODY | changes)
    chosen = NFCE.settings.model_validate(CSC if settings is None else settings)
    return NFCE.issuing.issue(request, issuance(signer, chosen, by=by, under=under))


def text_at(invoice: Invoice, path: str) -> str | None:
    """Returns the text of an element of the document, `det[2]/prod/vProd`; None if it is missing."""
    return element(invoice).findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))


def element(invoice: Invoice) -> etree._Element:
    """Writes the document and parses it."""
    written = write(invoice)
    assert isinstance(written, WrittenPart), written
    return etree.fromstring(written.canonical)


def refused(problems: object) -> dict[str, str]:
    """Returns the messages of problems by the path of their field."""
    assert isinstance(problems, tuple), "nothing was refused"
    return {problem.path: problem.message for problem in problems}


def misformed(invalid: ValidationError) -> dict[str, str]:
    """Returns the messages of validation errors by the path of their field."""
    return {json_path(error["loc"]): in_portuguese(error) for error in invalid.errors()}


def lines(invoice: Invoice) -> Sequence[etree._Element]:
    """The items of the document."""
    return element(invoice).findall(f"{{{NAMESPACE}}}det")


def without(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the values without one of them."""
    return {field: value for field, value in given.items() if field != name}
