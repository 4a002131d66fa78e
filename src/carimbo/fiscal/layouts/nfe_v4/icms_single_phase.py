"""ICMS of fuels, charged once in the whole chain by an amount per unit (Convênios ICMS 199/2022, 15/2023)."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import decimal, group, text


@group("ICMS02")
class Icms02:
    """`ICMS02`: own tax of the producer or importer."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="02")
    single_phase_quantity: Decimal | None = decimal("qBCMono", 4, default=None)
    single_phase_rate: Decimal = decimal("adRemICMS", 4)
    single_phase_amount: Decimal = decimal("vICMSMono")


@group("ICMS15")
class Icms15:
    """`ICMS15`: own tax, and tax withheld for others."""

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
    """`ICMS53`: payment deferred."""

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
    """`ICMS61`: charged earlier."""

    origin: str = text("orig", 1)
    cst: str = text("CST", 2, default="61")
    single_phase_retained_quantity: Decimal | None = decimal("qBCMonoRet", 4, default=None)
    single_phase_retained_rate: Decimal = decimal("adRemICMSRet", 4)
    single_phase_retained_amount: Decimal = decimal("vICMSMonoRet")
