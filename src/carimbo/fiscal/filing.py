"""What an issuer may tell an authority besides its documents, for each type of document to fill in."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, StringConstraints

from carimbo.fiscal.company import Company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Text
from carimbo.fiscal.lifecycle import Happening
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_filing import SignedFiling
from carimbo.fiscal.software import Software

_SPACES = re.compile(r"\s+")


def _with_single_spaces(text: str) -> str:
    """The authorities refuse spaces at the ends and two in a row."""
    return _SPACES.sub(" ", text)


Line = Annotated[Text, AfterValidator(_with_single_spaces)]
"""What people write for an authority to read."""
Justification = Annotated[Line, StringConstraints(min_length=15, max_length=255)]

Filed = SignedFiling | tuple[Problem, ...]
"""A signed statement, or everything that keeps it from being made."""

Registered = Callable[[bytes, bytes], bytes]
"""Joins a signed statement and its registration to the file that has legal force."""


@dataclass(frozen=True, slots=True)
class Teller:
    """Who tells the authority something, and with what."""

    company: Company
    environment: Environment
    software: Software
    signer: Signer
    schemas: Schemas


@dataclass(frozen=True, slots=True)
class AboutDocument:
    """The document that an event is about, and the event's place among those of its type."""

    access_key: str
    protocol: str
    occurred_at: datetime
    """By the clock of the issuer's state."""
    sequence: int


@dataclass(frozen=True, slots=True)
class EventKind:
    """One thing that may be told of a document after its authorization."""

    happening: Happening
    request: type[Body]
    issue: Callable[[Any, AboutDocument, Teller], Filed]
    most: int = 1
    """How many of them a document may have."""
    within: timedelta | None = None
    """How long after the authorization; None where that depends on the state, or does not matter."""
    late_codes: frozenset[str] = frozenset()
    """What the authority answers to one that comes too late."""
    alternative: str = ""
    """What to do when it is too late, in Portuguese."""
    replaced_by: Callable[[Any], str | None] = lambda request: None
    """The key of the document that takes the place of this one, by the request."""


@dataclass(frozen=True, slots=True)
class NumberRange:
    """Numbers of a series that are given up, and why."""

    year: int
    series: int
    first_number: int
    last_number: int
    justification: str


@dataclass(frozen=True, slots=True)
class Voiding:
    """How numbers that never became documents are given up."""

    issue: Callable[[NumberRange, Teller], Filed]
    registered: Registered
