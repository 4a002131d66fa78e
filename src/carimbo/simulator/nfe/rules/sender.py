"""Who sends: the client certificate of the connection (MOC 7.0, group A)."""

from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.rules.certificates import certificate_rules, is_flawed
from carimbo.simulator.nfe.rules.rule import Rule
from carimbo.simulator.trust import Flaw


def _has(call: Call, flaw: Flaw) -> bool:
    return is_flawed(call.sender, flaw, call.world)


SENDER_RULES: tuple[Rule[Call], ...] = certificate_rules(280, _has)
