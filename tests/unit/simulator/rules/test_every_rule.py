"""Every rule has a test, and every code its official text."""

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Protocol

import pytest

from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator import nfe
from carimbo.simulator.nfe.authorization import LOT_RULES
from carimbo.simulator.nfe.distribution import DISTRIBUTION_RULES
from carimbo.simulator.nfe.events import EVENT_LOT_RULES
from carimbo.simulator.nfe.family import NFCE_FAMILY, NFE_FAMILY
from carimbo.simulator.nfe.inutilization import INUTILIZATION_RULES
from carimbo.simulator.nfe.receipts import RECEIPT_RULES
from carimbo.simulator.nfe.registry_query import REGISTRY_RULES
from carimbo.simulator.nfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.nfe.rules.events import EVENT_RULES
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.nfe.rules.queries import CONSULT_RULES, STATUS_RULES
from carimbo.simulator.sefaz.rules.message import SIGNATURE_RULES
from unit.simulator.nfe import test_event_rules, test_inutilization, test_question_rules
from unit.simulator.rule_books import Rules, judged_by, modules_of, rules_in
from unit.simulator.rules import test_message_rules
from unit.simulator.rules.breaking import BASES, InvoiceRuleTester, base, path_of, xsd_errors

HERE = Path(__file__).parent
ABOUT_MESSAGES = "test_message_rules"
# The same signature rules apply to every signed message; tests of documents break each of them.
TESTED_WITH_DOCUMENTS = frozenset(SIGNATURE_RULES)


class Violation(Protocol):
    """A change that breaks one rule."""

    @property
    def code(self) -> str:
        """The code of the rule."""


def broken_documents() -> list[Violation]:
    names = {file.stem for file in HERE.glob("test_*_rules.py")} - {ABOUT_MESSAGES}
    files = [import_module(f"{__package__}.{name}") for name in sorted(names)]
    return [violation for file in files for violation in file.VIOLATIONS]


VIOLATIONS: Mapping[Rules, Iterable[Violation]] = {
    MESSAGE_RULES: test_message_rules.VIOLATIONS,
    DOCUMENT_RULES: broken_documents(),
    EVENT_RULES: test_event_rules.VIOLATIONS,
    INUTILIZATION_RULES: test_inutilization.VIOLATIONS,
    CONSULT_RULES: test_question_rules.CONSULTS,
    DISTRIBUTION_RULES: test_question_rules.DISTRIBUTIONS,
    LOT_RULES: test_question_rules.LOTS,
    EVENT_LOT_RULES: test_question_rules.EVENT_LOTS,
    RECEIPT_RULES: test_question_rules.RECEIPTS,
    STATUS_RULES: test_question_rules.STATUSES,
    REGISTRY_RULES: test_question_rules.REGISTERS,
}
"""The changes that break rules, by set of rules."""


def codes_of(items: Iterable[Violation]) -> Counter[str]:
    return Counter(item.code for item in items)


class TestEveryRule:
    @pytest.mark.parametrize("rules", VIOLATIONS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_every_rule_is_broken_by_a_test(self, rules: Rules) -> None:
        own = (
            rules
            if rules is DOCUMENT_RULES
            else [rule for rule in rules if rule not in TESTED_WITH_DOCUMENTS]
        )
        assert codes_of(own) - codes_of(VIOLATIONS[rules]) == Counter()

    @pytest.mark.parametrize("rules", VIOLATIONS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_every_broken_code_belongs_to_a_rule(self, rules: Rules) -> None:
        assert codes_of(VIOLATIONS[rules]).keys() <= codes_of(rules).keys()

    def test_every_applied_rule_is_tested_here(self) -> None:
        judged = {rules for module in modules_of(nfe) for rules in judged_by(module)}
        assert judged == set(VIOLATIONS)

    def test_every_rule_is_applied(self) -> None:
        judging = {rule for rules in VIOLATIONS for rule in rules}
        assert {rule for module in modules_of(nfe) for rule in rules_in(module)} <= judging

    def test_every_code_has_its_official_text_and_can_be_switched_off(self) -> None:
        codes = {rule.code for rules in VIOLATIONS for rule in rules}
        assert codes <= NFE_STATUSES.keys()
        assert NFE_FAMILY.codes == NFCE_FAMILY.codes == codes


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_base_document_is_accepted_and_valid(self, name: str, tester: InvoiceRuleTester) -> None:
        xml = base(name, tester.signer)
        assert xsd_errors(xml) == []
        assert tester.verdict(xml, service_path=path_of(name)) is None
