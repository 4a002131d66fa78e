"""The disagreement of the taker with the service of a CT-e or CT-e OS, and its withdrawal.

The taker declares them about documents of other issuers.
"""

from pydantic import Field

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult, Justification, UndoRequest
from carimbo.fiscal.layouts.cte_v4.events import Disagreement, DisagreementCancellation
from carimbo.fiscal.transport.events import signed_waybill_event


class DisagreementRequest(Body):
    """Why the taker disagrees."""

    justification: Justification = Field(
        description="O que difere do combinado, de 15 a 255 caracteres (xObs).",
        examples=["Valor do frete diferente do combinado"],
    )


def disagree(request: DisagreementRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the disagreement of the taker (610110); the company that files it is the taker."""
    return signed_waybill_event(Disagreement(justification=request.justification), about, issuer)


def withdraw_disagreement(_request: UndoRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the withdrawal of a disagreement (610111)."""
    return signed_waybill_event(
        DisagreementCancellation(undone_protocol=about.undone_protocol), about, issuer
    )
