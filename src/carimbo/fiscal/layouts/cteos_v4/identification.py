"""Identification of a CT-e OS (`ide`): the parts of its key, the kind of service and the route."""

from datetime import datetime

from carimbo.fiscal.layouts.cte_v4.identification import GovernmentTaker
from carimbo.fiscal.layouts.dfe_v1.route import MAX_ROUTE_STATES, RouteState
from carimbo.fiscal.layouts.group import child, children, group, integer, moment, text


@group("ide")
class OsIdentification:
    """`ide`: the parts of the access key, and the classification of the service."""

    state_code: str = text("cUF", 2)
    numeric_code: str = text("cCT", 8)
    cfop: str = text("CFOP", 4)
    nature: str = text("natOp", 60)
    model: str = text("mod", 2)
    series: int = integer("serie")
    number: int = integer("nCT")
    issued_at: datetime = moment("dhEmi", path="issueDate")
    print_format: str = text("tpImp", 1)
    emission_type: str = text("tpEmis", 1)
    check_digit: str = text("cDV", 1)
    environment: str = text("tpAmb", 1)
    purpose: str = text("tpCTe", 1)
    issuing_process: str = text("procEmi", 1)
    software_version: str = text("verProc", 20)
    sent_from_city_code: str = text("cMunEnv", 7, path="company.address.cityCode")
    sent_from_city: str = text("xMunEnv", 60, path="company.address.city")
    sent_from_state: str = text("UFEnv", 2, path="company.address.state")
    mode: str = text("modal", 2, path="modal.kind")
    service_type: str = text("tpServ", 1)
    taker_contribution: str = text("indIEToma", 1)
    start_city_code: str | None = text("cMunIni", 7, path="municipalityStartIbge", default=None)
    start_city: str | None = text("xMunIni", 60, path="municipalityStartIbge", default=None)
    start_state: str | None = text("UFIni", 2, path="municipalityStartIbge", default=None)
    end_city_code: str | None = text("cMunFim", 7, path="municipalityEndIbge", default=None)
    end_city: str | None = text("xMunFim", 60, path="municipalityEndIbge", default=None)
    end_state: str | None = text("UFFim", 2, path="municipalityEndIbge", default=None)
    route: tuple[RouteState, ...] = children("infPercurso", MAX_ROUTE_STATES, default=())
    contingency_started_at: datetime | None = moment("dhCont", path="contingency.startedAt", default=None)
    contingency_reason: str | None = text("xJust", 256, path="contingency.reason", default=None)
    government_purchase: GovernmentTaker | None = child("gCompraGov", default=None)
