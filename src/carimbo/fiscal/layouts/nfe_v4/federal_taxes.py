"""Taxes of an item besides ICMS: IPI, import tax, PIS, COFINS, and the share of the buyer's state.

A field name has the same meaning in every group of a tax, so one flat object of the caller can fill any of
them: `rate` is a percentage of `base`, `unit_rate` is an amount in reais for each unit of `quantity`.
"""

from decimal import Decimal

from carimbo.fiscal.layouts.group import INLINE, child, decimal, group, integer, text, variant


@group("IPITrib")
class IpiTaxed:
    """`IPITrib`: IPI due by a percentage or by an amount per unit."""

    cst: str = text("CST", 2)
    base: Decimal | None = decimal("vBC", default=None)
    rate: Decimal | None = decimal("pIPI", 4, default=None)
    quantity: Decimal | None = decimal("qUnid", 4, default=None)
    unit_rate: Decimal | None = decimal("vUnid", 4, default=None)
    amount: Decimal = decimal("vIPI")


@group("IPINT")
class IpiNotTaxed:
    """`IPINT`: no IPI due, for the reason that the CST gives."""

    cst: str = text("CST", 2)


@group("IPI")
class Ipi:
    """`IPI`: tax on industrialized products."""

    producer_tax_id: str | None = text("CNPJProd", 14, default=None)
    seal_code: str | None = text("cSelo", 60, default=None)
    seal_quantity: int | None = integer("qSelo", default=None)
    framework_code: str = text("cEnq", 3)
    taxation: IpiTaxed | IpiNotTaxed = variant(path=INLINE)


@group("II")
class ImportTax:
    """`II`: tax on imported goods."""

    base: Decimal = decimal("vBC")
    customs_expenses: Decimal = decimal("vDespAdu")
    amount: Decimal = decimal("vII")
    iof_amount: Decimal = decimal("vIOF")


@group("PISAliq")
class PisRate:
    """`PISAliq`: PIS due by a percentage."""

    cst: str = text("CST", 2)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pPIS", 4)
    amount: Decimal = decimal("vPIS")


@group("PISQtde")
class PisQuantity:
    """`PISQtde`: PIS due by an amount per unit."""

    cst: str = text("CST", 2, default="03")
    quantity: Decimal = decimal("qBCProd", 4)
    unit_rate: Decimal = decimal("vAliqProd", 4)
    amount: Decimal = decimal("vPIS")


@group("PISNT")
class PisNotTaxed:
    """`PISNT`: no PIS due, for the reason that the CST gives."""

    cst: str = text("CST", 2)


@group("PISOutr")
class PisOther:
    """`PISOutr`: any other taxation, by a percentage or by an amount per unit."""

    cst: str = text("CST", 2)
    base: Decimal | None = decimal("vBC", default=None)
    rate: Decimal | None = decimal("pPIS", 4, default=None)
    quantity: Decimal | None = decimal("qBCProd", 4, default=None)
    unit_rate: Decimal | None = decimal("vAliqProd", 4, default=None)
    amount: Decimal = decimal("vPIS")


Pis = PisRate | PisQuantity | PisNotTaxed | PisOther
"""`PIS`: the group that fits the `cst` of the item."""


@group("PISST")
class PisSt:
    """`PISST`: PIS of later sales, charged by substitution."""

    base: Decimal | None = decimal("vBC", default=None)
    rate: Decimal | None = decimal("pPIS", 4, default=None)
    quantity: Decimal | None = decimal("qBCProd", 4, default=None)
    unit_rate: Decimal | None = decimal("vAliqProd", 4, default=None)
    amount: Decimal = decimal("vPIS")
    adds_to_total: str | None = text("indSomaPISST", 1, default=None)


@group("COFINSAliq")
class CofinsRate:
    """`COFINSAliq`: COFINS due by a percentage."""

    cst: str = text("CST", 2)
    base: Decimal = decimal("vBC")
    rate: Decimal = decimal("pCOFINS", 4)
    amount: Decimal = decimal("vCOFINS")


@group("COFINSQtde")
class CofinsQuantity:
    """`COFINSQtde`: COFINS due by an amount per unit."""

    cst: str = text("CST", 2, default="03")
    quantity: Decimal = decimal("qBCProd", 4)
    unit_rate: Decimal = decimal("vAliqProd", 4)
    amount: Decimal = decimal("vCOFINS")


@group("COFINSNT")
class CofinsNotTaxed:
    """`COFINSNT`: no COFINS due, for the reason that the CST gives."""

    cst: str = text("CST", 2)


@group("COFINSOutr")
class CofinsOther:
    """`COFINSOutr`: any other taxation, by a percentage or by an amount per unit."""

    cst: str = text("CST", 2)
    base: Decimal | None = decimal("vBC", default=None)
    rate: Decimal | None = decimal("pCOFINS", 4, default=None)
    quantity: Decimal | None = decimal("qBCProd", 4, default=None)
    unit_rate: Decimal | None = decimal("vAliqProd", 4, default=None)
    amount: Decimal = decimal("vCOFINS")


Cofins = CofinsRate | CofinsQuantity | CofinsNotTaxed | CofinsOther
"""`COFINS`: the group that fits the `cst` of the item."""


@group("COFINSST")
class CofinsSt:
    """`COFINSST`: COFINS of later sales, charged by substitution."""

    base: Decimal | None = decimal("vBC", default=None)
    rate: Decimal | None = decimal("pCOFINS", 4, default=None)
    quantity: Decimal | None = decimal("qBCProd", 4, default=None)
    unit_rate: Decimal | None = decimal("vAliqProd", 4, default=None)
    amount: Decimal = decimal("vCOFINS")
    adds_to_total: str | None = text("indSomaCOFINSST", 1, default=None)


@group("ICMSUFDest")
class StateShare:
    """`ICMSUFDest`: ICMS due to the buyer's state in an interstate sale to a final consumer (EC 87/2015)."""

    base: Decimal = decimal("vBCUFDest")
    fcp_base: Decimal | None = decimal("vBCFCPUFDest", default=None)
    fcp_rate: Decimal | None = decimal("pFCPUFDest", 4, default=None)
    internal_rate: Decimal = decimal("pICMSUFDest", 4)
    # An enumeration in the XSD, of texts with two decimals: 4.00, 7.00 and 12.00.
    interstate_rate: Decimal = decimal("pICMSInter", 2)
    destination_share: Decimal = decimal("pICMSInterPart", 4)
    fcp_amount: Decimal | None = decimal("vFCPUFDest", default=None)
    destination_amount: Decimal = decimal("vICMSUFDest")
    origin_amount: Decimal = decimal("vICMSUFRemet")


@group("IPI")
class ReturnedIpiAmount:
    """`impostoDevol/IPI`: the element that the XSD has around the amount."""

    amount: Decimal = decimal("vIPIDevol")


@group("impostoDevol")
class ReturnedIpi:
    """`impostoDevol`: IPI of returned goods."""

    returned_share: Decimal = decimal("pDevol")
    ipi: ReturnedIpiAmount = child("IPI", path=INLINE)
