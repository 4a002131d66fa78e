"""What is found out while a document is composed: what keeps it from being made, and what was assumed."""

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from carimbo.fiscal.problems import Problem

P = ParamSpec("P")
T = TypeVar("T")


class Incomplete(Exception):
    """A part that can't be made of what the caller gave."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems


class Findings:
    """The problems of all parts together and the warnings, each of them once."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}
        self._warnings: dict[str, None] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that keeps the document from being made."""
        return tuple(self._problems)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything that was assumed, in sentences for people."""
        return tuple(self._warnings)

    def tried(self, make: Callable[P, T], *values: P.args, **named: P.kwargs) -> T | None:
        """Make a part of the document; what keeps it from being made joins the problems of the others."""
        try:
            return make(*values, **named)
        except Incomplete as incomplete:
            self._problems.update(dict.fromkeys(incomplete.problems))
            return None

    def missed(self, problem: Problem) -> None:
        """Note what keeps the document from being made, though its parts can be."""
        self._problems[problem] = None

    def missed_all(self, problems: Iterable[Problem]) -> None:
        """Note all that keeps the document from being made."""
        self._problems.update(dict.fromkeys(problems))

    def assumed(self, warning: str) -> None:
        """Note what the caller should know was assumed."""
        self._warnings[warning] = None
