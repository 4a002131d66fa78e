"""The documents of a manifest by municipality of unloading (`infDoc`)."""

from decimal import Decimal

from carimbo.fiscal.layouts.dfe_v1.units import TransportUnit
from carimbo.fiscal.layouts.group import ANY_NUMBER, INLINE, child, children, decimal, group, text

MAX_KEYS = 20_000
"""Keys of one kind in a municipality."""
MAX_UNLOADING_CITIES = 1000


@group("peri")
class CarriedDangerousGoods:
    """`peri`: a dangerous product."""

    un_number: str = text("nONU", 4)
    shipping_name: str | None = text("xNomeAE", 150, default=None)
    risk_class: str | None = text("xClaRisco", 40, default=None)
    packing_group: str | None = text("grEmb", 6, default=None)
    quantity: str = text("qTotProd", 20)
    packages: str | None = text("qVolTipo", 60, default=None)


@group("infEntregaParcial")
class PartialDelivery:
    """`infEntregaParcial`: how much of a CT-e is delivered."""

    total_quantity: Decimal = decimal("qtdTotal", 4)
    delivered_quantity: Decimal = decimal("qtdParcial", 4)


@group("infNFePrestParcial")
class PartialServiceInvoice:
    """`infNFePrestParcial`: an NF-e of a simplified CT-e that this transport carries."""

    access_key: str = text("chNFe", 44, path=INLINE)


@group("infCTe")
class ManifestedWaybill:
    """`infCTe`: a CT-e of the cargo."""

    access_key: str = text("chCTe", 44, path=INLINE)
    second_barcode: str | None = text("SegCodBarra", 36, default=None)
    is_redelivery: str | None = text("indReentrega", 1, default=None)
    transport_units: tuple[TransportUnit, ...] = children("infUnidTransp", ANY_NUMBER, default=())
    dangerous_goods: tuple[CarriedDangerousGoods, ...] = children("peri", ANY_NUMBER, default=())
    partial_delivery: PartialDelivery | None = child("infEntregaParcial", default=None)
    is_partial_service: str | None = text("indPrestacaoParcial", 1, default=None)
    partial_invoices: tuple[PartialServiceInvoice, ...] = children(
        "infNFePrestParcial", ANY_NUMBER, path="partialNfeAccessKeys", default=()
    )


@group("infNFe")
class ManifestedInvoice:
    """`infNFe`: an NF-e of the cargo."""

    access_key: str = text("chNFe", 44, path=INLINE)
    second_barcode: str | None = text("SegCodBarra", 36, default=None)
    is_redelivery: str | None = text("indReentrega", 1, default=None)
    transport_units: tuple[TransportUnit, ...] = children("infUnidTransp", ANY_NUMBER, default=())
    dangerous_goods: tuple[CarriedDangerousGoods, ...] = children("peri", ANY_NUMBER, default=())


@group("infMDFeTransp")
class CarriedManifest:
    """`infMDFeTransp`: a manifest of a vehicle that a vessel carries."""

    access_key: str = text("chMDFe", 44, path=INLINE)
    is_redelivery: str | None = text("indReentrega", 1, default=None)
    transport_units: tuple[TransportUnit, ...] = children("infUnidTransp", ANY_NUMBER, default=())
    dangerous_goods: tuple[CarriedDangerousGoods, ...] = children("peri", ANY_NUMBER, default=())


@group("infMunDescarga")
class UnloadingCity:
    """`infMunDescarga`: a municipality of unloading with its documents."""

    city_code: str = text("cMunDescarga", 7)
    city: str = text("xMunDescarga", 60, path="cityCode")
    waybills: tuple[ManifestedWaybill, ...] = children("infCTe", MAX_KEYS, path="cteAccessKeys", default=())
    invoices: tuple[ManifestedInvoice, ...] = children("infNFe", MAX_KEYS, path="nfeAccessKeys", default=())
    manifests: tuple[CarriedManifest, ...] = children(
        "infMDFeTransp", MAX_KEYS, path="mdfeAccessKeys", default=()
    )


@group("infDoc")
class ManifestDocuments:
    """`infDoc`: the municipalities of unloading."""

    cities: tuple[UnloadingCity, ...] = children("infMunDescarga", MAX_UNLOADING_CITIES, path="documents")
