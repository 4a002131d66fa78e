"""ICMS of an item under the normal regime, and the union of all groups of ICMS.

The groups 02, 15, 53 and 61 are of fuels, which are charged once in the whole chain by an amount per unit
(Convênios ICMS 199/2022, 15/2023).

A field name has the same meaning in every group, so one flat object of the caller can fill any of them.
"""

from decimal import Decimal

from carimbo.fiscal.layouts.group import decimal, group, text
from carimbo.fiscal.layouts.nfe_v4.icms_simples import (
    IcmsSn101,
    IcmsSn102,
    IcmsSn201,
    IcmsSn202,
    IcmsSn500,
    IcmsSn900,
)


@group("ICMS02")
class Icms02:
    """`ICMS02`: single-phase tax of the producer or importer."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="02")
    single_phase_quantity: Decimal | None = decimal("qBCMono", 4, default=None)
    single_phase_rate: Decimal = decimal("adRemICMS", 4)
    single_phase_amount: Decimal = decimal("vICMSMono")


@group("ICMS15")
class Icms15:
    """`ICMS15`: single-phase tax of the seller, and tax withheld for others."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="15")
    single_phase_quantity: Decimal | None = decimal("qBCMono", 4, default=None)
    single_phase_rate: Decimal = decimal("adRemICMS", 4)
    single_phase_amount: Decimal = decimal("vICMSMono")
    single_phase_withholding_quantity: Decimal | None = decimal("qBCMonoReten", 4, default=None)
    single_phase_withholding_rate: Decimal = decimal("adRemICMSReten", 4)
    single_phase_withholding_amount: Decimal = decimal("vICMSMonoReten")
    single_phase_rate_reduction: Decimal | None = decimal("pRedAdRem", default=None)
    single_phase_rate_reduction_reason: str | None = text("motRedAdRem", 1, default=None)


@group("ICMS53")
class Icms53:
    """`ICMS53`: single-phase tax, deferred."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="53")
    single_phase_quantity: Decimal | None = decimal("qBCMono", 4, default=None)
    single_phase_rate: Decimal | None = decimal("adRemICMS", 4, default=None)
    single_phase_operation_amount: Decimal | None = decimal("vICMSMonoOp", default=None)
    deferral_rate: Decimal | None = decimal("pDif", 4, default=None)
    single_phase_deferral_amount: Decimal | None = decimal("vICMSMonoDif", default=None)
    single_phase_amount: Decimal | None = decimal("vICMSMono", default=None)
    single_phase_deferral_quantity: Decimal | None = decimal("qBCMonoDif", 4, default=None)
    single_phase_deferral_rate: Decimal | None = decimal("adRemICMSDif", 4, default=None)


@group("ICMS61")
class Icms61:
    """`ICMS61`: single-phase tax, charged earlier."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="61")
    single_phase_retained_quantity: Decimal | None = decimal("qBCMonoRet", 4, default=None)
    single_phase_retained_rate: Decimal = decimal("adRemICMSRet", 4)
    single_phase_retained_amount: Decimal = decimal("vICMSMonoRet")


@group("ICMS00")
class Icms00:
    """`ICMS00`: taxed in full."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="00")
    base_mode: str = text("modBC", 1)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pICMS", 4)
    amount: Decimal = decimal("vICMS")
    fcp_rate: Decimal | None = decimal("pFCP", 4, default=None)
    fcp_amount: Decimal | None = decimal("vFCP", default=None)


@group("ICMS10")
class Icms10:
    """`ICMS10`: taxed, with the tax of later sales charged by substitution."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="10")
    base_mode: str = text("modBC", 1)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pICMS", 4)
    amount: Decimal = decimal("vICMS")
    fcp_base: Decimal | None = decimal("vBCFCP", default=None)
    fcp_rate: Decimal | None = decimal("pFCP", 4, default=None)
    fcp_amount: Decimal | None = decimal("vFCP", default=None)
    st_base_mode: str = text("modBCST", 1)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal = decimal("vBCST")
    st_rate: Decimal = decimal("pICMSST", 4)
    st_amount: Decimal = decimal("vICMSST")
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)
    st_exempted_amount: Decimal | None = decimal("vICMSSTDeson", default=None)
    st_exemption_reason: str | None = text("motDesICMSST", 2, default=None)


