"""The form of an event: its type, its version and its XSD (MOC 7.0, D04 to D06)."""

from carimbo.fiscal.tables.authorizers import NATIONAL, is_contingency
from carimbo.simulator.rule import Finding
from carimbo.simulator.sefaz.event import JudgedEvent

_DETAIL = "/detEvento"


def type_not_taken_here(event: JudgedEvent) -> bool:
    """MOC 7.0, D04: the national environment takes other types than the authorities of the states."""
    if event.place.authorizer == NATIONAL:
        return not event.type.is_national
    return event.dialect.model_at(event.place) not in event.type.models


def not_offered_in_contingency(event: JudgedEvent) -> bool:
    """MOC 7.0, anexo III, 2.1.3.4: an SVC takes some types alone."""
    return is_contingency(event.place.authorizer) and not event.type.in_contingency


def other_version(event: JudgedEvent) -> bool:
    """MOC 7.0, D05."""
    return event.text("verEvento") != event.dialect.event_version


def sequence_too_high(event: JudgedEvent) -> bool:
    """MOC 7.0, P15-10, GA03 and H02."""
    return event.sequence > event.type.last_sequence


def misformed_event(event: JudgedEvent) -> Finding:
    """MOC 7.0, D01: the part that all events share."""
    fault = event.schema_fault
    return fault if fault and _DETAIL not in fault else None


def misformed_detail(event: JudgedEvent) -> Finding:
    """MOC 7.0, D06: the part that each type has for itself."""
    fault = event.schema_fault
    return fault if fault and _DETAIL in fault else None
