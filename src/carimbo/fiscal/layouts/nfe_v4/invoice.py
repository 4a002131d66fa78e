"""The whole NF-e or NFC-e (`infNFe`): its records, and writing, reading and checking its XML."""

from decimal import Decimal

from lxml import etree

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.layouts.dfe_v1.parties import AuthorizedReader
from carimbo.fiscal.layouts.group import (
    INLINE,
    attribute,
    child,
    children,
    decimal,
    group,
    integer,
    text,
    variant,
)
from carimbo.fiscal.layouts.nfe_v4.additional import (
    AdditionalInformation,
    Export,
    Farming,
    Intermediary,
    NffRequest,
    Observation,
    Purchase,
    SignatureProvider,
    SugarCane,
)
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import (
    Cofins,
    CofinsSt,
    ImportTax,
    Ipi,
    Pis,
    PisSt,
    ReturnedIpi,
    StateShare,
)
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs, SelectiveTax
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.parties import (
    Issuer,
    PickupOrDelivery,
    Recipient,
    TechnicalResponsible,
)
from carimbo.fiscal.layouts.nfe_v4.payment import Billing, Payments
from carimbo.fiscal.layouts.nfe_v4.totals import Totals
from carimbo.fiscal.layouts.nfe_v4.transport import GoodsTransport
from carimbo.fiscal.layouts.reading import read_group
from carimbo.fiscal.layouts.signed_part import WrittenPart, try_write_part
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signed_documents import SignedDocument

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
"""Namespace of every message of NF-e and NFC-e."""


@group("imposto")
class ItemTaxes:
    """`imposto`: the taxes on an item; without ISSQN, as services have an NFS-e."""

    approximate_taxes: Decimal | None = decimal("vTotTrib", default=None)
    icms: Icms | None = variant("ICMS", default=None)
    ipi: Ipi | None = child("IPI", default=None)
    import_tax: ImportTax | None = child("II", default=None)
    pis: Pis | None = variant("PIS", default=None)
    pis_st: PisSt | None = child("PISST", default=None)
    cofins: Cofins | None = variant("COFINS", default=None)
    cofins_st: CofinsSt | None = child("COFINSST", default=None)
    state_share: StateShare | None = child("ICMSUFDest", default=None)
    selective_tax: SelectiveTax | None = child("IS", default=None)
    ibs_cbs: IbsCbs | None = child("IBSCBS", default=None)


@group("obsItem")
class ItemObservations:
    """`obsItem`: free named values of an item."""

    observation: Observation | None = child("obsCont", default=None)
    authority_observation: Observation | None = child("obsFisco", default=None)


@group("DFeReferenciado")
class ReferencedItem:
    """`DFeReferenciado`: the item of an earlier document that this one returns or adjusts (NT 2025.002)."""

    access_key: str = text("chaveAcesso", 44)
    position: int | None = integer("nItem", default=None)


@group("det")
class Item:
    """`det`: one line of the document."""

    position: int = attribute("nItem", 3, path=INLINE)
    product: ItemProduct = child("prod", path=INLINE)
    taxes: ItemTaxes = child("imposto", path=INLINE)
    returned_ipi: ReturnedIpi | None = child("impostoDevol", default=None)
    notes: str | None = text("infAdProd", 500, default=None)
    observations: ItemObservations | None = child("obsItem", path=INLINE, default=None)
    total: Decimal | None = decimal("vItem", default=None)
    referenced_item: ReferencedItem | None = child("DFeReferenciado", default=None)


@group("infNFe")
class Invoice:
    """`infNFe`: the signed part of the document."""

    id: str = attribute("Id", 47, path="accessKey")
    version: str = attribute("versao", 4, default="4.00")
    identification: Identification = child("ide", path=INLINE)
    issuer: Issuer = child("emit", path="company")
    recipient: Recipient | None = child("dest", default=None)
    pickup: PickupOrDelivery | None = child("retirada", path="pickupAddress", default=None)
    delivery: PickupOrDelivery | None = child("entrega", path="deliveryAddress", default=None)
    authorized_readers: tuple[AuthorizedReader, ...] = children("autXML", 10, default=())
    items: tuple[Item, ...] = children("det", 990)
    totals: Totals = child("total")
    transport: GoodsTransport = child("transp", path="freight")
    billing: Billing | None = child("cobr", default=None)
    payment: Payments = child("pag", path=INLINE)
    intermediary: Intermediary | None = child("infIntermed", default=None)
    additional: AdditionalInformation | None = child("infAdic", path=INLINE, default=None)
    export: Export | None = child("exporta", default=None)
    purchase: Purchase | None = child("compra", default=None)
    sugar_cane: SugarCane | None = child("cana", default=None)
    technical_responsible: TechnicalResponsible | None = child("infRespTec", default=None)
    nff_request: NffRequest | None = child("infSolicNFF", default=None)
    farming: Farming | None = child("agropecuario", default=None)
    signature_provider: SignatureProvider | None = child("infPAA", default=None)


_PREFIX = "NFe"
_ROOT = f'<NFe xmlns="{NAMESPACE}">'.encode()


def write(invoice: Invoice) -> WrittenPart | tuple[Problem, ...]:
    """Returns the written document, or a problem for every value that can't be written."""
    return try_write_part(invoice, NAMESPACE)


def enclose(written: WrittenPart, signature: Signature, supplement: bytes = b"") -> SignedDocument:
    """Returns document, supplement and signature in their root element."""
    return SignedDocument(
        xml=in_root(written, supplement, signature.text),
        access_key=written.id.removeprefix(_PREFIX),
        digest_value=signature.digest_value,
    )


def in_root(written: WrittenPart, *beside: bytes) -> bytes:
    """Returns a document in its root element, followed by other elements."""
    return b"".join((_ROOT, written.inside, *beside, b"</NFe>"))


def read_invoice(document: bytes) -> Invoice:
    """Reads a whole document back; raises `UnreadableDocument`."""
    (content,) = etree.fromstring(document).iter(f"{{{NAMESPACE}}}infNFe")
    return read_group(Invoice, content)


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Returns the problems that the official XSD finds in a signed document."""
    return schemas.problems(Schema.NFE, etree.fromstring(document.xml), Invoice)
