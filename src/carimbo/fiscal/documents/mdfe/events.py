"""Events that end a manifest: cancellation and closing; and the list of all its events."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from pydantic import Field

from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import Body, CityCode, StateOrAbroad
from carimbo.fiscal.body.form_layout import FieldKind, FormField
from carimbo.fiscal.cancellation_deadline import in_time_until, last_moment
from carimbo.fiscal.documents.mdfe.additions import DOCUMENT_INCLUSION, DRIVER_INCLUSION
from carimbo.fiscal.documents.mdfe.cargo import unloading_bodies
from carimbo.fiscal.documents.mdfe.event_signing import (
    DOCUMENTS_INCLUDED_AT,
    broken,
    registered,
    signed_manifest_event,
)
from carimbo.fiscal.documents.mdfe.payment_events import PAYMENT, PAYMENT_CHANGE
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.filing import (
    CANCELLATION_PRINT,
    CancellationDeadline,
    EventKind,
    EventRoute,
    EventSubject,
    FilingIssuer,
    FilingResult,
    Justification,
)
from carimbo.fiscal.layouts.mdfe_v3.events import ManifestCancellation, ManifestClosing
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS, CLOSED_AT, CLOSES, CLOSING
from carimbo.fiscal.problems import MISSING_FIELD, Problem
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.transport.places import ABROAD, place_of

CLOSED_IN_THE_FUTURE = "CLOSED_IN_THE_FUTURE"
"""No authority has a rule about it, but a closing can't be undone."""
CLOSED_TOO_EARLY = "O encerramento é anterior à emissão do MDF-e."
_TOO_LATE = frozenset({"220"})
_ABROAD_CODE = "99"
"""The code of another country in place of a state."""


class ManifestCancellationRequest(Body):
    """The reason of a cancellation, which has no usual text."""

    justification: Justification | None = Field(
        default=None,
        description="Justificativa, obrigatória, de 15 a 255 caracteres (xJust).",
        examples=["Viagem não iniciada por falta de carga"],
    )


class ClosingRequest(Body):
    """Where and when a transport ended."""

    city_code: CityCode = Field(
        description="Código IBGE do município onde a viagem terminou; 9999999 no exterior (cMun).",
        examples=["3304557"],
    )
    state: StateOrAbroad | None = Field(default=None, description="UF; na falta, a do município (cUF).")
    closed_at: IsoDay | None = Field(
        default=None, description="Dia do encerramento; na falta, hoje (dtEnc).", examples=["2026-11-26"]
    )


def closing_detail(
    request: ClosingRequest, protocol: str, occurred_at: datetime, *, by_third_party: bool = False
) -> ManifestClosing | tuple[Problem, ...]:
    """Returns the closing of a manifest, or the problems of its municipality and its day."""
    place = place_of(request.city_code)
    if not place.state:
        return (broken("714", "cityCode", "O município de encerramento não existe."),)
    if request.state is not None and request.state != place.state:
        return (broken("614", "state", "O município de encerramento não é desta UF."),)
    closed_on = _day_of(request.closed_at, occurred_at)
    if closed_on > occurred_at.date():
        message, hint = "O encerramento está no futuro.", "Encerre quando a viagem terminar."
        return (broken(CLOSED_IN_THE_FUTURE, "closedAt", message, hint),)
    state_code = _ABROAD_CODE if place.state == ABROAD else STATES[place.state].ibge
    return ManifestClosing(
        protocol=protocol,
        closed_on=closed_on,
        state_code=state_code,
        city_code=request.city_code,
        by_third_party="1" if by_third_party else None,
    )


def _day_of(given: date | None, occurred_at: datetime) -> date:
    """Returns the day of a closing in the time zone of the issuer; today if none is given."""
    if given is None:
        return occurred_at.date()
    if not isinstance(given, datetime):
        return given
    try:
        return given.astimezone(occurred_at.tzinfo).date() if given.tzinfo else given.date()
    except OverflowError:
        return given.date()


