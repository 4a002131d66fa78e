"""The taxes of a CT-e OS (`imp`): those of a CT-e, and the federal ones."""

from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.taxes import (
    EndStateShare,
    FreightIbsCbs,
    ServiceIcms00,
    ServiceIcms20,
    ServiceIcms45,
    ServiceIcms90,
    ServiceIcmsOfAnotherState,
    ServiceIcmsOfSimples,
)
from carimbo.fiscal.layouts.group import child, decimal, group, text, variant

OsIcms = (
    ServiceIcms00
    | ServiceIcms20
    | ServiceIcms45
    | ServiceIcms90
    | ServiceIcmsOfAnotherState
    | ServiceIcmsOfSimples
)
"""The ICMS of a service; no taker withholds it as a tax substitute."""


@group("infTribFed")
class OsFederalTaxes:
    """`infTribFed`: federal taxes on the service."""

    pis: Decimal | None = decimal("vPIS", default=None)
    cofins: Decimal | None = decimal("vCOFINS", default=None)
    ir: Decimal | None = decimal("vIR", default=None)
    inss: Decimal | None = decimal("vINSS", default=None)
    csll: Decimal | None = decimal("vCSLL", default=None)


@group("imp")
class OsTaxes:
    """`imp`: the taxes on the service."""

    icms: OsIcms = variant("ICMS")
    approximate_taxes: Decimal | None = decimal("vTotTrib", default=None)
    authority_notes: str | None = text("infAdFisco", 2000, default=None)
    state_share: EndStateShare | None = child("ICMSUFFim", default=None)
    federal_taxes: OsFederalTaxes | None = child("infTribFed", default=None)
    ibs_cbs: FreightIbsCbs | None = child("IBSCBS", default=None)
    total: Decimal | None = decimal("vTotDFe", path="serviceAmount", default=None)
