"""Every rule has a test, and every code can be switched off."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

import pytest

from carimbo.simulator import mdfe
from carimbo.simulator.mdfe.dialect import DIALECT
from carimbo.simulator.mdfe.family import MDFE_FAMILY
from carimbo.simulator.mdfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.mdfe.rules.events import EVENT_RULES
from carimbo.simulator.mdfe.rules.message import MESSAGE_RULES, SIGNATURE_RULES
from carimbo.simulator.mdfe.rules.queries import CONSULT_RULES, OPEN_QUESTION_RULES
from unit.simulator.mdfe import (
    test_event_rules,
    test_key_rules,
    test_message_rules,
    test_open_manifest_rules,
    test_place_rules,
    test_question_rules,
    test_road_rules,
)
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
        *test_place_rules.VIOLATIONS,
        *test_road_rules.VIOLATIONS,
        *test_open_manifest_rules.VIOLATIONS,
    ],
    EVENT_RULES: test_event_rules.VIOLATIONS,
    CONSULT_RULES: test_question_rules.CONSULTS,
    OPEN_QUESTION_RULES: test_question_rules.OPEN_ONES,
}
"""The changes that break rules, by set of rules."""


def codes_of(items: Iterable[Violation]) -> Counter[str]:
    return Counter(item.code for item in items)


class TestEveryRule:
    @pytest.mark.parametrize("rules", VIOLATIONS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_every_rule_is_broken_by_a_test(self, rules: Rules) -> None:
        own = [rule for rule in rules if rules is DOCUMENT_RULES or rule not in TESTED_WITH_DOCUMENTS]
        assert codes_of(own) - codes_of(VIOLATIONS[rules]) == Counter()

    @pytest.mark.parametrize("rules", VIOLATIONS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_every_broken_code_belongs_to_a_rule(self, rules: Rules) -> None:
        assert codes_of(VIOLATIONS[rules]).keys() <= codes_of(rules).keys()

    def test_every_applied_rule_is_tested_here(self) -> None:
        judged = {rules for module in modules_of(mdfe) for rules in judged_by(module)}
        assert judged == set(VIOLATIONS)

    def test_every_rule_is_applied(self) -> None:
        judging = {rule for rules in VIOLATIONS for rule in rules}
        assert {rule for module in modules_of(mdfe) for rule in rules_in(module)} <= judging

    def test_every_code_can_be_switched_off(self) -> None:
        assert MDFE_FAMILY.codes == {rule.code for rules in VIOLATIONS for rule in rules}

    def test_every_code_has_its_official_text(self) -> None:
        assert [code for code in sorted(MDFE_FAMILY.codes) if DIALECT.status(code) is None] == []
