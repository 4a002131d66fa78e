"""Makes statements about received documents: confirms, refuses or does not recognise them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.receiving import PENDING, Receiving, ResponseKind
from carimbo.service.actors import CREATED_BY, ActorRecord, actor_record
from carimbo.service.companies.registration import hold_company
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import require_no_problems
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.in_progress import filing_issuer
from carimbo.service.filing.outcome import FilingStatus, authority_refusal, status_of, wait_until_settled
from carimbo.service.json_values import read_exact_json
from carimbo.service.receiving.in_progress import event_subject, is_of_another_program, statements_in_force
from carimbo.service.receiving.queries import ReceivedReference, audit_received, require_received
from carimbo.service.receiving.statement_checks import late_refusal, require_possible, require_turn
from carimbo.service.receiving.sync import require_able_to_receive
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.manifestations import Manifestation, NewManifestation
from carimbo.storage.received import ReceivedRow

_ANOTHER_PROGRAM = (
    "A autoridade já tinha esta manifestação, quase sempre feita por outro programa. Se houve outra depois"
    " dela, é a outra que vale: confira no portal da autoridade."
)


class ManifestationRecord(Record):
    """A received document with the statement that was made about it."""

    id: UUID = Field(description="Id do documento recebido.")
    status: str = Field(examples=["confirmed"])
    protocol: str | None = Field(description="Protocolo da manifestação.")
    manifestation_id: UUID
    type: str
    sequence: int
    manifestation_status: FilingStatus = Field(
        description="`processing` enquanto a autoridade não respondeu: o resultado virá nos eventos."
    )
    created_by: ActorRecord | None = CREATED_BY
    warnings: list[str] = Field(description="Avisa se a manifestação é de outro programa da empresa.")


@dataclass(frozen=True)
class _Statement:
    """A statement that is about to be stored."""

    kind: ResponseKind
    receiving: Receiving
    request: Body

    @property
    def json(self) -> str:
        """The request as it is stored."""
        return self.request.model_dump_json(by_alias=True, exclude_none=True)

    def repeated_by(self, earlier: Sequence[Manifestation], status: str) -> Manifestation | None:
        """Returns the last stored statement of the kind, if it says the same and is open or in force."""
        of_kind = [row for row in earlier if row.type == self.kind.name]
        if not of_kind or _content(of_kind[-1].request) != _content(self.json):
            return None
        last = of_kind[-1]
        undoing = next((kind.name for kind in self.receiving.responses if kind.undoes == self.kind.name), "")
        is_in_force = self.kind.undoes is None and last in statements_in_force(earlier, last.type, undoing)
        is_said = status == last.status_after and is_in_force
        return last if is_said or not FilingState(last.state).is_settled else None


def _content(request: str) -> dict[str, Any]:
    """Returns the fields of a stored request that have a value."""
    return {name: value for name, value in read_exact_json(request).items() if value is not None}


async def manifest(
    context: FilingContext, company: CompanyRow, which: ReceivedReference, name: str, request: Body
) -> ManifestationRecord:
    """Sends a statement to the authority; returns it, settled or not in time. Raises Refusal.

    The same statement again, with the same text, returns the registered one, also after its term.
    """
    statement = _Statement(which.receiving.response_named(name), which.receiving, request)
    async with context.issuing.database.autocommit(which.subscription_id) as tenant:
        document = await require_received(tenant, which)
    snapshot = await context.issuing.snapshots.of(which.subscription_id, company.id, company.revision)
    require_able_to_receive(snapshot, which.document_type, context.issuing.builder.clock())
    async with context.issuing.database.tenant(which.subscription_id) as tenant:
        await hold_company(tenant, company.id)
        await tenant.received.lock(company.id)
        document = await require_received(tenant, which)
        filings = await tenant.manifestations.of_document(document.id)
        earlier = [row for row in filings if row.state != FilingState.REFUSED]
        # A registered one is returned even when a new one is not possible any more, as after the term.
        filing = statement.repeated_by(earlier, document.status)
        if filing is None:
            now = context.issuing.builder.clock()
            require_possible(document, statement.kind, which, snapshot, now)
            filing = await _store(tenant, document, statement, earlier, context.issuing, snapshot)
    filing = await _wait(context, which.subscription_id, filing)
    async with context.issuing.database.autocommit(which.subscription_id) as tenant:
        document = await require_received(tenant, which)
    if filing.state == FilingState.REFUSED:
        if filing.authority_code in statement.kind.late_codes:
            raise late_refusal(document, statement.kind, snapshot, context.issuing.builder.clock())
        raise authority_refusal(which.document_type, filing)
    return _record(document, filing)


async def _store(
    tenant: Tenant,
    document: ReceivedRow,
    statement: _Statement,
    earlier: Sequence[Manifestation],
    issuing: IssuingContext,
    snapshot: CompanySnapshot,
) -> Manifestation:
    """Stores a statement. Raises Refusal if an earlier one excludes it, or if its text is not possible."""
    kind = statement.kind
    undone = statements_in_force(earlier, kind.undoes, kind.name) if kind.undoes else []
    require_turn(document, kind, statement.receiving, earlier)
    sequence = max((row.sequence for row in earlier if row.type == kind.name), default=0) + 1
    subject = event_subject(
        document,
        snapshot,
        issuing.builder.clock(),
        sequence,
        undone_protocol=(undone[-1].protocol if undone else None) or "",
    )
    issuer = filing_issuer(issuing.builder, snapshot, Environment(document.environment), Signer.throwaway())
    result = kind.issue(statement.request, subject, issuer)
    if isinstance(result, tuple):
        require_no_problems(result)
    status_after = kind.name
    if kind.undoes:
        # An earlier statement of the kind is in force again.
        status_after = kind.undoes if undone[1:] else PENDING
    added = await tenant.manifestations.add(_new_manifestation(document, statement, sequence, status_after))
    if added is None:
        raise LookupError("a statement was stored while the documents were locked")
    details = {"type": kind.name, "statement": kind.description}
    await audit_received(tenant, AuditAction.MANIFESTATION_FILED, document, details)
    return added


def _new_manifestation(
    document: ReceivedRow, statement: _Statement, sequence: int, status_after: str
) -> NewManifestation:
    return NewManifestation(
        id=new_id(),
        company_id=document.company_id,
        document_id=document.id,
        type=statement.kind.name,
        sequence=sequence,
        request=statement.json,
        status_after=status_after,
        is_conclusive=statement.kind.is_conclusive,
        is_automatic=False,
    )


async def _wait(context: FilingContext, subscription_id: UUID, filing: Manifestation) -> Manifestation:
    async def poll(filing_id: UUID) -> Manifestation | None:
        async with context.issuing.database.autocommit(subscription_id) as tenant:
            return await tenant.manifestations.get(filing_id)

    return await wait_until_settled(filing, context.max_wait, poll)


def _record(document: ReceivedRow, filing: Manifestation) -> ManifestationRecord:
    return ManifestationRecord(
        id=document.id,
        status=document.status,
        protocol=filing.protocol,
        manifestation_id=filing.id,
        type=filing.type,
        sequence=filing.sequence,
        manifestation_status=status_of(filing),
        created_by=actor_record(filing.created_by),
        warnings=[_ANOTHER_PROGRAM] if is_of_another_program(filing) else [],
    )
