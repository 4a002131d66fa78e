"""IBS and CBS, the taxes of the reform, and the selective tax of an item (NT 2025.002, LC 214/2025)."""

from decimal import Decimal

from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import (
    CityIbs,
    CreditReversal,
    Deferral,
    GovernmentPurchaseTaxes,
    RateReduction,
    Refund,
    RegularTaxation,
    StateIbs,
)
from carimbo.fiscal.layouts.group import INLINE, child, decimal, group, text


@group("gMonoPadrao")
class IbsByQuantity:
    """`gMonoPadrao` of the IBS: an amount per unit of measure."""

    quantity: Decimal = decimal("qBCMono", 4)
    unit_rate: Decimal = decimal("adRemIBS", 4)
    amount: Decimal = decimal("vIBSMono")


@group("gMonoReten")
class IbsWithholdingByQuantity:
    """`gMonoReten` of the IBS: the tax withheld for the next seller, per unit of measure."""

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
    """`gMonoReten` of the IBS: the tax withheld for the next seller, as a percentage."""

    base: Decimal = decimal("vBCMonoReten")
    rate: Decimal = decimal("pAliqMonoReten", 4)
    amount: Decimal = decimal("vIBSMonoReten")


@group("gMonoRet")
class IbsRetained:
    """`gMonoRet` of the IBS: the tax charged earlier in the chain."""

    amount: Decimal = decimal("vIBSMonoRet")


@group("gpBioDiferenca")
class IbsOfBiofuel:
    """`gpBioDiferenca` of the IBS: biofuel in a mixture above or below the mandatory share."""

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
    """`gMonoReten` of the CBS: the tax withheld for the next seller, per unit of measure."""

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
    """`gMonoReten` of the CBS: the tax withheld for the next seller, as a percentage."""

    base: Decimal = decimal("vBCMonoReten")
    rate: Decimal = decimal("pAliqMonoReten", 4)
    amount: Decimal = decimal("vCBSMonoReten")


@group("gMonoRet")
class CbsRetained:
    """`gMonoRet` of the CBS: the tax charged earlier in the chain."""

    amount: Decimal = decimal("vCBSMonoRet")


@group("gpBioDiferenca")
class CbsOfBiofuel:
    """`gpBioDiferenca` of the CBS: biofuel in a mixture above or below the mandatory share."""

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


@group("gALCZFMCBS")
class FreeZoneCbs:
    """`gALCZFMCBS`: the CBS without the zero rate of a free trade area (LC 214/2025, arts. 451 and 466)."""

    kind: str = text("tpALCZFMCBS", 1)
    suframa_process: str | None = text("nProcSuframa", 12, default=None)
    rate: Decimal = decimal("pAliqEfetRegCBS", 4)
    amount: Decimal = decimal("vTribRegCBS")


@group("gCBS")
class Cbs:
    """`gCBS`: the federal tax of the reform."""

    rate: Decimal = decimal("pCBS", 4)
    deferral: Deferral | None = child("gDif", default=None)
    refund: Refund | None = child("gDevTrib", default=None)
    reduction: RateReduction | None = child("gRed", default=None)
    free_zone: FreeZoneCbs | None = child("gALCZFMCBS", default=None)
    amount: Decimal = decimal("vCBS")


@group("gIBSCBS")
class TaxedByRate:
    """`gIBSCBS`: IBS and CBS as percentages of one base, the taxation of most goods."""

    base: Decimal = decimal("vBC")
    state: StateIbs = child("gIBSUF")
    city: CityIbs = child("gIBSMun")
    ibs_amount: Decimal = decimal("vIBS")
    cbs: Cbs = child("gCBS")
    regular_taxation: RegularTaxation | None = child("gTribRegular", default=None)
    government_purchase: GovernmentPurchaseTaxes | None = child("gTribCompraGov", default=None)


@group("gTransfCred")
class CreditTransfer:
    """`gTransfCred`: credits transferred to another taxpayer (CST 800)."""

    ibs_amount: Decimal = decimal("vIBS")
    cbs_amount: Decimal = decimal("vCBS")


@group("gAjusteCompet")
class PeriodAdjustment:
    """`gAjusteCompet`: the tax of another period, corrected by this document (CST 811)."""

    period: str = text("competApur", 7)
    """Year and month, `2026-11`."""
    ibs_amount: Decimal = decimal("vIBS")
    cbs_amount: Decimal = decimal("vCBS")


@group("gIBSCredPres")
class PresumedCredit:
    """`gIBSCredPres`, `gCBSCredPres`: a presumed credit of one of the taxes, at once or under a condition."""

    rate: Decimal = decimal("pCredPres", 4)
    amount: Decimal | None = decimal("vCredPres", default=None)
    conditional_amount: Decimal | None = decimal("vCredPresCondSus", default=None)


@group("gCredPresOper")
class OperationCredit:
    """`gCredPresOper`: presumed credits of the operation."""

    base: Decimal = decimal("vBCCredPres")
    code: str = text("cCredPres", 2)
    ibs: PresumedCredit | None = child("gIBSCredPres", default=None)
    cbs: PresumedCredit | None = child("gCBSCredPres", default=None)


@group("gCredPresIBSZFM")
class FreeZoneCredit:
    """`gCredPresIBSZFM`: presumed IBS credit of the Zona Franca de Manaus (LC 214/2025, art. 450)."""

    period: str = text("competApur", 7)
    """Year and month, `2026-11`."""
    kind: str = text("tpCredPresIBSZFM", 1)
    amount: Decimal = decimal("vCredPresIBSZFM")


@group("IBSCBS")
class IbsCbs:
    """`IBSCBS`: IBS and CBS of an item; the CST decides which group it contains."""

    cst: str = text("CST", 3)
    tax_class: str = text("cClassTrib", 6, path="taxClassCode")
    is_donation: str | None = text("indDoacao", 1, default=None)
    """`1`, or absent."""
    by_rate: TaxedByRate | None = child("gIBSCBS", path=INLINE, default=None)
    single_phase: SinglePhase | None = child("gIBSCBSMono", default=None)
    credit_transfer: CreditTransfer | None = child("gTransfCred", default=None)
    period_adjustment: PeriodAdjustment | None = child("gAjusteCompet", default=None)
    credit_reversal: CreditReversal | None = child("gEstornoCred", default=None)
    operation_credit: OperationCredit | None = child("gCredPresOper", default=None)
    free_zone_credit: FreeZoneCredit | None = child("gCredPresIBSZFM", default=None)


@group("IS")
class SelectiveTax:
    """`IS`: the selective tax on goods harmful to health or environment, by value, by quantity or both."""

    cst: str = text("CSTIS", 3)
    tax_class: str = text("cClassTribIS", 6, path="taxClassCode")
    base: Decimal | None = decimal("vBCIS", default=None)
    rate: Decimal | None = decimal("pIS", 4, default=None)
    unit_rate: Decimal | None = decimal("adRemIS", 4, default=None)
    unit: str | None = text("uTrib", 6, default=None)
    quantity: Decimal | None = decimal("qTrib", 4, default=None)
    amount: Decimal | None = decimal("vIS", default=None)
