"""Deletes a document that never got a number."""

from carimbo.fiscal.lifecycle import EMITTABLE
from carimbo.service.companies import Deleted
from carimbo.service.documents import Reference, require_document, unknown_document, wrong_state
from carimbo.service.errors import Code, Refusal
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document

_NUMBERED = "O documento já tem número e não se descarta: corrija-o, se preciso, e emita-o."


async def discard_document(database: Database, which: Reference) -> Deleted:
    """Deletes a draft or a rejected document without a number, with its history and its order keys.

    No authority has heard of such a document, so no event is published. A sale that the document itself made
    goes with it; any other sale stays.
    """
    async with database.tenant(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        if document.sale_id:
            # The sale before its documents, in the order in which a sale is changed and emitted.
            await tenant.sales.lock(document.sale_id)
        locked = await tenant.documents.lock(document.id)
        if locked is None:
            raise unknown_document()
        if not may_be_discarded(locked) or not await tenant.documents.delete([locked.id]):
            raise _refusal(locked)
        await _update_sale(tenant, locked)
    return Deleted(id=document.id)


def may_be_discarded(document: Document) -> bool:
    """Tells whether a document waits or was rejected, and has no number: not even one on printed paper."""
    return document.status in EMITTABLE and document.emission is None


async def _update_sale(tenant: Tenant, document: Document) -> None:
    if document.sale_id is None:
        return
    rest = await tenant.documents.of_sales([document.sale_id])
    if document.is_direct and not rest:
        await tenant.sales.delete(document.sale_id)
    else:
        await tenant.sales.lose_document(document.sale_id)


def _refusal(document: Document) -> Refusal:
    if document.status not in EMITTABLE:
        return wrong_state(document, *EMITTABLE)
    return Refusal(Code.INVALID_STATE, _NUMBERED, currentStatus=document.status, allowed=[])
