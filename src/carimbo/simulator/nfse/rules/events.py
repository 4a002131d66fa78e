"""What may happen to a note, when, and by whom (Anexo II)."""

from datetime import datetime, timedelta

from carimbo.simulator.cities import City, city_of
from carimbo.simulator.nfse.event_case import EventCase
from carimbo.simulator.nfse.event_types import (
    CANCELLATION,
    EVENT_TYPES,
    MANIFESTATIONS,
    NAMES,
    PROVIDER,
    EventType,
)
from carimbo.simulator.nfse.keys import ENVIRONMENT, NATIONAL
from carimbo.simulator.nfse.parties import tax_id
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.tax_ids import base

_OTHER_REASON = "9"
_TOLERANCE = timedelta(minutes=1)
_BY_OTHERS = frozenset(type_ for type_ in MANIFESTATIONS if EVENT_TYPES[type_].author != PROVIDER)
"""What is confirmed or refused by somebody else than who issued the note."""


def other_id(case: EventCase) -> bool:
    """The Id is put together of key and type."""
    return case.id != f"PRE{case.access_key}{case.type}"


def sent_elsewhere(case: EventCase) -> Finding:
    """To the address of another note."""
    return "A chave do endereço não é a do pedido." if case.asked_key != case.access_key else None


def other_environment(case: EventCase) -> bool:
    """Production sent to homologation, or the other way."""
    return case.text("tpAmb") != case.place.environment


def told_in_the_future(case: EventCase) -> bool:
    """Of a moment that has not come, by the authority's clock."""
    return datetime.fromisoformat(case.text("dhEvento")) > case.world.now + _TOLERANCE


def note_unknown(case: EventCase) -> bool:
    """A key that nobody has given."""
    return case.document is None


def note_of_a_city(case: EventCase) -> bool:
    """A note of a city's own system."""
    return case.access_key[ENVIRONMENT] != NATIONAL


def told_by_another_company(case: EventCase) -> bool:
    """Not who may tell it; of a note that is not known nothing is said."""
    return bool(case.text("CNPJAutor")) and _is_told_by_another(case)


def told_by_another_person(case: EventCase) -> bool:
    """Not who may tell it."""
    return bool(case.text("CPFAutor")) and _is_told_by_another(case)


def _is_told_by_another(case: EventCase) -> bool:
    if case.document is None:
        return False
    teller = tax_id(case.note.group(case.kind.author)) if case.kind else ""
    return not teller or base(teller) != base(case.author)


def canceled_too_late(case: EventCase) -> bool:
    """After the days that the city allows."""
    if case.type != CANCELLATION or case.document is None:
        return False
    return case.world.now > case.document.received_at + timedelta(days=_city(case).cancellation_days)


def canceled_too_much(case: EventCase) -> bool:
    """Of more than the city allows."""
    limit = _city(case).cancellation_limit
    price = case.note.amount("valores/vServPrest/vServ")
    return case.type == CANCELLATION and bool(limit) and price > limit


def _city(case: EventCase) -> City:
    return city_of(case.note.text("cLocEmi"))


def _excluded(type_: str, kind: EventType) -> Rule[EventCase]:
    """Something else has happened already, which is named."""

    def first_before(case: EventCase) -> Finding:
        return next((NAMES[one.type] for one in case.earlier if one.type in kind.excluded_by), None)

    return Rule(kind.code, first_before, lambda case: case.type == type_)


def told_twice(case: EventCase) -> bool:
    """Everybody but the issuer confirms or refuses once."""
    before = (one for one in case.earlier if one.type in _BY_OTHERS)
    return case.type in _BY_OTHERS and any(one.author == case.author for one in before)


def _reason_untold(type_: str, code: str) -> Rule[EventCase]:
    """Another reason than those of the list, without words."""
    return Rule(
        code,
        lambda case: case.text(f"e{type_}/cMotivo") == _OTHER_REASON and not case.text(f"e{type_}/xMotivo"),
    )


EVENT_RULES: tuple[Rule[EventCase], ...] = (
    Rule("E1827", other_id),
    Rule("E1827", sent_elsewhere),
    Rule("E1845", other_environment),
    Rule("E1843", told_in_the_future),
    Rule("E1831", note_unknown),
    Rule("E0831", note_of_a_city),
    Rule("E0813", told_by_another_company),
    Rule("E0816", told_by_another_person),
    *(_excluded(type_, kind) for type_, kind in EVENT_TYPES.items()),
    Rule("E0822", canceled_too_late),
    Rule("E0823", canceled_too_much),
    Rule("E1833", told_twice),
    _reason_untold("202205", "E1944"),
    _reason_untold("203206", "E1949"),
    _reason_untold("204207", "E1954"),
)
