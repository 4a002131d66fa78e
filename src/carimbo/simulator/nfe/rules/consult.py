"""The rules about questions about a key (MOC 7.0, table 5-16)."""

from carimbo.simulator.nfe.rules.asked_key import ASKED_KEY_RULES
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.rules.asked_key import state_of_another_authorizer, unknown_state
from carimbo.simulator.sefaz.rules.consult import (
    Consult,
    asked_too_often,
    issued_long_ago,
    other_key,
    other_month,
    other_numeric_code,
)

CONSULT_RULES: tuple[Rule[Consult], ...] = (
    Rule("656", asked_too_often),
    Rule("226", state_of_another_authorizer),
    # 226 comes first (MOC 7.0, J02), and a state that does not exist is never the authority's own.
    *(rule for rule in ASKED_KEY_RULES if rule.broken is not unknown_state),
    Rule("526", issued_long_ago),
    Rule("562", other_numeric_code),
    Rule("561", other_month),
    Rule("613", other_key),
)
