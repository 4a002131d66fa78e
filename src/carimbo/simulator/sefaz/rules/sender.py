"""Rules about the sender: the client certificate of the connection (MOC 7.0, group A)."""

from carimbo.simulator.certificate_rules import certificate_rules, flaws_of
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.trust import Flaw

_CODES = {flaw: str(280 + flaw) for flaw in Flaw}
"""MOC 7.0, A01 to A07."""

SENDER_RULES: tuple[Rule[Call], ...] = certificate_rules(
    _CODES, lambda call: flaws_of(call.sender, call.world)
)
