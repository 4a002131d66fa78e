"""Filings in progress: what the pipeline needs to know about an event or a range of numbers."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, Self

from carimbo.fiscal.authority import Authority
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import (
    EventKind,
    EventSubject,
    FilingIssuer,
    FilingResult,
    InutilizationRules,
    InutilizedRange,
    UndoRequest,
)
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.lifecycle import CLOSED_AT, NO_EFFECT, Effect, FilingState, Status
from carimbo.fiscal.outcome import Authorized, Closed, Duplicate, Outcome, Unknown
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.builder import DocumentBuilder
from carimbo.service.documents.queries import stored_request
from carimbo.service.filing.decision import FilingDecider, FilingDecision, FilingRefused, FilingRegistered
from carimbo.service.filing.event_series import NO_EVENTS, EventSeries, read_series
from carimbo.service.json_values import read_exact_json
from carimbo.service.ports import InutilizingAuthority
from carimbo.storage.documents import Document
from carimbo.storage.emissions import EmissionRow
from carimbo.storage.event_filings import EventFiling
from carimbo.storage.filings import Filing
from carimbo.storage.inutilizations import InutilizationRow, NewInutilization
from carimbo.storage.work import WorkKey


class FilingInProgress(Protocol):
    """A leased filing, as read at the start of a step."""

    @property
    def row(self) -> Filing:
        """The row of the filing."""

    @property
    def snapshot(self) -> CompanySnapshot:
        """The company that files."""

    @property
    def document_type(self) -> DocumentType:
        """The document type that the filing is about."""

    @property
    def environment(self) -> Environment:
        """The environment of the documents."""

    @property
    def name(self) -> str:
        """The name of the filing for step listeners."""

    @property
    def subject(self) -> str:
        """The identifier of the filing for step listeners."""

    @property
    def effect(self) -> Effect:
        """What the filing changes in its document."""

    @property
    def allowed(self) -> tuple[Status, ...]:
        """The statuses of the document in which the effect applies."""

    @property
    def replaced_by(self) -> str | None:
        """The access key of the document that replaces the canceled one, if any."""

    @property
    def waits_for_company(self) -> bool:
        """Whether the filing waits for missing data of its company, instead of being refused."""

    @property
    def missing_data(self) -> tuple[str, ...]:
        """What the company lacks to sign and send it, except its certificate."""

    def with_changes(self, **changes: object) -> Self:
        """Returns the filing with changes of its row."""

    def make(self, issuer: FilingIssuer, now: datetime) -> FilingResult:
        """Returns the signed filing, or its problems."""

    async def send(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks for the registration."""

    async def ask(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks whether the filing was registered."""

    def decide(self, decider: FilingDecider, outcome: Outcome) -> FilingDecision:
        """Returns the decision about an answer."""


def filing_issuer(
    builder: DocumentBuilder, snapshot: CompanySnapshot, environment: Environment, signer: Signer
) -> FilingIssuer:
    """Returns the data from which a filing is made, except its request."""
    return FilingIssuer(snapshot.company, environment, builder.software, signer, builder.schemas)


# The authority's message, completed with the reason.
_SEQUENCE_TAKEN = "Duplicidade de Evento: outro tem esta sequência"


@dataclass(frozen=True)
class EventInProgress:
    """An event, with its document, the attempt that it refers to, and the events of the same kind."""

    row: EventFiling
    document: Document
    emission: EmissionRow
    snapshot: CompanySnapshot
    series: EventSeries

    @property
    def document_type(self) -> DocumentType:
        return document_type_named(self.document.type)

    @property
    def environment(self) -> Environment:
        return Environment(self.document.environment)

    @property
    def name(self) -> str:
        return self.row.type

    @property
    def subject(self) -> str:
        return self.document.external_id or str(self.document.id)

    @property
    def effect(self) -> Effect:
        request = self._request
        if isinstance(request, UndoRequest):
            return self._effect_of_undoing(request)
        return replace(self._event.effect, fact_at=self._event.happened_at(request))

    def _effect_of_undoing(self, request: UndoRequest) -> Effect:
        """Returns the effect of undoing an event: the fact becomes that of the newest event that is left.

        No other event can be registered meanwhile, because one of the kind waits for this one.
        """
        undoes = self._event.undoes
        if undoes is None:
            return NO_EFFECT
        undone = self.document_type.event_named(undoes.event)
        left = [filing for filing in self.series.in_force if filing.id != request.event_id]
        if not left:
            return Effect(fact=undone.effect.fact, removes_fact=True)
        happened_at = undone.happened_at(request_of(left[-1], undone))
        return replace(undone.effect, fact_at=happened_at or left[-1].registered_at)

    @property
    def allowed(self) -> tuple[Status, ...]:
        return self._event.allowed

    @property
    def replaced_by(self) -> str | None:
        return self._event.replaced_by(self._request)

    @property
    def waits_for_company(self) -> bool:
        """True for an event about a superseded attempt: we file it, so no caller would repeat it."""
        return self.row.emission != (self.document.emission and self.document.emission.ordinal)

    @property
    def missing_data(self) -> tuple[str, ...]:
        return self.snapshot.missing_registration(self.document_type)

    def with_changes(self, **changes: Any) -> "EventInProgress":
        """Returns the filing with changes of its row."""
        return replace(self, row=replace(self.row, **changes))

    def make(self, issuer: FilingIssuer, now: datetime) -> FilingResult:
        """Returns the signed event, or its problems."""
        event, request = self._event, self._request
        target = EventTarget(self.document, self.emission, self.series, self.row.sequence)
        return event.issue(request, about_document(target, event, request, self.snapshot, now), issuer)

    async def send(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks for the registration of the event."""
        return await authority.register_event(sender, signed)

    async def ask(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks whether the event was registered."""
        return await authority.consult_event(sender, signed)

    def decide(self, decider: FilingDecider, outcome: Outcome) -> FilingDecision:
        """Returns the decision about an answer.

        An event that a document can have once counts as registered, even if another program sent it. If a
        document can have several, the sequence number may belong to an event of another program.
        """
        state, repetition = FilingState(self.row.state), self._event.repetition
        if isinstance(outcome, Closed) and self._event.effect.fact != CLOSED_AT and state is FilingState.SENT:
            # The authority does not have the event. It is sent again, and judged as an event of a closed
            # document.
            outcome = Unknown(code=outcome.code, message=outcome.message)
        decision = decider.decide(state, self.row.tries, outcome)
        match decision:
            case FilingRegistered(answer=Authorized(digest=str() as digest)) if repetition:
                taken = Duplicate(code=repetition.taken_code, message=_SEQUENCE_TAKEN)
                return decision if digest == self.row.digest else FilingRefused(taken)
            case _:
                return decision

    @property
    def _event(self) -> EventKind:
        return self.document_type.event_named(self.row.type)

    @property
    def _request(self) -> Any:
        return request_of(self.row, self._event)


def request_of(filing: EventFiling, event: EventKind) -> Any:
    """Returns the request of a stored event."""
    return event.request.model_validate(read_exact_json(filing.request))


@dataclass(frozen=True)
class EventTarget:
    """What an event is about: document, attempt, the other events of the kind, and its sequence."""

    document: Document
    emission: EmissionRow
    series: EventSeries = NO_EVENTS
    sequence: int = 1


def about_document(
    target: EventTarget, event: EventKind, request: Body, snapshot: CompanySnapshot, now: datetime
) -> EventSubject:
    """Returns the data of a document that its events contain."""
    emission, in_force = target.emission, target.series.in_force
    undone_id = request.event_id if isinstance(request, UndoRequest) else None
    undone = next((filing for filing in in_force if filing.id == undone_id), None)
    return EventSubject(
        access_key=emission.document_key or "",
        protocol=emission.protocol or "",
        occurred_at=local_moment(now, snapshot.company.address.state),
        sequence=target.sequence,
        issued_at=emission.issued_at,
        read_request=lambda: stored_request(target.document),
        read_earlier=lambda: [request_of(filing, event) for filing in in_force],
        facts=frozenset(target.document.facts),
        undone_protocol=(undone and undone.protocol) or "",
    )


async def read_event(context: WorkerContext, key: WorkKey) -> EventInProgress:
    """Reads an event with everything that it is made of."""
    async with context.database.autocommit(key.subscription_id) as tenant:
        filing = await tenant.event_filings.get(key.id)
        document = filing and await tenant.documents.get(filing.document_id)
        emission = filing and await tenant.emissions.get(filing.document_id, filing.emission)
        if not filing or not document or not emission:
            raise LookupError(f"{key} has no event, no document or no attempt")
        document_type = document_type_named(document.type)
        event = document_type.event_named(filing.type)
        series = NO_EVENTS
        if event.repetition:
            series = await read_series(tenant, document_type, document, emission, event)
    snapshot = await context.snapshots.of(key.subscription_id, document.company_id, document.company_revision)
    return EventInProgress(filing, document, emission, snapshot, series)


# Exactly this range was voided before, usually by us. The other codes (206, 256) mean that some number of the
# range was.
_SAME_RANGE = "563"


@dataclass(frozen=True)
class RangeInProgress:
    """A range of numbers to be voided."""

    row: InutilizationRow
    snapshot: CompanySnapshot

    name = "inutilization"
    effect = NO_EFFECT
    allowed = ()
    replaced_by = None
    waits_for_company = False

    @property
    def document_type(self) -> DocumentType:
        return document_type_named(self.row.document_type)

    @property
    def environment(self) -> Environment:
        return Environment(self.row.environment)

    @property
    def subject(self) -> str:
        return str(self.row.id)

    @property
    def missing_data(self) -> tuple[str, ...]:
        return self.snapshot.missing_registration(self.document_type)

    def with_changes(self, **changes: Any) -> "RangeInProgress":
        """Returns the filing with changes of its row."""
        return replace(self, row=replace(self.row, **changes))

    def make(self, issuer: FilingIssuer, now: datetime) -> FilingResult:
        """Returns the signed request, or its problems."""
        return inutilization_rules_of(self.document_type).issue(number_range_of(self.row), issuer)

    async def send(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks for the registration of the range."""
        if not isinstance(authority, InutilizingAuthority):
            raise LookupError(f"no authority voids numbers of {self.document_type.name}")
        return await authority.inutilize(sender, signed)

    async def ask(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Sends the range again, because no service returns its outcome; a void range is reported as such."""
        return await self.send(authority, sender, signed)

    def decide(self, decider: FilingDecider, outcome: Outcome) -> FilingDecision:
        """Returns the decision about an answer; a range that was void before counts as registered."""
        if isinstance(outcome, Duplicate):
            is_single = self.row.first_number == self.row.last_number
            is_inutilized = is_single or outcome.code == _SAME_RANGE
            return FilingRegistered(outcome) if is_inutilized else FilingRefused(outcome)
        return decider.decide(FilingState(self.row.state), self.row.tries, outcome)


def inutilization_rules_of(document_type: DocumentType) -> InutilizationRules:
    """Returns how numbers of a type are voided. Raises LookupError for a type without voiding."""
    if document_type.numbering.inutilization is None:
        raise LookupError(f"numbers of {document_type.name} are not voided")
    return document_type.numbering.inutilization


def number_range_of(row: InutilizationRow | NewInutilization) -> InutilizedRange:
    """Returns the number range of a row."""
    return InutilizedRange(row.year, row.series, row.first_number, row.last_number, row.justification)


async def read_range(context: WorkerContext, key: WorkKey) -> RangeInProgress:
    """Reads a range with its company."""
    async with context.database.autocommit(key.subscription_id) as tenant:
        filing = await tenant.inutilizations.get(key.id)
        company = filing and await tenant.companies.get(filing.company_id, deleted_too=True)
    if not filing or not company:
        raise LookupError(f"{key} has no range or no company")
    snapshot = await context.snapshots.of(key.subscription_id, company.id, company.revision)
    return RangeInProgress(filing, snapshot)
