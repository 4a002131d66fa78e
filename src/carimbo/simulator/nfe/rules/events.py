"""Rules about events, in the order in which the authorities check them (MOC 7.0, tables 5-32 to 5-42)."""

from datetime import timedelta

from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import (
    KEY_EMISSION,
    KEY_ISSUER,
    KEY_MODEL,
    KEY_STATE,
    has_valid_check_digit,
)
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.dialect import (
    ACKNOWLEDGED,
    CANCELLATION,
    CANCELLATIONS,
    CONCLUSIVE,
    CONFIRMED,
    CORRECTION,
    ISSUER_EVENTS,
    MANIFESTATIONS,
    NFCE,
    NFE,
    NOT_PERFORMED,
    SUBSTITUTION,
)
from carimbo.simulator.nfe.judged import JudgedInvoiceEvent, reopened_invoice
from carimbo.simulator.nfe.rules.queries import ASKED_KEY_RULES
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.call import contingency_is_open, in_contingency, state_in
from carimbo.simulator.sefaz.rules import events
from carimbo.simulator.sefaz.rules.documents import refused_too_often
from carimbo.simulator.sefaz.rules.events import (
    before_the_authorization,
    document_unknown,
    event_rule,
    other_protocol,
    state_rules,
)
from carimbo.simulator.sefaz.rules.message import SIGNATURE_RULES

_CONCLUSIVE_CODES = frozenset(event_type.code for event_type in CONCLUSIVE)
# NT 2020.001: ten days to acknowledge the document, ninety to conclude the operation.
_MANIFESTATION_DEADLINES = {
    ACKNOWLEDGED.code: timedelta(days=10),
    **dict.fromkeys(_CONCLUSIVE_CODES, timedelta(days=90)),
}
_MAX_REPLACEMENT_DELAY = timedelta(hours=2)
_BY_THE_ISSUER = "1"
_NORMAL = "1"
CANCELLATION_IN_TIME = timedelta(hours=24)
"""How long the cancellation of an NF-e gets 135; later it gets 155."""
# States extend the manual's 24 hours for NF-e; NFC-e have half an hour, or a week with a replacement.
_CANCELLATION_DEADLINES = {
    (CANCELLATION.code, NFE): timedelta(hours=720),
    (CANCELLATION.code, NFCE): timedelta(minutes=30),
    (SUBSTITUTION.code, NFCE): timedelta(hours=168),
}


