"""No rule is without a test of its own, and no code without its official text."""

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator.nfe.judge import DOCUMENT_RULES, MESSAGE_RULES
from carimbo.simulator.nfe.rules.rule import Rule
from unit.simulator.rules.breaking import BASES, Court, base, faults, place_of

HERE = Path(__file__).parent
ABOUT_MESSAGES = "test_message_rules"


def codes_of(rules: Sequence[Rule[Any]]) -> Counter[str]:
    return Counter(rule.code for rule in rules)


def broken_in(*modules: str) -> Counter[str]:
    """The codes that the breakings of test files are about."""
    files = [import_module(f"unit.simulator.rules.{name}") for name in modules]
    return Counter(breaking.code for file in files for breaking in file.BREAKINGS)


class TestEveryRule:
    def test_every_rule_about_messages_is_broken_by_a_test(self) -> None:
        assert codes_of(MESSAGE_RULES) - broken_in(ABOUT_MESSAGES) == Counter()

    def test_every_rule_about_documents_is_broken_by_a_test(self) -> None:
        names = {file.stem for file in HERE.glob("test_*_rules.py")} - {ABOUT_MESSAGES}
        assert codes_of(DOCUMENT_RULES) - broken_in(*sorted(names)) == Counter()

    def test_every_code_has_its_official_text(self) -> None:
        codes = codes_of(MESSAGE_RULES) | codes_of(DOCUMENT_RULES)
        assert codes.keys() <= NFE_STATUSES.keys()


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_each_is_accepted_and_of_the_right_form(self, name: str, court: Court) -> None:
        xml = base(name, court.signer)
        assert faults(xml) == []
        assert court.verdict(xml, place=place_of(name)) is None
