"""Totals of a document: the sums of its items (MOC 7.0, group W; NT 2025.002)."""

from decimal import Decimal

from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CreditReversal
from carimbo.fiscal.layouts.group import INLINE, child, decimal, group


@group("ICMSTot")
class InvoiceTotals:
    """`ICMSTot`: ICMS and, in spite of its name, all other parts of the document's amount."""

    icms_base: Decimal = decimal("vBC")
    icms_amount: Decimal = decimal("vICMS")
    exempted_amount: Decimal = decimal("vICMSDeson")
    destination_fcp_amount: Decimal | None = decimal("vFCPUFDest", default=None)
    destination_amount: Decimal | None = decimal("vICMSUFDest", default=None)
    origin_amount: Decimal | None = decimal("vICMSUFRemet", default=None)
    fcp_amount: Decimal = decimal("vFCP")
    st_base: Decimal = decimal("vBCST")
    st_amount: Decimal = decimal("vST")
    st_fcp_amount: Decimal = decimal("vFCPST")
    retained_fcp_amount: Decimal = decimal("vFCPSTRet")
    single_phase_quantity: Decimal | None = decimal("qBCMono", default=None)
    single_phase_amount: Decimal | None = decimal("vICMSMono", default=None)
    single_phase_withholding_quantity: Decimal | None = decimal("qBCMonoReten", default=None)
    single_phase_withholding_amount: Decimal | None = decimal("vICMSMonoReten", default=None)
    single_phase_retained_quantity: Decimal | None = decimal("qBCMonoRet", default=None)
    single_phase_retained_amount: Decimal | None = decimal("vICMSMonoRet", default=None)
    goods_amount: Decimal = decimal("vProd")
    freight: Decimal = decimal("vFrete")
    insurance: Decimal = decimal("vSeg")
    discount: Decimal = decimal("vDesc")
    import_tax_amount: Decimal = decimal("vII")
    ipi_amount: Decimal = decimal("vIPI")
    returned_ipi_amount: Decimal = decimal("vIPIDevol")
    pis_amount: Decimal = decimal("vPIS")
    cofins_amount: Decimal = decimal("vCOFINS")
    other: Decimal = decimal("vOutro")
    amount: Decimal = decimal("vNF")
    approximate_taxes: Decimal | None = decimal("vTotTrib", default=None)


@group("retTrib")
class WithheldTaxes:
    """`retTrib`: federal taxes that the buyer withholds and pays for the issuer."""

    pis_amount: Decimal | None = decimal("vRetPIS", default=None, may_be_zero=False)
    cofins_amount: Decimal | None = decimal("vRetCOFINS", default=None, may_be_zero=False)
    csll_amount: Decimal | None = decimal("vRetCSLL", default=None, may_be_zero=False)
    income_tax_base: Decimal | None = decimal("vBCIRRF", default=None, may_be_zero=False)
    income_tax_amount: Decimal | None = decimal("vIRRF", default=None, may_be_zero=False)
    social_security_base: Decimal | None = decimal("vBCRetPrev", default=None, may_be_zero=False)
    social_security_amount: Decimal | None = decimal("vRetPrev", default=None, may_be_zero=False)


@group("ISTot")
class SelectiveTaxTotals:
    """`ISTot`: the selective tax of all items."""

    amount: Decimal = decimal("vIS")


@group("gIBSUF")
class StateIbsTotals:
    """`gIBSUF`: the states' share of the IBS of all items."""

    deferred_amount: Decimal = decimal("vDif")
    refunded_amount: Decimal = decimal("vDevTrib")
    amount: Decimal = decimal("vIBSUF")


@group("gIBSMun")
class CityIbsTotals:
    """`gIBSMun`: the municipalities' share of the IBS of all items."""

    deferred_amount: Decimal = decimal("vDif")
    refunded_amount: Decimal = decimal("vDevTrib")
    amount: Decimal = decimal("vIBSMun")


@group("gIBS")
class IbsTotals:
    """`gIBS`: IBS of all items except single-phase ones."""

    state: StateIbsTotals = child("gIBSUF")
    city: CityIbsTotals = child("gIBSMun")
    amount: Decimal = decimal("vIBS")
    presumed_credit: Decimal = decimal("vCredPres")
    conditional_presumed_credit: Decimal = decimal("vCredPresCondSus")


@group("gCBS")
class CbsTotals:
    """`gCBS`: CBS of all items except single-phase ones."""

    deferred_amount: Decimal = decimal("vDif")
    refunded_amount: Decimal = decimal("vDevTrib")
    amount: Decimal = decimal("vCBS")
    presumed_credit: Decimal = decimal("vCredPres")
    conditional_presumed_credit: Decimal = decimal("vCredPresCondSus")


@group("gMono")
class SinglePhaseTotals:
    """`gMono`: IBS and CBS of the fuels among the items."""

    ibs_amount: Decimal = decimal("vIBSMono")
    cbs_amount: Decimal = decimal("vCBSMono")
    ibs_withholding_amount: Decimal = decimal("vIBSMonoReten")
    cbs_withholding_amount: Decimal = decimal("vCBSMonoReten")
    ibs_retained_amount: Decimal = decimal("vIBSMonoRet")
    cbs_retained_amount: Decimal = decimal("vCBSMonoRet")


@group("IBSCBSTot")
class IbsCbsTotals:
    """`IBSCBSTot`: IBS and CBS of all items; present if any item has them (cStat 1118, 1119)."""

    base: Decimal = decimal("vBCIBSCBS")
    ibs: IbsTotals | None = child("gIBS", default=None)
    cbs: CbsTotals | None = child("gCBS", default=None)
    single_phase: SinglePhaseTotals | None = child("gMono", default=None)
    credit_reversal: CreditReversal | None = child("gEstornoCred", default=None)


@group("total")
class Totals:
    """`total`: the document's amounts, with and without IBS and CBS."""

    invoice: InvoiceTotals = child("ICMSTot", path=INLINE)
    withheld_taxes: WithheldTaxes | None = child("retTrib", path="/withheldTaxes", default=None)
    selective_tax: SelectiveTaxTotals | None = child("ISTot", default=None)
    ibs_cbs: IbsCbsTotals | None = child("IBSCBSTot", default=None)
    amount_with_reform_taxes: Decimal | None = decimal("vNFTot", default=None)
