"""An event of a document, to be told to the authority that has it."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import AboutDocument, EventKind, Filed, Teller
from carimbo.fiscal.lifecycle import CLOSED_AT, Effect, FilingState, Status
from carimbo.fiscal.outcome import Authorized, Closed, Duplicate, Outcome, Unknown
from carimbo.fiscal.sender import Sender
from carimbo.service.contexts import WorkerContext
from carimbo.service.dossier import Dossier
from carimbo.service.exact_json import read
from carimbo.service.filing.decision import Decision, FilingJudge, Refused, Registered
from carimbo.service.kinds import kind_named
from carimbo.service.ports import Authority
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.emissions import Emission
from carimbo.storage.event_filings import EventFiling
from carimbo.storage.work import WorkKey

# The authority's own words, but for which event it is that has the sequence.
_SEQUENCE_TAKEN = "Duplicidade de Evento: outro tem esta sequência"


@dataclass(frozen=True)
class EventStatement:
    """An event with its document and the attempt that it is about."""

    filing: EventFiling
    document: Document
    emission: Emission
    dossier: Dossier

    @property
    def kind(self) -> DocumentType:
        return kind_named(self.document.type)

    @property
    def environment(self) -> Environment:
        return Environment(self.document.environment)

    @property
    def name(self) -> str:
        return self.filing.type

    @property
    def subject(self) -> str:
        return self.document.external_id or str(self.document.id)

    @property
    def effect(self) -> Effect:
        return self._event.effect

    @property
    def allowed(self) -> tuple[Status, ...]:
        return self._event.allowed

    @property
    def replaced_by(self) -> str | None:
        return self._event.replaced_by(self._request)

    @property
    def persists(self) -> bool:
        """What is told of an attempt that is not in force is told by ourselves: nobody would repeat it."""
        return self.filing.emission != (self.document.emission and self.document.emission.ordinal)

    def having(self, **changes: Any) -> "EventStatement":
        """The same after its row was changed."""
        return replace(self, filing=replace(self.filing, **changes))

    def make(self, teller: Teller, now: datetime) -> Filed:
        """Sign it, or tell what is wrong with it."""
        about = about_document(self.emission, self.dossier, self.filing.sequence, now)
        return self._event.issue(self._request, about, teller)

    async def send(self, authority: Authority, sender: Sender, signed: bytes) -> Outcome:
        """Ask for its registration."""
        return await authority.register_event(sender, signed)

    async def ask(self, authority: Authority, sender: Sender, signed: bytes) -> Outcome:
        """Look for it among the events of its document."""
        return await authority.consult_event(sender, signed)

    def decide(self, judge: FilingJudge, outcome: Outcome) -> Decision:
        """Decides what an answer means.

        An event that a document has once counts as registered, even if another sender sent it. The sequence
        of one that it may have several times may belong to an event of another sender.
        """
        state, repetition = FilingState(self.filing.state), self._event.repetition
        if isinstance(outcome, Closed) and self.effect.fact != CLOSED_AT and state is FilingState.SENT:
            # The authority has no such event. Sent again, it is judged as an event of a closed document.
            outcome = Unknown(code=outcome.code, message=outcome.message)
        decision = judge.decide(state, self.filing.tries, outcome)
        match decision:
            case Registered(answer=Authorized(digest=str() as digest)) if repetition:
                taken = Duplicate(code=repetition.taken_code, message=_SEQUENCE_TAKEN)
                return decision if digest == self.filing.digest else Refused(taken)
            case _:
                return decision

    @property
    def _event(self) -> EventKind:
        return self.kind.event_named(self.filing.type)

    @property
    def _request(self) -> Body:
        return self._event.request.model_validate(read(self.filing.request))


def about_document(emission: Emission, dossier: Dossier, sequence: int, now: datetime) -> AboutDocument:
    """What an event has to say of its document."""
    return AboutDocument(
        access_key=emission.document_key or "",
        protocol=emission.protocol or "",
        occurred_at=local_moment(now, dossier.company.address.state),
        sequence=sequence,
    )


async def read_event(means: WorkerContext, key: WorkKey) -> EventStatement:
    """Read an event with everything that it is made of."""
    async with means.database.autocommit(key.subscription_id) as tenant:
        filing, document, emission = await _rows(tenant, key)
    dossier = await means.dossiers.of(key.subscription_id, document.company_id, document.company_revision)
    return EventStatement(filing, document, emission, dossier)


async def _rows(tenant: Tenant, key: WorkKey) -> tuple[EventFiling, Document, Emission]:
    filing = await tenant.event_filings.get(key.id)
    document = filing and await tenant.documents.get(filing.document_id)
    emission = filing and await tenant.emissions.get(filing.document_id, filing.emission)
    if not filing or not document or not emission:
        raise LookupError(f"{key} has no event, no document or no attempt")
    return filing, document, emission
