"""What the issuer of an NF-e or NFC-e tells of it after its authorization."""

from datetime import datetime, timedelta
from functools import partial
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.cancellation_deadline import (
    in_time_until,
    last_moment,
    last_moment_for_substitution,
)
from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import (
    CANCELLATION_PRINT,
    AboutDocument,
    CancellationDeadline,
    Deadline,
    EventKind,
    EventRoute,
    Filed,
    Justification,
    Line,
    Repetition,
    Teller,
    cancellation_route,
)
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    Correction,
    Detail,
    Event,
    issue_event,
)
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_filing import SignedFiling
from carimbo.fiscal.taxpayer import normalize

_TOO_LATE = frozenset({"501", "770"})
_MOST_CORRECTIONS = 20
_CORRECTED_WITHIN_HOURS = 720
_REGISTERED = partial(registered_event, NFE_DIALECT)


class CancellationRequest(Body):
    """Why a document is taken back."""

    justification: Justification = Field(
        default="Cancelamento solicitado pelo emitente",
        description="Justificativa, de 15 a 255 caracteres (xJust).",
        examples=["Pedido cancelado pelo cliente"],
    )


class ReceiptCancellationRequest(CancellationRequest):
    """Why a receipt is taken back, and for which one, if it is replaced."""

    replaced_by_access_key: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z ]{44,60}$")] | None = (
        Field(
            default=None,
            description="Chave da NFC-e que substitui esta, emitida em contingência (evento 110112).",
        )
    )


class CorrectionRequest(Body):
    """A correction letter; it replaces those before it, and so tells everything that is to be corrected."""

    correction: Annotated[Line, StringConstraints(min_length=15, max_length=1000)] = Field(
        description="Texto da correção, de 15 a 1000 caracteres (xCorrecao).",
        examples=["O endereço de entrega é Rua das Flores, 10"],
    )


def cancel(request: CancellationRequest, about: AboutDocument, teller: Teller) -> Filed:
    """Sign the cancellation of a document (110111)."""
    return _issued(Cancellation(protocol=about.protocol, reason=request.justification), about, teller)


def cancel_receipt(request: ReceiptCancellationRequest, about: AboutDocument, teller: Teller) -> Filed:
    """Sign the cancellation of a receipt: by substitution (110112) if another takes its place."""
    if request.replaced_by_access_key is None:
        return cancel(request, about, teller)
    try:
        replacing = AccessKey.parse(request.replaced_by_access_key)
    except InvalidAccessKey as invalid:
        return (Problem("910", "replacedByAccessKey", str(invalid)),)
    detail = CancellationBySubstitution(
        author_state_code=AccessKey.parse(about.access_key).state_code,
        application_version=teller.software.name,
        protocol=about.protocol,
        reason=request.justification,
        replaced_by=replacing,
    )
    return _issued(detail, about, teller)


def replacing_receipt(request: ReceiptCancellationRequest) -> str | None:
    """The key of the receipt that takes the place of the one that is canceled."""
    told = request.replaced_by_access_key
    return normalize(told) if told else None


def correct(request: CorrectionRequest, about: AboutDocument, teller: Teller) -> Filed:
    """Sign a correction letter (110110)."""
    return _issued(Correction(correction=request.correction), about, teller)


def _last_moment_of_receipt(
    access_key: str, authorized_at: datetime, request: ReceiptCancellationRequest
) -> datetime | None:
    if replacing_receipt(request) is None:
        return last_moment(access_key, authorized_at, request)
    return last_moment_for_substitution(access_key, authorized_at)


INVOICE_CANCELLATION = EventKind(
    name=CANCELLATION,
    route=cancellation_route("uma NF-e"),
    request=CancellationRequest,
    issue=cancel,
    registered=_REGISTERED,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    deadline=CancellationDeadline(
        "Emita uma NF-e de devolução ou de estorno que referencie esta.",
        _TOO_LATE,
        last_moment,
        in_time_until,
    ),
)
RECEIPT_CANCELLATION = EventKind(
    name=CANCELLATION,
    route=cancellation_route("uma NFC-e"),
    request=ReceiptCancellationRequest,
    issue=cancel_receipt,
    registered=_REGISTERED,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    deadline=CancellationDeadline(
        "Emita uma NF-e de devolução que referencie esta; se outra NFC-e, emitida em contingência, tomou o"
        " seu lugar, informe replacedByAccessKey.",
        _TOO_LATE,
        _last_moment_of_receipt,
        in_time_until,
    ),
    replaced_by=replacing_receipt,
)
CORRECTION = EventKind(
    name="correction",
    route=EventRoute(
        method="POST",
        path="/correction",
        operation="correct",
        summary="Registra uma carta de correção",
        description="Cada carta substitui as anteriores; repetir a última devolve a que já existe.",
    ),
    request=CorrectionRequest,
    issue=correct,
    registered=_REGISTERED,
    print_name="CCe-{key}-{sequence:02}.pdf",
    deadline=Deadline(
        lambda _key, authorized_at, _request: authorized_at + timedelta(hours=_CORRECTED_WITHIN_HOURS),
        Problem(
            "CORRECTION_TOO_LATE",
            "correction",
            f"A carta de correção só é aceita até {_CORRECTED_WITHIN_HOURS} horas após a autorização.",
        ),
    ),
    repetition=Repetition(
        _MOST_CORRECTIONS,
        Problem(
            "594",
            "correction",
            f"O documento já tem {_MOST_CORRECTIONS} cartas de correção, que é o máximo.",
        ),
        taken_code="573",
        previous_is_open="A carta de correção anterior ainda está em processamento: aguarde o seu resultado.",
    ),
)


def _issued(detail: Detail, about: AboutDocument, teller: Teller) -> Filed:
    key = AccessKey.parse(about.access_key)
    event = Event(
        organ=key.state_code,
        environment=teller.environment.code,
        tax_id=teller.company.tax_id,
        access_key=key,
        occurred_at=about.occurred_at,
        sequence=about.sequence,
        detail=detail,
    )
    made = issue_event(event, teller.signer, teller.schemas)
    return made if isinstance(made, tuple) else SignedFiling.of(made)
