"""Events that the issuer of a CT-e can register."""

from functools import partial
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Integer
from carimbo.fiscal.cancellation_deadline import in_time_until, last_moment
from carimbo.fiscal.documents.cte.correction_rules import correction_problems
from carimbo.fiscal.filing import (
    CANCELLATION_PRINT,
    CancellationDeadline,
    CancellationRequest,
    EventKind,
    EventRoute,
    EventSubject,
    FilingIssuer,
    FilingResult,
    Repetition,
    SingleLineText,
    cancellation_route,
)
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cte_v4.events import (
    CorrectedField,
    WaybillCancellation,
    WaybillCorrection,
    WaybillEvent,
    issue_event,
)
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS, REPLACED_AT, REPLACES, Effect
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.sefaz_filing import signed_filing

_TOO_LATE = frozenset({"220"})
_MAX_CORRECTIONS = 20
_CORRECTED_AT = "correctedAt"
_REGISTERED = partial(registered_event, CTE_DIALECT)
_issued = partial(signed_filing, WaybillEvent, issue_event)


class CorrectionBody(Body):
    """A field of the layout and its new value."""

    group: Annotated[SingleLineText, StringConstraints(max_length=20)] = Field(
        description="Grupo do leiaute, como no XML (grupoAlterado).", examples=["compl"]
    )
    field: Annotated[SingleLineText, StringConstraints(max_length=20)] = Field(
        description="Campo do grupo, como no XML (campoAlterado).", examples=["xObs"]
    )
    value: Annotated[SingleLineText, StringConstraints(max_length=500)] = Field(
        description="Novo valor (valorAlterado).", examples=["Entrega na doca 4"]
    )
    item_number: Annotated[Integer, Field(ge=1, le=99)] | None = Field(
        default=None, description="Posição do grupo, se ele se repete (nroItemAlterado)."
    )


class CteCorrectionRequest(Body):
    """A correction letter; the newest one should repeat the earlier corrections."""

    corrections: Annotated[tuple[CorrectionBody, ...], Field(min_length=1, max_length=100)] = Field(
        description="Campos corrigidos (infCorrecao)."
    )


def cancel(request: CancellationRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the cancellation of a document (110111)."""
    return _issued(WaybillCancellation(protocol=about.protocol, reason=request.justification), about, issuer)


def correct(request: CteCorrectionRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs a correction letter (110110)."""
    corrections = tuple(
        CorrectedField(group=body.group, field=body.field, value=body.value, item_number=body.item_number)
        for body in request.corrections
    )
    if problems := tuple(correction_problems(corrections)):
        return problems
    return _issued(WaybillCorrection(corrections=corrections), about, issuer)


CTE_CANCELLATION = EventKind(
    name=CANCELLATION,
    route=cancellation_route("um CT-e"),
    request=CancellationRequest,
    issue=cancel,
    registered=_REGISTERED,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    forbidden_after={
        _CORRECTED_AT: "O CT-e tem carta de correção, e a SEFAZ não cancela CT-e corrigido (523).",
        REPLACED_AT: "O CT-e foi substituído, e a SEFAZ não cancela CT-e substituído (576).",
        REPLACES: "O CT-e de substituição não pode ser cancelado (574).",
    },
    deadline=CancellationDeadline(
        "Se o tomador registrou a prestação em desacordo, emita um CT-e de substituição.",
        _TOO_LATE,
        last_moment,
        in_time_until,
    ),
)
CTE_CORRECTION = EventKind(
    name="correction",
    route=EventRoute(
        method="POST",
        path="/correction",
        operation="correct",
        summary="Registra uma carta de correção",
        description=(
            "Informe grupo, campo e novo valor, com os nomes do XML. Não se corrigem por carta: preço,"
            " tributos, CFOP, município de início, chaves das NF-e e data de emissão, nem CNPJ, CPF, IE e UF"
            " de emitente, tomador, remetente e destinatário. Depois dela o CT-e não pode mais ser cancelado."
        ),
    ),
    request=CteCorrectionRequest,
    issue=correct,
    registered=_REGISTERED,
    print_name="CCe-{key}-{sequence:02}.pdf",
    effect=Effect(fact=_CORRECTED_AT),
    forbidden_after={REPLACED_AT: "O CT-e foi substituído, e a SEFAZ não corrige CT-e substituído (664)."},
    repetition=Repetition(
        _MAX_CORRECTIONS,
        Problem(
            "636",
            "corrections",
            f"O documento já tem {_MAX_CORRECTIONS} cartas de correção, que é o máximo.",
        ),
        taken_code="631",
        previous_is_open="A carta de correção anterior ainda está em processamento: aguarde o seu resultado.",
    ),
)
