"""Every rule has a test, and every code can be switched off."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

import pytest

from carimbo.simulator import cte
from carimbo.simulator.cte.dialect import DIALECT, DISTRIBUTION_DIALECT
from carimbo.simulator.cte.distribution import DISTRIBUTION_RULES
from carimbo.simulator.cte.family import CTE_FAMILY, CTE_OS_FAMILY
from carimbo.simulator.cte.rules.documents import DOCUMENT_RULES, OS_DOCUMENT_RULES
from carimbo.simulator.cte.rules.events import EVENT_RULES
from carimbo.simulator.cte.rules.message import MESSAGE_RULES, SIGNATURE_RULES
from carimbo.simulator.cte.rules.queries import CONSULT_RULES, STATUS_RULES
from unit.simulator.cte import (
    test_delivery_rules,
    test_event_rules,
    test_key_rules,
    test_message_rules,
    test_mode_rules,
    test_party_rules,
    test_question_rules,
    test_reference_rules,
    test_service_rules,
)
from unit.simulator.cteos import test_reference_rules as os_reference_rules
from unit.simulator.cteos import test_service_rules as os_service_rules
from unit.simulator.cteos import test_shared_rules as os_shared_rules
from unit.simulator.rule_books import Rules, judged_by, modules_of, rules_in

# The same signature rules apply to every signed message; tests of documents break each of them.
TESTED_WITH_DOCUMENTS = frozenset(SIGNATURE_RULES)


class Violation(Protocol):
    """A change that breaks one rule."""

    @property
    def code(self) -> str:
        """The code of the rule."""


VIOLATIONS: Mapping[Rules, Iterable[Violation]] = {
    MESSAGE_RULES: test_message_rules.VIOLATIONS,
    DOCUMENT_RULES: [
        *test_key_rules.VIOLATIONS,
        *test_service_rules.VIOLATIONS,
        *test_mode_rules.VIOLATIONS,
        *test_party_rules.VIOLATIONS,
        *test_reference_rules.VIOLATIONS,
    ],
    OS_DOCUMENT_RULES: [
        *os_shared_rules.VIOLATIONS,
        *os_service_rules.VIOLATIONS,
        *os_reference_rules.VIOLATIONS,
    ],
    EVENT_RULES: [*test_event_rules.VIOLATIONS, *test_delivery_rules.VIOLATIONS],
    CONSULT_RULES: test_question_rules.CONSULTS,
    STATUS_RULES: test_question_rules.STATUSES,
    DISTRIBUTION_RULES: test_question_rules.DISTRIBUTIONS,
}
"""The changes that break rules, by set of rules."""


def codes_of(items: Iterable[Violation]) -> Counter[str]:
    return Counter(item.code for item in items)


class TestEveryRule:
    @pytest.mark.parametrize("rules", VIOLATIONS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_every_rule_is_broken_by_a_test(self, rules: Rules) -> None:
        tested_here = rules in (DOCUMENT_RULES, OS_DOCUMENT_RULES)
        own = [rule for rule in rules if tested_here or rule not in TESTED_WITH_DOCUMENTS]
        assert codes_of(own) - codes_of(VIOLATIONS[rules]) == Counter()

    @pytest.mark.parametrize("rules", VIOLATIONS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_every_broken_code_belongs_to_a_rule(self, rules: Rules) -> None:
        assert codes_of(VIOLATIONS[rules]).keys() <= codes_of(rules).keys()

    def test_every_applied_rule_is_tested_here(self) -> None:
        judged = {rules for module in modules_of(cte) for rules in judged_by(module)}
        assert judged == set(VIOLATIONS)

    def test_every_rule_is_applied(self) -> None:
        judging = {rule for rules in VIOLATIONS for rule in rules}
        assert {rule for module in modules_of(cte) for rule in rules_in(module)} <= judging

    def test_every_code_can_be_switched_off(self) -> None:
        for family, others in (
            (CTE_FAMILY, [OS_DOCUMENT_RULES]),
            (CTE_OS_FAMILY, [DOCUMENT_RULES, DISTRIBUTION_RULES]),
        ):
            own = {rule.code for rules in VIOLATIONS if rules not in others for rule in rules}
            assert family.codes == own

    def test_every_code_has_its_official_text(self) -> None:
        own = {rule.code for rules in VIOLATIONS if rules is not DISTRIBUTION_RULES for rule in rules}
        assert [code for code in sorted(own) if DIALECT.status(code) is None] == []
        distribution = [rule.code for rule in DISTRIBUTION_RULES]
        assert [code for code in distribution if DISTRIBUTION_DIALECT.status(code) is None] == []
