"""Identification of a manifest (`ide`): the parts of its key, the kind of issuer and the route."""

from datetime import datetime

from carimbo.fiscal.layouts.dfe_v1.route import MAX_ROUTE_STATES, RouteState
from carimbo.fiscal.layouts.group import INLINE, children, group, integer, moment, text

MAX_LOADING_CITIES = 50


@group("infMunCarrega")
class LoadingCity:
    """`infMunCarrega`: a municipality where cargo is loaded."""

    city_code: str = text("cMunCarrega", 7, path=INLINE)
    city: str = text("xMunCarrega", 60, path=INLINE)


@group("ide")
class ManifestIdentification:
    """`ide`: the parts of the access key, and the classification of the transport."""

    state_code: str = text("cUF", 2)
    environment: str = text("tpAmb", 1)
    issuer_type: str = text("tpEmit", 1)
    carrier_type: str | None = text("tpTransp", 1, default=None)
    model: str = text("mod", 2)
    series: int = integer("serie")
    number: int = integer("nMDF")
    numeric_code: str = text("cMDF", 8)
    check_digit: str = text("cDV", 1)
    mode: str = text("modal", 1, path="modal.kind")
    issued_at: datetime = moment("dhEmi", path="issueDate")
    emission_type: str = text("tpEmis", 1)
    issuing_process: str = text("procEmi", 1)
    software_version: str = text("verProc", 20)
    start_state: str = text("UFIni", 2, path="ufStart")
    end_state: str = text("UFFim", 2, path="ufEnd")
    loading_cities: tuple[LoadingCity, ...] = children(
        "infMunCarrega", MAX_LOADING_CITIES, path="loadingCityCodes"
    )
    route: tuple[RouteState, ...] = children("infPercurso", MAX_ROUTE_STATES, default=())
    trip_starts_at: datetime | None = moment("dhIniViagem", default=None)
    green_channel: str | None = text("indCanalVerde", 1, default=None)
    """`1`, or absent."""
    later_loading: str | None = text("indCarregaPosterior", 1, default=None)
    """`1`, or absent."""
