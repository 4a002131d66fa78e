"""The recipient's statements about a received NF-e (manifestação do destinatário, NT 2020.001)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormLayout
from carimbo.fiscal.body.reading import MAY_BE_MISSING, Missing, is_blank
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult, Justification
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.events import (
    InvoiceEvent,
    Manifestation,
    OperationAcknowledged,
    OperationConfirmed,
    OperationNotPerformed,
    OperationUnknown,
    issue_event,
)
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.receiving import ResponseKind
from carimbo.fiscal.sefaz_filing import signed_filing

SCIENCE, CONFIRMED, UNKNOWN, NOT_PERFORMED = "science", "confirmed", "unknown", "notPerformed"
_REGISTERED = partial(registered_event, NFE_DIALECT)
_TOO_LATE = frozenset({"596"})
# The operation was concluded already, with another program (NT 2020.001, rule of 655).
_CONCLUDED_BEFORE = frozenset({"655"})
# Of another recipient, and of a canceled or denied document.
_IMPOSSIBLE = frozenset({"575", "650", "651"})
_ACKNOWLEDGED_WITHIN = timedelta(days=10)
_CONCLUDED_WITHIN = timedelta(days=90)


class ManifestationRequest(Body):
    """What the company states about a received NF-e."""

    type: Literal["confirmed", "unknown", "notPerformed", "science"] = Field(
        description=(
            "Manifestação: confirmed (confirmação da operação), unknown (desconhecimento), notPerformed"
            " (operação não realizada) ou science (ciência, que o serviço já registra sozinho)."
        ),
        examples=[CONFIRMED],
    )
    justification: Annotated[Justification | None, MAY_BE_MISSING] = Field(
        default=None,
        description=(
            "Justificativa, de 15 a 255 caracteres (xJust): obrigatória com notPerformed, opcional com"
            " unknown. A confirmação e a ciência não a levam: nelas é ignorada."
        ),
        examples=["A mercadoria chegou avariada e foi recusada"],
    )

    @model_validator(mode="before")
    @classmethod
    def check_justification(cls, given: Any) -> Any:
        """Marks a required justification as missing, and drops one that the event has no place for."""
        if not isinstance(given, dict):
            return given
        if given.get("type") in (CONFIRMED, SCIENCE):
            return {**given, "justification": None}
        is_missing = given.get("type") == NOT_PERFORMED and is_blank(given.get("justification"))
        return {**given, "justification": Missing()} if is_missing else given


def _national_event(**values: Any) -> InvoiceEvent:
    """Returns the event, addressed to the national environment, whatever the state of the document."""
    return InvoiceEvent(**values | {"organ": NATIONAL_ORGAN})


def _issue(
    detail: Callable[[Any], Manifestation], request: Any, about: EventSubject, issuer: FilingIssuer
) -> FilingResult:
    """Signs the statement of a recipient; the company that files it is the recipient."""
    return signed_filing(_national_event, issue_event, detail(request), about, issuer)


def _conclusive(
    name: str,
    code: str,
    description: str,
    detail: Callable[[ManifestationRequest], Manifestation],
    *,
    action: str,
    explanation: str,
    form: FormLayout,
) -> ResponseKind:
    return ResponseKind(
        name=name,
        code=code,
        description=description,
        action=action,
        explanation=explanation,
        form=form,
        request=ManifestationRequest,
        constant_fields={"type": name},
        chosen_by=lambda request: request.type == name,
        denies=name != CONFIRMED,
        issue=partial(_issue, detail),
        registered=_REGISTERED,
        max_events=2,
        within=_CONCLUDED_WITHIN,
        late_codes=_TOO_LATE,
        # NT 2020.001: the XML is given after 210200, 210210 and 210240.
        releases_xml=name != UNKNOWN,
    )


_WITHOUT_TEXT = event_form(ManifestationRequest)
MANIFESTATIONS = (
    ResponseKind(
        name=SCIENCE,
        code=OperationAcknowledged.event_type,
        description="Ciência da operação",
        action="Dar ciência",
        explanation=(
            "A empresa diz à SEFAZ que sabe da nota, sem confirmar nem recusar a operação; com isso vem o XML"
            " inteiro."
        ),
        form=_WITHOUT_TEXT,
        request=ManifestationRequest,
        constant_fields={"type": SCIENCE},
        chosen_by=lambda request: request.type == SCIENCE,
        issue=partial(_issue, lambda request: OperationAcknowledged()),
        registered=_REGISTERED,
        within=_ACKNOWLEDGED_WITHIN,
        late_codes=_TOO_LATE,
        final_codes=_TOO_LATE | _CONCLUDED_BEFORE | _IMPOSSIBLE,
        surpassed_codes=_CONCLUDED_BEFORE,
        is_conclusive=False,
    ),
    _conclusive(
        CONFIRMED,
        OperationConfirmed.event_type,
        "Confirmação da operação",
        lambda request: OperationConfirmed(),
        action="Confirmar a operação",
        explanation=(
            "A empresa confirma à SEFAZ que a operação aconteceu como a nota diz, e o emitente não pode mais"
            " cancelá-la."
        ),
        form=_WITHOUT_TEXT,
    ),
    _conclusive(
        UNKNOWN,
        OperationUnknown.event_type,
        "Desconhecimento da operação",
        lambda request: OperationUnknown(reason=request.justification),
        action="Não reconhecer",
        explanation=(
            "A empresa diz à SEFAZ que não conhece esta operação, como quando alguém usou o CNPJ dela."
        ),
        form=event_form(ManifestationRequest, JUSTIFICATION),
    ),
    _conclusive(
        NOT_PERFORMED,
        OperationNotPerformed.event_type,
        "Operação não realizada",
        lambda request: OperationNotPerformed(reason=request.justification or ""),
        action="Operação não realizada",
        explanation=(
            "A empresa diz à SEFAZ que a operação foi combinada e não aconteceu, como na mercadoria que ela"
            " recusou na entrega."
        ),
        form=event_form(ManifestationRequest, replace(JUSTIFICATION, is_required=True)),
    ),
)
