"""Makes statements about received documents: confirms, refuses or does not recognise them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.receiving import PENDING, Receiving, ResponseKind, Role, Situation
from carimbo.service.companies.registration import hold_company
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import ErrorCode, Refusal, require_no_problems
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.in_progress import filing_issuer
from carimbo.service.filing.outcome import FilingStatus, authority_refusal, status_of, wait_until_settled
from carimbo.service.json_values import utc_text
from carimbo.service.receiving.in_progress import event_subject
from carimbo.service.receiving.queries import ReceivedReference, require_received
from carimbo.service.receiving.sync import require_able_to_receive
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.manifestations import Manifestation, NewManifestation
from carimbo.storage.received import ReceivedRow

_NOT_YOURS = "Só quem está no documento como {role} pode se manifestar sobre ele."
_ROLES = {Role.RECIPIENT: "destinatário", Role.TAKER: "tomador"}
_ENDED = {Situation.CANCELED: "foi cancelado pelo emitente", Situation.DENIED: "foi denegado"}


class ManifestationRecord(Record):
    """A received document with the statement that was made about it."""

    id: UUID = Field(description="Id do documento recebido.")
    status: str = Field(examples=["confirmed"])
    protocol: str | None = Field(description="Protocolo da manifestação.")
    manifestation_id: UUID
    type: str
    sequence: int
    manifestation_status: FilingStatus = Field(
        description="`processing` enquanto a autoridade não respondeu: o resultado virá pela leitura."
    )


@dataclass(frozen=True)
class _Statement:
    """A statement that is about to be stored."""

    kind: ResponseKind
    receiving: Receiving
    request: Body


async def manifest(
    context: FilingContext, company: CompanyRow, which: ReceivedReference, name: str, request: Body
) -> ManifestationRecord:
    """Sends a statement to the authority; returns it, settled or not in time. Raises Refusal.

    The same statement again returns the registered one.
    """
    document_type, receiving = which.document_type, which.receiving
    statement = _Statement(receiving.response_named(name), receiving, request)
    async with context.issuing.database.autocommit(which.subscription_id) as tenant:
        document = await require_received(tenant, which)
    snapshot = await context.issuing.snapshots.of(which.subscription_id, company.id, company.revision)
    require_able_to_receive(snapshot, document_type, context.issuing.builder.clock())
    _require_possible(document, statement, context.issuing.builder.clock())
    async with context.issuing.database.tenant(which.subscription_id) as tenant:
        await hold_company(tenant, company.id)
        await tenant.received.lock(company.id)
        document = await require_received(tenant, which)
        filing = await _store(tenant, document, statement, context.issuing, snapshot)
    filing = await _wait(context, which.subscription_id, filing)
    return await _answer(context, which, document_type, statement, filing)


def _require_possible(document: ReceivedRow, statement: _Statement, now: datetime) -> None:
    role = statement.receiving.responds_as
    if document.role != role:
        sentence = _NOT_YOURS.format(role=_ROLES.get(role, role))
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])
    if reason := _ENDED.get(Situation(document.situation)):
        sentence = f"O documento {reason}, e a autoridade não aceita manifestação sobre ele."
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])
    within = statement.kind.within
    if within and document.authorized_at and now > document.authorized_at + within:
        raise Refusal(
            ErrorCode.MANIFEST_DEADLINE_EXCEEDED, deadline=utc_text(document.authorized_at + within)
        )


async def _store(
    tenant: Tenant,
    document: ReceivedRow,
    statement: _Statement,
    issuing: IssuingContext,
    snapshot: CompanySnapshot,
) -> Manifestation:
    """Stores a statement, or returns the same one that is in force or under way."""
    kind = statement.kind
    earlier = [
        row
        for row in await tenant.manifestations.of_document(document.id)
        if row.state != FilingState.REFUSED
    ]
    of_kind = [row for row in earlier if row.type == kind.name]
    open_ones = [row for row in earlier if not FilingState(row.state).is_settled]
    is_in_force = bool(of_kind) and document.status == of_kind[-1].status_after
    if of_kind and (of_kind[-1] in open_ones or (is_in_force and kind.undoes is None)):
        return of_kind[-1]
    _require_turn(document, statement, earlier, open_ones)
    sequence = max((row.sequence for row in of_kind), default=0) + 1
    undone = [row.protocol for row in earlier if kind.undoes and row.type == kind.undoes]
    subject = event_subject(
        document,
        snapshot,
        issuing.builder.clock(),
        sequence,
        undone_protocol=(undone[-1] if undone else None) or "",
    )
    issuer = filing_issuer(issuing.builder, snapshot, Environment(document.environment), Signer.throwaway())
    result = kind.issue(statement.request, subject, issuer)
    if isinstance(result, tuple):
        require_no_problems(result)
    added = await tenant.manifestations.add(_new_manifestation(document, statement, sequence))
    if added is None:
        raise LookupError("a statement was stored while the documents were locked")
    return added


def _new_manifestation(document: ReceivedRow, statement: _Statement, sequence: int) -> NewManifestation:
    kind = statement.kind
    return NewManifestation(
        id=new_id(),
        company_id=document.company_id,
        document_id=document.id,
        type=kind.name,
        sequence=sequence,
        request=statement.request.model_dump_json(by_alias=True, exclude_none=True),
        status_after=PENDING if kind.undoes else kind.name,
        is_conclusive=kind.is_conclusive,
        is_automatic=False,
    )


def _require_turn(
    document: ReceivedRow,
    statement: _Statement,
    earlier: list[Manifestation],
    open_ones: list[Manifestation],
) -> None:
    """Refuses a statement that another one excludes, or that has to wait for it."""
    kind = statement.kind
    sentence = None
    if open_ones:
        sentence = "Outra manifestação deste documento está em processamento: aguarde o resultado."
    elif sum(row.type == kind.name for row in earlier) >= kind.max_events:
        times = "uma vez" if kind.max_events == 1 else f"{kind.max_events} vezes"
        sentence = f"A autoridade aceita esta manifestação {times} por documento."
    elif kind.undoes and document.status != kind.undoes:
        sentence = "Não há manifestação a desfazer."
    elif not kind.is_conclusive and document.status != PENDING:
        sentence = "O documento já tem manifestação: a ciência só cabe antes dela."
    if sentence:
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[])


async def _wait(context: FilingContext, subscription_id: UUID, filing: Manifestation) -> Manifestation:
    async def poll(filing_id: UUID) -> Manifestation | None:
        async with context.issuing.database.autocommit(subscription_id) as tenant:
            return await tenant.manifestations.get(filing_id)

    return await wait_until_settled(filing, context.max_wait, poll)


async def _answer(
    context: FilingContext,
    which: ReceivedReference,
    document_type: DocumentType,
    statement: _Statement,
    filing: Manifestation,
) -> ManifestationRecord:
    async with context.issuing.database.autocommit(which.subscription_id) as tenant:
        document = await require_received(tenant, which)
    if filing.state == FilingState.REFUSED:
        kind = statement.kind
        if filing.authority_code in kind.late_codes:
            by = document.authorized_at + kind.within if document.authorized_at and kind.within else None
            raise Refusal(ErrorCode.MANIFEST_DEADLINE_EXCEEDED, deadline=utc_text(by) if by else None)
        raise authority_refusal(document_type, filing)
    return ManifestationRecord(
        id=document.id,
        status=document.status,
        protocol=filing.protocol,
        manifestation_id=filing.id,
        type=filing.type,
        sequence=filing.sequence,
        manifestation_status=status_of(filing),
    )
