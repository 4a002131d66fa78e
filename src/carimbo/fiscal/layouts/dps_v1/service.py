"""The service and its place (`serv`), with the groups that only some services require."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.parties import SiteAddress
from carimbo.fiscal.layouts.group import INLINE, child, day, decimal, group, lines, text, texts


@group("locPrest")
class ServicePlace:
    """`locPrest`: the municipality or foreign country where the service was provided."""

    city_code: str | None = text("cLocPrestacao", 7, path="serviceLocation", default=None)
    country_code: str | None = text("cPaisPrestacao", 2, path="serviceLocation", default=None)


@group("cServ")
class ServiceCode:
    """`cServ`: the national and municipal codes of the service, and its description."""

    national_code: str = text("cTribNac", 6, path="federalServiceCode")
    city_code: str | None = text("cTribMun", 3, path="cityServiceCode", default=None)
    description: str = lines("xDescServ", 2000, path="serviceDescription")
    nbs: str | None = text("cNBS", 9, default=None)
    internal_code: str | None = text("cIntContrib", 20, default=None)


@group("comExt")
class ForeignTrade:
    """`comExt`: foreign trade of a service."""

    delivery_mode: str = text("mdPrestacao", 1)
    relationship: str = text("vincPrest", 1)
    currency_code: str = text("tpMoeda", 3)
    """Three digits of the Banco Central."""
    amount: Decimal = decimal("vServMoeda")
    """In that currency."""
    provider_support: str = text("mecAFComexP", 2)
    taker_support: str = text("mecAFComexT", 2)
    temporary_goods: str = text("movTempBens", 1)
    import_declaration: str | None = text("nDI", 12, default=None)
    export_registration: str | None = text("nRE", 12, default=None)
    shared_with_mdic: str = text("mdic", 1)


@group("obra")
class Construction:
    """`obra`: the building site of the service."""

    property_registration: str | None = text("inscImobFisc", 30, default=None)
    work_code: str | None = text("cObra", 30, default=None)
    """CNO or CEI."""
    cib_code: str | None = text("cCIB", 8, default=None)
    address: SiteAddress | None = child("end", default=None)


@group("atvEvento")
class PublicEvent:
    """`atvEvento`: the show, congress or match of the service."""

    name: str = text("xNome", 255)
    starts_on: date = day("dtIni")
    ends_on: date = day("dtFim")
    identifier: str | None = text("idAtvEvt", 30, default=None)
    address: SiteAddress | None = child("end", default=None)


@group("gItemPed")
class OrderItems:
    """`gItemPed`: the fulfilled items of the taker's order."""

    items: tuple[str, ...] = texts("xItemPed", 60, 99)


@group("infoCompl")
class ComplementaryInformation:
    """`infoCompl`: references and notes that any service may have."""

    technical_document: str | None = text("idDocTec", 40, default=None)
    """ART, RRT or DRT."""
    referenced_document: str | None = text("docRef", 255, default=None)
    purchase_order: str | None = text("xPed", 60, default=None)
    order_items: OrderItems | None = child("gItemPed", default=None)
    notes: str | None = text("xInfComp", 2000, default=None)


@group("serv")
class ProvidedService:
    """`serv`: the service."""

    place: ServicePlace = child("locPrest", path=INLINE)
    code: ServiceCode = child("cServ", path=INLINE)
    foreign_trade: ForeignTrade | None = child("comExt", default=None)
    construction: Construction | None = child("obra", default=None)
    event: PublicEvent | None = child("atvEvento", default=None)
    additional: ComplementaryInformation | None = child("infoCompl", path=INLINE, default=None)
