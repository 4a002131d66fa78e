"""Events of an NFS-e: its cancellation by the issuer."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormField
from carimbo.fiscal.documents.nfse.document import application_version
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.filing import (
    CANCELLATION_PRINT,
    CancellationDeadline,
    EventKind,
    EventSubject,
    FilingIssuer,
    FilingResult,
    Justification,
    cancellation_route,
)
from carimbo.fiscal.layouts.dps_v1.events import NoteCancellation, NoteEvent, NoteEventDetail, issue_event
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS
from carimbo.fiscal.signed_documents import SignedFiling

_TOO_LATE = frozenset({"E0822"})


class NoteCancellationRequest(Body):
    """The reason for cancelling an NFS-e."""

    justification: Justification = Field(
        default="Cancelamento solicitado pelo emitente",
        description="Justificativa, de 15 a 255 caracteres (xMotivo).",
        examples=["Serviço cancelado pelo cliente"],
    )
    reason_code: Annotated[str, StringConstraints(pattern="^[129]$")] = Field(
        default="9",
        description="Motivo: 1 erro na emissão, 2 serviço não prestado, 9 outros (cMotivo).",
    )


def cancel(request: NoteCancellationRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the cancellation of an NFS-e (e101101)."""
    detail = NoteCancellation(reason_code=request.reason_code, reason=request.justification)
    return signed_note_event(detail, about, issuer)


def signed_note_event(detail: NoteEventDetail, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Returns the signed event of a company about an NFS-e, or its problems."""
    event = NoteEvent(
        environment=issuer.environment.code,
        application_version=application_version(issuer.software),
        tax_id=issuer.company.tax_id,
        access_key=about.access_key,
        occurred_at=about.occurred_at,
        detail=detail,
    )
    signed = issue_event(event, issuer.signer, issuer.schemas)
    return signed if isinstance(signed, tuple) else SignedFiling.of(signed)


def registered_event(_signed: bytes, event: bytes) -> bytes:
    """Returns the event as the authority registered it, which contains our signed request."""
    return event


NOTE_CANCELLATION = EventKind(
    name=CANCELLATION,
    title="Cancelamento",
    action="Cancelar",
    explanation="O ambiente nacional cancela a NFS-e, que deixa de valer: isso não pode ser desfeito.",
    route=cancellation_route("uma NFS-e"),
    request=NoteCancellationRequest,
    form=event_form(
        NoteCancellationRequest,
        FormField(
            path="reasonCode",
            label="Motivo",
            options=(("1", "Erro na emissão"), ("2", "Serviço não prestado"), ("9", "Outros")),
            is_required=True,
        ),
        JUSTIFICATION,
    ),
    issue=cancel,
    registered=registered_event,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    deadline=CancellationDeadline(
        "Peça o cancelamento à prefeitura, por análise fiscal, ou substitua a nota com replaces em uma nova.",
        _TOO_LATE,
    ),
)
