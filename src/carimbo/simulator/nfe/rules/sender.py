"""Who sends: the client certificate of the connection (MOC 7.0, group A)."""

from carimbo.simulator.nfe.call import Call
from carimbo.simulator.nfe.rules.certificates import certificate_rules, flaws_of
from carimbo.simulator.rule import Rule
from carimbo.simulator.trust import Flaw


def _flaws(call: Call) -> frozenset[Flaw]:
    return flaws_of(call.sender, call.world)


SENDER_RULES: tuple[Rule[Call], ...] = certificate_rules(280, _flaws)
