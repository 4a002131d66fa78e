"""The air mode of a CT-e (`aereo`), which has its own XSD."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import ANY_NUMBER, INLINE, child, children, day, decimal, group, text, texts


@group("natCarga", may_be_empty=True)
class CargoNature:
    """`natCarga`: dimensions and handling of the cargo; the XSD requires it even without content."""

    dimensions: str | None = text("xDime", 14, default=None)
    handling_codes: tuple[str, ...] = texts("cInfManu", 2, ANY_NUMBER, default=())


@group("tarifa")
class AirTariff:
    """`tarifa`: class, code and amount of the tariff."""

    tariff_class: str = text("CL", 1, path="class")
    code: str | None = text("cTar", 4, default=None)
    amount: Decimal = decimal("vTar")


@group("infTotAP")
class DangerousQuantity:
    """`infTotAP`: the total quantity of a dangerous article."""

    quantity: Decimal = decimal("qTotProd", 4)
    unit: str = text("uniAP", 1)


@group("peri")
class DangerousGoods:
    """`peri`: an article that the UN lists as dangerous."""

    un_number: str = text("nONU", 4)
    packages: str = text("qTotEmb", 20)
    total: DangerousQuantity = child("infTotAP", path=INLINE)


@group("aereo")
class Air:
    """`aereo`: the air waybill, the tariff, and the nature of the cargo."""

    waybill_draft_number: str | None = text("nMinu", 9, default=None)
    air_waybill_number: str | None = text("nOCA", 11, default=None)
    expected_delivery_date: date = day("dPrevAereo")
    nature: CargoNature = child("natCarga", path=INLINE)
    tariff: AirTariff = child("tarifa")
    dangerous_goods: tuple[DangerousGoods, ...] = children("peri", ANY_NUMBER, default=())
