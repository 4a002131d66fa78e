"""Events about the delivery of a CT-e: proof of delivery, failed delivery, and what undoes them."""

from base64 import b64encode
from datetime import datetime
from decimal import Decimal
from hashlib import sha1

from carimbo.fiscal.documents.cte.delivery_body import (
    EvidenceBody,
    FailedDeliveryRequest,
    ProofOfDeliveryRequest,
)
from carimbo.fiscal.documents.cte.delivery_rules import (
    delivery_problems,
    failed_delivery_problems,
    invoices_of,
)
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.filing import (
    UNDO_FORM,
    EventKind,
    EventRoute,
    EventSubject,
    FilingIssuer,
    FilingResult,
    Repetition,
    Undoing,
    UndoRequest,
)
from carimbo.fiscal.layouts.cte_v4.delivery import (
    DeliveredInvoice,
    DeliveryCancellation,
    FailedDelivery,
    FailedDeliveryCancellation,
    ProofOfDelivery,
)
from carimbo.fiscal.lifecycle import Effect
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.events import registered, repetition, signed_waybill_event
from carimbo.fiscal.transport.hints import hint_of

DELIVERED_AT = "deliveredAt"
"""The fact of a CT-e whose delivery is proved."""
_MAX_EVENTS = 999
_UNDOING_DESCRIPTION = (
    "O mais recente em vigor, ou o de `eventId`. Repetir o pedido devolve o cancelamento que já existe, até"
    " haver outro evento: para cancelar mais um, informe `eventId`."
)
_PLACES = Decimal("0.000001")


def image_hash(access_key: str, image: str) -> str:
    """Returns the hash of a picture, which is given as base64 (MOC CT-e 4.00, hashEntrega)."""
    return b64encode(sha1(f"{access_key}{image}".encode(), usedforsecurity=False).digest()).decode()


def _prove_delivery(
    request: ProofOfDeliveryRequest, about: EventSubject, issuer: FilingIssuer
) -> FilingResult:
    """Signs a proof of delivery (110180)."""
    cte: CteRequest = about.read_request()
    if problems := tuple(delivery_problems(request, cte, about)):
        return problems
    detail = ProofOfDelivery(
        protocol=about.protocol,
        delivered_at=_local(request.delivered_at, about),
        recipient_document=request.recipient_document,
        recipient_name=request.recipient_name,
        latitude=_degrees(request.latitude),
        longitude=_degrees(request.longitude),
        image_hash=_hash_of(request, about) or "",
        hashed_at=_hashed_at(request, request.delivered_at, about),
        invoices=_delivered_invoices(request, cte),
    )
    return signed_waybill_event(detail, about, issuer)


def _report_failed_delivery(
    request: FailedDeliveryRequest, about: EventSubject, issuer: FilingIssuer
) -> FilingResult:
    """Signs a failed delivery (110190)."""
    cte: CteRequest = about.read_request()
    if problems := tuple(failed_delivery_problems(request, cte, about)):
        return problems
    hashed = _hash_of(request, about)
    detail = FailedDelivery(
        protocol=about.protocol,
        attempted_at=_local(request.attempted_at, about),
        attempt=f"{_attempt_of(request, about):03}",
        reason=request.reason.code,
        justification=request.justification,
        latitude=_degrees(request.latitude),
        longitude=_degrees(request.longitude),
        image_hash=hashed,
        hashed_at=_hashed_at(request, request.attempted_at, about) if hashed else None,
        invoices=_delivered_invoices(request, cte),
    )
    return signed_waybill_event(detail, about, issuer)


def _attempt_of(request: FailedDeliveryRequest, about: EventSubject) -> int:
    """Returns the number of the attempt; by default it follows those of the earlier events."""
    if request.attempt is not None:
        return request.attempt
    number = 0
    for earlier in about.read_earlier():
        number = earlier.attempt or number + 1
    # Events that were undone had numbers too.
    return min(max(number + 1, about.sequence), _MAX_EVENTS)


