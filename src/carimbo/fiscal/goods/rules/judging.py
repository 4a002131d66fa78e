"""Holding a document against every rule, and telling all that are broken at once."""

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from itertools import chain
from typing import Any

from carimbo.fiscal.goods.hints import hint_of
from carimbo.fiscal.goods.rules import (
    adjustment_notes,
    billing,
    cfops,
    ended_contributions,
    extras,
    foreigners,
    icms,
    icms_amounts,
    identity,
    ipi,
    mei,
    operation,
    parties,
    payments,
    product,
    receipt,
    receipt_absences,
    receipt_items,
    referenced_items,
    referenced_receipts,
    references,
    reform_amounts,
    reform_classes,
    reform_credits,
    reform_rates,
    reform_totals,
    registrations,
    state_share,
    totals,
    transport,
)
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import DocumentCheck, GoodsRuleBook, ItemCheck
from carimbo.fiscal.rules import Broken, Judgement, Rule, broken_rules, judgement_of

# In the order in which their problems are told.
DOCUMENT_BOOKS: tuple[GoodsRuleBook[DocumentCheck], ...] = (
    identity.ELSEWHERE_RULES,
    identity.RULES,
    parties.ELSEWHERE_RULES,
    parties.RULES,
    parties.READER_RULES,
    foreigners.RULES,
    parties.PLACE_RULES,
    registrations.RULES,
    operation.ELSEWHERE_RULES,
    operation.RULES,
    receipt.ELSEWHERE_RULES,
    receipt.RULES,
    receipt_absences.RULES,
    references.RULES,
    referenced_items.RULES,
    referenced_receipts.RULES,
    adjustment_notes.RULES,
    transport.RULES,
    billing.RULES,
    payments.RULES,
    payments.CARD_RULES,
    totals.ELSEWHERE_RULES,
    totals.RULES,
    reform_totals.RULES,
    ended_contributions.RULES,
)
ITEM_BOOKS: tuple[GoodsRuleBook[ItemCheck], ...] = (
    cfops.RULES,
    mei.RULES,
    receipt_items.RULES,
    receipt_absences.ITEM_RULES,
    product.ELSEWHERE_RULES,
    product.GTIN_RULES,
    product.RULES,
    product.CODE_RULES,
    icms.SIMPLES_RULES,
    icms.NORMAL_RULES,
    icms.RULES,
    icms.RATE_RULES,
    icms_amounts.RULES,
    extras.RULES,
    ipi.RULES,
    state_share.RULES,
    reform_classes.DUTY_RULES,
    reform_classes.RULES,
    reform_rates.RULES,
    reform_amounts.RULES,
    reform_credits.RULES,
)

_CLOSED_UNLESS = tuple((book, book.when) for book in ITEM_BOOKS if book.when)


def all_rules() -> Iterator[Rule[Any]]:
    """Every rule that there is."""
    return chain(chain.from_iterable(DOCUMENT_BOOKS), chain.from_iterable(ITEM_BOOKS))


def judged(case: Case) -> Judgement:
    """Checks a document against the rules of its model."""
    return judgement_of([*_in_the_document(case), *_in_the_items(case)])


DocumentRules = tuple[tuple[Callable[[Case], bool] | None, tuple[Rule[DocumentCheck], ...]], ...]
ItemRules = tuple[tuple[GoodsRuleBook[ItemCheck], tuple[Rule[ItemCheck], ...]], ...]


def _in_the_document(case: Case) -> Iterator[Broken]:
    for when, rules in _document_rules(case.model, case.is_composed):
        if when is None or when(case):
            yield from broken_rules(rules, case, hint_of)


def _in_the_items(case: Case) -> Iterator[Broken]:
    closed = _closed(tuple([opens(case) for _, opens in _CLOSED_UNLESS]))
    passed: set[Hashable] = set()
    are_many = len(case.invoice.items) > 1
    for position, item in enumerate(case.invoice.items):
        taxes = item.taxes
        kinds: tuple[Any, ...] = type(taxes.icms), type(taxes.state_share), type(taxes.ibs_cbs)
        for book, rules in _item_rules(case.model, case.is_composed, closed, kinds):
            # By identity: the rules of one book are the same tuple for all items with the same groups.
            alike = (id(rules), book.like(item)) if book.like and are_many else None
            if alike in passed:
                continue
            is_right = True
            for rule in rules:
                at = rule.check(item, case)
                if at:
                    is_right = False
                    yield rule, rule.problem(at, hint_of, f"items[{position}].")
            if alike and is_right:
                passed.add(alike)


@cache
def _document_rules(model: str, is_composed: bool) -> DocumentRules:
    """The rules that can be broken by a document of a model, by when they have to be looked at."""
    books = [book for book in DOCUMENT_BOOKS if not (book.is_for_elsewhere and is_composed)]
    chosen = ((book.when, tuple(rule for rule in book if model in rule.models)) for book in books)
    return tuple((when, rules) for when, rules in chosen if rules)


@cache
def _closed(are_open: tuple[bool, ...]) -> frozenset[GoodsRuleBook[ItemCheck]]:
    """The books that a document has no subject for: the same object for all that are alike in this."""
    gates = zip(_CLOSED_UNLESS, are_open, strict=True)
    return frozenset(book for (book, _), is_open in gates if not is_open)


@cache
def _item_rules(
    model: str, is_composed: bool, closed: frozenset[GoodsRuleBook[ItemCheck]], kinds: tuple[Any, ...]
) -> ItemRules:
    """The rules that can be broken by an item with these groups of taxes, by their books."""
    books = [book for book in ITEM_BOOKS if not (book in closed or (book.is_for_elsewhere and is_composed))]
    chosen = ((book, tuple(rule for rule in book if _may_break(rule, model, kinds))) for book in books)
    return tuple((book, rules) for book, rules in chosen if rules)


def _may_break(rule: Rule[ItemCheck], model: str, kinds: tuple[Any, ...]) -> bool:
    return model in rule.models and (not rule.on or any(kind in rule.on for kind in kinds))
