"""Rules of the amounts of IBS and CBS of an item: its three shares, their sums, and presumed credits."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from operator import attrgetter
from typing import Any

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.rules.reform_classes import reform_rule
from carimbo.fiscal.goods.rules.reform_rates import SHARES, AnyShare, each_share
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck, RuleInput
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import Deferral, GovernmentPurchaseTaxes, Refund, RegularTaxation
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs, OperationCredit, TaxedByRate
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import cents, percent
from carimbo.fiscal.rules import At
from carimbo.fiscal.taxes.checks import amount_mismatch, due_rate, share_amount_mismatch

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(given_taxes=True)

_PURCHASE_TOLERANCE = Decimal("0.04")

_each_share = partial(each_share, book=RULES)


@_each_share(
    "O valor do diferimento {share} não é a base vezes a alíquota vezes o percentual diferido.",
    on=Deferral,
    state=("1031", "UB23-10"),
    city=("1045", "UB42-10"),
    cbs=("1062", "UB61-10"),
)
def deferred_amount(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput) -> At | None:
    """Refuses a deferred amount that is not its percentage of the tax."""
    if share.deferral is None:
        return None
    return amount_mismatch(
        "deferral.amount", share.deferral.amount, _part(share.deferral.rate, share, rated.base)
    )


@_each_share(
    "O valor devolvido {share} não é a base vezes a alíquota vezes o percentual devolvido.",
    on=Refund,
    models=(NFE,),
    cbs=("1189", "UB63-10"),
)
def refunded_amount(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput) -> At | None:
    """Refuses a refunded amount that is not its percentage of the tax."""
    if share.refund is None or share.refund.rate is None:
        return None
    return amount_mismatch("refund.amount", share.refund.amount, _part(share.refund.rate, share, rated.base))


@_each_share(
    "O valor {share} não é a base vezes a alíquota, menos o diferimento e a devolução.",
    state=("1041", "UB35-10"),
    city=("1052", "UB54-10"),
    cbs=("1069", "UB67-10"),
)
def amount(share: AnyShare, rated: TaxedByRate, taxed: IbsCbs, document: RuleInput) -> At | None:
    """Refuses an amount that is not the tax minus deferral and refund."""
    return share_amount_mismatch(share, rated.base)


@reform_rule(
    "1150",
    "UB54a-10",
    "O valor do IBS do item não é a soma das partes do estado e do município.",
    book=RULES,
    on=TaxedByRate,
)
def ibs_amount(item: Item, document: RuleInput) -> At | None:
    """Refuses an IBS that is not the sum of its shares; some presumed credits are subtracted."""
    taxed: Any = item.taxes.ibs_cbs
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
    on=GovernmentPurchaseTaxes,
)
def purchase_amount(item: Item, document: RuleInput) -> At | None:
    """Refuses taxes of a public purchase whose sum is not that of IBS and CBS of the item."""
    taxed: Any = item.taxes.ibs_cbs
    rated, purchase = taxed.by_rate, taxed.by_rate.government_purchase
    purchase_taxes = purchase.state_amount + purchase.city_amount + purchase.cbs_amount
    expected = rated.state.amount + rated.city.amount + rated.cbs.amount
    if abs(purchase_taxes - expected) <= _PURCHASE_TOLERANCE:
        return None
    return At("ibsCbs.governmentPurchase", f"Esperado: {expected}.")


def _regular_amount(share: str) -> ItemCheck:
    """Returns the check that the regular amount of a share is base times its rate."""
    values_of: Callable[[object], tuple[Decimal, Decimal]] = attrgetter(f"{share}_amount", f"{share}_rate")
    path = f"ibsCbs.regularTaxation.{share}Amount"

    def check(item: Item, document: RuleInput) -> At | None:
        taxed: Any = item.taxes.ibs_cbs
        regular_amount, rate = values_of(taxed.by_rate.regular_taxation)
        return amount_mismatch(path, regular_amount, percent(taxed.by_rate.base, rate))

    return check


for _share, _code, _rule in (
    ("state", "1040", "UB72-10"),
    ("city", "1051", "UB72b-10"),
    ("cbs", "1068", "UB72d-10"),
):
    _message = f"O valor da tributação regular {SHARES[_share]} não é a base vezes a alíquota efetiva."
    reform_rule(_code, _rule, _message, book=RULES, on=RegularTaxation)(_regular_amount(_share))


def _part(part: Decimal, share: AnyShare, base: Decimal) -> Decimal:
    """Returns a percentage of the whole tax of a share."""
    return cents(base * due_rate(share) * part / 10_000)


CREDIT_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

# Used goods that a dealer buys from somebody who pays no IBS and CBS.
_USED_GOODS = "04"


@reform_rule(
    "1060",
    "UB130-10",
    "O crédito presumido da CBS em condição suspensiva é só de bens usados de pessoa física, desde 2027.",
    book=CREDIT_RULES,
    models=(NFE,),
    on=OperationCredit,
)
def conditional_cbs_credit(item: Item, document: RuleInput) -> At | None:
    """Refuses a conditional credit of CBS before 2027, and except in purchases of used goods."""
    taxed: Any = item.taxes.ibs_cbs
    credit = taxed.operation_credit
    if credit.cbs is None or credit.cbs.conditional_amount is None:
        return None
    if DatedRule.CONDITIONAL_CBS_CREDIT in document.rules_in_force and credit.code == _USED_GOODS:
        return None
    return At("ibsCbs.operationCredit.cbs.conditionalAmount")