def _cancel_delivery(_request: UndoRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the cancellation of a proof of delivery (110181)."""
    detail = DeliveryCancellation(protocol=about.protocol, undone_protocol=about.undone_protocol)
    return signed_waybill_event(detail, about, issuer)


def _cancel_failed_delivery(_request: UndoRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the cancellation of a failed delivery (110191)."""
    detail = FailedDeliveryCancellation(protocol=about.protocol, undone_protocol=about.undone_protocol)
    return signed_waybill_event(detail, about, issuer)


def _local(moment: datetime, about: EventSubject) -> datetime:
    return moment.astimezone(about.occurred_at.tzinfo).replace(microsecond=0)


def _degrees(value: Decimal | None) -> Decimal | None:
    return None if value is None else value.quantize(_PLACES)


def _hash_of(request: EvidenceBody, about: EventSubject) -> str | None:
    return image_hash(about.access_key, request.image) if request.image else request.image_hash


def _hashed_at(request: EvidenceBody, happened_at: datetime, about: EventSubject) -> datetime:
    # A delivery may be a little ahead of our clock, and the hash may not come before it.
    return _local(request.hashed_at or max(happened_at, about.occurred_at), about)


def _delivered_invoices(request: EvidenceBody, cte: CteRequest) -> tuple[DeliveredInvoice, ...]:
    return tuple(DeliveredInvoice(access_key=key) for key in invoices_of(request, cte))


def _repetition(path: str) -> Repetition:
    return repetition(_MAX_EVENTS, path, "eventos deste tipo", "O evento anterior da entrega")


def _undoing(event: EventKind, nothing_to_undo: str) -> Undoing:
    message = "O evento não existe neste CT-e, ou já foi cancelado."
    return Undoing(event.name, nothing_to_undo, Problem("866", "eventId", message, hint_of("866")))


CTE_DELIVERY = EventKind(
    name="delivery",
    title="Comprovante de entrega",
    action="Registrar entrega",
    explanation="A SEFAZ registra que a carga foi entregue, e a quem.",
    route=EventRoute(
        method="POST",
        path="/delivery",
        operation="proveDeliveryOf",
        summary="Registra o comprovante de entrega",
        description=(
            "Informe quem recebeu, quando, e a imagem do comprovante ou o hash dela. Depois dele o CT-e só"
            " pode ser cancelado se antes se cancelar o comprovante. Só o CT-e globalizado aceita mais de um."
        ),
    ),
    request=ProofOfDeliveryRequest,
    issue=_prove_delivery,
    registered=registered,
    print_name="Entrega-{key}-{sequence:03}.pdf",
    effect=Effect(fact=DELIVERED_AT),
    happened_at=lambda request: request.delivered_at,
    repetition=_repetition("deliveredAt"),
)
CTE_DELIVERY_CANCELLATION = EventKind(
    name="deliveryCancellation",
    title="Cancelamento do comprovante de entrega",
    action="Cancelar comprovante de entrega",
    explanation="A SEFAZ cancela o comprovante de entrega, e o CT-e volta a constar como não entregue.",
    route=EventRoute(
        method="DELETE",
        path="/delivery",
        operation="cancelDeliveryOf",
        summary="Cancela o comprovante de entrega",
        description=_UNDOING_DESCRIPTION,
    ),
    request=UndoRequest,
    form=UNDO_FORM,
    issue=_cancel_delivery,
    registered=registered,
    print_name="CancelamentoEntrega-{key}-{sequence:03}.pdf",
    repetition=_repetition("eventId"),
    undoes=_undoing(CTE_DELIVERY, "O CT-e não tem comprovante de entrega a cancelar."),
)
CTE_FAILED_DELIVERY = EventKind(
    name="failedDelivery",
    title="Insucesso na entrega",
    action="Registrar insucesso na entrega",
    explanation="A SEFAZ registra uma tentativa de entrega sem sucesso, o que não impede outra.",
    route=EventRoute(
        method="POST",
        path="/failed-delivery",
        operation="reportFailedDeliveryOf",
        summary="Registra uma tentativa de entrega sem sucesso",
        description="Informe quando foi e o motivo. Não impede outra tentativa, nem a entrega.",
    ),
    request=FailedDeliveryRequest,
    issue=_report_failed_delivery,
    registered=registered,
    print_name="Insucesso-{key}-{sequence:03}.pdf",
    repetition=_repetition("attemptedAt"),
)
CTE_FAILED_DELIVERY_CANCELLATION = EventKind(
    name="failedDeliveryCancellation",
    title="Cancelamento do insucesso na entrega",
    action="Cancelar insucesso na entrega",
    explanation="A SEFAZ cancela o registro da tentativa de entrega sem sucesso.",
    route=EventRoute(
        method="DELETE",
        path="/failed-delivery",
        operation="cancelFailedDeliveryOf",
        summary="Cancela o registro de uma tentativa sem sucesso",
        description=_UNDOING_DESCRIPTION,
    ),
    request=UndoRequest,
    form=UNDO_FORM,
    issue=_cancel_failed_delivery,
    registered=registered,
    print_name="CancelamentoInsucesso-{key}-{sequence:03}.pdf",
    repetition=_repetition("eventId"),
    undoes=_undoing(CTE_FAILED_DELIVERY, "O CT-e não tem tentativa de entrega a cancelar."),
)
