"""Identification of a CT-e (`ide`): the parts of its key, the kind of service, the route and the taker."""

from datetime import datetime
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.parties import OtherTaker, TakerByRole
from carimbo.fiscal.layouts.group import child, decimal, group, integer, moment, text, variant


@group("gCompraGov")
class GovernmentTaker:
    """`gCompraGov`: a public entity takes the service (LC 214/2025, art. 472)."""

    entity_type: str = text("tpEnteGov", 1)
    rate_reduction: Decimal = decimal("pRedutor", 4)
    operation_type: str = text("tpOperGov", 1)


@group("ide")
class WaybillIdentification:
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
    is_globalized: str | None = text("indGlobalizado", 1, path="globalized", default=None)
    """`1`, or absent."""
    sent_from_city_code: str = text("cMunEnv", 7, path="company.address.cityCode")
    sent_from_city: str = text("xMunEnv", 60, path="company.address.city")
    sent_from_state: str = text("UFEnv", 2, path="company.address.state")
    mode: str = text("modal", 2, path="modal.kind")
    service_type: str = text("tpServ", 1)
    start_city_code: str = text("cMunIni", 7, path="municipalityStartIbge")
    start_city: str = text("xMunIni", 60, path="municipalityStartIbge")
    start_state: str = text("UFIni", 2, path="municipalityStartIbge")
    end_city_code: str = text("cMunFim", 7, path="municipalityEndIbge")
    end_city: str = text("xMunFim", 60, path="municipalityEndIbge")
    end_state: str = text("UFFim", 2, path="municipalityEndIbge")
    receiver_picks_up: str = text("retira", 1)
    """0 the receiver picks the cargo up, 1 it does not."""
    pickup_details: str | None = text("xDetRetira", 160, default=None)
    taker_contribution: str = text("indIEToma", 1)
    taker: TakerByRole | OtherTaker = variant(path="takerParty")
    contingency_started_at: datetime | None = moment("dhCont", path="contingency.startedAt", default=None)
    contingency_reason: str | None = text("xJust", 256, path="contingency.reason", default=None)
    government_purchase: GovernmentTaker | None = child("gCompraGov", default=None)
