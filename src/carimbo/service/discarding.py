"""Deletes a document that never got a number."""

from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.companies import Deleted
from carimbo.service.documents import Reference, require_document, unknown_document, wrong_state
from carimbo.service.errors import Code, Refusal
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document

_NUMBERED = "O documento já tem número e não se descarta: corrija-o, se preciso, e emita-o."

_PART_OF_A_SALE = (
    "Outro documento da venda já foi autorizado, ou está em processamento, e este não se descarta: emita-o,"
    " ou cancele os documentos da venda."
)


async def discard_document(database: Database, which: Reference) -> Deleted:
    """Deletes a draft or a rejected document without a number, with its history and its order keys.

    No authority has heard of such a document, so no event is published. A sale that the document itself made
    goes with it; any other sale stays, and must not have been issued in part.
    """
    async with database.tenant(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        if document.sale_id:
            # The sale before its documents, in the order in which a sale is changed and emitted.
            await tenant.sales.lock(document.sale_id)
            await _require_unissued_sale(tenant, document)
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


async def _require_unissued_sale(tenant: Tenant, document: Document) -> None:
    """Refuses to make a sale of which another document was issued look as if it were invoiced whole."""
    if document.is_direct or document.sale_id is None or document.status not in EMITTABLE:
        return
    others = [one for one in await tenant.documents.lock_of_sale(document.sale_id) if one.id != document.id]
    if any(one.status in (Status.AUTHORIZED, Status.PROCESSING) for one in others):
        raise Refusal(Code.INVALID_STATE, _PART_OF_A_SALE, currentStatus=document.status, allowed=[])


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
