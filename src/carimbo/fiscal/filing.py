"""Filings: events of documents and inutilizations, as each document type defines them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Any, Literal, NoReturn
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.body.form_layout import FormField, FormLayout
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.lifecycle import NO_EFFECT, Effect, Status
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedFiling

_SPACES = re.compile(r"\s+")


def _with_single_spaces(text: str) -> str:
    # The authorities refuse two spaces in a row.
    return _SPACES.sub(" ", text)


SingleLineText = Annotated[Text, AfterValidator(_with_single_spaces)]
"""A text for an authority, on a single line."""
Justification = Annotated[SingleLineText, StringConstraints(min_length=15, max_length=255)]


class CancellationRequest(Body):
    """The reason of a cancellation."""

    justification: Justification = Field(
        default="Cancelamento solicitado pelo emitente",
        description="Justificativa, de 15 a 255 caracteres (xJust).",
        examples=["Pedido cancelado pelo cliente"],
    )


class UndoRequest(Body):
    """The event to undo."""

    event_id: UUID | None = Field(
        default=None,
        description="Id do evento a desfazer, como em `/events`; na falta, o mais recente em vigor.",
    )


CANCELLATION_FORM = event_form(CancellationRequest, JUSTIFICATION)
UNDO_FORM = event_form(
    UndoRequest, FormField(path="eventId", label="Registro a cancelar", blank="O mais recente em vigor")
)


FilingResult = SignedFiling | tuple[Problem, ...]
"""A signed filing, or all problems that prevent it."""

RegisteredFileBuilder = Callable[[bytes, bytes], bytes]
"""Joins a signed filing and its registration; the result is the file with legal force."""


@dataclass(frozen=True, slots=True)
class FilingIssuer:
    """The company that files, with its means to sign."""

    company: Company
    environment: Environment
    software: Software
    signer: Signer
    schemas: Schemas


def _no_request() -> NoReturn:
    raise LookupError("the event is not about a stored document")


@dataclass(frozen=True, slots=True)
class EventSubject:
    """The document of an event, and the sequence of the event among those of its kind."""

    access_key: str
    protocol: str
    occurred_at: datetime
    """In the time zone of the issuer's state."""
    sequence: int
    issued_at: datetime | None = None
    """When the document was issued."""
    read_request: Callable[[], Any] = _no_request
    """Returns the request of the document."""
    read_earlier: Callable[[], Sequence[Any]] = tuple
    """Returns the requests of the registered events of the same kind that were not undone, in order.

    No other event of the kind is open meanwhile, if its repetition says so.
    """
    facts: frozenset[str] = frozenset()
    """The names of the facts that events of the document have set, as `closedAt`."""
    undone_protocol: str = ""
    """The protocol of the event that this one undoes; empty if it undoes none."""


@dataclass(frozen=True, slots=True)
class EventRoute:
    """The API route of an event, with its Portuguese texts in the published contract."""

    method: Literal["POST", "PUT", "DELETE"]
    """The fields of a DELETE are in the query or in a body."""
    path: str
    """The part after the path of the document, as `/correction`; empty for the document itself."""
    operation: str
    """The verb in the name of the operation, as `cancel` in `cancelNfe`."""
    summary: str
    description: str


def cancellation_route(singular_with_article: str) -> EventRoute:
    """Returns the route for canceling documents of a type, which are called, for example, `uma NF-e`."""
    return EventRoute(
        method="DELETE",
        path="",
        operation="cancel",
        summary=f"Cancela {singular_with_article}",
        description="A justificativa vem no corpo ou na consulta; na falta, usa-se um texto padrão.",
    )


CANCELLATION_PRINT = "Cancelamento-{key}.pdf"


def _unknown_moment(*_: Any) -> datetime | None:
    """Returns None: only the authority knows the deadline."""


def _keeps_deadline(_request: Any) -> bool:
    """Returns False: every document of the type has the deadline."""
    return False


LastMoment = Callable[[str, datetime, Any], datetime | None]
"""Returns the deadline of an event, by key, moment of authorization and request."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The deadline of an event; a later request breaks a rule."""

    last_moment: LastMoment
    late: Problem


