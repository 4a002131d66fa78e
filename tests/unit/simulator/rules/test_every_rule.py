"""No rule is without a test of its own, and no code without its official text."""

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Protocol

import pytest

from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator import nfe
from carimbo.simulator.nfe.family import NFCE, NFE
from carimbo.simulator.nfe.receipts import RECEIPT_RULES
from carimbo.simulator.nfe.rules.consult import CONSULT_RULES
from carimbo.simulator.nfe.rules.distribution import DISTRIBUTION_RULES
from carimbo.simulator.nfe.rules.documents import DOCUMENT_RULES
from carimbo.simulator.nfe.rules.event_lots import EVENT_LOT_RULES
from carimbo.simulator.nfe.rules.events import EVENT_RULES
from carimbo.simulator.nfe.rules.inutilization import INUTILIZATION_RULES
from carimbo.simulator.nfe.rules.lots import LOT_RULES
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.nfe.rules.registry_query import REGISTRY_RULES
from carimbo.simulator.nfe.rules.status import STATUS_RULES
from carimbo.simulator.sefaz.rules.signature import SIGNATURE_RULES
from unit.simulator.nfe import test_event_rules, test_inutilization, test_question_rules
from unit.simulator.rule_books import Rules, judged_by, modules_of, rules_in
from unit.simulator.rules import test_message_rules
from unit.simulator.rules.breaking import BASES, Court, base, faults, place_of

HERE = Path(__file__).parent
ABOUT_MESSAGES = "test_message_rules"
# Whatever is signed is held to the same rules, each of which is broken by a document.
SIGNED_ELSEWHERE = frozenset(SIGNATURE_RULES)


class Breaking(Protocol):
    """What breaks one rule."""

    @property
    def code(self) -> str:
        """Of the rule."""


def broken_documents() -> list[Breaking]:
    names = {file.stem for file in HERE.glob("test_*_rules.py")} - {ABOUT_MESSAGES}
    files = [import_module(f"{__package__}.{name}") for name in sorted(names)]
    return [breaking for file in files for breaking in file.BREAKINGS]


BREAKINGS: Mapping[Rules, Iterable[Breaking]] = {
    MESSAGE_RULES: test_message_rules.BREAKINGS,
    DOCUMENT_RULES: broken_documents(),
    EVENT_RULES: test_event_rules.BREAKINGS,
    INUTILIZATION_RULES: test_inutilization.BREAKINGS,
    CONSULT_RULES: test_question_rules.CONSULTS,
    DISTRIBUTION_RULES: test_question_rules.DISTRIBUTIONS,
    LOT_RULES: test_question_rules.LOTS,
    EVENT_LOT_RULES: test_question_rules.EVENT_LOTS,
    RECEIPT_RULES: test_question_rules.RECEIPTS,
    STATUS_RULES: test_question_rules.STATUSES,
    REGISTRY_RULES: test_question_rules.REGISTERS,
}
"""By the rules that something is judged by, what breaks them."""


def codes_of(found: Iterable[Breaking]) -> Counter[str]:
    return Counter(one.code for one in found)


class TestEveryRule:
    @pytest.mark.parametrize("rules", BREAKINGS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_each_is_broken_by_a_test(self, rules: Rules) -> None:
        own = rules if rules is DOCUMENT_RULES else [rule for rule in rules if rule not in SIGNED_ELSEWHERE]
        assert codes_of(own) - codes_of(BREAKINGS[rules]) == Counter()

    @pytest.mark.parametrize("rules", BREAKINGS, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_none_is_broken_that_is_not_there(self, rules: Rules) -> None:
        assert codes_of(BREAKINGS[rules]).keys() <= codes_of(rules).keys()

    def test_nothing_is_judged_by_rules_that_are_not_looked_at_here(self) -> None:
        judged = {rules for module in modules_of(nfe) for rules in judged_by(module)}
        assert judged == set(BREAKINGS)

    def test_every_rule_that_there_is_judges_something(self) -> None:
        judging = {rule for rules in BREAKINGS for rule in rules}
        assert {rule for module in modules_of(nfe) for rule in rules_in(module)} <= judging

    def test_every_code_has_its_official_text_and_can_be_switched_off(self) -> None:
        codes = {rule.code for rules in BREAKINGS for rule in rules}
        assert codes <= NFE_STATUSES.keys()
        assert NFE.codes == NFCE.codes == codes


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_each_is_accepted_and_of_the_right_form(self, name: str, court: Court) -> None:
        xml = base(name, court.signer)
        assert faults(xml) == []
        assert court.verdict(xml, place=place_of(name)) is None
