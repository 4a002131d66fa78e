"""Rules about consults and the status."""

from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.queries import status_of_another_authorizer
from carimbo.simulator.sefaz.rules.keys import impossible_key
from carimbo.simulator.sefaz.rules.queries import (
    ConsultQuestion,
    asked_too_often,
    issued_long_ago,
    other_key,
    other_model,
    state_of_another_authorizer,
)

CONSULT_RULES: tuple[RejectionRule[ConsultQuestion], ...] = (
    RejectionRule("678", asked_too_often),
    RejectionRule("410", state_of_another_authorizer),
    RejectionRule("236", impossible_key),
    RejectionRule("732", other_model),
    RejectionRule("731", issued_long_ago),
    RejectionRule("600", other_key),
)
STATUS_RULES: tuple[RejectionRule[ServiceCall], ...] = (RejectionRule("410", status_of_another_authorizer),)
