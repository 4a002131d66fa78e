"""A note that takes the place of another (Anexo I, infDPS/subst)."""

from datetime import timedelta

from carimbo.simulator.cities import city_of
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.nfse.case import COUNTRY, PLACE, NoteCase
from carimbo.simulator.nfse.event_types import ANALYSIS, CONFIRMATIONS
from carimbo.simulator.nfse.keys import CITY, ISSUER, inscription
from carimbo.simulator.nfse.parties import tax_id
from carimbo.simulator.nfse.regimes import is_outside_simples
from carimbo.simulator.rule import Rule

_OTHER_REASON = "99"
_WITHOUT_DEADLINE = frozenset({"01", "02"})
"""Reasons: the provider has left or joined the Simples Nacional."""
_KEPT_OUTSIDE_SIMPLES = ("dCompet", "serv/cServ/cTribNac", "serv/cServ/cTribMun", PLACE, COUNTRY)
_KEPT_IN_SIMPLES = ("dCompet", "valores/vServPrest/vServ")


def replaces(case: NoteCase) -> bool:
    """Declarations that take the place of a note."""
    return case.has("subst")


def replaces_a_known_note(case: NoteCase) -> bool:
    """Declarations that take the place of a note that there is."""
    return replaces(case) and case.replaced is not None


def key_of_another(case: NoteCase) -> bool:
    """A wrong check digit, another city, or another issuer."""
    key = case.replaced_key
    is_own = key[CITY] == case.text("cLocEmi") and key[ISSUER] == inscription(case.author)
    return not (has_right_digit(key) and is_own)


def note_unknown(case: NoteCase) -> bool:
    """A key that nobody has given; one that can't be is another rule's."""
    return not key_of_another(case) and case.replaced is None


def note_canceled(case: NoteCase) -> bool:
    """Canceled, or replaced already."""
    return case.replaced is not None and case.replaced.is_canceled


def replaced_too_late(case: NoteCase) -> bool:
    """After the days that the city allows."""
    if case.replaced is None or case.text("subst/cMotivo") in _WITHOUT_DEADLINE:
        return False
    term = timedelta(days=city_of(case.text("cLocEmi")).cancellation_days)
    return case.world.now > case.replaced.received_at + term


def changed_outside_simples(case: NoteCase) -> bool:
    """Another day, service or place."""
    return is_outside_simples(case) and _differs(case, _KEPT_OUTSIDE_SIMPLES)


def changed_in_simples(case: NoteCase) -> bool:
    """Another day or amount, or another taker where there is one."""
    taker, before = tax_id(case.group("toma")), tax_id(case.replaced_note.group("toma"))
    has_another_taker = bool(taker and before) and taker != before
    return not is_outside_simples(case) and (has_another_taker or _differs(case, _KEPT_IN_SIMPLES))


def being_analysed(case: NoteCase) -> bool:
    """The city has been asked to cancel it."""
    return any(event.type == ANALYSIS for event in case.replaced_events)


def confirmed(case: NoteCase) -> bool:
    """Somebody has confirmed the service."""
    return any(event.type in CONFIRMATIONS for event in case.replaced_events)


def reason_untold(case: NoteCase) -> bool:
    """Another reason than those of the list, without words."""
    return case.text("subst/cMotivo") == _OTHER_REASON and not case.text("subst/xMotivo")


def _differs(case: NoteCase, paths: tuple[str, ...]) -> bool:
    return any(case.replaced_note.text(path) != case.text(path) for path in paths)


SUBSTITUTION_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0042", key_of_another, replaces),
    Rule("E0044", note_unknown, replaces),
    Rule("E0046", note_canceled, replaces),
    Rule("E0050", replaced_too_late, replaces),
    Rule("E0060", changed_outside_simples, replaces_a_known_note),
    Rule("E0061", changed_in_simples, replaces_a_known_note),
    Rule("E0068", being_analysed, replaces),
    Rule("E0070", confirmed, replaces),
    Rule("E0078", reason_untold, replaces),
)
