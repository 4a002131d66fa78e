"""Flow, delivery forecast and notes of a CT-e as groups of the layout."""

from typing import Any

from pydantic.alias_generators import to_camel

from carimbo.fiscal.documents.cte.request import CteRequest, DateMode, DeliveryBody, FlowBody, TimeMode
from carimbo.fiscal.layouts.cte_v4.complement import (
    DeliveryForecast,
    Flow,
    InInterval,
    InPeriod,
    Stop,
    WaybillComplement,
    WithDate,
    WithoutDate,
    WithoutTime,
    WithTime,
)
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Findings, Incomplete, Problem

_SOURCE = "MOC CT-e 4.00, grupo Entrega"
_TIME_WITHOUT_SECONDS = 5
_EMPTY = WaybillComplement()


def complement_group(request: CteRequest, findings: Findings) -> WaybillComplement | None:
    """Returns the additional data of the service; None if there is none."""
    delivery = request.delivery
    complement = WaybillComplement(
        transport_characteristic=request.transport_characteristic,
        service_characteristic=request.service_characteristic,
        issued_by=request.issued_by,
        flow=_flow(request.flow) if request.flow else None,
        delivery=findings.attempt(_delivery, delivery) if delivery else None,
        freight_origin=request.freight_origin,
        freight_destination=request.freight_destination,
        notes=request.notes,
        observations=request.observations,
        authority_observations=request.authority_observations,
    )
    return None if complement == _EMPTY else complement


def _flow(body: FlowBody) -> Flow:
    return Flow(
        origin=body.origin,
        stops=tuple(Stop(name=stop) for stop in body.stops),
        destination=body.destination,
        route=body.route,
    )


def _delivery(body: DeliveryBody) -> DeliveryForecast:
    """Returns the forecast; each mode uses its own fields, and no others."""
    problems: list[Problem] = []
    is_period = body.date_mode is DateMode.BETWEEN
    dates = _used(body, "date", is_period=is_period, mode=body.date_mode.value, problems=problems)
    is_interval = body.time_mode is TimeMode.BETWEEN
    times = _used(body, "time", is_period=is_interval, mode=body.time_mode.value, problems=problems)
    if body.start_date and body.end_date and body.end_date < body.start_date:
        message = "O período termina antes de começar."
        problems.append(Problem(SCHEMA_PROBLEM, "delivery.endDate", message, source=_SOURCE))
    if problems:
        raise Incomplete(*problems)
    return DeliveryForecast(date=_date_of(body, dates), time=_time_of(body, times))


def _used(
    body: DeliveryBody, field: str, *, is_period: bool, mode: str, problems: list[Problem]
) -> dict[str, Any]:
    """Returns the values that a mode needs, and adds a problem for each missing and each other one."""
    period = (f"start_{field}", f"end_{field}")
    needed = () if mode == DateMode.NONE.value else period if is_period else (field,)
    values = {name: value for name, value in dict(body).items() if name in (field, *period)}
    for name, value in values.items():
        path, named = f"delivery.{to_camel(name)}", f"{field}Mode {mode}"
        if name in needed and value is None:
            problems.append(Problem(SCHEMA_PROBLEM, path, f"Obrigatório com {named}.", source=_SOURCE))
        if name not in needed and value is not None:
            problems.append(Problem(SCHEMA_PROBLEM, path, f"Não se usa com {named}.", source=_SOURCE))
    return {name: values[name] for name in needed}


def _date_of(body: DeliveryBody, values: dict[str, Any]) -> WithoutDate | WithDate | InPeriod:
    if not values:
        return WithoutDate()
    if body.date_mode is DateMode.BETWEEN:
        return InPeriod(**values)
    return WithDate(mode=body.date_mode.code, day=values["date"])


def _time_of(body: DeliveryBody, values: dict[str, Any]) -> WithoutTime | WithTime | InInterval:
    whole = {
        name: f"{time}:00" if len(time) == _TIME_WITHOUT_SECONDS else time for name, time in values.items()
    }
    if not whole:
        return WithoutTime()
    if body.time_mode is TimeMode.BETWEEN:
        return InInterval(**whole)
    return WithTime(mode=body.time_mode.code, time=whole["time"])
