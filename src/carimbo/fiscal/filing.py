"""What an issuer may tell an authority besides its documents, for each type of document to fill in."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, StringConstraints

from carimbo.fiscal.company import Company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Text
from carimbo.fiscal.lifecycle import NO_EFFECT, Effect, Status
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
class EventRoute:
    """Where callers ask for an event, and what the published contract says of that, in Portuguese."""

    method: Literal["POST", "DELETE"]
    """A DELETE takes its fields from the query or from a body."""
    path: str
    """What follows the path of the document, as `/correction`; empty for the document itself."""
    operation: str
    """The verb in the name of the operation, as `cancel` in `cancelNfe`."""
    summary: str
    description: str


def cancellation_route(one_of_them: str) -> EventRoute:
    """Returns the route by which documents of any type are canceled; one of them is called so: `uma NF-e`."""
    return EventRoute(
        method="DELETE",
        path="",
        operation="cancel",
        summary=f"Cancela {one_of_them}",
        description="A justificativa vem no corpo ou na consulta; na falta, usa-se um texto padrão.",
    )


CANCELLATION_PRINT = "Cancelamento-{key}.pdf"


def _unknown(*_: Any) -> datetime | None:
    """Returns None: only the authority knows the last moment."""


LastMoment = Callable[[str, datetime, Any], datetime | None]
"""Returns until when the authority takes an event, by key, moment of authorization and request."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when an event may be sent; a later request breaks a rule."""

    last_moment: LastMoment
    late: Problem


@dataclass(frozen=True, slots=True)
class CancellationDeadline:
    """Until when a document may be canceled; a later request is refused with what to do instead."""

    alternative: str
    """What to do when it is too late, in Portuguese."""
    late_codes: frozenset[str]
    """The authority's codes for a cancellation that comes too late."""
    last_moment: LastMoment = _unknown
    in_time_until: Callable[[str, datetime], datetime | None] = _unknown
    """The usual deadline, which callers see in `cancelableUntil`; some states take late ones for a fine."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """How a document may have several events of a kind, each with the next sequence."""

    most: int
    exceeded: Problem
    """The rule that one more breaks."""
    taken_code: str
    """The authority's code for a sequence that another event has."""
    previous_is_open: str | None = None
    """Why the next one waits for the fate of the previous one, in Portuguese; None if it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventKind:
    """One kind of event of a document after its authorization, with everything that it means."""

    name: str
    """`type` in the history of a document."""
    route: EventRoute
    request: type[Body]
    issue: Callable[[Any, AboutDocument, Teller], Filed]
    registered: Registered
    print_name: str
    """The name of its printed file, with `{key}` and `{sequence}`."""
    allowed: tuple[Status, ...] = (Status.AUTHORIZED,)
    """The statuses of the document in which it may be sent."""
    forbidden_after: Mapping[str, str] = field(default_factory=dict)
    """Facts of the document after which it may not be sent, as `closedAt`, each with why, in Portuguese."""
    effect: Effect = NO_EFFECT
    deadline: Deadline | CancellationDeadline | None = None
    repetition: Repetition | None = None
    """None for an event that a document has once."""
    is_awaited: bool = True
    """Whether the request waits for the authority's answer, as long as callers wait."""
    replaced_by: Callable[[Any], str | None] = lambda request: None
    """Returns the key of the document that takes the place of this one."""


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
