"""Manifestations in progress: what the pipeline of filings needs to know about one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from carimbo.fiscal.authority import Authority
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.lifecycle import NO_EFFECT, FilingState
from carimbo.fiscal.outcome import Duplicate, Outcome
from carimbo.fiscal.receiving import ResponseKind
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_types import distributed_type, receiving_of_type
from carimbo.service.filing.decision import FilingDecider, FilingDecision, FilingRegistered
from carimbo.service.json_values import read_exact_json
from carimbo.service.receiving.sync import missing_to_receive
from carimbo.storage.manifestations import Manifestation
from carimbo.storage.received import ReceivedRow
from carimbo.storage.work import WorkKey


@dataclass(frozen=True)
class ManifestationInProgress:
    """A statement of a company about a received document."""

    row: Manifestation
    document: ReceivedRow
    snapshot: CompanySnapshot
    undone_protocol: str = ""

    effect = NO_EFFECT
    allowed = ()
    replaced_by = None
    waits_for_company = False

    @property
    def document_type(self) -> DocumentType:
        return distributed_type(self.document.service)[0]

    @property
    def kind(self) -> ResponseKind:
        """How the statement is made."""
        return distributed_type(self.document.service)[1].response_named(self.row.type)

    @property
    def environment(self) -> Environment:
        return Environment(self.document.environment)

    @property
    def name(self) -> str:
        return self.row.type

    @property
    def missing_data(self) -> tuple[str, ...]:
        return missing_to_receive(self.snapshot, self.document_type)

    @property
    def subject(self) -> str:
        return self.document.access_key

    def with_changes(self, **changes: Any) -> "ManifestationInProgress":
        """Returns the filing with changes of its row."""
        return replace(self, row=replace(self.row, **changes))

    def make(self, issuer: FilingIssuer, now: datetime) -> FilingResult:
        """Returns the signed event, or its problems."""
        request = self.kind.request.model_validate(read_exact_json(self.row.request))
        subject = event_subject(
            self.document, self.snapshot, now, self.row.sequence, undone_protocol=self.undone_protocol
        )
        return self.kind.issue(request, subject, issuer)

    async def send(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks for the registration."""
        return await authority.register_event(sender, signed)

    async def ask(self, authority: Authority, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Asks whether it was registered, or sends it again: a second one is refused as a duplicate."""
        if receiving_of_type(self.document_type).consults_events:
            return await authority.consult_event(sender, signed)
        return await self.send(authority, sender, signed)

    def decide(self, decider: FilingDecider, outcome: Outcome) -> FilingDecision:
        """Returns the decision about an answer; what another program registered counts as registered."""
        if isinstance(outcome, Duplicate):
            return FilingRegistered(outcome)
        return decider.decide(FilingState(self.row.state), self.row.tries, outcome)


def statements_in_force(earlier: Sequence[Manifestation], name: str, undoing: str) -> list[Manifestation]:
    """Returns the registered statements of a kind that were not withdrawn, oldest first.

    A withdrawal, which is of the kind `undoing`, withdraws the newest of them.
    """
    in_force: list[Manifestation] = []
    for filing in earlier:
        if filing.state != FilingState.REGISTERED:
            continue
        if filing.type == name:
            in_force.append(filing)
        elif filing.type == undoing and in_force:
            in_force.pop()
    return in_force


def is_xml_released(filing: Manifestation, kind: ResponseKind) -> bool:
    """Returns whether the authority gives the whole XML after a statement, or has done so before it."""
    if filing.state == FilingState.REFUSED:
        return filing.authority_code in kind.surpassed_codes
    return filing.state == FilingState.REGISTERED and kind.releases_xml


def is_of_another_program(filing: Manifestation) -> bool:
    """Returns whether the authority seems to have had the statement before ours.

    After a worker stopped between sending and storing the answer, it may be ours all the same.
    """
    return filing.state == FilingState.REGISTERED and filing.registered_at is None and filing.tries == 0


def event_subject(
    document: ReceivedRow,
    snapshot: CompanySnapshot,
    now: datetime,
    sequence: int,
    *,
    undone_protocol: str = "",
) -> EventSubject:
    """Returns the data of a received document that statements about it contain."""
    return EventSubject(
        access_key=document.access_key,
        protocol=document.protocol or "",
        occurred_at=local_moment(now, snapshot.company.address.state),
        sequence=sequence,
        issued_at=document.issued_at,
        undone_protocol=undone_protocol,
    )


async def read_manifestation(context: WorkerContext, key: WorkKey) -> ManifestationInProgress:
    """Reads a statement with its document and its company."""
    async with context.database.autocommit(key.subscription_id) as tenant:
        filing = await tenant.manifestations.get(key.id)
        document = filing and await tenant.received.get(filing.document_id)
        company = filing and await tenant.companies.get(filing.company_id, deleted_too=True)
        if not filing or not document or not company:
            raise LookupError(f"{key} has no statement, no document or no company")
        _, receiving = distributed_type(document.service)
        undoes = receiving.response_named(filing.type).undoes
        earlier = await tenant.manifestations.of_document(document.id) if undoes else []
    in_force = statements_in_force(earlier, undoes, filing.type) if undoes else []
    undone = in_force[-1].protocol if in_force else None
    snapshot = await context.snapshots.of(key.subscription_id, company.id, company.revision)
    return ManifestationInProgress(filing, document, snapshot, undone or "")
