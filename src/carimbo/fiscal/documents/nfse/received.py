"""NFS-e of other issuers, and what their taker can declare about them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormField
from carimbo.fiscal.body.reading import MAY_BE_MISSING, Missing, is_blank
from carimbo.fiscal.documents.nfse.events import registered_event, signed_note_event
from carimbo.fiscal.documents.nfse.received_content import amounts, details
from carimbo.fiscal.documents.nfse.received_file import NOTE, read
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult, Justification
from carimbo.fiscal.layouts.dps_v1.distribution import read_page
from carimbo.fiscal.layouts.dps_v1.events import NoteEventDetail, TakerConfirmation, TakerRefusal
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.received_signatures import check_note_signatures
from carimbo.fiscal.receiving import Receiving, ResponseKind, Role

_CONFIRMED, _REFUSED = "confirmed", "refused"
_DUPLICATE_NOTE, _OTHER = "1", "9"
_REASONS = {
    _DUPLICATE_NOTE: "NFS-e em duplicidade",
    "2": "NFS-e já emitida pelo tomador",
    "3": "não ocorrência do fato gerador",
    "4": "erro quanto à responsabilidade tributária",
    "5": "erro quanto ao valor, às deduções, ao serviço ou à data",
    _OTHER: "outros",
}
_LISTED_REASONS = ", ".join(f"{code} {reason}" for code, reason in _REASONS.items())
_ReasonCode = Annotated[str, StringConstraints(pattern="^[1-59]$")]
# In the access key: whether the municipality's own system or the national one made the note.
_GENERATOR, _OF_MUNICIPALITY = 7, "1"
_OTHER_GENERATOR = Problem(
    "E0831",
    "type",
    "A NFS-e foi gerada pelo sistema do próprio município, e só ele recebe a manifestação sobre ela.",
)


_OF_REFUSALS = ("reasonCode", "justification")
_ONLY_REFUSALS = "Só cabe com refused: a confirmação não leva motivo nem justificativa."


class NoteResponseRequest(Body):
    """What the taker declares about a received NFS-e."""

    type: Literal["confirmed", "refused"] = Field(
        description=(
            "Manifestação do tomador: confirmed (confirmação do serviço) ou refused (rejeição da nota)."
        ),
        examples=[_CONFIRMED],
    )
    reason_code: Annotated[_ReasonCode | None, MAY_BE_MISSING] = Field(
        default=None,
        description=f"Motivo da rejeição, obrigatório com refused: {_LISTED_REASONS} (cMotivo).",
        examples=[_DUPLICATE_NOTE],
    )
    justification: Annotated[Justification | None, MAY_BE_MISSING] = Field(
        default=None,
        description=(
            "Justificativa da rejeição, de 15 a 255 caracteres: obrigatória com o motivo 9 (xMotivo)."
        ),
        examples=["O serviço não foi contratado por nós"],
    )

    @model_validator(mode="before")
    @classmethod
    def require_reason(cls, given: Any) -> Any:
        """Marks the missing reason of a refusal, and the missing text of another reason (E1949).

        A confirmation has neither.
        """
        if not isinstance(given, dict):
            return given
        if given.get("type") == _CONFIRMED:
            unsent = [name for name in _OF_REFUSALS if not is_blank(given.get(name))]
            return {**given, **dict.fromkeys(unsent, Missing(_ONLY_REFUSALS))}
        if given.get("type") != _REFUSED:
            return given
        missing = {} if not is_blank(given.get("reasonCode")) else {"reasonCode": Missing()}
        # Numbers are accepted as codes.
        if str(given.get("reasonCode")) == _OTHER and is_blank(given.get("justification")):
            missing["justification"] = Missing()
        return {**given, **missing}


def _issue(
    detail: Callable[[NoteResponseRequest], NoteEventDetail],
    request: NoteResponseRequest,
    about: EventSubject,
    issuer: FilingIssuer,
) -> FilingResult:
    """Signs the statement of a taker; the company that files it is the taker."""
    if about.access_key[_GENERATOR : _GENERATOR + 1] == _OF_MUNICIPALITY:
        return (_OTHER_GENERATOR,)
    return signed_note_event(detail(request), about, issuer)


def _confirmation(_request: NoteResponseRequest) -> TakerConfirmation:
    return TakerConfirmation()


def _refusal(request: NoteResponseRequest) -> TakerRefusal:
    return TakerRefusal(reason_code=request.reason_code or "", reason=request.justification)


def _text_of_refusal(request: Mapping[str, Any]) -> str:
    """Returns the code and the name of the reason, with the justification if there is one."""
    code, justification = request.get("reasonCode", ""), request.get("justification")
    reason = f"Motivo {code}: {_REASONS.get(code, 'outros')}."
    return f"{reason} {justification}" if justification else reason


RECEIVING = Receiving(
    service="nfse",
    collection="received-nfses",
    event_prefix="receivedNfse",
    read_page=read_page,
    read=read,
    imported_schemas={"NFSe": NOTE},
    check_signatures=check_note_signatures,
    responds_as=Role.TAKER,
    has_corrections=False,
    consults_events=True,
    # E1833: a party other than the issuer confirms or refuses, once.
    is_stated_once=True,
    responses=(
        ResponseKind(
            name=_CONFIRMED,
            code=TakerConfirmation.event_type,
            description="Confirmação do tomador",
            action="Confirmar o serviço",
            explanation="A empresa confirma ao ambiente nacional que tomou o serviço como a nota diz.",
            form=event_form(NoteResponseRequest),
            constant_fields={"type": _CONFIRMED},
            request=NoteResponseRequest,
            chosen_by=lambda request: request.type == _CONFIRMED,
            issue=partial(_issue, _confirmation),
            registered=registered_event,
        ),
        ResponseKind(
            name=_REFUSED,
            code=TakerRefusal.event_type,
            description="Rejeição do tomador",
            action="Rejeitar a nota",
            explanation="A empresa diz ao ambiente nacional que não aceita a nota, e por quê.",
            form=event_form(
                NoteResponseRequest,
                FormField(
                    path="reasonCode",
                    label="Motivo",
                    options=(("", "Escolha o motivo"), *_REASONS.items()),
                    is_required=True,
                ),
                replace(JUSTIFICATION, hint="De 15 a 255 caracteres; obrigatória com o motivo “Outros”."),
            ),
            constant_fields={"type": _REFUSED},
            denies=True,
            request=NoteResponseRequest,
            chosen_by=lambda request: request.type == _REFUSED,
            issue=partial(_issue, _refusal),
            registered=registered_event,
            text_of=_text_of_refusal,
        ),
    ),
    details=details,
    amounts=amounts,
)
