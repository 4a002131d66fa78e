"""Rules of the authorities as values, in books by subject, and the judgement of a document by them."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, Generic, NamedTuple, TypeVar

from carimbo.fiscal.problems import Problem


@dataclass(frozen=True, slots=True)
class Hint:
    """The field to look at, and what to change in it."""

    field: str
    """JSON path in the body; `items[]` for an unknown item, `company.…` for the company's record."""
    sentence: str
    """What to change, a sentence in Portuguese."""


Check = TypeVar("Check", bound=Callable[..., Any])
InputT = TypeVar("InputT")


class Severity(Enum):
    """The consequence of a broken rule."""

    REFUSES = "refuses"
    WARNS = "warns"
    """For rules that only some states apply, or that can't be decided outside of the authority."""


class At(NamedTuple):
    """A place where a rule is broken."""

    path: str
    """JSON path in the body. In rules of lines it begins at the line, or at the top of the body with `/…`."""
    detail: str = ""
    """The expected value, as a sentence that follows the rule's message."""
    values: tuple[str, ...] = ()
    """Values for the placeholders (`{}`) of the rule's message and hint, in their order."""
    facts: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    """Details for programs, by names of our JSON."""


DocumentCheck = Callable[[InputT], At | Iterable[At] | None]
"""Returns the place, or all places, where a document breaks the rule; None if it does not."""

HintOf = Callable[[str], str | None]
"""Returns what to change after a code, a sentence in Portuguese."""


@dataclass(frozen=True, slots=True)
class Rule(Generic[Check]):
    """A check of an authority."""

    code: str
    """The authority's code, else a name of our own."""
    source: str
    """The rule in its manual, technical note or law."""
    message: str
    """What is wrong, in Portuguese."""
    check: Check
    severity: Severity = Severity.REFUSES
    hint: str | None = None
    """What to change, if the hint for the code would be too general."""
    models: tuple[str, ...] = ()
    """The document models that the rule applies to; empty in a book of a single type."""
    on: tuple[type, ...] = ()
    """Groups of which a line must have one for the rule to apply; empty means every line."""

    def problem(self, at: At, hint_of: HintOf, prefix: str = "") -> Problem:
        """Returns the problem of a document that breaks the rule; `prefix` is the path of the line."""
        path = at.path[1:] if at.path.startswith("/") else prefix + at.path
        message, hint = self.message, self.hint
        if at.values:
            message, hint = message.format(*at.values), hint and hint.format(*at.values)
        if at.detail:
            message = f"{message} {at.detail}"
        return Problem(self.code, path, message, hint or hint_of(self.code), self.source, at.facts)


class RuleBook(Generic[Check]):
    """Rules of one subject, in the order in which their problems are reported.

    `when` returns whether a document has the subject at all. `models` is the default of the rules.
    """

    def __init__(self, *, when: Callable[[Any], bool] | None = None, models: tuple[str, ...] = ()) -> None:
        self._rules: list[Rule[Check]] = []
        self._models = models
        self.when = when

    def __iter__(self) -> Iterator[Rule[Check]]:
        return iter(self._rules)

    def rule(
        self,
        code: str,
        source: str,
        message: str,
        *,
        severity: Severity = Severity.REFUSES,
        hint: str | None = None,
        models: tuple[str, ...] = (),
        on: tuple[type, ...] = (),
    ) -> Callable[[Check], Check]:
        """Adds the decorated check to the book."""
        models = models or self._models

        def add(check: Check) -> Check:
            self._rules.append(Rule(code, source, message, check, severity, hint, models, on))
            return check

        return add


@dataclass(frozen=True, slots=True)
class Judgement:
    """Problems and warnings of a document by the rules."""

    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Problems and warnings, all as warnings: for a document that can't be changed any more."""
        return (*map(_sentence, self.problems), *self.warnings)


NOTHING_BROKEN = Judgement()

BrokenRule = tuple[Rule[Any], Problem]
"""A broken rule with its problem."""


def judge(books: Iterable[RuleBook[DocumentCheck[InputT]]], subject: InputT, hint_of: HintOf) -> Judgement:
    """Checks a document against all rules of the books."""
    broken: list[BrokenRule] = []
    for book in books:
        if book.when is None or book.when(subject):
            broken += broken_rules(book, subject, hint_of)
    return judgement_of(broken)


def broken_rules(
    rules: Iterable[Rule[DocumentCheck[InputT]]], subject: InputT, hint_of: HintOf
) -> Iterator[BrokenRule]:
    """Yields the rules that a document breaks, once per place."""
    for rule in rules:
        broken_at = rule.check(subject)
        if broken_at is not None:
            for at in (broken_at,) if isinstance(broken_at, At) else broken_at:
                yield rule, rule.problem(at, hint_of)


def judgement_of(broken: list[BrokenRule]) -> Judgement:
    """Returns the broken rules as problems or warnings, by their severity."""
    if not broken:
        return NOTHING_BROKEN
    return Judgement(
        problems=tuple(problem for rule, problem in broken if rule.severity is Severity.REFUSES),
        warnings=tuple(_sentence(problem) for rule, problem in broken if rule.severity is Severity.WARNS),
    )


def _sentence(problem: Problem) -> str:
    return f"{problem.path}: {problem.message}"


@cache
def hints_in(package: str) -> Mapping[str, Hint]:
    """Returns the hints of a package (its `hints.csv`), by the authority's code."""
    text = files(package).joinpath("hints.csv").read_text(encoding="utf-8")
    return {row["code"]: Hint(row["field"], row["hint"]) for row in csv.DictReader(text.splitlines())}
