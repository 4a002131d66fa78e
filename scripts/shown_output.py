"""Compares the output of a page's commands with the output that the page shows."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runnable_pages import MARK, Step

_ANYTHING = "…"
_TIME = r"\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:\d{2})?"
_DATE = r"(?:\d{4}-\d{2}-\d{2}|\d{2}/\d{2}/\d{4})"
# Differs from run to run: ids, moments, dates, times, keys and protocols.
_VARYING = (
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    rf"{_DATE}T{_TIME}",
    _DATE,
    _TIME,
    r"\d{10,}",
)
_PART = re.compile("|".join(f"({form})" for form in _VARYING) + r"|\S")
_END = r"\Z"
_EXCERPT = 70


@dataclass(frozen=True, slots=True)
class Ended:
    """How the script of a page ended, and everything that was printed; one that was stopped has no code."""

    code: int | None
    printed: str

    @property
    def how(self) -> str:
        return "took too long" if self.code is None else f"ended the shell with {self.code}"


def flaws(steps: Sequence[Step], ended: Ended) -> Iterator[str]:
    """Every step that printed something else than is shown, and the one that failed; each with its line."""
    *parts, rest = re.split(f"{MARK}(\\d+){MARK}", ended.printed)
    printed = dict(zip(map(int, parts[1::2]), parts[::2], strict=True))
    for step in steps:
        line = step.commands.first_line
        if line not in printed:
            yield _flaw(step, f"{ended.how}, and printed", rest)
            return
        if step.output and (mismatch := difference(step.output.text, printed[line])):
            yield _flaw(step, f"{mismatch}; all that was printed", printed[line])
    if steps and ended.code != 0:
        yield _flaw(steps[-1], f"what comes after it {ended.how}, and printed", rest)


def _flaw(step: Step, what: str, printed: str) -> str:
    return f"{step.commands.first_line}:\n{step.commands.text}--- {what}:\n{printed.strip()}\n"


def difference(shown: str, printed: str) -> str | None:
    """Returns where a text begins to differ from the page, or None if it does not.

    Whitespace is ignored, ids and moments may be others, and `…` stands for anything.
    """
    parts = list(_PART.finditer(shown))
    forms, dense = [*map(_form, parts), _END], re.sub(r"\s+", "", printed)
    # The first number of forms that do not fit; fewer forms always fit where more do.
    misfit = bisect_left(range(len(forms) + 1), True, key=lambda count: not _match(forms[:count], dense))
    if misfit > len(forms):
        return None
    good = _match(forms[: misfit - 1], dense)
    actual = dense[good.end() if good else 0 :]
    expected = shown[parts[misfit - 1].start() :].rstrip() if misfit <= len(parts) else ""
    return f"{_excerpt(actual)} is printed where {_excerpt(expected)} is shown"


def _form(part: re.Match[str]) -> str:
    return _VARYING[part.lastindex - 1] if part.lastindex else re.escape(part[0])


def _match(forms: Sequence[str], dense: str) -> re.Match[str] | None:
    """The text behind a `…` is taken where it fits first: a later place would leave less for the rest."""
    first, *others = "".join(forms).split(_ANYTHING)
    return re.match(first + "".join(f"(?>.*?{other})" for other in others), dense, re.DOTALL)


def _excerpt(text: str) -> str:
    if not text:
        return "nothing more"
    return repr(text if len(text) <= _EXCERPT else text[:_EXCERPT] + _ANYTHING)
