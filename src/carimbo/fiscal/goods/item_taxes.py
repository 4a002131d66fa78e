"""All taxes of an item, each computed on what the ones before it left."""

from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.goods.approximate_taxes import approximate_taxes
from carimbo.fiscal.goods.cfop import is_sale, is_taxed_plainly
from carimbo.fiscal.goods.federal_taxes import COFINS, PIS, contribution_group, ipi_group
from carimbo.fiscal.goods.ibs_cbs import ibs_cbs_group
from carimbo.fiscal.goods.icms import icms_group, simples_group, usual_csosn
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.goods.line import Line, value_of
from carimbo.fiscal.goods.state_share import state_share_group
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import Cofins, Ipi, Pis, StateShare
from carimbo.fiscal.layouts.nfe_v4.goods import Product
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.invoice import ItemTaxes
from carimbo.fiscal.layouts.records import fields_among, with_kept_text
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.tables.icms_bases import ICMS_BASES, IcmsBase, icms_base_on
from carimbo.fiscal.taxes.ibs_cbs import reform_base
from carimbo.fiscal.taxes.ibs_cbs_shares import TaxedValue
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
# What the ICMS of an item takes out of the base of IBS and CBS.
_ICMS_AMOUNTS = ("amount", "fcp_amount", "single_phase_amount")


def item_taxes(
    body: ItemBody, product: Product, position: int, trade: Trade, findings: Findings
) -> ItemTaxes:
    """Compute the taxes of an item; what is missing in any of them joins the findings."""
    if trade.has_only_ibs_cbs and not _informs_ibs_cbs(body, trade):
        # An item needs some tax to be written; rule 1001 then asks for IBS and CBS.
        trade = trade._replace(has_only_ibs_cbs=False)
    origin = body.origin or trade.company.defaults.origin or _NATIONAL
    approximate = approximate_taxes(body.approximate_taxes, product, trade)
    if _has_usual_taxes(body, product.cfop, trade):
        usual = _of_the_simples(origin, usual_csosn(product.cfop, trade))
        return usual if approximate is None else _with_approximate_taxes(usual, approximate)
    return _computed(body, approximate, _line(product, position, origin, trade), trade, findings)


def _has_usual_taxes(body: ItemBody, cfop: str, trade: Trade) -> bool:
    """Returns whether an item has the taxes that most items of the Simples Nacional have."""
    is_usual = trade.uses_csosn and body.model_fields_set.isdisjoint(_TAXES) and _is_plain(cfop, trade)
    return (
        is_usual
        and trade.tax_day.has_pis_cofins_groups
        and not trade.company.informs_ibs_cbs(trade.tax_day.day)
    )


def _with_approximate_taxes(usual: ItemTaxes, amount: Decimal) -> ItemTaxes:
    return ItemTaxes(approximate_taxes=amount, icms=usual.icms, pis=usual.pis, cofins=usual.cofins)


class _StateTaxes(NamedTuple):
    """The taxes that IBS and CBS are computed after."""

    ipi: Ipi | None
    icms: Icms | None
    share: StateShare | None


_Contributions = tuple[Pis | None, Cofins | None]


def _computed(
    body: ItemBody, approximate: Decimal | None, line: Line, trade: Trade, findings: Findings
) -> ItemTaxes:
    holds_taxes = trade.tax_day.price_holds_reform_taxes and not is_import(body, line.cfop)
    state = _state_taxes(body, line, line, trade, findings)
    pis, cofins = contributions = _contributions(body, line, state, trade, findings)
    ibs_cbs = _reform(body, line, state, contributions, trade, findings, holds_taxes=holds_taxes)
    if holds_taxes and ibs_cbs and ibs_cbs.by_rate:
        state, ibs_cbs = _settled(body, line, state, contributions, ibs_cbs, trade, findings)
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


def _state_taxes(body: ItemBody, line: Line, ipi_line: Line, trade: Trade, findings: Findings) -> _StateTaxes:
    """Computes ICMS of one value and IPI of another; they differ in prices that hold IBS and CBS."""
    tried = findings.tried
    ipi = tried(ipi_group, body.ipi, ipi_line)
    charged_ipi = _amount(ipi and ipi.taxation)
    icms = tried(icms_group, body.icms, line, trade, charged_ipi, findings)
    share = tried(state_share_group, body.state_share, icms, line, trade, charged_ipi, findings)
    return _StateTaxes(ipi, icms, share)


def _contributions(
    body: ItemBody, line: Line, state: _StateTaxes, trade: Trade, findings: Findings
) -> _Contributions:
    if not trade.tax_day.has_pis_cofins_groups and not (body.pis or body.cofins):
        return None, None
    # ICMS that a benefit takes off the price is no revenue.
    revenue = contribution_base(line.value - deducted_icms(state.icms), _amount(state.icms))
    pis = findings.tried(contribution_group, PIS, body.pis, line, trade, revenue)
    cofins = findings.tried(contribution_group, COFINS, body.cofins, line, trade, revenue)
    return pis, cofins


