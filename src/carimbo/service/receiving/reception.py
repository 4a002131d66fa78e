"""Advances a reception: puts answers of the journal into the inbox, and acknowledges summaries in lots."""

from dataclasses import dataclass
from datetime import timedelta

import structlog

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.outcome import Rejected
from carimbo.fiscal.receiving import Receiving, ResponseKind
from carimbo.service.companies.company_settings import stored_settings
from carimbo.service.companies.registration import hold_company, require_company
from carimbo.service.companies.snapshot import CompanySnapshot, SigningIdentity
from carimbo.service.contexts import WorkerContext
from carimbo.service.document_types import distributed_type
from carimbo.service.filing.advance import apply_answer, sign_filing
from carimbo.service.ports import EventLotAuthority
from carimbo.service.receiving.in_progress import ManifestationInProgress, is_xml_released
from carimbo.service.receiving.inbox import Inbox, read_page
from carimbo.service.receiving.sync import missing_to_receive
from carimbo.service.waiting import AT_ONCE
from carimbo.storage.database import DatabaseUnavailable, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.manifestations import Manifestation, NewManifestation
from carimbo.storage.received import ReceivedRow
from carimbo.storage.receptions import Reception, advance_reading, pause_reception
from carimbo.storage.streams import close_requests, keep_unread, pages_after, request_by_key, wake_stream
from carimbo.storage.work import Lease, LeaseLost

_log = structlog.get_logger("carimbo.receiving")
_LOT = 20
_LOT_LEASE = timedelta(minutes=2)
_SETTLED_ALONE_AFTER = timedelta(seconds=30)
_AFTER_FAILURE = timedelta(minutes=15)
_MAX_REQUESTED_BY_KEY = 5
"""With more new documents, their XML is awaited in the next pages, because single questions are scarce."""


@dataclass(frozen=True)
class ReceptionTurn:
    """One turn of the worker for a reception."""

    context: WorkerContext
    lease: Lease
    reception: Reception
    snapshot: CompanySnapshot
    document_type: DocumentType
    receiving: Receiving


async def advance_reception(context: WorkerContext, lease: Lease) -> None:
    """Reads the next answer of the journal; when all are read, acknowledges the next lot of summaries."""
    async with context.database.autocommit(lease.key.subscription_id) as tenant:
        reception = await tenant.receptions.get(lease.key.id)
        if reception is None:
            raise LookupError(f"{lease.key} has no reception")
        company = await require_company(tenant, reception.company_id, deleted_too=True)
        await wake_stream(tenant.connection, reception.stream_id)
    snapshot = await context.snapshots.of(lease.key.subscription_id, company.id, company.revision)
    turn = ReceptionTurn(context, lease, reception, snapshot, *distributed_type(reception.service))
    after: timedelta | None = None
    fingerprint = _valid_fingerprint(snapshot, context)
    # Another company with the same CNPJ may have asked for what is in the journal.
    is_proved = fingerprint is not None and reception.proved_fingerprint == fingerprint
    if reception.is_active and company.deleted_at is None and is_proved:
        after = AT_ONCE if await _read_next_page(turn) else await _acknowledge_safely(turn)
    async with context.database.transaction() as connection:
        await pause_reception(connection, lease, after, fingerprint)


def _valid_fingerprint(snapshot: CompanySnapshot, context: WorkerContext) -> str | None:
    certificate = snapshot.certificate
    is_valid = snapshot.has_valid_certificate(context.builder.clock())
    return certificate.fingerprint if certificate and is_valid else None


async def _read_next_page(turn: ReceptionTurn) -> bool:
    """Puts the next answer of the journal into the inbox; returns False if there is none."""
    reception, database = turn.reception, turn.context.database
    async with database.connection() as connection:
        pages = await pages_after(connection, reception.stream_id, reception.pages_read, 1)
    if not pages:
        return False
    (page,) = pages
    content = await read_page(turn.receiving, page.body, turn.snapshot.row.tax_id)
    async with database.tenant(turn.lease.key.subscription_id) as tenant:
        await tenant.received.lock(reception.company_id)
        inbox = Inbox(tenant, reception.company_id, reception.environment, turn.receiving)
        for file in content.files:
            await inbox.put(file)
        await close_requests(tenant.connection, reception.stream_id, content.whole_keys)
        await keep_unread(tenant.connection, reception.stream_id, page.ordinal, content.unread)
        await advance_reading(tenant.connection, turn.lease, page.ordinal)
    _log.info(
        "page_read",
        company_id=str(reception.company_id),
        files=len(content.files),
        unread=len(content.unread),
    )
    turn.context.reached("page read", turn.snapshot.row.tax_id)
    return True


async def _acknowledge_safely(turn: ReceptionTurn) -> timedelta | None:
    """Acknowledges; what fails in it must not keep the company from reading what comes."""
    try:
        return await _acknowledge(turn)
    except (LeaseLost, DatabaseUnavailable):
        raise
    except Exception as error:
        _log.error("acknowledging_failed", company_id=str(turn.reception.company_id), exc_info=error)
        return _AFTER_FAILURE


