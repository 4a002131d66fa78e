"""A rule of the authorities as a value, and the books that rules are written into."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar

from carimbo.fiscal.goods.hints import hint_of
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.problems import Problem

NFE, NFCE = "55", "65"
BOTH = (NFE, NFCE)

Check = TypeVar("Check", bound=Callable[..., Any])


class Severity(Enum):
    """What a broken rule does."""

    REFUSES = "refuses"
    WARNS = "warns"
    """Where each state decides whether it applies the rule, or nobody outside the authority can be sure."""


class At(NamedTuple):
    """Where a rule is broken: a path in the body, or within the item; there `/…` begins at the body's top."""

    path: str
    detail: str = ""
    """What was expected, a sentence to follow the rule's own."""


@dataclass(frozen=True, slots=True)
class Rule(Generic[Check]):
    """One check of the authorities."""

    code: str
    """cStat."""
    source: str
    """Rule and manual or technical note."""
    message: str
    """What is wrong, in Portuguese."""
    check: Check
    models: tuple[str, ...]
    severity: Severity
    on: tuple[type, ...]
    """Groups of taxes that the rule is about; none means every item."""

    def problem(self, at: At, prefix: str = "") -> Problem:
        """The broken rule, told."""
        path = at.path[1:] if at.path.startswith("/") else prefix + at.path
        message = f"{self.message} {at.detail}" if at.detail else self.message
        return Problem(self.code, path, message, hint_of(self.code), self.source)


class RuleBook(Generic[Check]):
    """Rules of one subject, in the order in which they are told.

    `when` tells whether a document has the subject at all. `like` tells what the rules look at in an item:
    one like another that broke none of them breaks none either, and is not held against them again. Rules of
    a book that is for documents made `elsewhere` can't be broken by one that was composed here: what they ask
    for is seen to by the request's form or by the composition.
    """

    def __init__(
        self,
        *,
        when: Callable[[Case], bool] | None = None,
        like: Callable[[Item], Hashable] | None = None,
        elsewhere: bool = False,
    ) -> None:
        self._rules: list[Rule[Check]] = []
        self.when = when
        self.like = like
        self.is_for_elsewhere = elsewhere

    def __iter__(self) -> Iterator[Rule[Check]]:
        return iter(self._rules)

    def rule(
        self,
        code: str,
        source: str,
        message: str,
        *,
        models: tuple[str, ...] = BOTH,
        severity: Severity = Severity.REFUSES,
        on: tuple[type, ...] = (),
    ) -> Callable[[Check], Check]:
        """Write the decorated check into the book."""

        def write(check: Check) -> Check:
            self._rules.append(Rule(code, source, message, check, models, severity, on))
            return check

        return write


DocumentCheck = Callable[[Case], At | Iterable[At] | None]
"""Tells where a document breaks the rule, or every place where it does."""

ItemCheck = Callable[[Item, Case], At | None]
"""Tells where an item breaks the rule; called for every item, so it has to be quick."""
