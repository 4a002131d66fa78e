"""Rules of the authorities as values, the books that hold them, and what they say of a document."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar

from carimbo.fiscal.problems import Problem

Check = TypeVar("Check", bound=Callable[..., Any])
InputT = TypeVar("InputT")


class Severity(Enum):
    """What a broken rule does."""

    REFUSES = "refuses"
    WARNS = "warns"
    """Where each state decides whether it applies the rule, or nobody outside the authority can be sure."""


class At(NamedTuple):
    """A place where a rule is broken."""

    path: str
    """JSON path in the body. Rules of lines give it within the line; there `/…` begins at the body's top."""
    detail: str = ""
    """What was expected, a sentence to follow the rule's own."""
    values: tuple[str, ...] = ()
    """Fills the gaps (`{}`) of the rule's message and of its own hint, in their order."""
    facts: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    """What a program may want to know besides, by names of our JSON."""


DocumentCheck = Callable[[InputT], At | Iterable[At] | None]
"""Returns where a document breaks the rule, or every place where it does."""

HintOf = Callable[[str], str | None]
"""Returns what to change when a code is met, one sentence in Portuguese."""


@dataclass(frozen=True, slots=True)
class Rule(Generic[Check]):
    """One check of an authority."""

    code: str
    """The authority's code, else a name of our own."""
    source: str
    """Rule and manual, technical note or law."""
    message: str
    """What is wrong, in Portuguese."""
    check: Check
    severity: Severity = Severity.REFUSES
    hint: str | None = None
    """What to change, where the hint of the code would be too general."""
    models: tuple[str, ...] = ()
    """Models of documents that the rule is for; none where the book is of one type."""
    on: tuple[type, ...] = ()
    """Groups that a line must have for the rule to apply; none means every line."""

    def problem(self, at: At, hint_of: HintOf, prefix: str = "") -> Problem:
        """Returns the problem of a document that breaks the rule; `prefix` leads to the line."""
        path = at.path[1:] if at.path.startswith("/") else prefix + at.path
        message, hint = self.message, self.hint
        if at.values:
            message, hint = message.format(*at.values), hint and hint.format(*at.values)
        if at.detail:
            message = f"{message} {at.detail}"
        return Problem(self.code, path, message, hint or hint_of(self.code), self.source, at.facts)


class RuleBook(Generic[Check]):
    """Rules of one subject, in the order in which their problems are reported.

    `when` returns whether a document has the subject at all. `models` are those of rules that name none.
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
        """Writes the decorated check into the book."""
        models = models or self._models

        def write(check: Check) -> Check:
            self._rules.append(Rule(code, source, message, check, severity, hint, models, on))
            return check

        return write


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules say of a document."""

    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it as warnings, for a document that nobody can change any more."""
        return (*map(_sentence, self.problems), *self.warnings)


NOTHING_BROKEN = Judgement()

Broken = tuple[Rule[Any], Problem]
"""A broken rule, and its problem."""


def judge(books: Iterable[RuleBook[DocumentCheck[InputT]]], subject: InputT, hint_of: HintOf) -> Judgement:
    """Checks a document against all rules of some books."""
    open_books = (book for book in books if book.when is None or book.when(subject))
    return judgement_of([broken for book in open_books for broken in broken_rules(book, subject, hint_of)])


def broken_rules(
    rules: Iterable[Rule[DocumentCheck[InputT]]], subject: InputT, hint_of: HintOf
) -> Iterator[Broken]:
    """Yields the rules that a document breaks, once for every place."""
    for rule in rules:
        broken_at = rule.check(subject)
        if broken_at is not None:
            for at in (broken_at,) if isinstance(broken_at, At) else broken_at:
                yield rule, rule.problem(at, hint_of)


def judgement_of(broken: list[Broken]) -> Judgement:
    """Returns problems and warnings, by the severity of each rule."""
    if not broken:
        return NOTHING_BROKEN
    return Judgement(
        problems=tuple(problem for rule, problem in broken if rule.severity is Severity.REFUSES),
        warnings=tuple(_sentence(problem) for rule, problem in broken if rule.severity is Severity.WARNS),
    )


def _sentence(problem: Problem) -> str:
    return f"{problem.path}: {problem.message}"