def _reform(
    body: ItemBody,
    line: Line,
    state: _StateTaxes,
    contributions: _Contributions,
    trade: Trade,
    findings: Findings,
    *,
    holds_taxes: bool,
) -> IbsCbs | None:
    """IBS and CBS, on a value that holds no other tax but those that the country takes at its borders.

    A price that holds IBS and CBS holds the selective tax as well, which counts in their base.
    """
    value = line.value - deducted_icms(state.icms)
    if not holds_taxes:
        value += _amount(body.import_tax) + _amount(body.selective_tax)
    others = total(map(_amount, contributions)) + _icms_amounts(state.icms) + _share_amounts(state.share)
    taxed = TaxedValue(reform_base(value, others), holds_taxes)
    return findings.tried(ibs_cbs_group, body.ibs_cbs, line, trade, taxed, findings)


# Each round brings the amounts ten times nearer; cents are settled long before.
_MOST_ROUNDS = 8


def _settled(
    body: ItemBody,
    line: Line,
    state: _StateTaxes,
    contributions: _Contributions,
    ibs_cbs: IbsCbs,
    trade: Trade,
    findings: Findings,
) -> tuple[_StateTaxes, IbsCbs]:
    """Computes the taxes again whose base leaves IBS and CBS out: IPI, and ICMS where the state says so.

    Each of them changes the base of IBS and CBS in turn, so this goes on until no cent moves.
    """
    base = icms_base_on(trade.tax_day.day, trade.company.address.state)
    _warn_of_icms_base(base, body, state.icms, findings)
    if base.holds_ibs_cbs and not _amount(state.ipi and state.ipi.taxation):
        return state, ibs_cbs
    for _ in range(_MOST_ROUNDS):
        within = _reform_amounts(ibs_cbs)
        net = line._replace(value=line.value - within)
        state = _state_taxes(body, line if base.holds_ibs_cbs else net, net, trade, findings)
        again = _reform(body, line, state, contributions, trade, findings, holds_taxes=True)
        if again is None:
            break
        ibs_cbs = again
        if _reform_amounts(ibs_cbs) == within:
            break
    return state, ibs_cbs


def taxes_within(taxes: ItemTaxes) -> Decimal:
    """Returns ICMS, IBS and CBS that the price of an item holds from 2027 on."""
    state = _icms_amounts(taxes.icms) + _share_amounts(taxes.state_share)
    return state + (_reform_amounts(taxes.ibs_cbs) if taxes.ibs_cbs else ZERO)


def _reform_amounts(ibs_cbs: IbsCbs) -> Decimal:
    rated = ibs_cbs.by_rate
    return rated.state.amount + rated.city.amount + rated.cbs.amount if rated else ZERO


def is_import(body: ItemBody, cfop: str) -> bool:
    """Returns whether the item enters the country: its price holds no taxes (NT 2026.008, I11)."""
    return body.import_tax is not None or cfop.startswith(_CFOP_OF_IMPORTS)


def _warn_of_icms_base(base: IcmsBase, body: ItemBody, icms: Icms | None, findings: Findings) -> None:
    is_given = body.icms is not None and body.icms.base is not None
    if is_given or not _amount(icms):
        return
    how = "com IBS e CBS na base" if base.holds_ibs_cbs else "sem IBS e CBS na base"
    why = base.source or "não há norma conhecida do estado"
    findings.assumed(
        f"O ICMS foi calculado {how} ({base.state}: {why}). Quem opera o carimbo muda isso na tabela"
        f" {ICMS_BASES.name}.csv."
    )


def _warn_of_rare_taxes(body: ItemBody, state: _StateTaxes, trade: Trade, findings: Findings) -> None:
    if body.selective_tax:
        findings.assumed("items[].selectiveTax: Ainda não há lei com as alíquotas do imposto seletivo.")
    if _amount(state.ipi and state.ipi.taxation) and DatedRule.IPI_IS_MOSTLY_ZERO in trade.tax_day.rules:
        findings.assumed(
            "items[].ipi: O IPI é zero, salvo o da produção incentivada na Zona Franca de Manaus (LC"
            " 214/2025, art. 454). Confira se é o caso."
        )


@lru_cache
def _of_the_simples(origin: str, csosn: str) -> ItemTaxes:
    """What most items of the Simples Nacional say, the same for all of them."""
    icms = simples_group(origin, csosn)
    return with_kept_text(ItemTaxes(icms=icms, pis=PIS.nothing, cofins=COFINS.nothing))


def _informs_ibs_cbs(body: ItemBody, trade: Trade) -> bool:
    return body.ibs_cbs is not None or trade.company.informs_ibs_cbs(trade.tax_day.day)


def _is_plain(cfop: str, trade: Trade) -> bool:
    is_plain = trade.is_sale and is_sale(cfop) and is_taxed_plainly(cfop)
    return is_plain and not trade.has_only_ibs_cbs


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
