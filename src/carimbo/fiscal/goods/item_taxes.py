"""All taxes of an item, in the order in which their bases depend on each other."""

from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.applicable_taxes import TaxedItem, item_value
from carimbo.fiscal.goods.cfop import has_usual_icms, is_sale
from carimbo.fiscal.goods.federal_taxes import COFINS, PIS, contribution_group, ipi_group
from carimbo.fiscal.goods.ibs_cbs import ibs_cbs_group
from carimbo.fiscal.goods.icms import icms_group, simples_group, usual_csosn
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.goods.legal_texts import approximate_taxes
from carimbo.fiscal.goods.state_share import state_share_group
from carimbo.fiscal.layouts.layout import fields_among, with_cached_xml
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import Cofins, Ipi, Pis, StateShare
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.invoice import ItemTaxes
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.tables.taxes import ICMS_BASES, IcmsBase, icms_base_on
from carimbo.fiscal.taxes.ibs_cbs import TaxedValue, reform_base
from carimbo.fiscal.taxes.pis_cofins import contribution_base
from carimbo.fiscal.taxes.trade import Trade

_TAXES = frozenset(
    {
        "approximate_taxes", "icms", "pis", "cofins", "ipi", "ibs_cbs", "pis_st", "cofins_st", "import_tax",
        "state_share", "selective_tax",
    }
)  # fmt: skip
_NATIONAL = "0"
_CFOP_OF_IMPORTS = "3"
# Amounts of ICMS that are not part of the base of IBS and CBS.
_ICMS_AMOUNTS = ("amount", "fcp_amount", "single_phase_amount")


def item_taxes(
    body: ItemBody, product: ItemProduct, position: int, trade: Trade, findings: Findings
) -> ItemTaxes:
    """Returns the taxes of an item; missing values are added to the findings."""
    if trade.has_only_ibs_cbs and not (
        body.ibs_cbs is not None or trade.company.informs_ibs_cbs(trade.tax_day.day)
    ):
        # The layout needs at least one tax in an item; rule 1001 then asks for IBS and CBS.
        trade = trade._replace(has_only_ibs_cbs=False)
    origin = body.origin or trade.company.defaults.origin or _NATIONAL
    approximate = approximate_taxes(body.approximate_taxes, product, trade)
    if _has_usual_taxes(body, product.cfop, trade):
        usual = _usual_taxes(origin, usual_csosn(product.cfop, trade))
        if approximate is None:
            return usual
        return ItemTaxes(approximate_taxes=approximate, icms=usual.icms, pis=usual.pis, cofins=usual.cofins)
    item = TaxedItem(
        path=f"items[{position}]",
        origin=origin,
        cfop=product.cfop,
        value=item_value(product),
        is_sale=trade.is_sale and is_sale(product.cfop),
    )
    return _computed(body, approximate, item, trade, findings)


def _has_usual_taxes(body: ItemBody, cfop: str, trade: Trade) -> bool:
    """Returns whether an item has the taxes that most items of the Simples Nacional have."""
    return (
        trade.uses_csosn
        and body.model_fields_set.isdisjoint(_TAXES)
        and trade.is_sale
        and is_sale(cfop)
        and has_usual_icms(cfop)
        and not trade.has_only_ibs_cbs
        and trade.tax_day.has_pis_cofins_groups
        and not trade.company.informs_ibs_cbs(trade.tax_day.day)
    )


class _StateTaxes(NamedTuple):
    """IPI, ICMS and the share of the buyer's state, which are computed before IBS and CBS."""

    ipi: Ipi | None
    icms: Icms | None
    share: StateShare | None


_Contributions = tuple[Pis | None, Cofins | None]


def _computed(
    body: ItemBody, approximate: Decimal | None, item: TaxedItem, trade: Trade, findings: Findings
) -> ItemTaxes:
    holds_taxes = trade.tax_day.price_holds_reform_taxes and not is_import(body, item.cfop)
    state = _state_taxes(body, item, item, trade, findings)
    pis, cofins = contributions = _contributions(body, item, state, trade, findings)
    ibs_cbs = _reform(body, item, state, contributions, trade, findings, holds_taxes=holds_taxes)
    if holds_taxes and ibs_cbs and ibs_cbs.by_rate:
        state, ibs_cbs = _settled(body, item, state, contributions, ibs_cbs, trade, findings)
    _warn_of_rare_taxes(body, state, trade, findings)
    return ItemTaxes(
        approximate_taxes=approximate,
        icms=state.icms,
        ipi=state.ipi,
        import_tax=body.import_tax,
        pis=pis,
        pis_st=body.pis_st,
        cofins=cofins,
        cofins_st=body.cofins_st,
        state_share=state.share,
        selective_tax=body.selective_tax,
        ibs_cbs=ibs_cbs,
    )


def _state_taxes(
    body: ItemBody, item: TaxedItem, ipi_item: TaxedItem, trade: Trade, findings: Findings
) -> _StateTaxes:
    """Computes ICMS on the value of `item` and IPI on that of `ipi_item`.

    The two values differ if the price includes IBS and CBS.
    """
    attempt = findings.attempt
    ipi = attempt(ipi_group, body.ipi, ipi_item)
    charged_ipi = _amount(ipi and ipi.taxation)
    icms = attempt(icms_group, body.icms, item, trade, charged_ipi, findings)
    share = attempt(state_share_group, body.state_share, icms, item, trade, charged_ipi, findings)
    return _StateTaxes(ipi, icms, share)


