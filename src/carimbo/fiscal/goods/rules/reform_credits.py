"""Presumed credits of IBS and CBS that an operation gives."""

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.reform_classes import reform_rule
from carimbo.fiscal.goods.rules.rule import NFE, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

# Used goods that somebody who pays no IBS and CBS sells to a dealer.
_USED_GOODS = "04"


@reform_rule(
    "1060",
    "UB130-10",
    "O crédito presumido da CBS em condição suspensiva é só de bens usados de pessoa física, desde 2027.",
    book=RULES,
    models=(NFE,),
)
def conditional_cbs_credit(item: Item, case: Case) -> At | None:
    """Refuses a conditional credit of CBS before 2027, and in all but purchases of used goods."""
    taxed = item.taxes.ibs_cbs
    credit = taxed.operation_credit if taxed else None
    if credit is None or credit.cbs is None or credit.cbs.conditional_amount is None:
        return None
    if DatedRule.CONDITIONAL_CBS_CREDIT in case.rules_in_force and credit.code == _USED_GOODS:
        return None
    return At("ibsCbs.operationCredit.cbs.conditionalAmount")
