"""Questions about the service (MOC 7.0, table 5-20)."""

from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.sefaz.status import state_of_another_authorizer

STATUS_RULES: tuple[Rule[Call], ...] = (Rule("289", state_of_another_authorizer),)