def author_is_not_the_recipient(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5.11, if the document is known."""
    return event.document is not None and event.author != event.document.recipient


def without_reason(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, H01."""
    return not event.detail.text("xJust")


def manifested_too_late(event: JudgedInvoiceEvent) -> Finding:
    """MOC 7.0, H03."""
    limit = _MANIFESTATION_DEADLINES[event.type.code]
    if event.document is None or event.context.now - event.document.received_at <= limit:
        return None
    return f"[{limit.days} dias]"


def acknowledged_after_conclusion(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, H06."""
    return any(earlier.type in _CONCLUSIVE_CODES for earlier in event.earlier)


MANIFESTATION_RULES: tuple[RejectionRule[JudgedInvoiceEvent], ...] = (
    event_rule("595", without_reason, (NOT_PERFORMED,)),
    event_rule("575", author_is_not_the_recipient, MANIFESTATIONS),
    event_rule("596", manifested_too_late, MANIFESTATIONS),
    # MOC 7.0, H04 and H05.
    *state_rules(MANIFESTATIONS),
    event_rule("655", acknowledged_after_conclusion, (ACKNOWLEDGED,)),
)


def issued_in_contingency(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, P12-48."""
    return event.access_key[KEY_EMISSION] != _NORMAL


def author_of_another_state(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, P20-10."""
    return event.detail.text("cOrgaoAutor") != event.access_key[KEY_STATE]


def author_is_not_an_issuer(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, P21-10."""
    return event.detail.text("tpAutor") != _BY_THE_ISSUER


def replacement_with_a_wrong_key(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, P31-10."""
    return not has_valid_check_digit(_replacing(event))


def replacement_of_something_else(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, P31-38 to P31-52: the same key, or another state, issuer or model."""
    ours, other = event.access_key, _replacing(event)
    return ours == other or any(ours[part] != other[part] for part in (KEY_STATE, KEY_ISSUER, KEY_MODEL))


def replacement_not_in_contingency(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5P31-44."""
    return _replacing(event)[KEY_EMISSION] == _NORMAL


def replacement_unknown(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5P31-10."""
    return event.replacement is None


def replacement_canceled(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5P31-14."""
    return event.replacement is not None and event.replacement.is_canceled


def replacement_issued_too_late(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5P31-20."""
    document, other = event.document, event.replacement
    return (
        document is not None
        and other is not None
        and other.issued_at - document.issued_at > _MAX_REPLACEMENT_DELAY
    )


def replacement_of_another_value(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5P31-24."""
    return _differs(event, "vNF")


def replacement_of_another_tax(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5P31-28."""
    return _differs(event, "vICMS")


def replacement_with_other_items(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 5P31-36: another number of items."""
    document, other = event.document, event.replacement
    if document is None or other is None:
        return False
    return len(_invoice(document, event).all("det")) != len(_invoice(other, event).all("det"))


def _replacing(event: JudgedInvoiceEvent) -> str:
    return event.detail.text("chNFeRef")


def _differs(event: JudgedInvoiceEvent, tag: str) -> bool:
    document, other = event.document, event.replacement
    if document is None or other is None:
        return False
    path = f"total/ICMSTot/{tag}"
    return _invoice(document, event).amount(path) != _invoice(other, event).amount(path)


def _invoice(document: StoredDocument, event: JudgedInvoiceEvent) -> Group:
    return reopened_invoice(document, event).content


SUBSTITUTION_RULES: tuple[RejectionRule[JudgedInvoiceEvent], ...] = tuple(
    event_rule(code, broken, (SUBSTITUTION,))
    for code, broken in (
        ("920", issued_in_contingency),
        ("455", author_of_another_state),
        ("466", author_is_not_an_issuer),
        ("910", replacement_with_a_wrong_key),
        ("911", replacement_of_something_else),
        ("921", replacement_not_in_contingency),
        ("912", replacement_unknown),
        ("913", replacement_canceled),
        ("914", replacement_issued_too_late),
        ("915", replacement_of_another_value),
        ("916", replacement_of_another_tax),
        ("918", replacement_with_other_items),
    )
)


def correction_of_a_receipt(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, GA03a."""
    return event.access_key[KEY_MODEL] == NFCE


def at_a_closed_contingency(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, anexo III: a closed SVC accepts no events."""
    state = state_in(event.access_key)
    return in_contingency(event, state) and not contingency_is_open(event, state)


def canceled_too_late(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 2P12-14 and 2P12-18."""
    limit = _CANCELLATION_DEADLINES.get((event.type.code, event.access_key[KEY_MODEL]))
    if limit is None or event.document is None:
        return False
    return event.context.now - event.document.received_at > limit


def confirmed_by_the_recipient(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, 4P15-14: the last manifestation of the recipient counts."""
    manifested = [earlier.type for earlier in event.earlier if earlier.type in _CONCLUSIVE_CODES]
    return bool(manifested) and manifested[-1] == CONFIRMED.code


ISSUER_EVENT_RULES: tuple[RejectionRule[JudgedInvoiceEvent], ...] = (
    event_rule("114", at_a_closed_contingency, ISSUER_EVENTS),
    event_rule("784", correction_of_a_receipt, (CORRECTION,)),
    RejectionRule("494", document_unknown),
    # NT 2011.006 for a second cancellation of whatever kind (420); MOC 7.0, GA01, for a correction (580).
    *state_rules(ISSUER_EVENTS),
    event_rule("579", before_the_authorization, ISSUER_EVENTS),
    event_rule("222", other_protocol, CANCELLATIONS),
    event_rule("501", canceled_too_late, CANCELLATIONS),
    event_rule("221", confirmed_by_the_recipient, (CANCELLATION,)),
)


def person_of_a_receipt(event: JudgedInvoiceEvent) -> bool:
    """MOC 7.0, P11-20."""
    return bool(event.text("CPF")) and event.access_key[KEY_MODEL] == NFCE


EVENT_RULES: tuple[RejectionRule[JudgedInvoiceEvent], ...] = (
    RejectionRule("656", refused_too_often),
    RejectionRule("491", events.type_not_taken_here),
    RejectionRule("586", events.not_offered_in_contingency),
    RejectionRule("492", events.other_version),
    RejectionRule("594", events.sequence_too_high),
    RejectionRule("215", events.misformed_event),
    RejectionRule("493", events.misformed_detail),
    *SIGNATURE_RULES,
    RejectionRule("572", events.id_differs_from_its_fields),
    RejectionRule("250", events.organ_of_another_state),
    RejectionRule("657", events.organ_is_not_national),
    RejectionRule("252", events.other_environment),
    RejectionRule("489", events.wrong_company),
    RejectionRule("490", events.wrong_person),
    RejectionRule("408", person_of_a_receipt),
    *ASKED_KEY_RULES,
    RejectionRule("249", events.document_of_another_state),
    RejectionRule("574", events.author_is_not_the_issuer),
    RejectionRule("578", events.in_the_future),
    RejectionRule("577", events.before_the_issue),
    RejectionRule("573", events.registered_already),
    *ISSUER_EVENT_RULES,
    *SUBSTITUTION_RULES,
    *MANIFESTATION_RULES,
)
