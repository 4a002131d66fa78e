"""All taxes of an item, each computed on what the ones before it left."""

from decimal import Decimal
from functools import lru_cache
from typing import Any

from carimbo.fiscal.findings import Findings
from carimbo.fiscal.goods.approximate_taxes import approximate_taxes
from carimbo.fiscal.goods.cfop import is_sale, is_taxed_plainly
from carimbo.fiscal.goods.federal_taxes import COFINS, PIS, contribution_group, ipi_group
from carimbo.fiscal.goods.ibs_cbs import ibs_cbs_group
from carimbo.fiscal.goods.icms import icms_group, simples_group, usual_csosn
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.goods.line import Line, value_of
from carimbo.fiscal.goods.state_share import state_share_group
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import StateShare
from carimbo.fiscal.layouts.nfe_v4.goods import Product
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.invoice import ItemTaxes
from carimbo.fiscal.layouts.records import fields_among, with_kept_text
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.taxes.ibs_cbs import reform_base
from carimbo.fiscal.taxes.pis_cofins import contribution_base
from carimbo.fiscal.taxes.trade import Trade

_TAXES = frozenset(
    {
        "approximate_taxes", "icms", "pis", "cofins", "ipi", "ibs_cbs", "pis_st", "cofins_st", "import_tax",
        "state_share", "selective_tax",
    }
)  # fmt: skip
_NATIONAL = "0"
# What the ICMS of an item takes out of the base of IBS and CBS.
_ICMS_AMOUNTS = ("amount", "fcp_amount", "single_phase_amount")


def item_taxes(
    body: ItemBody, product: Product, position: int, trade: Trade, findings: Findings
) -> ItemTaxes:
    """Compute the taxes of an item; what is missing in any of them joins the findings."""
    origin = body.origin or trade.company.defaults.origin or _NATIONAL
    approximate = approximate_taxes(body.approximate_taxes, product, trade)
    if trade.uses_csosn and body.model_fields_set.isdisjoint(_TAXES) and _is_plain(product.cfop, trade):
        usual = _of_the_simples(origin, usual_csosn(product.cfop, trade))
        return usual if approximate is None else _with_approximate_taxes(usual, approximate)
    return _computed(body, approximate, _line(product, position, origin, trade), trade, findings)


def _with_approximate_taxes(usual: ItemTaxes, amount: Decimal) -> ItemTaxes:
    return ItemTaxes(approximate_taxes=amount, icms=usual.icms, pis=usual.pis, cofins=usual.cofins)


def _computed(
    body: ItemBody, approximate: Decimal | None, line: Line, trade: Trade, findings: Findings
) -> ItemTaxes:
    tried = findings.tried
    ipi = tried(ipi_group, body.ipi, line)
    charged_ipi = _amount(ipi and ipi.taxation)
    icms = tried(icms_group, body.icms, line, trade, charged_ipi, findings)
    share = tried(state_share_group, body.state_share, icms, line, trade, charged_ipi, findings)
    # ICMS that a benefit takes off the price is no revenue.
    value = line.value - deducted_icms(icms)
    revenue = contribution_base(value, _amount(icms))
    pis = tried(contribution_group, PIS, body.pis, line, trade, revenue)
    cofins = tried(contribution_group, COFINS, body.cofins, line, trade, revenue)
    # IBS and CBS are on a value that holds no other tax, but those that the country takes at its borders.
    replaced = _amount(pis) + _amount(cofins) + _icms_amounts(icms) + _share_amounts(share)
    base = reform_base(value + _amount(body.import_tax) + _amount(body.selective_tax), replaced)
    return ItemTaxes(
        approximate_taxes=approximate,
        icms=icms,
        ipi=ipi,
        import_tax=body.import_tax,
        pis=pis,
        pis_st=body.pis_st,
        cofins=cofins,
        cofins_st=body.cofins_st,
        state_share=share,
        selective_tax=body.selective_tax,
        ibs_cbs=tried(ibs_cbs_group, body.ibs_cbs, line, trade, base),
    )


@lru_cache
def _of_the_simples(origin: str, csosn: str) -> ItemTaxes:
    """What most items of the Simples Nacional say, the same for all of them."""
    icms = simples_group(origin, csosn)
    return with_kept_text(ItemTaxes(icms=icms, pis=PIS.nothing, cofins=COFINS.nothing))


def _is_plain(cfop: str, trade: Trade) -> bool:
    return trade.is_sale and is_sale(cfop) and is_taxed_plainly(cfop)


def deducted_icms(icms: Icms | None) -> Decimal:
    """ICMS that a benefit waives, where the price was told with it."""
    waived = getattr(icms, "exemption_is_deducted", None) == "1"
    return (getattr(icms, "exempted_amount", None) if waived else None) or ZERO


def _amount(group: Any) -> Decimal:
    return getattr(group, "amount", None) or ZERO


def _icms_amounts(icms: Icms | None) -> Decimal:
    kind: Any = type(icms)
    return total([getattr(icms, name) for name in fields_among(kind, _ICMS_AMOUNTS)])


def _share_amounts(share: StateShare | None) -> Decimal:
    return share.destination_amount + (share.fcp_amount or ZERO) if share else ZERO


def _line(product: Product, position: int, origin: str, trade: Trade) -> Line:
    return Line(
        path=f"items[{position}]",
        origin=origin,
        cfop=product.cfop,
        value=value_of(product),
        is_sale=trade.is_sale and is_sale(product.cfop),
    )
