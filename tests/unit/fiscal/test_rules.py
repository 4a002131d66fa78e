"""Rules as values: the problem of a broken rule, and the rules that a document is checked against."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from carimbo.fiscal.documents.nfse import hints as nfse_hints
from carimbo.fiscal.documents.nfse.request_rules import REQUEST_RULES
from carimbo.fiscal.documents.nfse.rules import NOTE_BOOKS
from carimbo.fiscal.rules import At, DocumentCheck, RuleBook, Severity, judge


@dataclass(frozen=True)
class Trip:
    """A document of a fictitious family."""

    stops: tuple[str, ...]
    distance: int = 10


RULES: RuleBook[DocumentCheck[Trip]] = RuleBook()
LONG_RULES: RuleBook[DocumentCheck[Trip]] = RuleBook(when=lambda trip: trip.distance > 100)


@RULES.rule("501", "Manual, 1", "A viagem não tem paradas.")
def has_stops(trip: Trip) -> At | None:
    return None if trip.stops else At("stops", facts=(("least", "1"),))


@RULES.rule("502", "Manual, 2", "A parada {} repete a {}.", hint="Retire {}.")
def stops_differ(trip: Trip) -> Iterator[At]:
    for position, stop in enumerate(trip.stops):
        first = trip.stops.index(stop)
        if first != position:
            yield At(f"stops[{position}]", values=(str(position), str(first)))


@LONG_RULES.rule("503", "Manual, 3", "A viagem é longa.", severity=Severity.WARNS)
def is_short(trip: Trip) -> At:
    return At("distance", f"Esperado: 100, e não {trip.distance}.")


def hint_of(code: str) -> str | None:
    return "Informe as paradas." if code == "501" else None


def test_valid_document_breaks_no_rule() -> None:
    judgement = judge((RULES, LONG_RULES), Trip(("a", "b")), hint_of)
    assert (judgement.problems, judgement.warnings) == ((), ())


def test_problem_has_code_source_hint_and_facts() -> None:
    (problem,) = judge((RULES,), Trip(()), hint_of).problems
    assert (problem.code, problem.path, problem.source) == ("501", "stops", "Manual, 1")
    assert (problem.hint, problem.facts) == ("Informe as paradas.", (("least", "1"),))


def test_rule_is_reported_at_every_place_with_its_own_values() -> None:
    problems = judge((RULES,), Trip(("a", "a", "a")), hint_of).problems
    assert [(problem.path, problem.message, problem.hint) for problem in problems] == [
        ("stops[1]", "A parada 1 repete a 0.", "Retire 1."),
        ("stops[2]", "A parada 2 repete a 0.", "Retire 2."),
    ]


@pytest.mark.parametrize(
    ("distance", "warnings"),
    [(100, ()), (101, ("distance: A viagem é longa. Esperado: 100, e não 101.",))],
)
def test_rule_book_applies_only_to_documents_that_have_its_subject(
    distance: int, warnings: tuple[str, ...]
) -> None:
    judgement = judge((RULES, LONG_RULES), Trip(("a",), distance), hint_of)
    assert (judgement.problems, judgement.warnings) == ((), warnings)


def test_path_of_a_line_begins_at_the_line_or_at_the_top() -> None:
    (rule,) = LONG_RULES
    assert rule.problem(At("distance"), hint_of, "legs[2].").path == "legs[2].distance"
    assert rule.problem(At("/stops"), hint_of, "legs[2].").path == "stops"


def test_every_rule_of_the_nfse_has_a_hint_and_a_source() -> None:
    rules = [rule for book in (REQUEST_RULES, *NOTE_BOOKS) for rule in book]
    assert len(rules) > 40
    assert [rule.code for rule in rules if not rule.source] == []
    without_hint = {rule.code for rule in rules if not (rule.hint or nfse_hints.hint_of(rule.code))}
    # Their messages already say what to choose.
    assert without_hint == {"AMBIGUOUS"}
