"""Events that CT-e and CT-e OS share: cancellation and correction letter."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Integer
from carimbo.fiscal.body.form_layout import FormField, FormList
from carimbo.fiscal.cancellation_deadline import in_time_until, last_moment
from carimbo.fiscal.event_forms import event_form
from carimbo.fiscal.filing import (
    CANCELLATION_FORM,
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
    Detail,
    WaybillCancellation,
    WaybillCorrection,
    WaybillEvent,
    issue_event,
)
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS, REPLACED_AT, REPLACES, Effect
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.sefaz_filing import signed_filing
from carimbo.fiscal.transport.correction_rules import CorrectableFields
from carimbo.fiscal.transport.hints import hint_of

_TOO_LATE = frozenset({"220"})
_MAX_CORRECTIONS = 20
_CORRECTED_AT = "correctedAt"
_TAKEN_SEQUENCE, _DETAIL_FAULT = "631", "630"
registered = partial(registered_event, CTE_DIALECT)


def signed_waybill_event(detail: Detail, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Returns the signed event, or its problems with the code of the authorities and its hint."""
    result = signed_filing(WaybillEvent, issue_event, detail, about, issuer)
    if not isinstance(result, tuple):
        return result
    # Callers fill only the part of the event with an XSD of its own.
    return tuple(replace(problem, code=_DETAIL_FAULT, hint=hint_of(_DETAIL_FAULT)) for problem in result)


def repetition(max_events: int, path: str, events: str, previous: str) -> Repetition:
    """Returns how often a document may have an event; `events` and `previous` name it in Portuguese."""
    return Repetition(
        max_events,
        Problem("636", path, f"O documento já tem {max_events} {events}, que é o máximo."),
        taken_code=_TAKEN_SEQUENCE,
        previous_is_open=f"{previous} ainda está em processamento: aguarde o seu resultado.",
    )


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


_CORRECTION_FORM = event_form(
    CteCorrectionRequest,
    FormList(
        path="corrections",
        title="Campos corrigidos",
        singular="campo",
        fields=(
            FormField(path="group", label="Grupo", hint="Como no XML, por exemplo compl."),
            FormField(path="field", label="Campo", hint="Como no XML, por exemplo xObs."),
            FormField(path="value", label="Novo valor"),
            FormField(path="itemNumber", label="Posição do grupo", hint="Só se o grupo se repete."),
        ),
    ),
)


def _cancel(request: CancellationRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the cancellation of a document (110111)."""
    detail = WaybillCancellation(protocol=about.protocol, reason=request.justification)
    return signed_waybill_event(detail, about, issuer)


def _correct(
    fields: CorrectableFields, request: CteCorrectionRequest, about: EventSubject, issuer: FilingIssuer
) -> FilingResult:
    """Signs a correction letter (110110)."""
    corrections = tuple(
        CorrectedField(group=body.group, field=body.field, value=body.value, item_number=body.item_number)
        for body in request.corrections
    )
    if problems := tuple(fields.problems(corrections)):
        return problems
    return signed_waybill_event(WaybillCorrection(corrections=corrections), about, issuer)


def cancellation_of(title: str, forbidden_after: Mapping[str, str] | None = None) -> EventKind:
    """Returns the cancellation of documents with a title, as `CT-e`.

    A type adds the facts of its own documents that forbid it.
    """
    return EventKind(
        name=CANCELLATION,
        title="Cancelamento",
        action="Cancelar",
        explanation=f"A SEFAZ cancela o {title}, que deixa de valer: isso não pode ser desfeito.",
        route=cancellation_route(f"um {title}"),
        request=CancellationRequest,
        form=CANCELLATION_FORM,
        issue=_cancel,
        registered=registered,
        print_name=CANCELLATION_PRINT,
        effect=CANCELS,
        forbidden_after={
            _CORRECTED_AT: f"O {title} tem carta de correção, e a SEFAZ não cancela {title} corrigido (523).",
            REPLACED_AT: f"O {title} foi substituído, e a SEFAZ não cancela {title} substituído (576).",
            REPLACES: f"O {title} de substituição não pode ser cancelado (574).",
            **(forbidden_after or {}),
        },
        forbidden_in_manifest=f"O {title} está em um MDF-e aberto: cancele antes o MDF-e (528).",
        deadline=CancellationDeadline(
            f"Se o tomador registrou a prestação em desacordo, emita um {title} de substituição.",
            _TOO_LATE,
            last_moment,
            in_time_until,
        ),
    )


def correction_of(fields: CorrectableFields, description: str) -> EventKind:
    """Returns the correction letter of a model; the description of its route is in Portuguese."""
    title = fields.title
    return EventKind(
        name="correction",
        title="Carta de correção",
        action="Corrigir por carta",
        explanation=(
            f"A SEFAZ registra junto do {title} os novos valores destes campos, e depois disso ele não pode"
            " mais ser cancelado."
        ),
        route=EventRoute(
            method="POST",
            path="/correction",
            operation="correct",
            summary="Registra uma carta de correção",
            description=description,
        ),
        request=CteCorrectionRequest,
        form=_CORRECTION_FORM,
        issue=partial(_correct, fields),
        registered=registered,
        print_name="CCe-{key}-{sequence:02}.pdf",
        effect=Effect(fact=_CORRECTED_AT),
        forbidden_after={
            REPLACED_AT: f"O {title} foi substituído, e a SEFAZ não corrige {title} substituído (664)."
        },
        repetition=repetition(
            _MAX_CORRECTIONS, "corrections", "cartas de correção", "A carta de correção anterior"
        ),
    )
