"""Units of transport and of cargo, as all transport documents write them."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import ANY_NUMBER, INLINE, children, decimal, group, text


@group("lacUnidCarga")
class UnitSeal:
    """`lacUnidCarga`, `lacUnidTransp`: the number of a seal."""

    number: str = text("nLacre", 20, path=INLINE)


@group("infUnidCarga")
class CargoUnit:
    """`infUnidCarga`: a container, pallet or other unit of cargo."""

    type: str = text("tpUnidCarga", 1)
    id: str = text("idUnidCarga", 20)
    seals: tuple[UnitSeal, ...] = children("lacUnidCarga", ANY_NUMBER, default=())
    apportioned_quantity: Decimal | None = decimal("qtdRat", 3, default=None)


@group("infUnidTransp")
class TransportUnit:
    """`infUnidTransp`: a trailer, wagon or other unit of transport with its units of cargo."""

    type: str = text("tpUnidTransp", 1)
    id: str = text("idUnidTransp", 20)
    seals: tuple[UnitSeal, ...] = children("lacUnidTransp", ANY_NUMBER, default=())
    cargo_units: tuple[CargoUnit, ...] = children("infUnidCarga", ANY_NUMBER, default=())
    apportioned_quantity: Decimal | None = decimal("qtdRat", 3, default=None)
