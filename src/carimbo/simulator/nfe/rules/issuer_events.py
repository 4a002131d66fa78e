"""What an issuer may say of its document: cancellation and correction (MOC 7.0, tables 5-38 and 5-40)."""

from datetime import timedelta

from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.nfe.case import NFCE, NFE
from carimbo.simulator.nfe.contingency import contingency_is_open
from carimbo.simulator.nfe.event_case import (
    CANCELLATION,
    CANCELLATIONS,
    CONCLUSIVE,
    CONFIRMED,
    CORRECTION,
    SUBSTITUTION,
    EventCase,
)
from carimbo.simulator.nfe.key_parts import EMISSION, MODEL, STATE, number_id
from carimbo.simulator.nfe.rules.event_identity import TOLERANCE
from carimbo.simulator.nfe.rules.event_scope import event_rule
from carimbo.simulator.rule import Finding, Rule

IN_TIME = timedelta(hours=24)
"""How long an NF-e may be canceled without further words; later it gets 155."""
# States go beyond the manual's 24 hours for NF-e, and give half an hour to NFC-e, or a week where another one
# takes its place.
_LAST_CALL = {
    (CANCELLATION, NFE): timedelta(hours=720),
    (CANCELLATION, NFCE): timedelta(minutes=30),
    (SUBSTITUTION, NFCE): timedelta(hours=168),
}
_BY_ISSUERS = CANCELLATIONS | {CORRECTION}
_NORMAL = "1"


def correction_of_a_receipt(case: EventCase) -> bool:
    """MOC 7.0, GA03a."""
    return case.access_key[MODEL] == NFCE


def at_a_closed_contingency(case: EventCase) -> bool:
    """MOC 7.0, anexo III: an SVC that has handed its work back takes no more events."""
    if not is_contingency(case.place.authorizer):
        return False
    state = state_of_ibge(case.access_key[STATE])
    return not contingency_is_open(case.place, state.code if state else "", case.world)


def unknown(case: EventCase) -> Finding:
    """MOC 7.0, 2P12-10: if the number has another key, the issuer is told which."""
    if case.document:
        return None
    holder = case.ledger.holder_of_number(case.place.environment, number_id(case.access_key))
    if holder and holder.access_key != case.access_key:
        return f"[chNFe:{holder.access_key}]"
    return True


def canceled_too_late(case: EventCase) -> bool:
    """MOC 7.0, 2P12-14 and 2P12-18."""
    limit = _LAST_CALL.get((case.type, case.access_key[MODEL]))
    if limit is None or case.document is None:
        return False
    return case.world.now - case.document.received_at > limit


def of_what_is_canceled(case: EventCase) -> bool:
    """NT 2011.006, for a second cancellation of whatever kind; MOC 7.0, GA01, for a correction."""
    return case.document is not None and case.document.is_canceled


def before_the_authorisation(case: EventCase) -> bool:
    """MOC 7.0, 2P13-14: of what was not issued in contingency."""
    document = case.document
    if document is None or case.access_key[EMISSION] != _NORMAL:
        return False
    return document.issued_at <= case.occurred_at < document.received_at - TOLERANCE


def other_protocol(case: EventCase) -> bool:
    """MOC 7.0, 2P23-10."""
    return case.document is not None and case.text("detEvento/nProt") != case.document.protocol


def confirmed_by_the_recipient(case: EventCase) -> bool:
    """MOC 7.0, 4P15-14: the last thing that the recipient said counts."""
    said = [event.type for event in case.earlier if event.type in CONCLUSIVE]
    return bool(said) and said[-1] == CONFIRMED


ISSUER_EVENT_RULES: tuple[Rule[EventCase], ...] = (
    event_rule("114", at_a_closed_contingency, _BY_ISSUERS),
    event_rule("784", correction_of_a_receipt, {CORRECTION}),
    event_rule("494", unknown, _BY_ISSUERS),
    event_rule("420", of_what_is_canceled, CANCELLATIONS),
    event_rule("580", of_what_is_canceled, {CORRECTION}),
    event_rule("579", before_the_authorisation, _BY_ISSUERS),
    event_rule("222", other_protocol, CANCELLATIONS),
    event_rule("501", canceled_too_late, CANCELLATIONS),
    event_rule("221", confirmed_by_the_recipient, {CANCELLATION}),
)
