"""All taxes of an item, in the order in which their bases depend on each other."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.applicable_taxes import TaxedItem, item_value, trade_of_item
from carimbo.fiscal.goods.cfop import has_usual_icms, is_sale
from carimbo.fiscal.goods.federal_taxes import COFINS, PIS, contribution_terms, ipi_terms
from carimbo.fiscal.goods.ibs_cbs import ibs_cbs_terms
from carimbo.fiscal.goods.icms import IcmsTerms, icms_terms, usual_csosn
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.goods.legal_texts import approximate_taxes
from carimbo.fiscal.goods.state_share import ShareTerms, state_share_terms
from carimbo.fiscal.layouts.layout import fields_among
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import Cofins, Ipi, Pis, StateShare
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn102, IcmsSn500
from carimbo.fiscal.layouts.nfe_v4.invoice import ItemTaxes
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.tables.taxes import IcmsBase, icms_base_on
from carimbo.fiscal.taxes.ibs_cbs import TaxedValue, reform_base
from carimbo.fiscal.taxes.icms import icms_base_warning
from carimbo.fiscal.taxes.pis_cofins import contribution_base
from carimbo.fiscal.taxes.trade import Trade

_NATIONAL = "0"
_CFOP_OF_IMPORTS = "3"
# Amounts of ICMS that are not part of the base of IBS and CBS.
_ICMS_AMOUNTS = ("amount", "fcp_amount", "single_phase_amount")


Compute = Callable[[ItemProduct, Decimal | None], ItemTaxes]
"""Computes the taxes of an item whose codes and rates are decided; takes its approximate taxes too."""


class ItemTaxation:
    """Computes the taxes of the items of one document.

    Codes and rates of an item are decided first, and its amounts are computed afterwards. Items that give no
    taxes of their own are decided once for each CFOP and origin.
    """

    def __init__(self, trade: Trade, findings: Findings) -> None:
        self.trade = trade
        self.findings = findings
        self._approximate_rates = trade.approximate_tax_rates
        self._usual_origin = trade.company.defaults.origin or _NATIONAL
        self._usual: dict[tuple[str, str], Compute] = {}

    def taxes_of(self, body: ItemBody, product: ItemProduct, position: int) -> ItemTaxes:
        """Returns the taxes of an item; missing values are added to the findings."""
        approximate = approximate_taxes(body.approximate_taxes, product, self._approximate_rates)
        cfop, origin = product.cfop, body.origin or self._usual_origin
        if body.gives_taxes:
            return self._decide(body, cfop, origin, position)(product, approximate)
        compute = self._usual.get((cfop, origin))
        if compute is None:
            compute = self._decide(body, cfop, origin, position)
            # Problems name their item, so that each of the items has to find its own.
            if not self.findings.problems:
                self._usual[cfop, origin] = compute
        return compute(product, approximate)

    def _decide(self, body: ItemBody, cfop: str, origin: str, position: int) -> Compute:
        trade = trade_of_item(body.referenced_item, self.trade)
        informs_ibs_cbs = body.ibs_cbs is not None or trade.company.informs_ibs_cbs(trade.tax_day.day)
        if trade.has_only_ibs_cbs and not informs_ibs_cbs:
            # The layout needs at least one tax in an item; rule 1001 then asks for IBS and CBS.
            trade = trade._replace(has_only_ibs_cbs=False)
        item = TaxedItem(
            path=f"items[{position}]",
            origin=origin,
            cfop=cfop,
            is_sale=trade.is_sale and is_sale(cfop),
        )
        if not informs_ibs_cbs and _has_usual_taxes(body, item, trade):
            return _usual_taxes(item, trade)
        terms = _terms_of(body, item, trade, self.findings)
        return partial(_computed, terms, body, self.findings)


def _has_usual_taxes(body: ItemBody, item: TaxedItem, trade: Trade) -> bool:
    """Returns whether an item has the taxes that most items of the Simples Nacional have."""
    return (
        trade.uses_csosn
        and not body.gives_taxes
        and item.is_sale
        and has_usual_icms(item.cfop)
        and not trade.has_only_ibs_cbs
        and trade.tax_day.has_pis_cofins_groups
    )


def _usual_taxes(item: TaxedItem, trade: Trade) -> Compute:
    """Returns the taxes of most items of the Simples Nacional, which have codes but no amounts."""
    csosn = usual_csosn(item.cfop, trade)
    icms = IcmsSn500(origin=item.origin) if csosn == "500" else IcmsSn102(origin=item.origin, csosn=csosn)
    usual = ItemTaxes(icms=icms, pis=PIS.nothing, cofins=COFINS.nothing)
    return lambda product, approximate: (
        usual if approximate is None else replace(usual, approximate_taxes=approximate)
    )


class _Terms(NamedTuple):
    """How an item is taxed: everything but the amounts, which depend on its value."""

    trade: Trade
    holds_taxes: bool
    """Whether the price of the item includes IBS and CBS."""
    ipi: Callable[[Decimal], Ipi] | None
    icms: IcmsTerms | None
    share: ShareTerms | None
    pis: Callable[[Decimal], Pis] | None
    cofins: Callable[[Decimal], Cofins] | None
    ibs_cbs: Callable[[TaxedValue], IbsCbs] | None


def _terms_of(body: ItemBody, item: TaxedItem, trade: Trade, findings: Findings) -> _Terms:
    attempt = findings.attempt
    ipi = attempt(ipi_terms, body.ipi, item) if body.ipi else None
    icms = attempt(icms_terms, body.icms, item, trade, findings)
    share = attempt(state_share_terms, body.state_share, icms, item, trade, findings)
    has_contributions = trade.tax_day.has_pis_cofins_groups or body.pis or body.cofins
    return _Terms(
        trade=trade,
        holds_taxes=trade.tax_day.price_holds_reform_taxes and not is_import(body, item.cfop),
        ipi=ipi,
        icms=icms,
        share=share,
        pis=attempt(contribution_terms, PIS, body.pis, item, trade) if has_contributions else None,
        cofins=attempt(contribution_terms, COFINS, body.cofins, item, trade) if has_contributions else None,
        ibs_cbs=attempt(ibs_cbs_terms, body.ibs_cbs, item, trade, findings),
    )


class _StateTaxes(NamedTuple):
    """IPI, ICMS and the share of the buyer's state, which are computed before IBS and CBS."""

    ipi: Ipi | None
    icms: Icms | None
    share: StateShare | None


