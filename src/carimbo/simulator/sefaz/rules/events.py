"""Rules about an event: type and form (MOC 7.0, D04 to D06), author, document and time (table 5-35)."""

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

from carimbo.fiscal.tables.authorities import NATIONAL, states_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.identifiers import KEY_EMISSION, KEY_ISSUER, KEY_STATE, is_cnpj, is_cpf
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.answers import NATIONAL_ORGAN
from carimbo.simulator.sefaz.call import in_contingency, state_in
from carimbo.simulator.sefaz.dialect import JudgedEventType
from carimbo.simulator.sefaz.judged import JudgedEvent
from carimbo.simulator.sefaz.rules.documents import TOLERANCE

_DETAIL = "/detEvento"
EventT = TypeVar("EventT", bound=JudgedEvent)
_NORMAL = "1"


def type_not_taken_here(event: JudgedEvent) -> bool:
    """MOC 7.0, D04: the national environment accepts other types than the states."""
    if event.service_path.authorizer == NATIONAL:
        return not event.type.is_national
    return event.dialect.model_at(event.service_path) not in event.type.models


def not_offered_in_contingency(event: JudgedEvent) -> bool:
    """MOC 7.0, anexo III, 2.1.3.4: an SVC accepts only some types."""
    return not event.type.in_contingency and in_contingency(event, state_in(event.access_key))


def other_version(event: JudgedEvent) -> bool:
    """MOC 7.0, D05."""
    return event.text("verEvento") != event.dialect.event_version


def sequence_too_high(event: JudgedEvent) -> bool:
    """MOC 7.0, P15-10, GA03 and H02."""
    return event.sequence > event.type.last_sequence


def misformed_event(event: JudgedEvent) -> Finding:
    """MOC 7.0, D01: the part that all events have."""
    fault = event.schema_fault
    return fault if fault and _DETAIL not in fault else None


def misformed_detail(event: JudgedEvent) -> Finding:
    """MOC 7.0, D06: the part of the event type."""
    fault = event.schema_fault
    return fault if fault and _DETAIL in fault else None


def event_rule(
    code: str, broken: Callable[[EventT], Finding], types: Collection[JudgedEventType]
) -> RejectionRule[EventT]:
    """Returns a rule about some event types; all other types pass it."""
    codes = frozenset(event_type.code for event_type in types)
    return RejectionRule(code, lambda event: event.type.code in codes and broken(event))


def state_rules(types: Iterable[JudgedEventType]) -> tuple[RejectionRule[JudgedEvent], ...]:
    """Returns the rules about the document statuses in which events of some types are refused."""
    codes = {code: None for event_type in types for code in event_type.refused_in.values()}

    def refused_with(code: str) -> Callable[[JudgedEvent], Finding]:
        return lambda event: (
            event.document is not None and event.type.refused_in.get(event.document.status) == code
        )

    return tuple(RejectionRule(code, refused_with(code)) for code in codes)


def id_differs_from_its_fields(event: JudgedEvent) -> bool:
    """MOC 7.0, P07-10."""
    sequence = str(event.sequence).zfill(event.dialect.sequence_digits)
    return event.id != f"ID{event.type.code}{event.access_key}{sequence}"


def organ_of_another_state(event: JudgedEvent) -> bool:
    """MOC 7.0, P08-10."""
    if event.service_path.authorizer == NATIONAL:
        return False
    state, model = state_of_ibge(event.text("cOrgao")), event.dialect.model_at(event.service_path)
    return state is None or state.code not in states_of(model, event.service_path.authorizer)


def organ_is_not_national(event: JudgedEvent) -> bool:
    """MOC 7.0, P08: events of recipients are sent to the national environment."""
    return event.service_path.authorizer == NATIONAL and event.text("cOrgao") != NATIONAL_ORGAN


def other_environment(event: JudgedEvent) -> bool:
    """MOC 7.0, P09-10."""
    return event.text("tpAmb") != event.service_path.environment


def wrong_company(event: JudgedEvent) -> bool:
    """MOC 7.0, P10-10."""
    return not event.text("CPF") and not is_cnpj(event.text("CNPJ"))


def wrong_person(event: JudgedEvent) -> bool:
    """MOC 7.0, P11-10."""
    return bool(event.text("CPF")) and not is_cpf(event.text("CPF"))


def document_of_another_state(event: JudgedEvent) -> bool:
    """MOC 7.0, P12-40."""
    return event.service_path.authorizer != NATIONAL and event.access_key[KEY_STATE] != event.text("cOrgao")


def author_is_not_the_issuer(event: JudgedEvent) -> bool:
    """MOC 7.0, P12-44."""
    return event.type.by_issuer and event.author.zfill(14) != event.access_key[KEY_ISSUER]


def in_the_future(event: JudgedEvent) -> bool:
    """MOC 7.0, P13-10."""
    return event.occurred_at > event.context.now + TOLERANCE


def before_the_issue(event: JudgedEvent) -> bool:
    """MOC 7.0, 2P13-10."""
    return event.document is not None and event.occurred_at < event.document.issued_at


def registered_already(event: JudgedEvent) -> Finding:
    """MOC 7.0, 3P15-10."""
    same = (event.type.code, event.sequence)
    registered = next(
        (earlier for earlier in event.earlier if (earlier.type, earlier.sequence) == same), None
    )
    return f"[nProt:{registered.protocol}]" if registered else None


def document_unknown(event: JudgedEvent) -> Finding:
    """MOC 7.0, 2P12-10; if the number has another key, the answer has that key."""
    if event.document or not event.type.needs_document:
        return None
    number_id = event.dialect.number_id(event.access_key)
    holder = event.ledger.holder_of_number(event.service_path.environment, number_id)
    if holder and holder.access_key != event.access_key:
        return f"[{event.dialect.key_tag}:{holder.access_key}]"
    return True


def before_the_authorization(event: JudgedEvent) -> bool:
    """MOC 7.0, 2P13-14, for documents that were not issued in contingency."""
    document = event.document
    if document is None or event.access_key[KEY_EMISSION] != _NORMAL:
        return False
    return document.issued_at <= event.occurred_at < document.received_at - TOLERANCE


def other_protocol(event: JudgedEvent) -> bool:
    """MOC 7.0, 2P23-10: the event has another protocol than the document."""
    return event.document is not None and event.detail.text("nProt") != event.document.protocol
