"""IBS and CBS of an item: the rates of its three shares, and what lessens them."""

from collections.abc import Hashable
from decimal import Decimal
from functools import partial
from typing import Any

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.free_areas import stays_in_a_free_area
from carimbo.fiscal.goods.rules.reform_classes import reform_rule
from carimbo.fiscal.goods.rules.reform_shares import AnyShare, each_share
from carimbo.fiscal.goods.rules.rule import NFCE, NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, IbsCbs, StateIbs, TaxedByRate
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.rules import At
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS
from carimbo.fiscal.taxes.ibs_cbs import effective_rate


def _looked_at(item: Item) -> Hashable:
    """All that rules of rates look at: codes, rates, and what lessens the tax, but no amounts due."""
    taxed: Any = item.taxes.ibs_cbs
    rated = taxed.by_rate
    if rated is None:
        return taxed.cst, taxed.tax_class
    # By identity: items of one document share the rates of the law, and hashing numbers takes long.
    lessened = [
        id(part)
        for share in (rated.state, rated.city, rated.cbs)
        for part in (share.rate, share.reduction, share.deferral, share.refund)
    ]
    return taxed.cst, taxed.tax_class, item.product.ncm, rated.cbs.free_zone is None, *lessened


RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(like=_looked_at)

_TOLERANCE = Decimal("0.0001")
_RETURN = "4"
# Refused deliveries and reduced amounts repeat the rates of the document that they correct.
_CORRECTING_CREDITS = frozenset({"03", "04", "06"})

_each_share = partial(each_share, book=RULES)


@_each_share("A alíquota {share} não é a vigente.", state=("1026", "UB18-10"), city=("1036", "UB37-10"))
def rate(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """The rate is the one in force on the day, or zero where the tax is suspended."""
    expected = _expected_rate(share, taxed, case)
    return None if expected is None or share.rate == expected else At("rate", f"Esperado: {expected}.")


@reform_rule("1037", "UB56-10", "A alíquota da CBS não é a vigente.", book=RULES)
def cbs_rate(item: Item, case: Case) -> At | None:
    """The same of the CBS, which is zero within a free trade area."""
    taxed = item.taxes.ibs_cbs
    if taxed is None or taxed.by_rate is None:
        return None
    cbs = taxed.by_rate.cbs
    expected = _expected_rate(cbs, taxed, case)
    if expected is None or cbs.rate == expected:
        return None
    if not cbs.rate and (cbs.free_zone or stays_in_a_free_area(item, case)):
        return None
    return At("ibsCbs.cbs.rate", f"Esperado: {expected}.")


def _expected_rate(share: AnyShare, taxed: IbsCbs, case: Case) -> Decimal | None:
    """None where nobody can tell; from 2027 the exceptions of the IBS are those of the CBS too (UB56-20)."""
    known = IBS_CBS_CLASSES.rows.get(taxed.tax_class)
    identification = case.invoice.identification
    if known is None or case.purpose == _RETURN or identification.credit_type in _CORRECTING_CREDITS:
        return None
    if known.has_regular_taxation:
        return ZERO
    rates = case.reform_rates
    if isinstance(share, Cbs):
        return rates.cbs
    return rates.state if isinstance(share, StateIbs) else rates.city


@_each_share(
    "O CST do IBS e da CBS não admite diferimento {share}.",
    state=("1029", "UB22-10"),
    city=("1083", "UB40-20"),
    cbs=("1090", "UB59-20"),
)
def deferral_out_of_place(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """Only some situations let a part of the tax be paid later."""
    if share.deferral is None:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    return At("deferral") if situation and not situation.has_deferral else None


@_each_share(
    "O CST do IBS e da CBS exige o diferimento {share}.",
    state=("1030", "UB22-20"),
    city=("1044", "UB40-10"),
    cbs=("1061", "UB59-10"),
)
def deferral_that_is_missing(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """Those situations tell which part it is."""
    if share.deferral:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    return At("deferral") if situation and situation.has_deferral else None


# What UB27-10, UB46-10 and UB65-10 say of situations without a reduction is refused here already.
@_each_share(
    "O CST do IBS e da CBS não admite redução da alíquota {share}.",
    state=("1032", "UB26-10"),
    city=("1007", "UB45-10"),
    cbs=("1028", "UB64-10"),
)
def reduction_out_of_place(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """Only some situations have a reduction of their own; public buyers bring theirs, beside one of zero."""
    if share.reduction is None:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    if situation is None or situation.has_reduction:
        return None
    is_the_buyers = case.invoice.identification.government_purchase and not share.reduction.rate
    return None if is_the_buyers else At("reduction")


@_each_share(
    "Falta a redução da alíquota {share}, que o CST ou a compra governamental exige.",
    state=("1033", "UB26-20"),
    city=("1074", "UB45-20"),
    cbs=("1079", "UB64-20"),
)
def reduction_that_is_missing(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """A reduction is told of all shares, even of one whose rate is zero."""
    if share.reduction:
        return None
    situation = IBS_CBS_SITUATIONS.rows.get(taxed.cst)
    if situation and (situation.has_reduction or case.invoice.identification.government_purchase):
        return At("reduction")
    return None


@_each_share(
    "O percentual de redução da alíquota {share} não é o da classificação tributária (cClassTrib).",
    state=("1034", "UB27-10"),
    city=("1046", "UB46-10"),
    cbs=("1063", "UB65-10"),
)
def reduction_of_the_class(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """The classification knows how much is taken off."""
    if share.reduction is None:
        return None
    known = IBS_CBS_CLASSES.rows.get(taxed.tax_class)
    if known is None:
        return None
    expected = known.cbs_reduction if isinstance(share, Cbs) else known.ibs_reduction
    return (
        None if expected in (None, share.reduction.rate) else At("reduction.rate", f"Esperado: {expected}.")
    )


@_each_share(
    "A alíquota efetiva {share} não é a alíquota menos as reduções.",
    state=("1035", "UB28-10"),
    city=("1047", "UB47-10"),
    cbs=("1064", "UB66-10"),
)
def rate_after_reductions(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """The reduction of a public buyer comes on top of that of the classification."""
    reduction = share.reduction
    if reduction is None:
        return None
    purchase = case.invoice.identification.government_purchase
    expected = effective_rate(share.rate, reduction.rate, purchase.rate_reduction if purchase else ZERO)
    if abs(reduction.effective_rate - expected) > _TOLERANCE:
        return At("reduction.effectiveRate", f"Esperado: {expected}.")
    return None


@_each_share(
    "A devolução {share} não pode ser informada.", state=("1111", "UB24-10"), city=("1112", "UB43-10")
)
@_each_share("A NFC-e não admite devolução {share}.", models=(NFCE,), cbs=("1187", "UB62-10"))
def refund_out_of_place(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """Only the CBS goes back to the buyer by this document, and only by an NF-e."""
    return At("refund") if share.refund else None


@_each_share("Falta o percentual da devolução {share}.", models=(NFE,), cbs=("1188", "UB62a-10"))
def refund_without_a_rate(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """A refund tells which part of the tax goes back."""
    return At("refund.rate") if share.refund and share.refund.rate is None else None
