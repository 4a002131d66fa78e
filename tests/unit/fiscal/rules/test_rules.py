"""Every rule reports its own violation, and no other rule reports it."""

from collections.abc import Iterator
from typing import Any

import pytest

from carimbo.fiscal.rules import Rule, Severity
from unit.fiscal.rules import (
    breakings_items,
    breakings_operation,
    breakings_parties,
    breakings_receipts,
    breakings_reform,
)
from unit.fiscal.rules.breaking import GOOD, Breaking, judge
from unit.fiscal.rules.goods_rules import GOODS_RULES

BREAKINGS: tuple[Breaking, ...] = (
    *breakings_parties.BREAKINGS,
    *breakings_operation.BREAKINGS,
    *breakings_items.BREAKINGS,
    *breakings_receipts.BREAKINGS,
    *breakings_reform.BREAKINGS,
)

pytestmark = pytest.mark.usefixtures("cbs_of_2027")


def reporting_rules(breaking: Breaking) -> Iterator[tuple[Rule[Any], str]]:
    """Yields the rules that refuse the changed request, or else those that warn of it, with the path."""
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
    """Returns the rule whose message this is."""
    [rule] = [rule for rule in GOODS_RULES if rule.severity is severity and message.startswith(rule.message)]
    return rule


@pytest.mark.parametrize("good", GOOD)
def test_good_request_breaks_no_rule(good: str) -> None:
    assert judge(Breaking("", "", good)).problems == ()


@pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
def test_violation_is_reported_by_its_rule_alone(breaking: Breaking) -> None:
    assert [(rule.code, path) for rule, path in reporting_rules(breaking)] == [(breaking.code, breaking.path)]


def test_every_rule_has_a_test() -> None:
    tested = {rule for breaking in BREAKINGS for rule, _ in reporting_rules(breaking)}
    assert [(rule.code, rule.source) for rule in GOODS_RULES if rule not in tested] == []
