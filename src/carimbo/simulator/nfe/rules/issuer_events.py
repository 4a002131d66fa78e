"""The rules about the issuer's events: cancellation and correction (MOC 7.0, tables 5-38 and 5-40)."""

from datetime import timedelta

from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.nfe.event_case import EventCase
from carimbo.simulator.nfe.event_types import (
    CANCELLATION,
    CANCELLATIONS,
    CONCLUSIVE,
    CONFIRMED,
    CORRECTION,
    ISSUER_EVENTS,
    SUBSTITUTION,
)
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.contingency import contingency_is_open
from carimbo.simulator.sefaz.key_parts import MODEL, STATE
from carimbo.simulator.sefaz.rules.event_identity import (
    before_the_authorization,
    document_unknown,
    event_rule,
    other_protocol,
    state_rules,
)

IN_TIME = timedelta(hours=24)
"""How long an NF-e may be canceled without further words; later it gets 155."""
# States go beyond the manual's 24 hours for NF-e, and give half an hour to NFC-e, or a week where another one
# takes its place.
_DEADLINES = {
    (CANCELLATION.code, NFE): timedelta(hours=720),
    (CANCELLATION.code, NFCE): timedelta(minutes=30),
    (SUBSTITUTION.code, NFCE): timedelta(hours=168),
}
_CONCLUSIVE = frozenset(event_type.code for event_type in CONCLUSIVE)


def correction_of_a_receipt(event: EventCase) -> bool:
    """MOC 7.0, GA03a."""
    return event.access_key[MODEL] == NFCE


def at_a_closed_contingency(event: EventCase) -> bool:
    """MOC 7.0, anexo III: an SVC that has handed its work back takes no more events."""
    if not is_contingency(event.place.authorizer):
        return False
    state = state_of_ibge(event.access_key[STATE])
    return not contingency_is_open(event, state.code if state else "")


def canceled_too_late(event: EventCase) -> bool:
    """MOC 7.0, 2P12-14 and 2P12-18."""
    limit = _DEADLINES.get((event.type.code, event.access_key[MODEL]))
    if limit is None or event.document is None:
        return False
    return event.world.now - event.document.received_at > limit


def confirmed_by_the_recipient(event: EventCase) -> bool:
    """MOC 7.0, 4P15-14: the last manifestation of the recipient counts."""
    manifested = [earlier.type for earlier in event.earlier if earlier.type in _CONCLUSIVE]
    return bool(manifested) and manifested[-1] == CONFIRMED.code


ISSUER_EVENT_RULES: tuple[Rule[EventCase], ...] = (
    event_rule("114", at_a_closed_contingency, ISSUER_EVENTS),
    event_rule("784", correction_of_a_receipt, (CORRECTION,)),
    Rule("494", document_unknown),
    # NT 2011.006 for a second cancellation of whatever kind (420); MOC 7.0, GA01, for a correction (580).
    *state_rules(ISSUER_EVENTS),
    event_rule("579", before_the_authorization, ISSUER_EVENTS),
    event_rule("222", other_protocol, CANCELLATIONS),
    event_rule("501", canceled_too_late, CANCELLATIONS),
    event_rule("221", confirmed_by_the_recipient, (CANCELLATION,)),
)
