"""The service of a normal or substituting CT-e OS (`infCTeNorm`)."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.service import FreightBilling
from carimbo.fiscal.layouts.cteos_v4.road import OsRoad
from carimbo.fiscal.layouts.group import (
    ANY_NUMBER,
    INLINE,
    attribute,
    child,
    children,
    day,
    decimal,
    group,
    text,
    variant,
)


@group("infQ")
class ServiceQuantity:
    """`infQ`: the number of passengers, bags or volumes."""

    quantity: Decimal = decimal("qCarga", 4, path=INLINE)


@group("infServico")
class ServiceDescription:
    """`infServico`: what the service is."""

    description: str = text("xDescServ", 30, path="serviceDescription")
    quantity: ServiceQuantity | None = child("infQ", path="serviceQuantity", default=None)


@group("infDocRef")
class ReferencedTicket:
    """`infDocRef`: a ticket on paper, or the electronic one (BP-e)."""

    number: str | None = text("nDoc", 20, default=None)
    series: str | None = text("serie", 3, default=None)
    subseries: str | None = text("subserie", 3, default=None)
    issue_date: date | None = day("dEmi", default=None)
    amount: Decimal | None = decimal("vDoc", default=None)
    bpe_access_key: str | None = text("chBPe", 44, default=None)


@group("seg")
class TripInsurance:
    """`seg`: an insurance of the trip."""

    responsible: str = text("respSeg", 1)
    insurer_name: str | None = text("xSeg", 30, default=None)
    policy_number: str | None = text("nApol", 20, default=None)


@group("infModal")
class OsMode:
    """`infModal`: the data of the mode; only the road has some."""

    version: str = attribute("versaoModal", 4, default="4.00")
    mode: OsRoad = variant(path=INLINE)


@group("infCteSub")
class ReplacedOsWaybill:
    """`infCteSub`: the CT-e OS that this one replaces."""

    access_key: str = text("chCte", 44)


@group("Comp")
class GtveComponent:
    """`Comp`: a part of the price of a transport of valuables."""

    type: str = text("tpComp", 1)
    amount: Decimal = decimal("vComp")
    description: str | None = text("xComp", 15, default=None)


@group("infGTVe")
class ReferencedGtve:
    """`infGTVe`: an electronic transport guide of valuables, with its part of the price."""

    access_key: str = text("chCTe", 44)
    components: tuple[GtveComponent, ...] = children("Comp", ANY_NUMBER)


@group("infCTeNorm")
class OsService:
    """`infCTeNorm`: the service, and how it is done."""

    service: ServiceDescription = child("infServico", path=INLINE)
    referenced_documents: tuple[ReferencedTicket, ...] = children("infDocRef", ANY_NUMBER, default=())
    insurance: tuple[TripInsurance, ...] = children("seg", ANY_NUMBER, default=())
    mode: OsMode | None = child("infModal", path="modal", default=None)
    substitution: ReplacedOsWaybill | None = child("infCteSub", default=None)
    canceled_access_key: str | None = text("refCTeCanc", 44, default=None)
    billing: FreightBilling | None = child("cobr", default=None)
    gtves: tuple[ReferencedGtve, ...] = children("infGTVe", ANY_NUMBER, default=())
