"""A broken rule as a value: what is wrong, where in the caller's JSON, and what to do about it."""

from dataclasses import dataclass

SCHEMA_PROBLEM = "225"
"""The authorities' code for a document that their XSD refuses."""

MISSING_FIELD = "VALIDATION_ERROR"
"""The code of a required field that is still missing when a document is composed."""

# A hostile value of megabytes must not come back inside the sentence that refuses it.
_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a document cannot be issued as it stands."""

    code: str
    """The authority's cStat where it has one for this rule, else a name of our own."""
    path: str
    """JSON path in the caller's body, `items[0].ncm`; `company.…` points at the company's record."""
    message: str
    """What is wrong, in Portuguese."""
    hint: str | None = None
    """What to change, one sentence in Portuguese."""
    source: str | None = None
    """Where the rule comes from: XSD element, manual, technical note."""
    facts: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    """What a program may want to know besides, by names of our JSON."""


def quoted(value: object) -> str:
    """Show a value in a message, cut to a length that a person reads."""
    text = str(value)
    return f"“{text}”" if len(text) <= _QUOTED_CHARACTERS else f"“{text[:_QUOTED_CHARACTERS]}…”"
