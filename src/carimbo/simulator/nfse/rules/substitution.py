"""Rules of notes that replace another (Anexo I, infDPS/subst)."""

from datetime import timedelta

from carimbo.simulator.cities import city_of
from carimbo.simulator.identifiers import has_valid_check_digit
from carimbo.simulator.nfse.dps import COUNTRY, PLACE, JudgedDps
from carimbo.simulator.nfse.event import ANALYSIS, CONFIRMATIONS
from carimbo.simulator.nfse.stored_notes import CITY, ISSUER, inscription, party_tax_id
from carimbo.simulator.nfse.taxation import is_outside_simples
from carimbo.simulator.rules import RejectionRule

_OTHER_REASON = "99"
_WITHOUT_DEADLINE = frozenset({"01", "02"})
"""Reasons without a deadline: the provider has left or joined the Simples Nacional."""
_KEPT_OUTSIDE_SIMPLES = ("dCompet", "serv/cServ/cTribNac", "serv/cServ/cTribMun", PLACE, COUNTRY)
_KEPT_IN_SIMPLES = ("dCompet", "valores/vServPrest/vServ")


def replaces(dps: JudgedDps) -> bool:
    """Applies to declarations that replace a note."""
    return dps.has("subst")


def replaces_stored_note(dps: JudgedDps) -> bool:
    """Applies to declarations that replace a stored note."""
    return replaces(dps) and dps.replaced is not None


def key_of_another(dps: JudgedDps) -> bool:
    """The key has a wrong check digit, or is of another city or issuer."""
    key = dps.replaced_key
    is_own = key[CITY] == dps.text("cLocEmi") and key[ISSUER] == inscription(dps.author)
    return not (has_valid_check_digit(key) and is_own)


def note_unknown(dps: JudgedDps) -> bool:
    """No note has this key; another rule is about malformed keys."""
    return not key_of_another(dps) and dps.replaced is None


def note_canceled(dps: JudgedDps) -> bool:
    """The note was already canceled or replaced."""
    return dps.replaced is not None and dps.replaced.is_canceled


def replaced_too_late(dps: JudgedDps) -> bool:
    """The deadline of the city is over."""
    if dps.replaced is None or dps.text("subst/cMotivo") in _WITHOUT_DEADLINE:
        return False
    term = timedelta(days=city_of(dps.text("cLocEmi")).cancellation_days)
    return dps.context.now > dps.replaced.received_at + term


def changed_outside_simples(dps: JudgedDps) -> bool:
    """Outside the Simples: competence, service or place differ."""
    return is_outside_simples(dps) and _differs(dps, _KEPT_OUTSIDE_SIMPLES)


def changed_in_simples(dps: JudgedDps) -> bool:
    """In the Simples: competence, price or taker differ."""
    taker, before = party_tax_id(dps.group("toma")), party_tax_id(dps.replaced_note.group("toma"))
    has_another_taker = bool(taker and before) and taker != before
    return not is_outside_simples(dps) and (has_another_taker or _differs(dps, _KEPT_IN_SIMPLES))


def being_analysed(dps: JudgedDps) -> bool:
    """The city is analysing a request to cancel the note."""
    return any(event.type == ANALYSIS for event in dps.replaced_events)


def confirmed(dps: JudgedDps) -> bool:
    """A party has confirmed the note."""
    return any(event.type in CONFIRMATIONS for event in dps.replaced_events)


def reason_missing(dps: JudgedDps) -> bool:
    """The reason is "other", without a text."""
    return dps.text("subst/cMotivo") == _OTHER_REASON and not dps.text("subst/xMotivo")


def _differs(dps: JudgedDps, paths: tuple[str, ...]) -> bool:
    return any(dps.replaced_note.text(path) != dps.text(path) for path in paths)


SUBSTITUTION_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0042", key_of_another, replaces),
    RejectionRule("E0044", note_unknown, replaces),
    RejectionRule("E0046", note_canceled, replaces),
    RejectionRule("E0050", replaced_too_late, replaces),
    RejectionRule("E0060", changed_outside_simples, replaces_stored_note),
    RejectionRule("E0061", changed_in_simples, replaces_stored_note),
    RejectionRule("E0068", being_analysed, replaces),
    RejectionRule("E0070", confirmed, replaces),
    RejectionRule("E0078", reason_missing, replaces),
)
