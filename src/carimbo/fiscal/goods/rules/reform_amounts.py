"""IBS and CBS of an item: the amounts of its three shares, and what they add up to."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from operator import attrgetter

from carimbo.fiscal.goods.rules.amounts import compared
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.reform_classes import reform_rule
from carimbo.fiscal.goods.rules.reform_shares import SHARES, AnyShare, each_share
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs, TaxedByRate
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import cents, percent
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

_PURCHASE_TOLERANCE = Decimal("0.04")

_each_share = partial(each_share, book=RULES)


@_each_share(
    "O valor do diferimento {share} não é a base vezes a alíquota vezes o percentual diferido.",
    state=("1031", "UB23-10"),
    city=("1045", "UB42-10"),
    cbs=("1062", "UB61-10"),
)
def deferred_amount(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """What is paid later is a part of the whole tax."""
    if share.deferral is None:
        return None
    return compared("deferral.amount", share.deferral.amount, _part(share.deferral.rate, share, rated.base))


@_each_share(
    "O valor devolvido {share} não é a base vezes a alíquota vezes o percentual devolvido.",
    models=(NFE,),
    cbs=("1189", "UB63-10"),
)
def refunded_amount(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """What goes back is a part of the whole tax."""
    if share.refund is None or share.refund.rate is None:
        return None
    return compared("refund.amount", share.refund.amount, _part(share.refund.rate, share, rated.base))


@_each_share(
    "O valor {share} não é a base vezes a alíquota, menos o diferimento e a devolução.",
    state=("1041", "UB35-10"),
    city=("1052", "UB54-10"),
    cbs=("1069", "UB67-10"),
)
def amount(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, case: Case) -> At | None:
    """What is due is the tax without what is paid later and what goes back."""
    due = percent(rated.base, _due_rate(share))
    if share.deferral:
        due -= share.deferral.amount
    if share.refund:
        due -= share.refund.amount
    return compared("amount", share.amount, due)


@reform_rule(
    "1150",
    "UB54a-10",
    "O valor do IBS do item não é a soma das partes do estado e do município.",
    book=RULES,
)
def ibs_amount(item: Item, case: Case) -> At | None:
    """The IBS is the sum of its shares; some presumed credits are taken off it."""
    taxed = item.taxes.ibs_cbs
    if taxed is None or taxed.by_rate is None:
        return None
    rated = taxed.by_rate
    expected = rated.state.amount + rated.city.amount
    if rated.ibs_amount == expected:
        return None
    credit = taxed.operation_credit.ibs if taxed.operation_credit else None
    if credit and credit.amount is not None and rated.ibs_amount == expected - credit.amount:
        return None
    return At("ibsCbs.ibsAmount", f"Esperado: {expected}.")


@reform_rule(
    "1142",
    "UB82a-20",
    "A soma dos tributos da compra governamental (gTribCompraGov) não é a de IBS e CBS do item.",
    book=RULES,
)
def purchase_amount(item: Item, case: Case) -> At | None:
    """A public buyer's taxes go to other hands, and are no less for that."""
    rated = item.taxes.ibs_cbs.by_rate if item.taxes.ibs_cbs else None
    if rated is None or rated.government_purchase is None:
        return None
    purchase = rated.government_purchase
    told = purchase.state_amount + purchase.city_amount + purchase.cbs_amount
    expected = rated.state.amount + rated.city.amount + rated.cbs.amount
    if abs(told - expected) <= _PURCHASE_TOLERANCE:
        return None
    return At("ibsCbs.governmentPurchase", f"Esperado: {expected}.")


def _regular_amount(share: str) -> ItemCheck:
    """What would be due without the suspension is the base times its rate."""
    values_of: Callable[[object], tuple[Decimal, Decimal]] = attrgetter(f"{share}_amount", f"{share}_rate")
    path = f"ibsCbs.regularTaxation.{share}Amount"

    def check(item: Item, case: Case) -> At | None:
        taxed = item.taxes.ibs_cbs
        if taxed is None or taxed.by_rate is None or taxed.by_rate.regular_taxation is None:
            return None
        told, its_rate = values_of(taxed.by_rate.regular_taxation)
        return compared(path, told, percent(taxed.by_rate.base, its_rate))

    return check


for _share, _code, _rule in (
    ("state", "1040", "UB72-10"),
    ("city", "1051", "UB72b-10"),
    ("cbs", "1068", "UB72d-10"),
):
    _message = f"O valor da tributação regular {SHARES[_share]} não é a base vezes a alíquota efetiva."
    reform_rule(_code, _rule, _message, book=RULES)(_regular_amount(_share))


def _due_rate(share: AnyShare) -> Decimal:
    return share.reduction.effective_rate if share.reduction else share.rate


def _part(part: Decimal, share: AnyShare, base: Decimal) -> Decimal:
    """So many percent of the whole tax of a share."""
    return cents(base * _due_rate(share) * part / 10_000)
