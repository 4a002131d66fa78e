"""Checks a document against all rules and reports every broken one."""

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any

from carimbo.fiscal.goods.hints import hint_of
from carimbo.fiscal.goods.rules import (
    adjustment_notes,
    billing,
    cfops,
    federal_taxes,
    foreigners,
    icms,
    icms_amounts,
    identity,
    mei,
    operation,
    parties,
    payments,
    product,
    receipt,
    receipt_items,
    references,
    reform_amounts,
    reform_classes,
    reform_rates,
    state_share,
    totals,
    transport,
)
from carimbo.fiscal.goods.rules.rule import DocumentCheck, GoodsRuleBook, ItemCheck, RuleInput
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import NOTHING_BROKEN, BrokenRule, Judgement, Rule, broken_rules, judgement_of

# In the order in which their problems are reported.
DOCUMENT_BOOKS: tuple[GoodsRuleBook[DocumentCheck], ...] = (
    identity.EXTERNAL_RULES,
    identity.RULES,
    parties.EXTERNAL_RULES,
    parties.RULES,
    parties.READER_RULES,
    foreigners.RULES,
    parties.PLACE_RULES,
    parties.REGISTRATION_RULES,
    operation.EXTERNAL_RULES,
    operation.RULES,
    receipt.EXTERNAL_RULES,
    receipt.RULES,
    receipt.FORBIDDEN_TRANSPORT_RULES,
    references.RULES,
    references.ITEM_REFERENCE_RULES,
    references.RECEIPT_REFERENCE_RULES,
    adjustment_notes.RULES,
    transport.RULES,
    billing.RULES,
    payments.RULES,
    payments.CARD_RULES,
    totals.EXTERNAL_RULES,
    totals.RULES,
    totals.REFORM_RULES,
    federal_taxes.ENDED_CONTRIBUTION_RULES,
)
ITEM_BOOKS: tuple[GoodsRuleBook[ItemCheck], ...] = (
    cfops.RULES,
    mei.RULES,
    receipt_items.RULES,
    receipt.FORBIDDEN_ITEM_GROUP_RULES,
    product.EXTERNAL_RULES,
    product.GTIN_RULES,
    product.RULES,
    product.CODE_RULES,
    icms.SIMPLES_RULES,
    icms.NORMAL_RULES,
    icms.RULES,
    icms.RATE_RULES,
    icms_amounts.RULES,
    product.DETAIL_RULES,
    federal_taxes.IPI_RULES,
    state_share.RULES,
    reform_classes.DUTY_RULES,
    reform_classes.RULES,
    reform_rates.RULES,
    reform_amounts.RULES,
    reform_amounts.CREDIT_RULES,
)

_CONDITIONS = tuple((book, book.when) for book in ITEM_BOOKS if book.when)


def judge_document(document: RuleInput) -> Judgement:
    """Checks a document against the rules of its model."""
    broken: list[BrokenRule] = []
    for when, rules in _document_rules(document.model, document.is_composed):
        if when is None or when(document):
            broken.extend(broken_rules(rules, document, hint_of))
    broken.extend(_broken_item_rules(document))
    return judgement_of(broken)


DocumentRules = tuple[tuple[Callable[[RuleInput], bool] | None, tuple[Rule[DocumentCheck], ...]], ...]
ItemRules = tuple[tuple[GoodsRuleBook[ItemCheck], tuple[Rule[ItemCheck], ...]], ...]


def _broken_item_rules(document: RuleInput) -> Iterator[BrokenRule]:
    """Yields the rules that items break; items with the same key as a correct one are skipped."""
    skipped = _skipped_books(tuple([applies(document) for _, applies in _CONDITIONS]))
    passed: set[Hashable] = set()
    are_many = len(document.invoice.items) > 1
    for position, item in enumerate(document.invoice.items):
        taxes = item.taxes
        groups: tuple[Any, ...] = type(taxes.icms), type(taxes.state_share), type(taxes.ibs_cbs)
        for book, rules in _item_rules(document.model, document.is_composed, skipped, groups):
            # `id` works because items with the same groups get the same tuple of rules of a book.
            key = (id(rules), book.like(item)) if book.like and are_many else None
            if key in passed:
                continue
            breaks_none = True
            for rule in rules:
                at = rule.check(item, document)
                if at:
                    breaks_none = False
                    yield rule, rule.problem(at, hint_of, f"items[{position}].")
            if key and breaks_none:
                passed.add(key)


@cache
def _document_rules(model: str, is_composed: bool) -> DocumentRules:
    """Returns the rules of a model, grouped by the condition under which they apply."""
    books = [book for book in DOCUMENT_BOOKS if not (book.is_for_external and is_composed)]
    by_condition = ((book.when, tuple(rule for rule in book if model in rule.models)) for book in books)
    return tuple((when, rules) for when, rules in by_condition if rules)


@cache
def _skipped_books(applies: tuple[bool, ...]) -> frozenset[GoodsRuleBook[ItemCheck]]:
    """Returns the books whose condition a document does not meet; the same object for the same answers."""
    conditions = zip(_CONDITIONS, applies, strict=True)
    return frozenset(book for (book, _), is_met in conditions if not is_met)


@cache
def _item_rules(
    model: str, is_composed: bool, skipped: frozenset[GoodsRuleBook[ItemCheck]], groups: tuple[Any, ...]
) -> ItemRules:
    """Returns the rules that apply to items with these groups of taxes, by their books."""
    by_book = []
    for book in ITEM_BOOKS:
        if book in skipped or (book.is_for_external and is_composed):
            continue
        rules = tuple(
            rule
            for rule in book
            if model in rule.models and (not rule.on or any(group in rule.on for group in groups))
        )
        if rules:
            by_book.append((book, rules))
    return tuple(by_book)


_TOO_LONG, _SOURCE = "214", "MOC 7.0, B01"
# Bytes that the message with one document (enviNFe) adds.
_LOT = 200
# The limit of 500 kB in the manual, read as kibibytes and as kilobytes.
_MAX_ACCEPTED_BYTES, _MAX_SURELY_ACCEPTED_BYTES = 500 * 1024 - _LOT, 500_000 - _LOT


def judge_size(document: bytes) -> Judgement:
    """Refuses XML that is too long for every authority, and warns if it may be too long for some."""
    size = len(document)
    if size <= _MAX_SURELY_ACCEPTED_BYTES:
        return NOTHING_BROKEN
    message = f"A nota tem {size // 1_000} kB em XML, e a SEFAZ recebe mensagens de até 500 kB."
    problem = Problem(_TOO_LONG, "items", message, hint_of(_TOO_LONG), _SOURCE)
    warning = f"items: A nota tem {size // 1_000} kB em XML, e a SEFAZ pode recusar mais de 500 kB (214)."
    return Judgement((problem,) if size > _MAX_ACCEPTED_BYTES else (), (warning,))