@group("ICMS20")
class Icms20:
    """`ICMS20`: taxed on a reduced base."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="20")
    base_mode: str = text("modBC", 1)
    base_reduction: Decimal = decimal("pRedBC", 4)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pICMS", 4)
    amount: Decimal = decimal("vICMS")
    fcp_base: Decimal | None = decimal("vBCFCP", default=None)
    fcp_rate: Decimal | None = decimal("pFCP", 4, default=None)
    fcp_amount: Decimal | None = decimal("vFCP", default=None)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    exemption_reason: str | None = text("motDesICMS", 2, default=None)
    exemption_is_deducted: str | None = text("indDeduzDeson", 1, default=None)


@group("ICMS30")
class Icms30:
    """`ICMS30`: exempt or not taxed, with the tax of later sales charged by substitution."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="30")
    st_base_mode: str = text("modBCST", 1)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal = decimal("vBCST")
    st_rate: Decimal = decimal("pICMSST", 4)
    st_amount: Decimal = decimal("vICMSST")
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    exemption_reason: str | None = text("motDesICMS", 1, default=None)
    exemption_is_deducted: str | None = text("indDeduzDeson", 1, default=None)


@group("ICMS40")
class Icms40:
    """`ICMS40`: exempt (40), not taxed (41) or suspended (50)."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    exemption_reason: str | None = text("motDesICMS", 2, default=None)
    exemption_is_deducted: str | None = text("indDeduzDeson", 1, default=None)


@group("ICMS51")
class Icms51:
    """`ICMS51`: deferred in whole or in part; the state decides which fields are filled."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="51")
    base_mode: str | None = text("modBC", 1, default=None)
    base_reduction: Decimal | None = decimal("pRedBC", 4, default=None)
    base_reduction_benefit_code: str | None = text("cBenefRBC", 10, default=None)
    base: Decimal | None = decimal("vBC", default=None)
    rate: Decimal | None = decimal("pICMS", 4, default=None)
    operation_amount: Decimal | None = decimal("vICMSOp", default=None)
    deferral_rate: Decimal | None = decimal("pDif", 4, default=None)
    deferral_amount: Decimal | None = decimal("vICMSDif", default=None)
    amount: Decimal | None = decimal("vICMS", default=None)
    fcp_base: Decimal | None = decimal("vBCFCP", default=None)
    fcp_rate: Decimal | None = decimal("pFCP", 4, default=None)
    fcp_amount: Decimal | None = decimal("vFCP", default=None)
    fcp_deferral_rate: Decimal | None = decimal("pFCPDif", 4, default=None)
    fcp_deferral_amount: Decimal | None = decimal("vFCPDif", default=None)
    effective_fcp_amount: Decimal | None = decimal("vFCPEfet", default=None)


@group("ICMS60")
class Icms60:
    """`ICMS60`: charged earlier by substitution."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="60")
    retained_base: Decimal | None = decimal("vBCSTRet", default=None)
    retained_rate: Decimal | None = decimal("pST", 4, default=None)
    substitute_amount: Decimal | None = decimal("vICMSSubstituto", default=None)
    retained_amount: Decimal | None = decimal("vICMSSTRet", default=None)
    retained_fcp_base: Decimal | None = decimal("vBCFCPSTRet", default=None)
    retained_fcp_rate: Decimal | None = decimal("pFCPSTRet", 4, default=None)
    retained_fcp_amount: Decimal | None = decimal("vFCPSTRet", default=None)
    effective_base_reduction: Decimal | None = decimal("pRedBCEfet", 4, default=None)
    effective_base: Decimal | None = decimal("vBCEfet", default=None)
    effective_rate: Decimal | None = decimal("pICMSEfet", 4, default=None)
    effective_amount: Decimal | None = decimal("vICMSEfet", default=None)


@group("ICMS70")
class Icms70:
    """`ICMS70`: taxed on a reduced base, with the tax of later sales charged by substitution."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="70")
    base_mode: str = text("modBC", 1)
    base_reduction: Decimal = decimal("pRedBC", 4)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pICMS", 4)
    amount: Decimal = decimal("vICMS")
    fcp_base: Decimal | None = decimal("vBCFCP", default=None)
    fcp_rate: Decimal | None = decimal("pFCP", 4, default=None)
    fcp_amount: Decimal | None = decimal("vFCP", default=None)
    st_base_mode: str = text("modBCST", 1)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal = decimal("vBCST")
    st_rate: Decimal = decimal("pICMSST", 4)
    st_amount: Decimal = decimal("vICMSST")
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    exemption_reason: str | None = text("motDesICMS", 2, default=None)
    exemption_is_deducted: str | None = text("indDeduzDeson", 1, default=None)
    st_exempted_amount: Decimal | None = decimal("vICMSSTDeson", default=None)
    st_exemption_reason: str | None = text("motDesICMSST", 2, default=None)


