"""Every NFS-e rule has a test, and every code its official text."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

import pytest

from carimbo.fiscal.tables.statuses import NFSE_STATUSES, REJECTIONS
from carimbo.simulator import nfse
from carimbo.simulator.nfse.call import ENCODING_RULES, MESSAGE_RULES
from carimbo.simulator.nfse.family import NFSE
from carimbo.simulator.nfse.rule_sets import NOTE_RULES
from carimbo.simulator.nfse.rules.certificates import (
    EVENT_SIGNATURE_RULES,
    NOTE_SIGNATURE_RULES,
    SENDER_RULES,
)
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from unit.simulator.nfse import test_event_rules, test_messages, test_signature_rules
from unit.simulator.nfse.sefin import Violation
from unit.simulator.rule_books import Rules, judged_by, modules_of, rules_in

HERE = Path(__file__).parent
TESTED_SEPARATELY = {"test_event_rules", "test_signature_rules"}
FREQUENT_CODES = {
    *("E0006", "E0037", "E0038", "E0039", "E0312", "E0322", "E0162", "E0166", "E0121", "E0676"),
    *("E0595", "E0600", "E0602", "E0604", "E0606", "E0612", "E0617", "E0619", "E0621", "E0625", "E0628"),
    *("E0631", "E0635", "E0640", "E0580", "E0583", "E0588", "E0589", "E0594", "E0667", "E0710", "E0712"),
    *("E0713", "E0822", "E0823", "E0850", "E0714", "E0715", "E0716", "E0717", "E0718", "E1228", "E1229"),
    *("E0014", "E0840", "E1206"),
}
"""Codes that users often meet."""


def broken_declarations() -> set[str]:
    names = {file.stem for file in HERE.glob("test_*_rules.py")} - TESTED_SEPARATELY
    files = [import_module(f"{__package__}.{name}") for name in sorted(names)]
    violations: Iterable[Violation] = (violation for file in files for violation in file.VIOLATIONS)
    return {violation.code for violation in violations}


BROKEN: Mapping[Rules, set[str]] = {
    NOTE_RULES: broken_declarations(),
    NOTE_SIGNATURE_RULES: {violation.code for violation in test_signature_rules.VIOLATIONS},
    (*EVENT_SIGNATURE_RULES, *EVENT_RULES): {violation.code for violation in test_event_rules.VIOLATIONS},
    SENDER_RULES: {*test_messages.CODES.values(), "E1206", "E1207"},
    MESSAGE_RULES: {"E1228", "E1229"},
    ENCODING_RULES: {"E1229"},
}
"""The codes that tests break, by set of rules."""


class TestEveryRule:
    @pytest.mark.parametrize("rules", BROKEN, ids=lambda rules: f"{rules[0].code}-{len(rules)}")
    def test_every_rule_is_broken_by_a_test(self, rules: Rules) -> None:
        assert {rule.code for rule in rules} == BROKEN[rules]

    def test_every_applied_rule_is_tested_here(self) -> None:
        judged = {rule for module in modules_of(nfse) for rules in judged_by(module) for rule in rules}
        assert judged == {rule for rules in BROKEN for rule in rules}

    def test_every_rule_is_applied(self) -> None:
        judging = {rule for rules in BROKEN for rule in rules}
        assert {rule for module in modules_of(nfse) for rule in rules_in(module)} <= judging

    def test_every_code_has_its_official_text_and_can_be_switched_off(self) -> None:
        codes = {rule.code for rules in BROKEN for rule in rules}
        assert codes <= NFSE_STATUSES.keys()
        assert NFSE.codes == codes

    def test_frequent_codes_have_rules(self) -> None:
        assert NFSE.codes >= FREQUENT_CODES

    def test_errors_of_the_table_are_distinguished_from_successes(self) -> None:
        issued = {code for code, status in NFSE_STATUSES.items() if status.action == "authorized"}
        assert issued == {"100", "102", "103", "107"}
        refusing = {code for code, status in NFSE_STATUSES.items() if status.action in REJECTIONS}
        others = {"E0014", "E0802", "E0840", "E1206", "E1217", "E1805"} | {
            code for code in NFSE_STATUSES if code.startswith("E2") and code != "E2241"
        }
        assert refusing == NFSE_STATUSES.keys() - issued - others