@dataclass(frozen=True, slots=True)
class CancellationDeadline:
    """The deadline of a cancellation; the refusal of a later request says what to do instead."""

    alternative: str
    """The alternative after the deadline, in Portuguese."""
    late_codes: frozenset[str]
    """The authority's codes for a cancellation after the deadline."""
    last_moment: LastMoment = _unknown_moment
    in_time_until: Callable[[str, datetime], datetime | None] = _unknown_moment
    """The ordinary deadline (`cancelableUntil` in the API); some states accept later ones with a fine."""
    is_lifted_for: Callable[[Any], bool] = _keeps_deadline
    """Returns whether a document has no deadline, by the request of the document."""
    longest: Callable[[str, datetime], datetime | None] | None = None
    """The deadline of the request with the longest one; None if it is the same for all requests."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The rules for several events of a kind, each with the next sequence."""

    max_events: int
    exceeded: Problem
    """The problem of an event beyond the limit."""
    taken_code: str
    """The authority's code for a sequence that is taken."""
    previous_is_open: str | None = None
    """Why the next event must wait for the previous one, in Portuguese; None if it need not.

    An event also waits for those that undo events of its kind, and they wait for it.
    """


@dataclass(frozen=True, slots=True)
class Undoing:
    """For an event that undoes an earlier one of another kind, and removes the fact that it set."""

    event: str
    """The name of the kind that it undoes."""
    nothing_to_undo: str
    """Why it is refused if the document has no such event, in Portuguese."""
    unknown_event: Problem
    """The problem of a request that names no such event of the document, or one that was undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventKind:
    """A kind of event after the authorization of a document: its route, request, effect and limits."""

    name: str
    """`type` in the history of a document."""
    title: str
    """Its name for people, in Portuguese."""
    action: str
    """The words on its button, as `Cancelar`."""
    explanation: str
    """What it will do, in one Portuguese sentence."""
    route: EventRoute
    request: type[Body]
    issue: Callable[[Any, EventSubject, FilingIssuer], FilingResult]
    registered: RegisteredFileBuilder
    print_name: str
    """The name of its PDF file, with `{key}` and `{sequence}`."""
    allowed: tuple[Status, ...] = (Status.AUTHORIZED,)
    """The statuses of the document in which it may be sent."""
    forbidden_after: Mapping[str, str] = field(default_factory=dict)
    """Facts of the document that exclude the event, as `closedAt`, each with the reason in Portuguese."""
    forbidden_in_manifest: str | None = None
    """Why it is refused while an open manifest of the company lists the document, in Portuguese."""
    effect: Effect = NO_EFFECT
    deadline: Deadline | CancellationDeadline | None = None
    repetition: Repetition | None = None
    """None for an event that is possible only once."""
    undoes: Undoing | None = None
    """For an event that undoes another; its request is an UndoRequest, and it has a repetition."""
    happened_at: Callable[[Any], datetime | None] = lambda request: None
    """Returns the moment that its fact keeps; None for that of the registration."""
    is_awaited: bool = True
    """Whether the API request waits for the authority's answer."""
    replaced_by: Callable[[Any], str | None] = lambda request: None
    """Returns the key of the document that replaces this one."""
    form: FormLayout | None = None
    """The form of its request; None for an event that only the API registers."""
    preset: Callable[[Any, date], Mapping[str, Any]] | None = None
    """Returns what the document says about the event, by its request and the day of today, for the form."""

    def first_body(self, read_request: Callable[[], Any], today: date) -> dict[str, Any]:
        """Returns the body with which its form begins: the usual texts, and what the document says."""
        fields = self.request.model_fields.items()
        usual = {each.alias or name: each.default for name, each in fields if isinstance(each.default, str)}
        return {**usual, **(self.preset(read_request(), today) if self.preset else {})}


@dataclass(frozen=True, slots=True)
class InutilizedRange:
    """Numbers of a series that will not be used, with the justification."""

    year: int
    series: int
    first_number: int
    last_number: int
    justification: str


@dataclass(frozen=True, slots=True)
class InutilizationRules:
    """How the inutilization of unused numbers is issued."""

    issue: Callable[[InutilizedRange, FilingIssuer], FilingResult]
    registered: RegisteredFileBuilder