def _contributions(
    body: ItemBody, item: TaxedItem, state: _StateTaxes, trade: Trade, findings: Findings
) -> _Contributions:
    if not trade.tax_day.has_pis_cofins_groups and not (body.pis or body.cofins):
        return None, None
    # ICMS that a tax benefit deducts from the price is not revenue.
    revenue = contribution_base(item.value - deducted_icms(state.icms), _amount(state.icms))
    pis = findings.attempt(contribution_group, PIS, body.pis, item, trade, revenue)
    cofins = findings.attempt(contribution_group, COFINS, body.cofins, item, trade, revenue)
    return pis, cofins


def _reform(
    body: ItemBody,
    item: TaxedItem,
    state: _StateTaxes,
    contributions: _Contributions,
    trade: Trade,
    findings: Findings,
    *,
    holds_taxes: bool,
) -> IbsCbs | None:
    """Returns IBS and CBS. Their base excludes all other taxes except import tax and selective tax.

    A price that includes IBS and CBS also includes the selective tax, which is part of their base.
    """
    value = item.value - deducted_icms(state.icms)
    if not holds_taxes:
        value += _amount(body.import_tax) + _amount(body.selective_tax)
    others = total(map(_amount, contributions)) + _icms_amounts(state.icms) + _share_amounts(state.share)
    taxed = TaxedValue(reform_base(value, others), holds_taxes)
    return findings.attempt(ibs_cbs_group, body.ibs_cbs, item, trade, taxed, findings)


# Each round makes the amounts ten times more exact, so cents stop changing long before.
_MAX_ROUNDS = 8


def _settled(
    body: ItemBody,
    item: TaxedItem,
    state: _StateTaxes,
    contributions: _Contributions,
    ibs_cbs: IbsCbs,
    trade: Trade,
    findings: Findings,
) -> tuple[_StateTaxes, IbsCbs]:
    """Computes again the taxes whose base excludes IBS and CBS: IPI, and ICMS in some states.

    Each of them changes the base of IBS and CBS in turn, so this repeats until no cent changes.
    """
    base = icms_base_on(trade.tax_day.day, trade.company.address.state)
    _warn_of_icms_base(base, body, state.icms, findings)
    if base.holds_ibs_cbs and not _amount(state.ipi and state.ipi.taxation):
        return state, ibs_cbs
    for _ in range(_MAX_ROUNDS):
        within = _reform_amounts(ibs_cbs)
        net = item._replace(value=item.value - within)
        state = _state_taxes(body, item if base.holds_ibs_cbs else net, net, trade, findings)
        recomputed = _reform(body, item, state, contributions, trade, findings, holds_taxes=True)
        if recomputed is None:
            break
        ibs_cbs = recomputed
        if _reform_amounts(ibs_cbs) == within:
            break
    return state, ibs_cbs


def taxes_in_price(taxes: ItemTaxes) -> Decimal:
    """Returns the ICMS, IBS and CBS that the price of an item includes from 2027 on."""
    state = _icms_amounts(taxes.icms) + _share_amounts(taxes.state_share)
    return state + (_reform_amounts(taxes.ibs_cbs) if taxes.ibs_cbs else ZERO)


def _reform_amounts(ibs_cbs: IbsCbs) -> Decimal:
    rated = ibs_cbs.by_rate
    return rated.state.amount + rated.city.amount + rated.cbs.amount if rated else ZERO


def is_import(body: ItemBody, cfop: str) -> bool:
    """Returns whether the item is imported: its price includes no taxes (NT 2026.008, I11)."""
    return body.import_tax is not None or cfop.startswith(_CFOP_OF_IMPORTS)


def _warn_of_icms_base(base: IcmsBase, body: ItemBody, icms: Icms | None, findings: Findings) -> None:
    is_given = body.icms is not None and body.icms.base is not None
    if is_given or not _amount(icms):
        return
    how = "com IBS e CBS na base" if base.holds_ibs_cbs else "sem IBS e CBS na base"
    why = base.source or "não há norma conhecida do estado"
    findings.add_warning(
        f"O ICMS foi calculado {how} ({base.state}: {why}). Quem opera o carimbo muda isso na tabela"
        f" {ICMS_BASES.name}.csv."
    )


def _warn_of_rare_taxes(body: ItemBody, state: _StateTaxes, trade: Trade, findings: Findings) -> None:
    if body.selective_tax:
        findings.add_warning("items[].selectiveTax: Ainda não há lei com as alíquotas do imposto seletivo.")
    if _amount(state.ipi and state.ipi.taxation) and DatedRule.IPI_IS_MOSTLY_ZERO in trade.tax_day.rules:
        findings.add_warning(
            "items[].ipi: O IPI é zero, salvo o da produção incentivada na Zona Franca de Manaus (LC"
            " 214/2025, art. 454). Confira se é o caso."
        )


@lru_cache
def _usual_taxes(origin: str, csosn: str) -> ItemTaxes:
    """Returns the taxes of most items of the Simples Nacional; one object for all of them."""
    icms = simples_group(origin, csosn)
    return with_cached_xml(ItemTaxes(icms=icms, pis=PIS.nothing, cofins=COFINS.nothing))


def deducted_icms(icms: Icms | None) -> Decimal:
    """Returns the exempted ICMS that is deducted from the price of the item."""
    is_deducted = getattr(icms, "exemption_is_deducted", None) == "1"
    return (getattr(icms, "exempted_amount", None) if is_deducted else None) or ZERO


def _amount(group: Any) -> Decimal:
    return getattr(group, "amount", None) or ZERO


def _icms_amounts(icms: Icms | None) -> Decimal:
    group: Any = type(icms)
    return total([getattr(icms, name) for name in fields_among(group, _ICMS_AMOUNTS)])


def _share_amounts(share: StateShare | None) -> Decimal:
    return share.destination_amount + (share.fcp_amount or ZERO) if share else ZERO
