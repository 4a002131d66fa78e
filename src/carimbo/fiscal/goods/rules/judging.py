"""Checks a document against all rules and reports every broken one."""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache

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
from carimbo.fiscal.layouts.nfe_v4.invoice import ItemTaxes
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


def _broken_item_rules(document: RuleInput) -> Iterator[BrokenRule]:
    """Yields the rules that items break."""
    applies = tuple([applies(document) for _, applies in _CONDITIONS])
    skipped = _skipped_books(applies, document.is_composed, are_taxes_computed=False)
    skipped_if_computed = _skipped_books(applies, document.is_composed, are_taxes_computed=True)
    for position, item in enumerate(document.invoice.items):
        are_computed = document.is_composed and not document.request.items[position].gives_taxes
        books = skipped_if_computed if are_computed else skipped
        for rule in _item_rules(document.model, books, _groups_of(item.taxes)):
            at = rule.check(item, document)
            if at:
                yield rule, rule.problem(at, hint_of, f"items[{position}].")


def _groups_of(taxes: ItemTaxes) -> tuple[type, ...]:
    """Returns the groups of taxes of an item; rules name those that they are about."""
    parts: list[object] = [taxes.icms, taxes.state_share]
    reform = taxes.ibs_cbs
    if reform is not None:
        parts += (reform, reform.single_phase, reform.credit_transfer, reform.period_adjustment)
        parts += (reform.free_zone_credit, reform.operation_credit)
        rated = reform.by_rate
        if rated is not None:
            state, city, cbs = rated.state, rated.city, rated.cbs
            parts += (rated, rated.regular_taxation, rated.government_purchase)
            parts += (state.deferral, city.deferral, cbs.deferral, state.refund, city.refund, cbs.refund)
            parts += (state.reduction, city.reduction, cbs.reduction)
    return tuple([type(part) for part in parts if part is not None])


@cache
def _document_rules(model: str, is_composed: bool) -> DocumentRules:
    """Returns the rules of a model, grouped by the condition under which they apply."""
    books = [book for book in DOCUMENT_BOOKS if not (book.is_for_external and is_composed)]
    by_condition = ((book.when, tuple(rule for rule in book if model in rule.models)) for book in books)
    return tuple((when, rules) for when, rules in by_condition if rules)


@cache
def _skipped_books(
    applies: tuple[bool, ...], is_composed: bool, *, are_taxes_computed: bool
) -> frozenset[GoodsRuleBook[ItemCheck]]:
    """Returns the books whose rules an item can't break; `applies` has the answers to `_CONDITIONS`."""
    conditions = zip(_CONDITIONS, applies, strict=True)
    unmet = {book for (book, _), is_met in conditions if not is_met}
    return frozenset(
        book
        for book in ITEM_BOOKS
        if book in unmet
        or (book.is_for_external and is_composed)
        or (book.is_for_given_taxes and are_taxes_computed)
    )


# Documents have few combinations of groups, but the number of possible ones is large.
@lru_cache(1024)
def _item_rules(
    model: str, skipped: frozenset[GoodsRuleBook[ItemCheck]], groups: tuple[type, ...]
) -> tuple[Rule[ItemCheck], ...]:
    """Returns the rules that apply to items with these groups of taxes."""
    return tuple(
        rule
        for book in ITEM_BOOKS
        if book not in skipped
        for rule in book
        if model in rule.models and (not rule.on or not set(rule.on).isdisjoint(groups))
    )


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
