"""The whole manifest (`infMDFe`): its records, and checking its XML."""

from lxml import etree

from carimbo.fiscal.layouts.dfe_v1.parties import AuthorizedReader, TechnicalContact
from carimbo.fiscal.layouts.document_root import DocumentRoot
from carimbo.fiscal.layouts.group import (
    ANY_NUMBER,
    INLINE,
    attribute,
    child,
    children,
    group,
    text,
    variant,
)
from carimbo.fiscal.layouts.mdfe_v3.cargo import CargoInsurance, CargoSeal, MainProduct, ManifestTotals
from carimbo.fiscal.layouts.mdfe_v3.dialect import NAMESPACE
from carimbo.fiscal.layouts.mdfe_v3.documents import ManifestDocuments
from carimbo.fiscal.layouts.mdfe_v3.identification import ManifestIdentification
from carimbo.fiscal.layouts.mdfe_v3.modes import ManifestAir, ManifestRail, ManifestWater
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signed_documents import SignedDocument

ID_PREFIX = "MDFe"
_MODE = f"{{{NAMESPACE}}}infModal"


@group("enderEmit")
class ManifestIssuerAddress:
    """`enderEmit`: the address of the issuer, with telephone and e-mail."""

    street: str = text("xLgr", 60, path="address.street")
    number: str = text("nro", 60, path="address.number")
    complement: str | None = text("xCpl", 60, path="address.complement", default=None)
    district: str = text("xBairro", 60, path="address.district")
    city_code: str = text("cMun", 7, path="address.cityCode")
    city: str = text("xMun", 60, path="address.city")
    zipcode: str | None = text("CEP", 8, path="address.zipcode", default=None)
    state: str = text("UF", 2, path="address.state")
    phone: str | None = text("fone", 12, default=None)
    email: str | None = text("email", 60, default=None)


@group("emit")
class ManifestIssuer:
    """`emit`: the issuer: a carrier, or a company with cargo of its own."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    state_registration: str | None = text("IE", 14, path="stateRegistrations", default=None)
    name: str = text("xNome", 60, path="legalName")
    trade_name: str | None = text("xFant", 60, default=None)
    address: ManifestIssuerAddress = child("enderEmit", path=INLINE)


@group("infModal")
class ManifestModal:
    """`infModal`: the data of the mode of transport."""

    version: str = attribute("versaoModal", 4, default="3.00")
    content: ManifestRoad | ManifestAir | ManifestWater | ManifestRail = variant(path=INLINE)


@group("infAdic")
class ManifestNotes:
    """`infAdic`: notes for the tax office and for everybody."""

    authority_notes: str | None = text("infAdFisco", 2000, default=None)
    notes: str | None = text("infCpl", 5000, default=None)


@group("infMDFe")
class Manifest:
    """`infMDFe`: the signed part of the document."""

    id: str = attribute("Id", 48, path="accessKey")
    version: str = attribute("versao", 4, default="3.00")
    identification: ManifestIdentification = child("ide", path=INLINE)
    issuer: ManifestIssuer = child("emit", path="company")
    mode: ManifestModal = child("infModal", path="modal")
    documents: ManifestDocuments = child("infDoc", path=INLINE)
    insurance: tuple[CargoInsurance, ...] = children("seg", ANY_NUMBER, default=())
    main_product: MainProduct | None = child("prodPred", path="predominantProduct", default=None)
    totals: ManifestTotals = child("tot", path=INLINE)
    seals: tuple[CargoSeal, ...] = children("lacres", ANY_NUMBER, default=())
    authorized_readers: tuple[AuthorizedReader, ...] = children("autXML", 10, path="autXml", default=())
    notes: ManifestNotes | None = child("infAdic", path="additional", default=None)
    technical_responsible: TechnicalContact | None = child("infRespTec", path="techResponsible", default=None)


ROOT = DocumentRoot(f'<MDFe xmlns="{NAMESPACE}">'.encode(), b"</MDFe>", NAMESPACE, ID_PREFIX)
_SCHEMAS_OF_MODES = {
    "rodo": Schema.MDFE_ROAD,
    "aereo": Schema.MDFE_AIR,
    "aquav": Schema.MDFE_WATER,
    "ferrov": Schema.MDFE_RAIL,
}


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Returns the problems that the XSD of the MDF-e, and then that of its mode, find in a document.

    The XSD of the MDF-e accepts any content of the mode, which the authority checks by itself (580).
    """
    root = etree.fromstring(document.xml)
    problems = schemas.problems(Schema.MDFE, root, Manifest)
    for mode in root.iter(_MODE):
        for content in mode:
            schema = _SCHEMAS_OF_MODES[etree.QName(content).localname]
            problems += schemas.problems(schema, content, Manifest)
    return problems
