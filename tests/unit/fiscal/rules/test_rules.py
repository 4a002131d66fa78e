"""Every rule tells its own breach, and nothing else does."""

from collections.abc import Iterator
from typing import Any

import pytest

from carimbo.fiscal.goods.rules.judging import all_rules
from carimbo.fiscal.rules import Rule, Severity
from unit.fiscal.rules import (
    breakings_items,
    breakings_operation,
    breakings_parties,
    breakings_receipts,
    breakings_reform,
)
from unit.fiscal.rules.breaking import GOOD, Breaking, judge

BREAKINGS: tuple[Breaking, ...] = (
    *breakings_parties.BREAKINGS,
    *breakings_operation.BREAKINGS,
    *breakings_items.BREAKINGS,
    *breakings_receipts.BREAKINGS,
    *breakings_reform.BREAKINGS,
)
RULES: tuple[Rule[Any], ...] = tuple(all_rules())

pytestmark = pytest.mark.usefixtures("cbs_of_2027")


def told(breaking: Breaking) -> Iterator[tuple[Rule[Any], str]]:
    """The rules that refuse the broken request, or else those that warn of it, and where."""
    judgement = judge(breaking)
    for problem in judgement.problems:
        yield rule_of(Severity.REFUSES, problem.message), problem.path
    if not judgement.problems:
        usual = judge(Breaking("", "", breaking.good, under=breaking.under)).warnings
        for warning in judgement.warnings:
            if warning not in usual:
                path, _, message = warning.partition(": ")
                yield rule_of(Severity.WARNS, message), path


def rule_of(severity: Severity, message: str) -> Rule[Any]:
    """The one rule that a message begins with."""
    [rule] = [one for one in RULES if one.severity is severity and message.startswith(one.message)]
    return rule


@pytest.mark.parametrize("good", GOOD)
def test_a_good_request_breaks_no_rule(good: str) -> None:
    assert judge(Breaking("", "", good)).problems == ()


@pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
def test_a_broken_field_is_told_by_its_rule_alone(breaking: Breaking) -> None:
    assert [(rule.code, path) for rule, path in told(breaking)] == [(breaking.code, breaking.path)]


def test_every_rule_has_a_test() -> None:
    tested = {rule for breaking in BREAKINGS for rule, _ in told(breaking)}
    assert [(rule.code, rule.source) for rule in RULES if rule not in tested] == []