@group("ICMS90")
class Icms90:
    """`ICMS90`: any other taxation."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="90")
    base_mode: str | None = text("modBC", 1, default=None)
    base: Decimal | None = decimal("vBC", default=None)
    base_reduction: Decimal | None = decimal("pRedBC", 4, default=None)
    base_reduction_benefit_code: str | None = text("cBenefRBC", 10, default=None)
    rate: Decimal | None = decimal("pICMS", 4, default=None)
    operation_amount: Decimal | None = decimal("vICMSOp", default=None)
    deferral_rate: Decimal | None = decimal("pDif", 4, default=None)
    deferral_amount: Decimal | None = decimal("vICMSDif", default=None)
    amount: Decimal | None = decimal("vICMS", default=None)
    fcp_base: Decimal | None = decimal("vBCFCP", default=None)
    fcp_rate: Decimal | None = decimal("pFCP", 4, default=None)
    fcp_amount: Decimal | None = decimal("vFCP", default=None)
    fcp_deferral_rate: Decimal | None = decimal("pFCPDif", 4, default=None)
    fcp_deferral_amount: Decimal | None = decimal("vFCPDif", default=None)
    effective_fcp_amount: Decimal | None = decimal("vFCPEfet", default=None)
    st_base_mode: str | None = text("modBCST", 1, default=None)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal | None = decimal("vBCST", default=None)
    st_rate: Decimal | None = decimal("pICMSST", 4, default=None)
    st_amount: Decimal | None = decimal("vICMSST", default=None)
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    exemption_reason: str | None = text("motDesICMS", 2, default=None)
    exemption_is_deducted: str | None = text("indDeduzDeson", 1, default=None)
    st_exempted_amount: Decimal | None = decimal("vICMSSTDeson", default=None)
    st_exemption_reason: str | None = text("motDesICMSST", 2, default=None)


@group("ICMSPart")
class IcmsPart:
    """`ICMSPart`: shared between the state of origin and the state of destination or of the law."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2)
    base_mode: str = text("modBC", 1)
    base: Decimal = decimal("vBC")
    base_reduction: Decimal | None = decimal("pRedBC", 4, default=None)
    rate: Decimal = decimal("pICMS", 4)
    amount: Decimal = decimal("vICMS")
    st_base_mode: str = text("modBCST", 1)
    st_mva: Decimal | None = decimal("pMVAST", 4, default=None)
    st_base_reduction: Decimal | None = decimal("pRedBCST", 4, default=None)
    st_base: Decimal = decimal("vBCST")
    st_rate: Decimal = decimal("pICMSST", 4)
    st_amount: Decimal = decimal("vICMSST")
    st_fcp_base: Decimal | None = decimal("vBCFCPST", default=None)
    st_fcp_rate: Decimal | None = decimal("pFCPST", 4, default=None)
    st_fcp_amount: Decimal | None = decimal("vFCPST", default=None)
    operation_base_share: Decimal = decimal("pBCOp", 4)
    st_state: str = text("UFST", 2)
    exempted_amount: Decimal | None = decimal("vICMSDeson", default=None)
    exemption_reason: str | None = text("motDesICMS", 2, default=None)
    exemption_is_deducted: str | None = text("indDeduzDeson", 1, default=None)


@group("ICMSST")
class IcmsSt:
    """`ICMSST`: retained by substitution in the state of origin and due to that of destination."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2)
    retained_base: Decimal = decimal("vBCSTRet")
    retained_rate: Decimal | None = decimal("pST", 4, default=None)
    substitute_amount: Decimal | None = decimal("vICMSSubstituto", default=None)
    retained_amount: Decimal = decimal("vICMSSTRet")
    retained_fcp_base: Decimal | None = decimal("vBCFCPSTRet", default=None)
    retained_fcp_rate: Decimal | None = decimal("pFCPSTRet", 4, default=None)
    retained_fcp_amount: Decimal | None = decimal("vFCPSTRet", default=None)
    st_destination_base: Decimal = decimal("vBCSTDest")
    st_destination_amount: Decimal = decimal("vICMSSTDest")
    effective_base_reduction: Decimal | None = decimal("pRedBCEfet", 4, default=None)
    effective_base: Decimal | None = decimal("vBCEfet", default=None)
    effective_rate: Decimal | None = decimal("pICMSEfet", 4, default=None)
    effective_amount: Decimal | None = decimal("vICMSEfet", default=None)


Icms = (
    Icms00
    | Icms02
    | Icms10
    | Icms15
    | Icms20
    | Icms30
    | Icms40
    | Icms51
    | Icms53
    | Icms60
    | Icms61
    | Icms70
    | Icms90
    | IcmsPart
    | IcmsSt
    | IcmsSn101
    | IcmsSn102
    | IcmsSn201
    | IcmsSn202
    | IcmsSn500
    | IcmsSn900
)
"""`ICMS`: the group that fits the `cst` or `csosn` of the item."""
