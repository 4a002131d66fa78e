"""Every rule tells its own breach, and nothing else does."""

import pytest

from carimbo.fiscal.goods.rules.judging import all_rules
from carimbo.fiscal.goods.rules.rule import Severity
from unit.fiscal.rules import (
    breakings_items,
    breakings_operation,
    breakings_parties,
    breakings_reform,
    breakings_registrations,
)
from unit.fiscal.rules.breaking import GOOD, Breaking, judge

BREAKINGS: tuple[Breaking, ...] = (
    *breakings_parties.BREAKINGS,
    *breakings_registrations.BREAKINGS,
    *breakings_operation.BREAKINGS,
    *breakings_items.BREAKINGS,
    *breakings_reform.BREAKINGS,
)


@pytest.mark.parametrize("good", GOOD)
def test_a_good_request_breaks_no_rule(good: str) -> None:
    assert judge(Breaking("", "", good)).problems == ()


@pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
def test_a_broken_field_is_told_by_its_rule_alone(breaking: Breaking) -> None:
    judgement = judge(breaking)
    if breaking.code in REFUSING:
        assert [(found.code, found.path) for found in judgement.problems] == [(breaking.code, breaking.path)]
    else:
        assert judgement.problems == ()
        usual = judge(Breaking("", "", breaking.good)).warnings
        assert [text.partition(":")[0] for text in judgement.warnings if text not in usual] == [breaking.path]


def test_every_rule_has_a_test() -> None:
    assert {rule.code for rule in all_rules()} == {breaking.code for breaking in BREAKINGS}


REFUSING = {rule.code for rule in all_rules() if rule.severity is Severity.REFUSES}
