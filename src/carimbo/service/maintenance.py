"""Parked work and its dismissal, a probe of the queue, and rekeying of secrets.

Parked work waits for a person: its owner or the operator looks at it, and resumes or dismisses it. Without an
owner, these functions act for the operator, on the work of the whole installation.
"""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.fiscal.lifecycle import EmissionState, HistoryEntry, Status
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import audit_document
from carimbo.service.documents.record import Rejection
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.subscriptions import allowance_change_of
from carimbo.service.words import WORK_KINDS, word_for
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import NIL
from carimbo.storage.issuing import IssuingSteps, Verdict
from carimbo.storage.parked_work import ParkedWork, ParkedWorks, WorkOwner
from carimbo.storage.probes import add_probe, answer_probe, probe_answered_at
from carimbo.storage.secrets import count_by_key, rewrap_batch
from carimbo.storage.work import HeldWork, Lease, WorkKind, claim_parked, conclude, hold_unsent, resume

NOTHING_PARKED = "Não há nada posto de lado com este id."
DISMISSED = "DISMISSED"
"""The code of a dismissed document's rejection."""
USUAL_REASON = "Encerrado pelo operador: foi emitido por outro meio, ou não é mais desejado."
_HINT = "Emita-o de novo só se tiver certeza de que não foi emitido por outro meio."
_HELD = (
    "Quem opera o serviço pôs isto de lado, por exemplo depois de restaurar um backup: pode já ter sido"
    " emitido. Só quem opera o serviço pode retomá-lo ou encerrá-lo."
)
_MAY_BE_SENT = "A autoridade pode ter este documento, ou ainda recebê-lo: retome-o, e ela será perguntada."
_A_SALE = "É uma venda, não um documento: apague-a ou altere-a pela API (DELETE ou PUT …/sales/{id})."
_NO_DOCUMENT = "Não é um documento: não pode ser encerrado, só retomado."
_POLL_SECONDS = 0.05


async def park_unsent_work(database: Database, reason: str) -> HeldWork:
    """Parks all unsent work of all subscriptions; work that was sent continues with a query.

    Leases of workers are taken away. That is safe, because a worker writes "sent" before it sends.
    """
    async with database.tenant(NIL) as installation:
        held = await hold_unsent(installation.connection, reason)
        await installation.audit.add(AuditAction.WORK_HELD, details={**vars(held), "reason": reason})
    return held


async def list_parked(
    database: Database, work_id: UUID | None = None, owner: WorkOwner | None = None
) -> list[ParkedWork]:
    """Returns the parked work, oldest first; only one item if an id is given."""
    async with database.connection() as connection:
        return await ParkedWorks(connection, owner).all(work_id)


async def find_parked(database: Database, work_id: UUID, owner: WorkOwner | None = None) -> ParkedWork:
    """Returns parked work that may be resumed or dismissed. Work that the operator holds is for no owner."""
    for parked in await list_parked(database, work_id, owner):
        if parked.is_held and owner is not None:
            raise Refusal(ErrorCode.INVALID_STATE, _HELD)
        return parked
    raise not_found(NOTHING_PARKED)


async def find_parked_document(
    database: Database, work_id: UUID, owner: WorkOwner | None = None
) -> ParkedWork:
    """Returns a parked document; refuses other work, which can't be dismissed."""
    parked = await find_parked(database, work_id, owner)
    if parked.key.kind is not WorkKind.DOCUMENT:
        is_sale = parked.key.kind is WorkKind.SALE
        raise Refusal(ErrorCode.INVALID_STATE, _A_SALE if is_sale else _NO_DOCUMENT)
    return parked


async def resume_parked(
    database: Database, work_id: UUID | None = None, owner: WorkOwner | None = None
) -> int:
    """Resumes parked work where it stopped, one item or all; returns how many.

    Of an owner's work, what the operator holds stays parked.
    """
    chosen = await list_parked(database, work_id, owner)
    resumed = 0
    for parked in chosen:
        async with database.tenant(parked.subscription_id) as tenant:
            resumed += await _resume(tenant, parked, also_held=owner is None)
    return resumed


async def _resume(tenant: Tenant, parked: ParkedWork, *, also_held: bool) -> bool:
    """Resumes parked work; returns False if somebody else resumed, dismissed or held it meanwhile."""
    if parked.key.kind is WorkKind.DOCUMENT:
        return await _resume_document(tenant, parked, also_held=also_held)
    if not await resume(tenant.connection, parked.key, also_held=also_held):
        return False
    await tenant.audit.add(
        AuditAction.WORK_RESUMED,
        company_id=parked.company_id,
        subject_id=parked.id,
        subject_name=word_for(WORK_KINDS, parked.kind),
        details={"kind": parked.kind},
    )
    return True


