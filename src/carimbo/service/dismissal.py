"""Closing a document that was set aside: a person found that it was issued elsewhere, or is not wanted."""

from datetime import datetime, timedelta
from uuid import UUID

from carimbo.fiscal.lifecycle import EmissionState, Happening, Status
from carimbo.service.allowance import settlement_of
from carimbo.service.document_record import Rejection
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.parked import NOTHING_PARKED, list_parked
from carimbo.storage.backlog import ParkedWork
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_events import NewEvent
from carimbo.storage.documents import Document
from carimbo.storage.issuing import IssuingSteps, Verdict
from carimbo.storage.work import Lease, WorkKind, take_parked

DISMISSED = "DISMISSED"
"""The code of the rejection."""
USUAL_REASON = "Encerrado pelo operador: foi emitido por outro meio, ou não é mais desejado."
_HINT = "Emita-o de novo só se tiver certeza de que não foi emitido por outro meio."
_MAY_HAVE_IT = (
    "A autoridade pode ter este documento, ou ainda recebê-lo: retome-o com `carimbo documents resume`,"
    " e ela será perguntada."
)
_A_SALE = "É uma venda, não um documento: apague-a ou altere-a pela API (DELETE ou PUT …/sales/{id})."
_NO_DOCUMENT = "Não é um documento: retome-o com `carimbo documents resume`."


async def dismiss(
    database: Database, work_id: UUID, reason: str, now: datetime, latest_arrival: timedelta
) -> None:
    """Refuse a document that was set aside, unless an authority may have it; in one transaction."""
    parked = await _parked_document(database, work_id)
    async with database.tenant(parked.subscription_id) as tenant:
        lease = await take_parked(tenant.connection, parked.key)
        document = await tenant.documents.get(work_id)
        if lease is None or document is None:
            # Somebody else was faster.
            raise not_found(NOTHING_PARKED)
        if _may_be_known(document, now, latest_arrival) or await tenant.strays.are_open(work_id):
            raise Refusal(Code.INVALID_STATE, _MAY_HAVE_IT)
        await _refuse(tenant, lease, document, reason, now)


async def _parked_document(database: Database, work_id: UUID) -> ParkedWork:
    for parked in await list_parked(database, work_id):
        if parked.key.kind is not WorkKind.DOCUMENT:
            is_sale = parked.key.kind is WorkKind.SALE
            raise Refusal(Code.INVALID_STATE, _A_SALE if is_sale else _NO_DOCUMENT)
        return parked
    raise not_found(NOTHING_PARKED)


def may_have_been_issued(document: Document) -> bool:
    """Tell whether a person has to look before a rejected document is sent on its way again."""
    if document.status != Status.REJECTED:
        return False
    told, emission = document.rejection or {}, document.emission
    is_forgotten = emission is not None and emission.state == EmissionState.FOREIGN
    return told.get("code") == DISMISSED or (is_forgotten and not told.get("retryable"))


def _may_be_known(document: Document, now: datetime, latest_arrival: timedelta) -> bool:
    emission = document.emission
    return emission is not None and (
        emission.state == EmissionState.SENT or emission.may_arrive(now, latest_arrival)
    )


async def _refuse(tenant: Tenant, lease: Lease, document: Document, reason: str, now: datetime) -> None:
    # Not to be tried again by a program: it may have been issued.
    rejection = Rejection(code=DISMISSED, message=reason, field=None, hint=_HINT, retryable=False)
    verdict = Verdict(status=Status.REJECTED, rejection=rejection.model_dump(by_alias=True))
    settlement = settlement_of(document.allowance_period, counts=False, now=now)
    happened = NewEvent(type=Happening.REJECTED, status=Status.REJECTED)
    ordinal = document.emission.ordinal if document.emission else 0
    await IssuingSteps(tenant.connection, lease).conclude(ordinal, verdict, settlement, [happened])
