"""A rule book skips an item only if it equals an earlier one in every field that its rules read."""

import dataclasses
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.rules.judging import ITEM_BOOKS
from carimbo.fiscal.goods.rules.rule import GoodsRuleBook, ItemCheck, RuleInput
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At
from unit.fiscal.rules.breaking import GOOD, Breaking, altered, rule_input_of
from unit.fiscal.rules.test_rules import BREAKINGS
from unit.golden_documents import INVOICES, golden_document

BOOKS = [book for book in ITEM_BOOKS if book.like]
REQUESTS: dict[str, Any] = {"nfe": NfeRequest, "nfce": NfceRequest}

pytestmark = pytest.mark.usefixtures("cbs_of_2027")


class ReadRecord:
    """A group of the layout that records the path of every field that is read."""

    def __init__(self, record: Any, reads: dict[str, Any], path: str = "") -> None:
        self._record, self._reads, self._path = record, reads, path

    def __getattr__(self, name: str) -> Any:
        path = f"{self._path}.{name}" if self._path else name
        value = getattr(self._record, name)
        if not hasattr(value, "__layout__"):
            self._reads[path] = value
            return value
        # A group that is always there differs in its fields alone.
        if name not in required_fields(self._record):
            self._reads[path] = value
        return ReadRecord(value, self._reads, path)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Rules check the class of a group."""
        return type(self._record)


class Other:
    """A value that equals no other, with fields that equal no others."""

    def __getattr__(self, name: str) -> "Other":
        return Other()


def required_fields(record: Any) -> set[str]:
    return {field.name for field in dataclasses.fields(record) if field.default is dataclasses.MISSING}


def read_fields(check: ItemCheck, item: Item, case: RuleInput) -> dict[str, Any]:
    """Returns the values that a rule reads of an item, by path, without the groups on the way to them.

    A group of which no field is read counts: the rule checked whether it exists.
    """
    reads: dict[str, Any] = {}
    seen: Any = ReadRecord(item, reads)
    check(seen, case)
    return {
        path: value
        for path, value in reads.items()
        if not any(other.startswith(f"{path}.") for other in reads)
    }


def unseen_fields(book: GoodsRuleBook[ItemCheck], cases: Iterable[RuleInput]) -> set[str]:
    """Returns the fields that a rule of a book reads, but that may differ in items with the same key."""
    return {path for case in cases for path in _unseen_in(book, case)}


def _unseen_in(book: GoodsRuleBook[ItemCheck], case: RuleInput) -> Iterator[str]:
    assert book.like
    for item in case.invoice.items:
        groups = {type(item.taxes.icms), type(item.taxes.state_share), type(item.taxes.ibs_cbs)}
        rules = [rule for rule in book if case.model in rule.models and (not rule.on or groups & {*rule.on})]
        read = {path: value for rule in rules for path, value in _all_reads(rule.check, item, case)}
        for path, value in read.items():
            other = altered(item, path, None if hasattr(value, "__layout__") else Other())
            if book.like(other) == book.like(item):
                yield path


def _all_reads(check: ItemCheck, item: Item, case: RuleInput) -> Iterator[tuple[str, Any]]:
    """Yields the values that a rule reads of an item as it is, and with each number set to zero."""
    read = read_fields(check, item, case)
    yield from read.items()
    for path, value in read.items():
        if isinstance(value, Decimal) and value:
            yield from read_fields(check, altered(item, path, Decimal()), case).items()


def golden_rule_input(name: str) -> RuleInput:
    """Returns the input of the rules for a golden document."""
    document = golden_document(name)
    request = REQUESTS[document.document_type].model_validate(document.body)
    return RuleInput(document.invoice, request, document.company, document.invoice.identification.issued_at)


def test_some_rule_books_skip_equal_items() -> None:
    assert BOOKS


def test_items_with_the_same_key_are_equal_in_every_field_that_the_rules_read() -> None:
    breakings = *(Breaking("", "", good) for good in GOOD), *BREAKINGS
    cases = [*map(rule_input_of, breakings), *map(golden_rule_input, INVOICES)]
    for book in BOOKS:
        assert unseen_fields(book, cases) == set()


def test_field_that_a_rule_reads_but_the_key_lacks_is_detected() -> None:
    book: GoodsRuleBook[ItemCheck] = GoodsRuleBook(like=lambda item: item.product.ncm)

    @book.rule("0", "", "")
    def reads_more(item: Item, case: RuleInput) -> At | None:
        icms, wrong = item.taxes.icms, item.product.ncm == item.product.cfop
        return At("") if wrong or (icms and item.taxes.pis is None) else None

    assert unseen_fields(book, [rule_input_of(Breaking("", "", "normal sale"))]) == {
        "product.cfop",
        "taxes.icms",
        "taxes.pis",
    }
