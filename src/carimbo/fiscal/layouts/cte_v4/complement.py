"""Additional data of a CT-e (`compl`): flow of the cargo, delivery forecast and notes."""

from datetime import date

from carimbo.fiscal.layouts.group import (
    ANY_NUMBER,
    INLINE,
    attribute,
    child,
    children,
    day,
    group,
    text,
    variant,
)


@group("pass")
class Stop:
    """`pass`: a place where the cargo changes vehicles."""

    name: str | None = text("xPass", 15, path=INLINE, default=None)


@group("fluxo")
class Flow:
    """`fluxo`: the forecast of the flow of the cargo."""

    origin: str | None = text("xOrig", 60, default=None)
    stops: tuple[Stop, ...] = children("pass", ANY_NUMBER, default=())
    destination: str | None = text("xDest", 60, default=None)
    route: str | None = text("xRota", 10, default=None)


@group("semData")
class WithoutDate:
    """`semData`: no delivery date is agreed."""

    mode: str = text("tpPer", 1, path="dateMode", default="0")


@group("comData")
class WithDate:
    """`comData`: delivery on, until or from a date."""

    mode: str = text("tpPer", 1, path="dateMode")
    day: date = day("dProg", path="date")


@group("noPeriodo")
class InPeriod:
    """`noPeriodo`: delivery between two dates."""

    mode: str = text("tpPer", 1, path="dateMode", default="4")
    start_date: date = day("dIni")
    end_date: date = day("dFim")


@group("semHora")
class WithoutTime:
    """`semHora`: no delivery time is agreed."""

    mode: str = text("tpHor", 1, path="timeMode", default="0")


@group("comHora")
class WithTime:
    """`comHora`: delivery at, until or from a time."""

    mode: str = text("tpHor", 1, path="timeMode")
    time: str = text("hProg", 8)


@group("noInter")
class InInterval:
    """`noInter`: delivery between two times."""

    mode: str = text("tpHor", 1, path="timeMode", default="4")
    start_time: str = text("hIni", 8)
    end_time: str = text("hFim", 8)


@group("Entrega")
class DeliveryForecast:
    """`Entrega`: the agreed date and time of delivery."""

    date: WithoutDate | WithDate | InPeriod = variant(path=INLINE)
    time: WithoutTime | WithTime | InInterval = variant(path=INLINE)


@group("ObsCont")
class TakerObservation:
    """`ObsCont`: a free named value for the taker."""

    name: str = attribute("xCampo", 20)
    value: str = text("xTexto", 160)


@group("ObsFisco")
class AuthorityObservation:
    """`ObsFisco`: a free named value for the authority."""

    name: str = attribute("xCampo", 20)
    value: str = text("xTexto", 60)


@group("compl")
class WaybillComplement:
    """`compl`: additional data of the service."""

    transport_characteristic: str | None = text("xCaracAd", 15, default=None)
    service_characteristic: str | None = text("xCaracSer", 30, default=None)
    issued_by: str | None = text("xEmi", 20, default=None)
    flow: Flow | None = child("fluxo", default=None)
    delivery: DeliveryForecast | None = child("Entrega", default=None)
    freight_origin: str | None = text("origCalc", 40, default=None)
    freight_destination: str | None = text("destCalc", 40, default=None)
    notes: str | None = text("xObs", 2000, default=None)
    observations: tuple[TakerObservation, ...] = children("ObsCont", 10, default=())
    authority_observations: tuple[AuthorityObservation, ...] = children("ObsFisco", 10, default=())
