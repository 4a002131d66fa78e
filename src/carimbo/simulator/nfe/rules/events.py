"""Every rule about events, in the order in which the authorities look."""

from carimbo.simulator.nfe.event_case import EventCase
from carimbo.simulator.nfe.limits import REFUSALS_OF_AN_EVENT, is_spent
from carimbo.simulator.nfe.rules.event_form import EVENT_FORM_RULES
from carimbo.simulator.nfe.rules.event_identity import EVENT_IDENTITY_RULES
from carimbo.simulator.nfe.rules.issuer_events import ISSUER_EVENT_RULES
from carimbo.simulator.nfe.rules.manifestations import MANIFESTATION_RULES
from carimbo.simulator.nfe.rules.signature import SIGNATURE_RULES
from carimbo.simulator.nfe.rules.substitution import SUBSTITUTION_RULES
from carimbo.simulator.rule import Refusal, Rule, first_broken

SERVICE = "NFeRecepcaoEvento4"


def refused_too_often(case: EventCase) -> bool:
    """NT 2018.002: the same event refused 20 times in an hour."""
    return is_spent(case.world, case.author, SERVICE, case.id, REFUSALS_OF_AN_EVENT)


EVENT_RULES: tuple[Rule[EventCase], ...] = (
    Rule("656", refused_too_often),
    *EVENT_FORM_RULES,
    *SIGNATURE_RULES,
    *EVENT_IDENTITY_RULES,
    *ISSUER_EVENT_RULES,
    *SUBSTITUTION_RULES,
    *MANIFESTATION_RULES,
)


def judge_event(case: EventCase) -> Refusal | None:
    """The first rule that an event breaks; None if it is registered."""
    return first_broken(EVENT_RULES, case, case.world.controls.rules_off)
