"""The rules about events, in the order in which the authorities look (MOC 7.0, tables 5-32 to 5-42)."""

from carimbo.simulator.nfe.event_case import EventCase
from carimbo.simulator.nfe.models import NFCE
from carimbo.simulator.nfe.rules.asked_key import ASKED_KEY_RULES
from carimbo.simulator.nfe.rules.issuer_events import ISSUER_EVENT_RULES
from carimbo.simulator.nfe.rules.manifestations import MANIFESTATION_RULES
from carimbo.simulator.nfe.rules.substitution import SUBSTITUTION_RULES
from carimbo.simulator.rule import Rule
from carimbo.simulator.sefaz.key_parts import MODEL
from carimbo.simulator.sefaz.rules import event_form, event_identity
from carimbo.simulator.sefaz.rules.register import refused_too_often
from carimbo.simulator.sefaz.rules.signature import SIGNATURE_RULES


def person_of_a_receipt(event: EventCase) -> bool:
    """MOC 7.0, P11-20."""
    return bool(event.text("CPF")) and event.access_key[MODEL] == NFCE


EVENT_RULES: tuple[Rule[EventCase], ...] = (
    Rule("656", refused_too_often),
    Rule("491", event_form.type_not_taken_here),
    Rule("586", event_form.not_offered_in_contingency),
    Rule("492", event_form.other_version),
    Rule("594", event_form.sequence_too_high),
    Rule("215", event_form.misformed_event),
    Rule("493", event_form.misformed_detail),
    *SIGNATURE_RULES,
    Rule("572", event_identity.id_differs_from_its_fields),
    Rule("250", event_identity.organ_of_another_state),
    Rule("657", event_identity.organ_is_not_national),
    Rule("252", event_identity.other_environment),
    Rule("489", event_identity.wrong_company),
    Rule("490", event_identity.wrong_person),
    Rule("408", person_of_a_receipt),
    *ASKED_KEY_RULES,
    Rule("249", event_identity.document_of_another_state),
    Rule("574", event_identity.author_is_not_the_issuer),
    Rule("578", event_identity.in_the_future),
    Rule("577", event_identity.before_the_issue),
    Rule("573", event_identity.registered_already),
    *ISSUER_EVENT_RULES,
    *SUBSTITUTION_RULES,
    *MANIFESTATION_RULES,
)