async def _resume_document(tenant: Tenant, parked: ParkedWork, *, also_held: bool) -> bool:
    lease = await claim_parked(tenant.connection, parked.key, also_held=also_held)
    document = await tenant.documents.get(parked.id)
    if lease is None or document is None:
        return False
    document_type = document_type_named(parked.type)
    await tenant.documents.queue(parked.id, parked.company_id, is_urgent=document_type.is_urgent)
    queued = NewEvent(type=HistoryEntry.QUEUED, status=Status.PROCESSING)
    await tenant.document_events.add(parked.id, [queued])
    await audit_document(tenant, AuditAction.WORK_RESUMED, document, {"kind": parked.kind})
    return True


async def dismiss_document(
    database: Database,
    work_id: UUID,
    reason: str,
    now: datetime,
    in_flight_limit: timedelta,
    owner: WorkOwner | None = None,
) -> None:
    """Rejects a parked document, unless an authority may have it, in one transaction.

    A person found that the document was issued elsewhere, or is not wanted any more.
    """
    parked = await find_parked_document(database, work_id, owner)
    async with database.tenant(parked.subscription_id) as tenant:
        lease = await claim_parked(tenant.connection, parked.key, also_held=owner is None)
        document = await tenant.documents.get(work_id)
        if lease is None or document is None:
            # Somebody else resumed or dismissed it, or holds it, meanwhile.
            raise not_found(NOTHING_PARKED)

        emission = document.emission
        may_be_sent = emission is not None and (
            emission.state == EmissionState.SENT or emission.may_still_arrive(now, in_flight_limit)
        )
        if may_be_sent or await tenant.superseded_attempts.are_open(work_id):
            raise Refusal(ErrorCode.INVALID_STATE, _MAY_BE_SENT)
        await _reject(tenant, lease, document, reason, now)
        await audit_document(tenant, AuditAction.DOCUMENT_DISMISSED, document, {"reason": reason})


def may_have_been_issued(document: Document) -> bool:
    """Returns whether a person has to check a rejected document before it is emitted again."""
    if document.status != Status.REJECTED:
        return False
    rejection, emission = document.rejection or {}, document.emission
    is_forgotten = emission is not None and emission.state == EmissionState.FOREIGN
    return rejection.get("code") == DISMISSED or (is_forgotten and not rejection.get("retryable"))


async def _reject(tenant: Tenant, lease: Lease, document: Document, reason: str, now: datetime) -> None:
    # Not retryable by a program: the document may have been issued.
    rejection = Rejection(code=DISMISSED, message=reason, field=None, hint=_HINT, retryable=False)
    verdict = Verdict(status=Status.REJECTED, rejection=rejection.model_dump(by_alias=True))
    allowance_change = allowance_change_of(document.allowance_period, counts=False, now=now)
    rejected = NewEvent(type=HistoryEntry.REJECTED, status=Status.REJECTED)
    ordinal = document.emission.ordinal if document.emission else 0
    await IssuingSteps(tenant.connection, lease).conclude(ordinal, verdict, allowance_change, [rejected])


async def conclude_probe(database: Database, lease: Lease) -> None:
    """Answers a probe and concludes its work in one transaction."""
    async with database.transaction() as connection:
        await answer_probe(connection, lease.key.id)
        await conclude(connection, lease)


async def probe_queue(database: Database, timeout_seconds: float) -> float | None:
    """Sends a probe through the queue; returns the seconds until a worker answered, or None if none did."""
    started = time.monotonic()
    async with database.transaction() as connection:
        key = await add_probe(connection)
    while time.monotonic() - started < timeout_seconds:
        async with database.connection() as connection:
            if await probe_answered_at(connection, key.id) is not None:
                return time.monotonic() - started
        await asyncio.sleep(_POLL_SECONDS)
    return None


@dataclass(frozen=True)
class RekeyReport:
    """The number of rewrapped secrets, and of those still under other keys because their rows were locked."""

    active_key: str
    rewrapped: int
    left: dict[str, int]


async def rekey_secrets(database: Database) -> RekeyReport:
    """Puts every secret under the active master key, in small transactions that lock rows only briefly."""
    total = 0
    while True:
        async with database.transaction() as connection:
            rewrapped = await rewrap_batch(connection, database.key_ring)
        total += rewrapped
        if not rewrapped:
            break
    async with database.connection() as connection:
        counts = await count_by_key(connection)
    active = database.key_ring.active_id
    async with database.tenant(NIL) as installation:
        await installation.audit.add(AuditAction.SECRETS_REKEYED, details={"rewrapped": total})
    return RekeyReport(active, total, {key: count for key, count in counts.items() if key != active})
