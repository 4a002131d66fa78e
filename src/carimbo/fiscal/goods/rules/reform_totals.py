"""Totals of IBS and CBS are the sums of the items, as they are written in them, to the cent."""

from collections.abc import Callable
from decimal import Decimal
from operator import attrgetter
from typing import Any

from pydantic.alias_generators import to_camel

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.reform_sums import ReformSums
from carimbo.fiscal.goods.rules.rule import DocumentCheck, GoodsRuleBook
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(elsewhere=True)

_PATH = "totals.ibsCbs"


@RULES.rule(
    "1118", "NT 2025.002, W34-10", "O documento tem totais de IBS e CBS, e nenhum item informa os tributos."
)
def totals_of_nothing(case: Case) -> At | None:
    """There are no totals of what no item tells."""
    if case.invoice.totals.ibs_cbs and not case.reform_sums.has_items:
        return At(_PATH)
    return None


@RULES.rule("1119", "NT 2025.002, W34-20", "Faltam os totais do IBS e da CBS que os itens informam.")
def totals_that_are_missing(case: Case) -> At | None:
    """Totals stand even where the items tell no more than their classification."""
    if case.invoice.totals.ibs_cbs is None and any(item.taxes.ibs_cbs for item in case.invoice.items):
        return At(_PATH)
    return None


def _sum_of_the_items(name: str) -> DocumentCheck:
    """The check of one total; one that is not told is not held against anything."""
    *groups, amount = name.split(".")
    path = ".".join((_PATH, *map(to_camel, name.split("."))))
    sum_of: Callable[[ReformSums], Decimal] = attrgetter(name)

    def check(case: Case) -> At | None:
        told: Any = case.invoice.totals.ibs_cbs
        for group in groups:
            told = told and getattr(told, group)
        if told is None:
            return None
        expected = sum_of(case.reform_sums)
        if getattr(told, amount) != expected:
            return At(path, f"Esperado: {expected}.")
        return None

    return check


for _code, _rule, _name, _of_what in (
    ("1076", "W35-10", "base", "da base de cálculo do IBS e da CBS"),
    ("1077", "W38-10", "ibs.state.deferred_amount", "diferido do IBS do estado"),
    ("1078", "W39-10", "ibs.state.refunded_amount", "devolvido do IBS do estado"),
    ("1080", "W41-10", "ibs.state.amount", "do IBS do estado"),
    ("1081", "W43-10", "ibs.city.deferred_amount", "diferido do IBS do município"),
    ("1082", "W44-10", "ibs.city.refunded_amount", "devolvido do IBS do município"),
    ("1084", "W46-10", "ibs.city.amount", "do IBS do município"),
    ("1085", "W47-10", "ibs.amount", "do IBS"),
    ("1086", "W48-10", "ibs.presumed_credit", "do crédito presumido do IBS"),
    ("1088", "W53-10", "cbs.deferred_amount", "diferido da CBS"),
    ("1089", "W54-10", "cbs.refunded_amount", "devolvido da CBS"),
    ("1091", "W56-10", "cbs.amount", "da CBS"),
    ("1087", "W56a-10", "cbs.presumed_credit", "do crédito presumido da CBS"),
    ("1092", "W58-10", "single_phase.ibs_amount", "do IBS monofásico"),
    ("1093", "W59-10", "single_phase.cbs_amount", "da CBS monofásica"),
    ("1120", "W59a-10", "single_phase.ibs_withholding_amount", "do IBS monofásico sujeito a retenção"),
    ("1121", "W59b-10", "single_phase.cbs_withholding_amount", "da CBS monofásica sujeita a retenção"),
    ("1122", "W59c-10", "single_phase.ibs_retained_amount", "do IBS monofásico retido anteriormente"),
    ("1123", "W59d-10", "single_phase.cbs_retained_amount", "da CBS monofásica retida anteriormente"),
    ("1176", "W59f-10", "credit_reversal.ibs_amount", "do IBS estornado"),
    ("1177", "W59g-10", "credit_reversal.cbs_amount", "da CBS estornada"),
):
    _message = f"O total {_of_what} não é a soma dos itens."
    RULES.rule(_code, f"NT 2025.002, {_rule}", _message)(_sum_of_the_items(_name))
