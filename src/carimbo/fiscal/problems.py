"""Problems and warnings of a document as values, collected while it is composed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

SCHEMA_PROBLEM = "225"
"""The authorities' code for a document that their XSD refuses."""

MISSING_FIELD = "VALIDATION_ERROR"
"""The code of a required field that is missing when a document is composed."""

# A hostile value may have megabytes; messages must not repeat all of it.
_QUOTED_CHARACTERS = 60

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """A reason why a document can't be issued: what is wrong, where, and what to do."""

    code: str
    """The authority's cStat if it has one for this rule, else a name of our own."""
    path: str
    """JSON path in the caller's body, as `items[0].ncm`; `company.…` is in the company's record."""
    message: str
    """What is wrong, in Portuguese."""
    hint: str | None = None
    """What to change, a sentence in Portuguese."""
    source: str | None = None
    """The source of the rule: XSD element, manual or technical note."""
    facts: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    """Details for programs, by names of our JSON."""


def quoted(value: object) -> str:
    """Returns a value in quotation marks for a message, cut to a readable length."""
    text = str(value)
    return f"“{text}”" if len(text) <= _QUOTED_CHARACTERS else f"“{text[:_QUOTED_CHARACTERS]}…”"


def counted(number: int | str, singular: str, plural: str) -> str:
    """Returns a number with its noun: “1 item”, “2 itens”."""
    return f"{number} {singular if str(number) == '1' else plural}"


class Incomplete(Exception):
    """A part of a document can't be composed from the caller's values."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems


class Findings:
    """Collects the problems and warnings of all parts of a document, each of them once."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}
        self._warnings: dict[str, None] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All reasons why the document can't be composed."""
        return tuple(self._problems)

    @property
    def warnings(self) -> tuple[str, ...]:
        """All assumptions, as sentences in Portuguese."""
        return tuple(self._warnings)

    def attempt(self, make: Callable[P, T], *values: P.args, **named: P.kwargs) -> T | None:
        """Returns a part of the document; returns None and collects the problems if it is incomplete."""
        try:
            return make(*values, **named)
        except Incomplete as incomplete:
            self._problems.update(dict.fromkeys(incomplete.problems))
            return None

    def add_problem(self, problem: Problem) -> None:
        """Adds a reason why the document can't be composed."""
        self._problems[problem] = None

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Adds several reasons why the document can't be composed."""
        self._problems.update(dict.fromkeys(problems))

    def add_warning(self, warning: str) -> None:
        """Adds an assumption that the caller should know of."""
        self._warnings[warning] = None
