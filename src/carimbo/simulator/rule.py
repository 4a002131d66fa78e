"""A rule as a value: the code of its rejection, and how to see that it is broken."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

CaseT = TypeVar("CaseT")
CaseT_contra = TypeVar("CaseT_contra", contravariant=True)
"""What a rule can judge, and with it everything that is more than that."""
Finding = str | bool | None
"""False or None: all is well. True: broken. A text: broken, and what the answer adds, with its brackets."""


@dataclass(frozen=True, slots=True)
class Rule(Generic[CaseT_contra]):
    """One check of an authority."""

    code: str
    """`cStat`, or `codigo`."""
    broken: Callable[[CaseT_contra], Finding]
    where: Callable[[CaseT_contra], bool] | None = None
    """Which cases the rule is about; None: all of them. Rules that share it share its answer too."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The code that an authority refuses with, and what it adds to the official text."""

    code: str
    detail: str = ""


def codes_of(*books: Iterable[Rule[Any]]) -> frozenset[str]:
    """The codes of every rule."""
    return frozenset(rule.code for book in books for rule in book)


def first_broken(
    rules: Iterable[Rule[CaseT]], case: CaseT, off: Collection[str] = frozenset()
) -> Refusal | None:
    """The first rule that a case breaks, where an authority tells only one."""
    return next(broken_by(rules, case, off), None)


def broken_by(
    rules: Iterable[Rule[CaseT]], case: CaseT, off: Collection[str] = frozenset()
) -> Iterator[Refusal]:
    """Every rule that a case breaks, looked at one after the other; rules that are off are passed over."""
    answers: dict[object, bool] = {}
    for rule in rules:
        where = rule.where
        if where is not None and where not in answers:
            answers[where] = where(case)
        if (where is None or answers[where]) and rule.code not in off and (found := rule.broken(case)):
            yield Refusal(rule.code, found if isinstance(found, str) else "")
