"""Events about the delivery of a CT-e: proof of delivery, failed delivery, and their cancellations."""

from datetime import datetime
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.dialect import (
    DELIVERY,
    DELIVERY_CANCELLATION,
    FAILED_DELIVERY,
    FAILED_DELIVERY_CANCELLATION,
)
from carimbo.fiscal.layouts.group import INLINE, children, decimal, group, moment, text
from carimbo.fiscal.schemas import Schema

MAX_DELIVERED_INVOICES = 2000
HASH_LENGTH = 28
"""Base64 of a SHA-1."""


@group("infEntrega")
class DeliveredInvoice:
    """`infEntrega`: an NF-e of the delivered cargo."""

    access_key: str = text("chNFe", 44, path=INLINE)


@group("evCECTe")
class ProofOfDelivery:
    """`evCECTe`: who received the cargo, when and where, and the hash of a picture of the receipt."""

    event_type = DELIVERY
    schema = Schema.CTE_DELIVERY
    description: str = text("descEvento", 30, default="Comprovante de Entrega do CT-e")
    protocol: str = text("nProt", 15)
    delivered_at: datetime = moment("dhEntrega")
    recipient_document: str = text("nDoc", 20)
    recipient_name: str = text("xNome", 60)
    latitude: Decimal | None = decimal("latitude", 6, default=None)
    longitude: Decimal | None = decimal("longitude", 6, default=None)
    image_hash: str = text("hashEntrega", HASH_LENGTH)
    hashed_at: datetime = moment("dhHashEntrega")
    invoices: tuple[DeliveredInvoice, ...] = children(
        "infEntrega", MAX_DELIVERED_INVOICES, path="nfeAccessKeys", default=()
    )


@group("evCancCECTe")
class DeliveryCancellation:
    """`evCancCECTe`: the issuer cancels a proof of delivery."""

    event_type = DELIVERY_CANCELLATION
    schema = Schema.CTE_DELIVERY_CANCELLATION
    description: str = text("descEvento", 46, default="Cancelamento do Comprovante de Entrega do CT-e")
    protocol: str = text("nProt", 15)
    undone_protocol: str = text("nProtCE", 15, path="eventId")


@group("evIECTe")
class FailedDelivery:
    """`evIECTe`: an attempt to deliver that failed, and why."""

    event_type = FAILED_DELIVERY
    schema = Schema.CTE_FAILED_DELIVERY
    description: str = text("descEvento", 28, default="Insucesso na Entrega do CT-e")
    protocol: str = text("nProt", 15)
    attempted_at: datetime = moment("dhTentativaEntrega")
    attempt: str | None = text("nTentativa", 3, default=None)
    reason: str = text("tpMotivo", 1)
    justification: str | None = text("xJustMotivo", 256, default=None)
    latitude: Decimal | None = decimal("latitude", 6, default=None)
    longitude: Decimal | None = decimal("longitude", 6, default=None)
    image_hash: str | None = text("hashTentativaEntrega", HASH_LENGTH, default=None)
    hashed_at: datetime | None = moment("dhHashTentativaEntrega", default=None)
    invoices: tuple[DeliveredInvoice, ...] = children(
        "infEntrega", MAX_DELIVERED_INVOICES, path="nfeAccessKeys", default=()
    )


@group("evCancIECTe")
class FailedDeliveryCancellation:
    """`evCancIECTe`: the issuer cancels the record of a failed delivery."""

    event_type = FAILED_DELIVERY_CANCELLATION
    schema = Schema.CTE_FAILED_DELIVERY_CANCELLATION
    description: str = text("descEvento", 44, default="Cancelamento do Insucesso de Entrega do CT-e")
    protocol: str = text("nProt", 15)
    undone_protocol: str = text("nProtIE", 15, path="eventId")