_Contributions = tuple[Pis | None, Cofins | None]


def _computed(
    terms: _Terms, body: ItemBody, findings: Findings, product: ItemProduct, approximate: Decimal | None
) -> ItemTaxes:
    value = item_value(product)
    state = _state_taxes(terms, value, value)
    pis, cofins = contributions = _contributions(terms, value, state)
    ibs_cbs = _reform(terms, body, value, state, contributions)
    if terms.holds_taxes and ibs_cbs and ibs_cbs.by_rate:
        state, ibs_cbs = _settled(terms, body, value, state, contributions, ibs_cbs, findings)
    _warn_of_rare_taxes(body, state, terms.trade, findings)
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


def _state_taxes(terms: _Terms, value: Decimal, ipi_value: Decimal) -> _StateTaxes:
    """Computes ICMS and IPI, each on its own value: they differ if the price includes IBS and CBS."""
    ipi = terms.ipi(ipi_value) if terms.ipi else None
    charged_ipi = _amount(ipi.taxation) if ipi else ZERO
    icms = terms.icms.group_of(value, charged_ipi) if terms.icms else None
    share = terms.share.group_of(icms, value, charged_ipi) if terms.share else None
    return _StateTaxes(ipi, icms, share)


def _contributions(terms: _Terms, value: Decimal, state: _StateTaxes) -> _Contributions:
    # ICMS that a tax benefit deducts from the price is not revenue.
    revenue = contribution_base(value - deducted_icms(state.icms), _amount(state.icms))
    return terms.pis(revenue) if terms.pis else None, terms.cofins(revenue) if terms.cofins else None


def _reform(
    terms: _Terms, body: ItemBody, value: Decimal, state: _StateTaxes, contributions: _Contributions
) -> IbsCbs | None:
    """Returns IBS and CBS. Their base excludes all other taxes except import tax and selective tax.

    A price that includes IBS and CBS also includes the selective tax, which is part of their base.
    """
    if terms.ibs_cbs is None:
        return None
    value -= deducted_icms(state.icms)
    if not terms.holds_taxes:
        value += _amount(body.import_tax) + _amount(body.selective_tax)
    others = total(map(_amount, contributions)) + _icms_amounts(state.icms) + _share_amounts(state.share)
    return terms.ibs_cbs(TaxedValue(reform_base(value, others), terms.holds_taxes))


# Each round makes the amounts ten times more exact, so cents stop changing long before.
_MAX_ROUNDS = 8


def _settled(
    terms: _Terms,
    body: ItemBody,
    value: Decimal,
    state: _StateTaxes,
    contributions: _Contributions,
    ibs_cbs: IbsCbs,
    findings: Findings,
) -> tuple[_StateTaxes, IbsCbs]:
    """Computes again the taxes whose base excludes IBS and CBS: IPI, and ICMS in some states.

    Each of them changes the base of IBS and CBS in turn, so this repeats until no cent changes.
    """
    base = icms_base_on(terms.trade.tax_day.day, terms.trade.company.address.state)
    _warn_of_icms_base(base, body, state.icms, findings)
    if base.holds_ibs_cbs and not _amount(state.ipi and state.ipi.taxation):
        return state, ibs_cbs
    for _ in range(_MAX_ROUNDS):
        within = _reform_amounts(ibs_cbs)
        net = value - within
        state = _state_taxes(terms, value if base.holds_ibs_cbs else net, net)
        ibs_cbs = _reform(terms, body, value, state, contributions) or ibs_cbs
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
    findings.add_warning(icms_base_warning(base))


def _warn_of_rare_taxes(body: ItemBody, state: _StateTaxes, trade: Trade, findings: Findings) -> None:
    if body.selective_tax:
        findings.add_warning("items[].selectiveTax: Ainda não há lei com as alíquotas do imposto seletivo.")
    if _amount(state.ipi and state.ipi.taxation) and DatedRule.IPI_IS_MOSTLY_ZERO in trade.tax_day.rules:
        findings.add_warning(
            "items[].ipi: O IPI é zero, salvo o da produção incentivada na Zona Franca de Manaus (LC"
            " 214/2025, art. 454). Confira se é o caso."
        )


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