async def _acknowledge(turn: ReceptionTurn) -> timedelta | None:
    """Acknowledges up to a lot of summaries; returns when to go on, or None if nothing is left."""
    kind = turn.receiving.acknowledgement
    settings = stored_settings(turn.snapshot.row).model.received
    authority = turn.context.authorities[turn.document_type.name]
    if kind is None or not settings.auto_acknowledge or not isinstance(authority, EventLotAuthority):
        return None
    environment = Environment(turn.reception.environment)
    identity = await turn.context.snapshots.signing_identity_of(turn.snapshot)
    is_able = turn.snapshot.has_valid_certificate(turn.context.builder.clock()) and not missing_to_receive(
        turn.snapshot, turn.document_type
    )
    if identity is None or not is_able or turn.snapshot.environment_of(turn.document_type) is not environment:
        return None
    lot = await _claim_lot(turn, kind)
    if lot:
        return AT_ONCE if await _send_lot(turn, authority, identity, lot) else _AFTER_FAILURE
    async with turn.context.database.autocommit(turn.lease.key.subscription_id) as tenant:
        return await tenant.received.acknowledged_again_in(
            turn.reception.company_id, turn.reception.environment, kind.final_codes
        )


async def _send_lot(
    turn: ReceptionTurn,
    authority: EventLotAuthority,
    identity: SigningIdentity,
    lot: list[tuple[ManifestationInProgress, Lease]],
) -> bool:
    """Signs and sends a lot; returns False if the authority judged none of its events.

    An acknowledgement whose outcome stays open is settled alone, as any filing. So is every one of a lot that
    was refused as a whole, because a single event may be the reason.
    """
    context, signed = turn.context, list[tuple[ManifestationInProgress, Lease, bytes]]()
    for filing, lease in lot:
        attempt = await sign_filing(context, lease, filing, identity)
        if attempt is not None:
            signed.append((filing.with_changes(**attempt.changes), lease, attempt.xml))
    if not signed:
        return True
    turn.lease.require_held()
    sender = identity.sender(turn.snapshot.row.tax_id, Environment(turn.reception.environment))
    answer = await authority.register_events(sender, [xml for _, _, xml in signed])
    context.reached("lot answered", turn.snapshot.row.tax_id)
    outcomes = answer if isinstance(answer, tuple) else (answer,) * len(signed)
    is_lot_refused = isinstance(answer, Rejected) and len(signed) > 1
    for (filing, lease, _), outcome in zip(signed, outcomes, strict=True):
        unsettled = filing if is_lot_refused else await apply_answer(context, lease, filing, outcome)
        if unsettled is not None:
            async with context.database.filing_steps(lease) as steps:
                await steps.write_state(unsettled.row.state, unsettled.row.tries, _SETTLED_ALONE_AFTER)
    await _request_whole(turn, [filing for filing, _, _ in signed])
    return isinstance(answer, tuple)


async def _request_whole(turn: ReceptionTurn, filings: list[ManifestationInProgress]) -> None:
    """Asks for the XML of a few documents at once; that of many comes with the next pages."""
    if not turn.receiving.finds_by_key or len(filings) > _MAX_REQUESTED_BY_KEY:
        return
    async with turn.context.database.autocommit(turn.lease.key.subscription_id) as tenant:
        for filing in filings:
            stored = await tenant.manifestations.get(filing.row.id)
            if stored and is_xml_released(stored, filing.kind):
                stream_id, access_key = turn.reception.stream_id, filing.document.access_key
                await request_by_key(tenant.connection, stream_id, access_key)


async def _claim_lot(turn: ReceptionTurn, kind: ResponseKind) -> list[tuple[ManifestationInProgress, Lease]]:
    """Stores the acknowledgements of the next summaries, and claims them with those of an earlier turn."""
    reception = turn.reception
    async with turn.context.database.tenant(turn.lease.key.subscription_id) as tenant:
        await hold_company(tenant, reception.company_id)
        await tenant.received.lock(reception.company_id)
        summaries = await tenant.received.to_acknowledge(
            reception.company_id, reception.environment, kind.final_codes, _LOT
        )
        for document in summaries:
            await tenant.manifestations.add_for_lot(_acknowledgement(document, kind))
        claimed = await tenant.manifestations.claim_lot(
            reception.company_id, reception.environment, _LOT, _LOT_LEASE
        )
        return [(await _in_progress(tenant, turn, row), lease) for row, lease in claimed]


def _acknowledgement(document: ReceivedRow, kind: ResponseKind) -> NewManifestation:
    return NewManifestation(
        id=new_id(),
        company_id=document.company_id,
        document_id=document.id,
        type=kind.name,
        sequence=1,
        request=kind.request.model_validate({"type": kind.name}).model_dump_json(by_alias=True),
        status_after=kind.name,
        is_conclusive=kind.is_conclusive,
        is_automatic=True,
    )


async def _in_progress(tenant: Tenant, turn: ReceptionTurn, row: Manifestation) -> ManifestationInProgress:
    document = await tenant.received.get(row.document_id)
    if document is None:
        raise LookupError(f"the document of manifestation {row.id} is gone")
    return ManifestationInProgress(row, document, turn.snapshot)
