"""Holding a document against every rule, and telling all that are broken at once."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from carimbo.fiscal.goods.rules import (
    cfops,
    icms,
    identity,
    operation,
    parties,
    payments,
    product,
    receipt,
    references,
    reform,
    reform_classes,
    reform_totals,
    registrations,
    state_share,
    totals,
)
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import At, DocumentCheck, ItemCheck, Rule, RuleBook, Severity
from carimbo.fiscal.problems import Problem

# In the order in which their problems are told.
DOCUMENT_BOOKS: tuple[RuleBook[DocumentCheck], ...] = (
    identity.ELSEWHERE_RULES,
    identity.RULES,
    parties.ELSEWHERE_RULES,
    parties.RULES,
    parties.PLACE_RULES,
    registrations.RULES,
    operation.ELSEWHERE_RULES,
    operation.RULES,
    receipt.ELSEWHERE_RULES,
    receipt.RULES,
    references.RULES,
    payments.RULES,
    totals.ELSEWHERE_RULES,
    totals.RULES,
    reform_totals.RULES,
)
ITEM_BOOKS: tuple[RuleBook[ItemCheck], ...] = (
    cfops.RULES,
    receipt.ITEM_RULES,
    product.ELSEWHERE_RULES,
    product.RULES,
    product.CODE_RULES,
    icms.SIMPLES_RULES,
    icms.NORMAL_RULES,
    icms.RULES,
    state_share.RULES,
    reform_classes.DUTY_RULES,
    reform_classes.RULES,
    reform.RATE_RULES,
    reform.AMOUNT_RULES,
)

_SOMETIMES_OPEN = tuple(book for book in ITEM_BOOKS if book.when or book.is_for_elsewhere)
_ALWAYS_OPEN = frozenset(ITEM_BOOKS) - frozenset(_SOMETIMES_OPEN)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules say of a document."""

    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it as warnings, for a document that nobody can change any more."""
        return (*map(_sentence, self.problems), *self.warnings)


_NOTHING_BROKEN = Judgement((), ())


def all_rules() -> Iterator[Rule[DocumentCheck] | Rule[ItemCheck]]:
    """Every rule that there is."""
    return chain(chain.from_iterable(DOCUMENT_BOOKS), chain.from_iterable(ITEM_BOOKS))


def judged(case: Case) -> Judgement:
    """Hold a document against the rules of its model."""
    broken = [*_in_the_document(case), *_in_the_items(case)]
    if not broken:
        return _NOTHING_BROKEN
    return Judgement(
        problems=tuple(problem for rule, problem in broken if rule.severity is Severity.REFUSES),
        warnings=tuple(_sentence(problem) for rule, problem in broken if rule.severity is Severity.WARNS),
    )


Broken = tuple[Rule[DocumentCheck] | Rule[ItemCheck], Problem]


def _in_the_document(case: Case) -> Iterator[Broken]:
    for book, rules in _document_books(case.model):
        if book.opens(case):
            for rule in rules:
                found = rule.check(case)
                if found is not None:
                    for at in (found,) if isinstance(found, At) else found:
                        yield rule, rule.problem(at)


def _in_the_items(case: Case) -> Iterator[Broken]:
    opened = _ALWAYS_OPEN.union([book for book in _SOMETIMES_OPEN if book.opens(case)])
    passed: set[Hashable] = set()
    are_many = len(case.invoice.items) > 1
    for position, item in enumerate(case.invoice.items):
        taxes = item.taxes
        kinds: tuple[Any, ...] = type(taxes.icms), type(taxes.state_share), type(taxes.ibs_cbs)
        for book, rules in _item_books(case.model, opened, kinds):
            alike = (book, book.like(item)) if book.like and are_many else None
            if alike in passed:
                continue
            broken = [(rule, at) for rule in rules if (at := rule.check(item, case))]
            yield from ((rule, rule.problem(at, f"items[{position}].")) for rule, at in broken)
            if alike and not broken:
                passed.add(alike)


@cache
def _document_books(
    model: str,
) -> tuple[tuple[RuleBook[DocumentCheck], tuple[Rule[DocumentCheck], ...]], ...]:
    return tuple((book, tuple(rule for rule in book if model in rule.models)) for book in DOCUMENT_BOOKS)


@cache
def _item_books(
    model: str, opened: frozenset[RuleBook[ItemCheck]], kinds: tuple[Any, ...]
) -> tuple[tuple[RuleBook[ItemCheck], tuple[Rule[ItemCheck], ...]], ...]:
    """The rules that can be broken by an item with these groups of taxes, by their books."""
    books = [book for book in ITEM_BOOKS if book in opened]
    chosen = ((book, tuple(rule for rule in book if _may_break(rule, model, kinds))) for book in books)
    return tuple((book, rules) for book, rules in chosen if rules)


def _may_break(rule: Rule[ItemCheck], model: str, kinds: tuple[Any, ...]) -> bool:
    return model in rule.models and (not rule.on or any(kind in rule.on for kind in kinds))


def _sentence(problem: Problem) -> str:
    return f"{problem.path}: {problem.message}"
