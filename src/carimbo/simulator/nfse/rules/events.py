"""Rules of events: which may be registered, when and by whom (Anexo II)."""

from datetime import datetime, timedelta

from carimbo.simulator.cities import City, city_of
from carimbo.simulator.identifiers import tax_id_base
from carimbo.simulator.nfse.event import (
    CANCELLATION,
    EVENT_NAMES,
    EVENT_TYPES,
    MANIFESTATIONS,
    PROVIDER,
    JudgedNoteEvent,
    NoteEventType,
)
from carimbo.simulator.nfse.stored_notes import ENVIRONMENT, NATIONAL, party_tax_id
from carimbo.simulator.rules import Finding, RejectionRule

_OTHER_REASON = "9"
_TOLERANCE = timedelta(minutes=1)
_BY_OTHERS = frozenset(type_ for type_ in MANIFESTATIONS if EVENT_TYPES[type_].author != PROVIDER)
"""Manifestations of parties other than the provider."""


def other_id(event: JudgedNoteEvent) -> bool:
    """The Id is not made of key and type."""
    return event.id != f"PRE{event.access_key}{event.type}"


def sent_elsewhere(event: JudgedNoteEvent) -> Finding:
    """The path has the key of another note."""
    return "A chave do endereço não é a do pedido." if event.requested_key != event.access_key else None


def other_environment(event: JudgedNoteEvent) -> bool:
    """The event is for the other environment (production or homologation)."""
    return event.text("tpAmb") != event.service_path.environment


def registered_in_the_future(event: JudgedNoteEvent) -> bool:
    """The event is later than now, by the authority's clock."""
    return datetime.fromisoformat(event.text("dhEvento")) > event.context.now + _TOLERANCE


def note_unknown(event: JudgedNoteEvent) -> bool:
    """No note has this key."""
    return event.document is None


def note_of_a_city(event: JudgedNoteEvent) -> bool:
    """The note was issued by a city's own system."""
    return event.access_key[ENVIRONMENT] != NATIONAL


def company_may_not_register(event: JudgedNoteEvent) -> bool:
    """The author is a company that may not register this event; an unknown note breaks another rule."""
    return bool(event.text("CNPJAutor")) and _is_other_author(event)


def person_may_not_register(event: JudgedNoteEvent) -> bool:
    """The author is a person who may not register this event."""
    return bool(event.text("CPFAutor")) and _is_other_author(event)


def _is_other_author(event: JudgedNoteEvent) -> bool:
    if event.document is None:
        return False
    allowed = party_tax_id(event.note.group(event.event_type.author)) if event.event_type else ""
    return not allowed or tax_id_base(allowed) != tax_id_base(event.author)


def canceled_too_late(event: JudgedNoteEvent) -> bool:
    """The deadline of the city is over."""
    if event.type != CANCELLATION or event.document is None:
        return False
    return event.context.now > event.document.received_at + timedelta(days=_city(event).cancellation_days)


def canceled_too_much(event: JudgedNoteEvent) -> bool:
    """The price is above the city's limit for cancellations."""
    limit = _city(event).cancellation_limit
    price = event.note.amount("valores/vServPrest/vServ")
    return event.type == CANCELLATION and bool(limit) and price > limit


def _city(event: JudgedNoteEvent) -> City:
    return city_of(event.note.text("cLocEmi"))


def _excluded(type_: str, event_type: NoteEventType) -> RejectionRule[JudgedNoteEvent]:
    """Returns the rule that an excluding event, which is named, exists already."""

    def first_before(event: JudgedNoteEvent) -> Finding:
        return next(
            (EVENT_NAMES[old.type] for old in event.earlier if old.type in event_type.excluded_by), None
        )

    return RejectionRule(event_type.code, first_before, lambda event: event.type == type_)


def manifested_twice(event: JudgedNoteEvent) -> bool:
    """Each party other than the provider may confirm or refuse only once."""
    previous = (old for old in event.earlier if old.type in _BY_OTHERS)
    return event.type in _BY_OTHERS and any(old.author == event.author for old in previous)


def _reason_missing(type_: str, code: str) -> RejectionRule[JudgedNoteEvent]:
    """Returns the rule that the reason "other" needs a text."""
    return RejectionRule(
        code,
        lambda event: (
            event.text(f"e{type_}/cMotivo") == _OTHER_REASON and not event.text(f"e{type_}/xMotivo")
        ),
    )


EVENT_RULES: tuple[RejectionRule[JudgedNoteEvent], ...] = (
    RejectionRule("E1827", other_id),
    RejectionRule("E1827", sent_elsewhere),
    RejectionRule("E1845", other_environment),
    RejectionRule("E1843", registered_in_the_future),
    RejectionRule("E1831", note_unknown),
    RejectionRule("E0831", note_of_a_city),
    RejectionRule("E0813", company_may_not_register),
    RejectionRule("E0816", person_may_not_register),
    *(_excluded(type_, event_type) for type_, event_type in EVENT_TYPES.items()),
    RejectionRule("E0822", canceled_too_late),
    RejectionRule("E0823", canceled_too_much),
    RejectionRule("E1833", manifested_twice),
    _reason_missing("202205", "E1944"),
    _reason_missing("203206", "E1949"),
    _reason_missing("204207", "E1954"),
)
