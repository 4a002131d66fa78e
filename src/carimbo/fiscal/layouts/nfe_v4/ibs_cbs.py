"""IBS and CBS, the taxes of the reform, and the selective tax of an item (NT 2025.002, LC 214/2025)."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import INLINE, child, decimal, group, text
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs_single_phase import SinglePhase


@group("gDif")
class Deferral:
    """`gDif`: the part of a tax that is paid later."""

    rate: Decimal = decimal("pDif", 4)
    amount: Decimal = decimal("vDif")


@group("gDevTrib")
class Refund:
    """`gDevTrib`: the part of a tax that goes back to the buyer (LC 214/2025, art. 118)."""

    rate: Decimal | None = decimal("pDevTrib", 4, default=None)
    amount: Decimal = decimal("vDevTrib")


@group("gRed")
class RateReduction:
    """`gRed`: what the law takes off a rate, and the rate that is left."""

    rate: Decimal = decimal("pRedAliq", 4)
    effective_rate: Decimal = decimal("pAliqEfet", 4)


@group("gIBSUF")
class StateIbs:
    """`gIBSUF`: the share of the IBS that belongs to the state."""

    rate: Decimal = decimal("pIBSUF", 4)
    deferral: Deferral | None = child("gDif", default=None)
    refund: Refund | None = child("gDevTrib", default=None)
    reduction: RateReduction | None = child("gRed", default=None)
    amount: Decimal = decimal("vIBSUF")


@group("gIBSMun")
class CityIbs:
    """`gIBSMun`: the share of the IBS that belongs to the municipality."""

    rate: Decimal = decimal("pIBSMun", 4)
    deferral: Deferral | None = child("gDif", default=None)
    refund: Refund | None = child("gDevTrib", default=None)
    reduction: RateReduction | None = child("gRed", default=None)
    amount: Decimal = decimal("vIBSMun")


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


@group("gTribRegular")
class RegularTaxation:
    """`gTribRegular`: what is due if the condition of a suspended or special taxation is not met."""

    cst: str = text("CSTReg", 3)
    tax_class: str = text("cClassTribReg", 6, path="taxClassCode")
    state_rate: Decimal = decimal("pAliqEfetRegIBSUF", 4)
    state_amount: Decimal = decimal("vTribRegIBSUF")
    city_rate: Decimal = decimal("pAliqEfetRegIBSMun", 4)
    city_amount: Decimal = decimal("vTribRegIBSMun")
    cbs_rate: Decimal = decimal("pAliqEfetRegCBS", 4)
    cbs_amount: Decimal = decimal("vTribRegCBS")


@group("gTribCompraGov")
class GovernmentPurchaseTaxes:
    """`gTribCompraGov`: IBS and CBS without the rules for government buyers (LC 214/2025, art. 473)."""

    state_rate: Decimal = decimal("pAliqIBSUF", 4)
    state_amount: Decimal = decimal("vTribIBSUF")
    city_rate: Decimal = decimal("pAliqIBSMun", 4)
    city_amount: Decimal = decimal("vTribIBSMun")
    cbs_rate: Decimal = decimal("pAliqCBS", 4)
    cbs_amount: Decimal = decimal("vTribCBS")


@group("gIBSCBS")
class TaxedByRate:
    """`gIBSCBS`: IBS and CBS as percentages of one base, which is how most goods are taxed."""

    base: Decimal = decimal("vBC")
    state: StateIbs = child("gIBSUF")
    city: CityIbs = child("gIBSMun")
    ibs_amount: Decimal = decimal("vIBS")
    cbs: Cbs = child("gCBS")
    regular_taxation: RegularTaxation | None = child("gTribRegular", default=None)
    government_purchase: GovernmentPurchaseTaxes | None = child("gTribCompraGov", default=None)


@group("gTransfCred")
class CreditTransfer:
    """`gTransfCred`: credits that go over to another taxpayer (CST 800)."""

    ibs_amount: Decimal = decimal("vIBS")
    cbs_amount: Decimal = decimal("vCBS")


@group("gAjusteCompet")
class PeriodAdjustment:
    """`gAjusteCompet`: tax of another period that this document corrects (CST 811)."""

    period: str = text("competApur", 7)
    """Year and month, `2026-11`."""
    ibs_amount: Decimal = decimal("vIBS")
    cbs_amount: Decimal = decimal("vCBS")


@group("gEstornoCred")
class CreditReversal:
    """`gEstornoCred`: credits that the issuer gives back, of an item or of the whole document."""

    ibs_amount: Decimal = decimal("vIBSEstCred")
    cbs_amount: Decimal = decimal("vCBSEstCred")


@group("gIBSCredPres")
class PresumedCredit:
    """`gIBSCredPres`, `gCBSCredPres`: a presumed credit of one of the taxes, at once or under a condition."""

    rate: Decimal = decimal("pCredPres", 4)
    amount: Decimal | None = decimal("vCredPres", default=None)
    conditional_amount: Decimal | None = decimal("vCredPresCondSus", default=None)


@group("gCredPresOper")
class OperationCredit:
    """`gCredPresOper`: presumed credits that the operation gives."""

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
    """`IBSCBS`: how an item is taxed by IBS and CBS; its CST decides which of the groups stands in it."""

    cst: str = text("CST", 3)
    tax_class: str = text("cClassTrib", 6, path="taxClassCode")
    is_donation: str | None = text("indDoacao", 1, default=None)
    """`1`, or nothing at all."""
    by_rate: TaxedByRate | None = child("gIBSCBS", path=INLINE, default=None)
    single_phase: SinglePhase | None = child("gIBSCBSMono", default=None)
    credit_transfer: CreditTransfer | None = child("gTransfCred", default=None)
    period_adjustment: PeriodAdjustment | None = child("gAjusteCompet", default=None)
    credit_reversal: CreditReversal | None = child("gEstornoCred", default=None)
    operation_credit: OperationCredit | None = child("gCredPresOper", default=None)
    free_zone_credit: FreeZoneCredit | None = child("gCredPresIBSZFM", default=None)


@group("IS")
class SelectiveTax:
    """`IS`: the tax on goods that harm health or environment, by value, by quantity or both."""

    cst: str = text("CSTIS", 3)
    tax_class: str = text("cClassTribIS", 6, path="taxClassCode")
    base: Decimal | None = decimal("vBCIS", default=None)
    rate: Decimal | None = decimal("pIS", 4, default=None)
    unit_rate: Decimal | None = decimal("adRemIS", 4, default=None)
    unit: str | None = text("uTrib", 6, default=None)
    quantity: Decimal | None = decimal("qTrib", 4, default=None)
    amount: Decimal | None = decimal("vIS", default=None)
