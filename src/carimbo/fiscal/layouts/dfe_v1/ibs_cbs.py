"""IBS and CBS in the groups that all SEFAZ documents share (DFeTiposBasicos_v1.00; LC 214/2025)."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import child, decimal, group, text


@group("gDif")
class Deferral:
    """`gDif`: the deferred part of a tax."""

    rate: Decimal = decimal("pDif", 4)
    amount: Decimal = decimal("vDif")


@group("gDevTrib")
class Refund:
    """`gDevTrib`: the part of a tax that is refunded to the buyer (LC 214/2025, art. 118)."""

    rate: Decimal | None = decimal("pDevTrib", 4, default=None)
    amount: Decimal = decimal("vDevTrib")


@group("gRed")
class RateReduction:
    """`gRed`: the reduction of a rate, and the effective rate."""

    rate: Decimal = decimal("pRedAliq", 4)
    effective_rate: Decimal = decimal("pAliqEfet", 4)


@group("gIBSUF")
class StateIbs:
    """`gIBSUF`: the state's share of the IBS."""

    rate: Decimal = decimal("pIBSUF", 4)
    deferral: Deferral | None = child("gDif", default=None)
    refund: Refund | None = child("gDevTrib", default=None)
    reduction: RateReduction | None = child("gRed", default=None)
    amount: Decimal = decimal("vIBSUF")


@group("gIBSMun")
class CityIbs:
    """`gIBSMun`: the municipality's share of the IBS."""

    rate: Decimal = decimal("pIBSMun", 4)
    deferral: Deferral | None = child("gDif", default=None)
    refund: Refund | None = child("gDevTrib", default=None)
    reduction: RateReduction | None = child("gRed", default=None)
    amount: Decimal = decimal("vIBSMun")


@group("gTribRegular")
class RegularTaxation:
    """`gTribRegular`: the taxes due if the condition of a suspended or special taxation is not met."""

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


@group("gEstornoCred")
class CreditReversal:
    """`gEstornoCred`: credits reversed by the issuer, of an item or of the whole document."""

    ibs_amount: Decimal = decimal("vIBSEstCred")
    cbs_amount: Decimal = decimal("vCBSEstCred")