def _close(request: ClosingRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the closing of a manifest (110112)."""
    detail = closing_detail(request, about.protocol, about.occurred_at)
    if isinstance(detail, tuple):
        return detail
    if about.issued_at and detail.closed_on < about.issued_at.astimezone(about.occurred_at.tzinfo).date():
        return (broken("615", "closedAt", CLOSED_TOO_EARLY),)
    if about.read_request().later_loading and DOCUMENTS_INCLUDED_AT not in about.facts:
        message = "O MDF-e de carga posterior só é encerrado depois de incluir os documentos."
        return (broken("715", "cityCode", message),)
    return signed_manifest_event(detail, about, issuer)


def _cancel(request: ManifestCancellationRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the cancellation of a manifest (110111)."""
    if request.justification is None:
        message = "Campo obrigatório: diga por que o MDF-e é cancelado."
        return (Problem(MISSING_FIELD, "justification", message),)
    detail = ManifestCancellation(protocol=about.protocol, reason=request.justification)
    return signed_manifest_event(detail, about, issuer)


def usual_closing(manifest: MdfeRequest) -> ClosingRequest:
    """Returns the closing in the last municipality of unloading, where the transport usually ends."""
    return ClosingRequest.model_validate({"cityCode": unloading_bodies(manifest)[-1].city_code})


def _last_stop(manifest: MdfeRequest, today: date) -> Mapping[str, Any]:
    """Returns today and the last municipality of unloading; a later cargo may have none yet."""
    city_code = manifest.documents[-1].city_code if manifest.documents else None
    place = {"cityCode": city_code, "state": place_of(city_code).state} if city_code else {}
    return {"closedAt": today.isoformat(), **place}


MDFE_CANCELLATION = EventKind(
    name=CANCELLATION,
    title="Cancelamento",
    action="Cancelar",
    explanation="A SEFAZ cancela o MDF-e, que deixa de valer: isso não pode ser desfeito.",
    route=EventRoute(
        method="DELETE",
        path="",
        operation="cancel",
        summary="Cancela um MDF-e",
        description=(
            "A justificativa, obrigatória, vem no corpo ou na consulta. Cancela-se em até 24 horas da"
            " autorização, e só antes do início da viagem; depois, encerre o MDF-e."
        ),
    ),
    request=ManifestCancellationRequest,
    form=event_form(ManifestCancellationRequest, replace(JUSTIFICATION, is_required=True)),
    issue=_cancel,
    registered=registered,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    forbidden_after={
        CLOSED_AT: "O MDF-e está encerrado, e a SEFAZ não cancela MDF-e encerrado (609).",
        DOCUMENTS_INCLUDED_AT: "Documentos foram incluídos, e a SEFAZ não cancela mais o MDF-e (710).",
    },
    deadline=CancellationDeadline(
        "Encerre o MDF-e e, se for o caso, emita outro.",
        _TOO_LATE,
        last_moment,
        # One whose cargo was never loaded could otherwise neither be canceled nor closed.
        is_lifted_for=lambda request: request.later_loading,
        in_time_until=in_time_until,
    ),
)
MDFE_CLOSING = EventKind(
    name=CLOSING,
    title="Encerramento",
    action="Encerrar",
    explanation=(
        "A SEFAZ registra que a viagem terminou, e o MDF-e não recebe mais eventos: isso não pode ser"
        " desfeito."
    ),
    route=EventRoute(
        method="POST",
        path="/close",
        operation="close",
        summary="Encerra um MDF-e",
        description=(
            "Informe onde a viagem terminou. Enquanto o MDF-e está aberto, a SEFAZ recusa outro da mesma"
            " placa para a mesma UF; o status continua authorized, e closedAt passa a ter a data."
        ),
    ),
    request=ClosingRequest,
    form=event_form(
        ClosingRequest,
        FormField(
            path="closedAt",
            label="Dia do encerramento",
            kind=FieldKind.DAY,
            hint="Em branco, vale o dia de hoje.",
        ),
        FormField(
            path="cityCode",
            label="Município onde a viagem terminou",
            kind=FieldKind.CITY,
            hint="O nome ou o código IBGE; no exterior, 9999999.",
        ),
        FormField(path="state", label="UF", blank="A do município"),
    ),
    preset=_last_stop,
    issue=_close,
    registered=registered,
    print_name="Encerramento-{key}.pdf",
    effect=CLOSES,
)
MDFE_EVENTS = (
    MDFE_CANCELLATION,
    MDFE_CLOSING,
    DRIVER_INCLUSION,
    DOCUMENT_INCLUSION,
    PAYMENT,
    PAYMENT_CHANGE,
)
