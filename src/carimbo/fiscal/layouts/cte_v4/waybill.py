"""The whole CT-e (`infCte`): its records, and checking its XML."""

from decimal import Decimal

from lxml import etree

from carimbo.fiscal.layouts.cte_v4.complement import WaybillComplement
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cte_v4.parties import (
    CargoDispatcher,
    CargoReceiver,
    CargoRecipient,
    CargoSender,
    WaybillIssuer,
)
from carimbo.fiscal.layouts.cte_v4.root import ID_PREFIX, MODE, NAMESPACE
from carimbo.fiscal.layouts.cte_v4.service import Service
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceTaxes
from carimbo.fiscal.layouts.dfe_v1.parties import AuthorizedReader, TechnicalContact
from carimbo.fiscal.layouts.document_root import DocumentRoot
from carimbo.fiscal.layouts.group import ANY_NUMBER, INLINE, attribute, child, children, decimal, group, text
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signed_documents import SignedDocument


@group("Comp")
class PriceComponent:
    """`Comp`: a part of the price."""

    name: str = text("xNome", 15)
    amount: Decimal = decimal("vComp")


@group("vPrest")
class ServicePrice:
    """`vPrest`: the price of the service."""

    amount: Decimal = decimal("vTPrest", path="serviceAmount")
    net_amount: Decimal | None = decimal("vTPrestLiq", path="netServiceAmount", default=None)
    """The price without taxes (NT CT-e 2026.004)."""
    receivable_amount: Decimal = decimal("vRec")
    components: tuple[PriceComponent, ...] = children("Comp", ANY_NUMBER, default=())


@group("infCteComp")
class ComplementedWaybill:
    """`infCteComp`: a CT-e whose price this one complements."""

    access_key: str = text("chCTe", 44, path=INLINE)


@group("infCte")
class Waybill:
    """`infCte`: the signed part of the document."""

    id: str = attribute("Id", 47, path="accessKey")
    version: str = attribute("versao", 4, default="4.00")
    identification: WaybillIdentification = child("ide", path=INLINE)
    complement: WaybillComplement | None = child("compl", path=INLINE, default=None)
    issuer: WaybillIssuer = child("emit", path="company")
    sender: CargoSender | None = child("rem", path="shipper", default=None)
    dispatcher: CargoDispatcher | None = child("exped", default=None)
    receiver: CargoReceiver | None = child("receb", default=None)
    recipient: CargoRecipient | None = child("dest", default=None)
    price: ServicePrice = child("vPrest", path=INLINE)
    taxes: ServiceTaxes = child("imp", path=INLINE)
    service: Service | None = child("infCTeNorm", path=INLINE, default=None)
    complemented: tuple[ComplementedWaybill, ...] = children(
        "infCteComp", 10, path="complementedAccessKeys", default=()
    )
    authorized_readers: tuple[AuthorizedReader, ...] = children("autXML", 10, default=())
    technical_responsible: TechnicalContact | None = child("infRespTec", path="techResponsible", default=None)


ROOT = DocumentRoot(f'<CTe xmlns="{NAMESPACE}">'.encode(), b"</CTe>", NAMESPACE, ID_PREFIX)
_SCHEMAS_OF_MODES = {
    "rodo": Schema.CTE_ROAD,
    "aereo": Schema.CTE_AIR,
    "aquav": Schema.CTE_WATER,
    "ferrov": Schema.CTE_RAIL,
    "duto": Schema.CTE_PIPELINE,
    "multimodal": Schema.CTE_MULTIMODAL,
}


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Returns the problems that the XSD of the CT-e, and then that of its mode, find in a document.

    The XSD of the CT-e accepts any content of the mode, which the authorities check by itself (580).
    """
    root = etree.fromstring(document.xml)
    problems = schemas.problems(Schema.CTE, root, Waybill)
    for mode in root.iter(MODE):
        for content in mode:
            schema = _SCHEMAS_OF_MODES[etree.QName(content).localname]
            problems += schemas.problems(schema, content, Waybill)
    return problems
