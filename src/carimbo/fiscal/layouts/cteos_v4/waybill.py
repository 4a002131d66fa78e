"""The whole CT-e OS (`infCte`): its records, and checking its XML."""

from lxml import etree

from carimbo.fiscal.layouts.cte_v4.complement import AuthorityObservation, TakerObservation
from carimbo.fiscal.layouts.cte_v4.root import ID_PREFIX, MODE, NAMESPACE
from carimbo.fiscal.layouts.cte_v4.waybill import ComplementedWaybill, ServicePrice
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.cteos_v4.parties import OsIssuer, OsTaker
from carimbo.fiscal.layouts.cteos_v4.service import OsService
from carimbo.fiscal.layouts.cteos_v4.taxes import OsTaxes
from carimbo.fiscal.layouts.dfe_v1.parties import AuthorizedReader, TechnicalContact
from carimbo.fiscal.layouts.document_root import DocumentRoot
from carimbo.fiscal.layouts.group import INLINE, attribute, child, children, group, text
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signed_documents import SignedDocument


@group("compl")
class OsComplement:
    """`compl`: additional data of the service."""

    transport_characteristic: str | None = text("xCaracAd", 15, default=None)
    service_characteristic: str | None = text("xCaracSer", 30, default=None)
    issued_by: str | None = text("xEmi", 20, default=None)
    notes: str | None = text("xObs", 2000, default=None)
    observations: tuple[TakerObservation, ...] = children("ObsCont", 10, default=())
    authority_observations: tuple[AuthorityObservation, ...] = children("ObsFisco", 10, default=())


@group("infCte")
class OsWaybill:
    """`infCte`: the signed part of the document."""

    id: str = attribute("Id", 47, path="accessKey")
    version: str = attribute("versao", 4, default="4.00")
    identification: OsIdentification = child("ide", path=INLINE)
    complement: OsComplement | None = child("compl", path=INLINE, default=None)
    issuer: OsIssuer = child("emit", path="company")
    taker: OsTaker | None = child("toma", path="takerParty", default=None)
    price: ServicePrice = child("vPrest", path=INLINE)
    taxes: OsTaxes = child("imp", path=INLINE)
    service: OsService | None = child("infCTeNorm", path=INLINE, default=None)
    complemented: tuple[ComplementedWaybill, ...] = children(
        "infCteComp", 10, path="complementedAccessKeys", default=()
    )
    authorized_readers: tuple[AuthorizedReader, ...] = children("autXML", 10, default=())
    technical_responsible: TechnicalContact | None = child("infRespTec", path="techResponsible", default=None)


ROOT = DocumentRoot(f'<CTeOS xmlns="{NAMESPACE}" versao="4.00">'.encode(), b"</CTeOS>", NAMESPACE, ID_PREFIX)


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Returns the problems that the XSD of the CT-e OS, and then that of the road, find in a document."""
    root = etree.fromstring(document.xml)
    problems = schemas.problems(Schema.CTE_OS, root, OsWaybill)
    for mode in root.iter(MODE):
        for content in mode:
            problems += schemas.problems(Schema.CTE_OS_ROAD, content, OsWaybill)
    return problems
