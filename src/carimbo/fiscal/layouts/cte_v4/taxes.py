"""The taxes of a CT-e (`imp`): ICMS, the share of the state where the service ends, IBS and CBS."""

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
from carimbo.fiscal.layouts.group import INLINE, child, decimal, group, text, variant


@group("ICMS00")
class ServiceIcms00:
    """`ICMS00`: taxed in full."""

    cst: str = text("CST", 2, default="00")
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pICMS")
    amount: Decimal = decimal("vICMS")


@group("ICMS20")
class ServiceIcms20:
    """`ICMS20`: taxed on a reduced base."""

    cst: str = text("CST", 2, default="20")
    base_reduction: Decimal = decimal("pRedBC", may_be_zero=False)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pICMS")
    amount: Decimal = decimal("vICMS")
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    benefit_code: str | None = text("cBenef", 10, default=None)


@group("ICMS45")
class ServiceIcms45:
    """`ICMS45`: exempt (40), not taxed (41) or deferred (51)."""

    cst: str = text("CST", 2)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    benefit_code: str | None = text("cBenef", 10, default=None)


@group("ICMS60")
class ServiceIcms60:
    """`ICMS60`: withheld by the taker as a tax substitute."""

    cst: str = text("CST", 2, default="60")
    base: Decimal = decimal("vBCSTRet")
    amount: Decimal = decimal("vICMSSTRet")
    rate: Decimal = decimal("pICMSSTRet")
    credit_amount: Decimal | None = decimal("vCred", default=None)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    benefit_code: str | None = text("cBenef", 10, default=None)


@group("ICMS90")
class ServiceIcms90:
    """`ICMS90`: other situations."""

    cst: str = text("CST", 2, default="90")
    base_reduction: Decimal | None = decimal("pRedBC", default=None, may_be_zero=False)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pICMS")
    amount: Decimal = decimal("vICMS")
    credit_amount: Decimal | None = decimal("vCred", default=None)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    benefit_code: str | None = text("cBenef", 10, default=None)


@group("ICMSOutraUF")
class ServiceIcmsOfAnotherState:
    """`ICMSOutraUF`: due to the state where the service starts, which is not the issuer's."""

    cst: str = text("CST", 2, default="90")
    base_reduction: Decimal | None = decimal("pRedBCOutraUF", default=None, may_be_zero=False)
    base: Decimal = decimal("vBCOutraUF")
    rate: Decimal = decimal("pICMSOutraUF")
    amount: Decimal = decimal("vICMSOutraUF")
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    benefit_code: str | None = text("cBenef", 10, default=None)


@group("ICMSSN")
class ServiceIcmsOfSimples:
    """`ICMSSN`: paid within Simples Nacional."""

    cst: str = text("CST", 2, default="90")
    is_simples: str = text("indSN", 1, default="1")


ServiceIcms = (
    ServiceIcms00
    | ServiceIcms20
    | ServiceIcms45
    | ServiceIcms60
    | ServiceIcms90
    | ServiceIcmsOfAnotherState
    | ServiceIcmsOfSimples
)
"""The ICMS of a service; the CST and the place decide which group it is."""


@group("ICMSUFFim")
class EndStateShare:
    """`ICMSUFFim`: the share of the state where the service ends (EC 87/2015)."""

    base: Decimal = decimal("vBCUFFim")
    fcp_rate: Decimal = decimal("pFCPUFFim")
    internal_rate: Decimal = decimal("pICMSUFFim")
    interstate_rate: Decimal = decimal("pICMSInter")
    fcp_amount: Decimal = decimal("vFCPUFFim")
    destination_amount: Decimal = decimal("vICMSUFFim")
    origin_amount: Decimal = decimal("vICMSUFIni")


@group("gALCZFMCBS")
class ServiceFreeZoneCbs:
    """`gALCZFMCBS`: the CBS without the zero rate of a free trade area (LC 214/2025, arts. 451 and 466)."""

    rate: Decimal = decimal("pAliqEfetRegCBS", 4)
    amount: Decimal = decimal("vTribRegCBS")


@group("gCBS")
class ServiceCbs:
    """`gCBS`: the federal tax of the reform."""

    rate: Decimal = decimal("pCBS", 4)
    deferral: Deferral | None = child("gDif", default=None)
    refund: Refund | None = child("gDevTrib", default=None)
    reduction: RateReduction | None = child("gRed", default=None)
    free_zone: ServiceFreeZoneCbs | None = child("gALCZFMCBS", default=None)
    amount: Decimal = decimal("vCBS")


@group("gIBSCBS")
class ServiceTaxedByRate:
    """`gIBSCBS`: IBS and CBS as percentages of one base."""

    base: Decimal = decimal("vBC")
    state: StateIbs = child("gIBSUF")
    city: CityIbs = child("gIBSMun")
    ibs_amount: Decimal = decimal("vIBS")
    cbs: ServiceCbs = child("gCBS")
    regular_taxation: RegularTaxation | None = child("gTribRegular", default=None)
    government_purchase: GovernmentPurchaseTaxes | None = child("gTribCompraGov", default=None)


@group("IBSCBS")
class FreightIbsCbs:
    """`IBSCBS`: IBS and CBS of the service."""

    cst: str = text("CST", 3)
    tax_class: str = text("cClassTrib", 6, path="taxClassCode")
    is_donation: str | None = text("indDoacao", 1, default=None)
    """`1`, or absent."""
    by_rate: ServiceTaxedByRate | None = child("gIBSCBS", path=INLINE, default=None)
    credit_reversal: CreditReversal | None = child("gEstornoCred", default=None)


@group("imp")
class ServiceTaxes:
    """`imp`: the taxes on the service."""

    icms: ServiceIcms = variant("ICMS")
    approximate_taxes: Decimal | None = decimal("vTotTrib", default=None)
    authority_notes: str | None = text("infAdFisco", 2000, default=None)
    state_share: EndStateShare | None = child("ICMSUFFim", default=None)
    ibs_cbs: FreightIbsCbs | None = child("IBSCBS", default=None)
    total: Decimal | None = decimal("vTotDFe", path="serviceAmount", default=None)
