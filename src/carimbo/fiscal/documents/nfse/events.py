"""What the issuer of an NFS-e tells of it after it was issued."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.documents.nfse.files import registered_event
from carimbo.fiscal.documents.nfse.software import application_version
from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import (
    CANCELLATION_PRINT,
    AboutDocument,
    CancellationDeadline,
    EventKind,
    Filed,
    Justification,
    Teller,
    cancellation_route,
)
from carimbo.fiscal.layouts.dps_v1.events import Cancellation, Event, issue_event
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS
from carimbo.fiscal.signed_filing import SignedFiling

_TOO_LATE = frozenset({"E0822"})


class NoteCancellationRequest(Body):
    """Why an NFS-e is taken back."""

    justification: Justification = Field(
        default="Cancelamento solicitado pelo emitente",
        description="Justificativa, de 15 a 255 caracteres (xMotivo).",
        examples=["Serviço cancelado pelo cliente"],
    )
    reason_code: Annotated[str, StringConstraints(pattern="^[129]$")] = Field(
        default="9",
        description="Motivo: 1 erro na emissão, 2 serviço não prestado, 9 outros (cMotivo).",
    )


def cancel(request: NoteCancellationRequest, about: AboutDocument, teller: Teller) -> Filed:
    """Sign the cancellation of an NFS-e (e101101)."""
    event = Event(
        environment=teller.environment.code,
        application_version=application_version(teller.software),
        tax_id=teller.company.tax_id,
        access_key=about.access_key,
        occurred_at=about.occurred_at,
        detail=Cancellation(reason_code=request.reason_code, reason=request.justification),
    )
    made = issue_event(event, teller.signer, teller.schemas)
    return made if isinstance(made, tuple) else SignedFiling.of(made)


NOTE_CANCELLATION = EventKind(
    name=CANCELLATION,
    route=cancellation_route("uma NFS-e"),
    request=NoteCancellationRequest,
    issue=cancel,
    registered=registered_event,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    deadline=CancellationDeadline(
        "Peça o cancelamento à prefeitura, por análise fiscal, ou substitua a nota com replaces em uma nova.",
        _TOO_LATE,
    ),
)
