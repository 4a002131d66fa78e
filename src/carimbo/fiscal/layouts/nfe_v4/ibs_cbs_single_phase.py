"""IBS and CBS of fuels, charged once for the whole chain (LC 214/2025, art. 172), by quantity or by value."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import child, decimal, group


@group("gMonoPadrao")
class IbsByQuantity:
    """`gMonoPadrao` of the IBS: an amount per unit of measure."""

    quantity: Decimal = decimal("qBCMono", 4)
    unit_rate: Decimal = decimal("adRemIBS", 4)
    amount: Decimal = decimal("vIBSMono")


@group("gMonoReten")
class IbsWithholdingByQuantity:
    """`gMonoReten` of the IBS: what the seller withholds for the next one, per unit of measure."""

    quantity: Decimal = decimal("qBCMonoReten", 4)
    unit_rate: Decimal = decimal("adRemIBSReten", 4)
    amount: Decimal = decimal("vIBSMonoReten")


@group("gMonoPadrao")
class IbsByValue:
    """`gMonoPadrao` of the IBS: a percentage for the state and one for the municipality."""

    base: Decimal = decimal("vBCMono")
    state_rate: Decimal = decimal("pAliqMonoUF", 4)
    state_amount: Decimal = decimal("vIBSMonoUF")
    city_rate: Decimal = decimal("pAliqMonoMun", 4)
    city_amount: Decimal = decimal("vIBSMonoMun")
    amount: Decimal = decimal("vIBSMono")


@group("gMonoReten")
class IbsWithholdingByValue:
    """`gMonoReten` of the IBS: what the seller withholds for the next one, as a percentage."""

    base: Decimal = decimal("vBCMonoReten")
    rate: Decimal = decimal("pAliqMonoReten", 4)
    amount: Decimal = decimal("vIBSMonoReten")


@group("gMonoRet")
class IbsRetained:
    """`gMonoRet` of the IBS: what was charged earlier in the chain."""

    amount: Decimal = decimal("vIBSMonoRet")


@group("gpBioDiferenca")
class IbsOfBiofuel:
    """`gpBioDiferenca` of the IBS: biofuel in a mixture beyond or below the mandatory share."""

    quantity: Decimal = decimal("qBCBioComb", 4)
    amount: Decimal = decimal("vIBSDiferenca")


@group("gIBSMonoAdRem")
class SinglePhaseIbsByQuantity:
    """`gIBSMonoAdRem`: IBS per unit of measure."""

    standard: IbsByQuantity | None = child("gMonoPadrao", default=None)
    withholding: IbsWithholdingByQuantity | None = child("gMonoReten", default=None)
    retained: IbsRetained | None = child("gMonoRet", default=None)
    biofuel: IbsOfBiofuel | None = child("gpBioDiferenca", default=None)


@group("gIBSMonoAdValorem")
class SinglePhaseIbsByValue:
    """`gIBSMonoAdValorem`: IBS as percentages."""

    standard: IbsByValue | None = child("gMonoPadrao", default=None)
    withholding: IbsWithholdingByValue | None = child("gMonoReten", default=None)
    retained: IbsRetained | None = child("gMonoRet", default=None)
    biofuel: IbsOfBiofuel | None = child("gpBioDiferenca", default=None)


@group("gMonoPadrao")
class CbsByQuantity:
    """`gMonoPadrao` of the CBS: an amount per unit of measure."""

    quantity: Decimal = decimal("qBCMono", 4)
    unit_rate: Decimal = decimal("adRemCBS", 4)
    amount: Decimal = decimal("vCBSMono")


@group("gMonoReten")
class CbsWithholdingByQuantity:
    """`gMonoReten` of the CBS: what the seller withholds for the next one, per unit of measure."""

    quantity: Decimal = decimal("qBCMonoReten", 4)
    unit_rate: Decimal = decimal("adRemCBSReten", 4)
    amount: Decimal = decimal("vCBSMonoReten")


@group("gMonoPadrao")
class CbsByValue:
    """`gMonoPadrao` of the CBS: a percentage."""

    base: Decimal = decimal("vBCMono")
    rate: Decimal = decimal("pAliqMonoCBS", 4)
    amount: Decimal = decimal("vCBSMono")


@group("gMonoReten")
class CbsWithholdingByValue:
    """`gMonoReten` of the CBS: what the seller withholds for the next one, as a percentage."""

    base: Decimal = decimal("vBCMonoReten")
    rate: Decimal = decimal("pAliqMonoReten", 4)
    amount: Decimal = decimal("vCBSMonoReten")


@group("gMonoRet")
class CbsRetained:
    """`gMonoRet` of the CBS: what was charged earlier in the chain."""

    amount: Decimal = decimal("vCBSMonoRet")


@group("gpBioDiferenca")
class CbsOfBiofuel:
    """`gpBioDiferenca` of the CBS: biofuel in a mixture beyond or below the mandatory share."""

    quantity: Decimal = decimal("qBCBioComb", 4)
    amount: Decimal = decimal("vCBSDiferenca")


@group("gCBSMonoAdRem")
class SinglePhaseCbsByQuantity:
    """`gCBSMonoAdRem`: CBS per unit of measure."""

    standard: CbsByQuantity | None = child("gMonoPadrao", default=None)
    withholding: CbsWithholdingByQuantity | None = child("gMonoReten", default=None)
    retained: CbsRetained | None = child("gMonoRet", default=None)
    biofuel: CbsOfBiofuel | None = child("gpBioDiferenca", default=None)


@group("gCBSMonoAdValorem")
class SinglePhaseCbsByValue:
    """`gCBSMonoAdValorem`: CBS as a percentage."""

    standard: CbsByValue | None = child("gMonoPadrao", default=None)
    withholding: CbsWithholdingByValue | None = child("gMonoReten", default=None)
    retained: CbsRetained | None = child("gMonoRet", default=None)
    biofuel: CbsOfBiofuel | None = child("gpBioDiferenca", default=None)


@group("gIBSCBSMono")
class SinglePhase:
    """`gIBSCBSMono`: IBS and CBS of a fuel, each by quantity or by value (CST 620)."""

    ibs_by_quantity: SinglePhaseIbsByQuantity | None = child("gIBSMonoAdRem", default=None)
    ibs_by_value: SinglePhaseIbsByValue | None = child("gIBSMonoAdValorem", default=None)
    cbs_by_quantity: SinglePhaseCbsByQuantity | None = child("gCBSMonoAdRem", default=None)
    cbs_by_value: SinglePhaseCbsByValue | None = child("gCBSMonoAdValorem", default=None)
    ibs_amount: Decimal = decimal("vTotIBSMonoItem")
    cbs_amount: Decimal = decimal("vTotCBSMonoItem")
