"""Sending a sale's documents on their way, and canceling them."""

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_snake

from carimbo.fiscal.fields import Body, Record, Text
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.allowance import reserve_documents
from carimbo.service.companies import hold_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.discarding import may_be_discarded
from carimbo.service.dismissal import may_have_been_issued
from carimbo.service.documents import Reference
from carimbo.service.errors import Code, Refusal
from carimbo.service.filing.desk import Desk
from carimbo.service.filing.outcome import EventUnderWay
from carimbo.service.filing.register import register_event
from carimbo.service.invoices import Ready, make_ready, start
from carimbo.service.kinds import kind_named
from carimbo.service.sales.record import MOST_TRIES, SaleRecord, SaleStatus, changed_meanwhile, shown
from carimbo.storage.companies import Company
from carimbo.storage.database import Tenant
from carimbo.storage.documents import Document
from carimbo.storage.subscriptions import Subscription

_EMITTABLE = (
    SaleStatus.DRAFT, SaleStatus.SCHEDULED, SaleStatus.FAILED, SaleStatus.PARTIALLY_INVOICED,
)  # fmt: skip
_DISCARDED = (
    "Os documentos da venda foram descartados: antes de emitir, altere a venda com PUT ou PATCH …/sales/{id},"
    " que os faz de novo."
)
_CANCELED = "A venda foi cancelada: o documento que resta só é emitido por si, com POST …/invoices/{id}/emit."
_CANCELABLE = (SaleStatus.INVOICED, SaleStatus.PARTIALLY_INVOICED)


class SaleCancellation(Body):
    """Why the documents of a sale are canceled."""

    justification: Annotated[Text, StringConstraints(min_length=15, max_length=255)] | None = Field(
        default=None, description="Justificativa, de 15 a 255 caracteres; na falta, um texto padrão."
    )
    reason_code: Annotated[str, StringConstraints(pattern="^[129]$")] | None = Field(
        default=None, description="Motivo, para a NFS-e: 1 erro na emissão, 2 serviço não prestado, 9 outros."
    )


async def emit_sale(
    counter: IssuingContext, subscription: Subscription, company: Company, sale_id: UUID
) -> SaleRecord:
    """Send every draft and every rejected document of a sale on its way: all of them, or none.

    Starts again if another request changes a document of the sale meanwhile.
    """
    for _ in range(MOST_TRIES):
        async with counter.database.snapshot(subscription.id) as tenant:
            sale = await shown(tenant, company.id, sale_id)
            documents = await tenant.documents.of_sales([sale_id])
        ready = [
            await make_ready(counter, subscription, company, document)
            for document in _emittable(sale, documents)
        ]
        async with counter.database.tenant(subscription.id) as tenant:
            await hold_company(tenant, company.id)
            await tenant.sales.lock(sale_id)
            locked = await tenant.documents.lock_of_sale(sale_id)
            if _versions(locked) == _versions(documents):
                await _start(tenant, sale_id, ready, counter.workshop.today)
                return await shown(tenant, company.id, sale_id)
    raise changed_meanwhile()


def _emittable(sale: SaleRecord, documents: Sequence[Document]) -> list[Document]:
    """Returns the documents that wait or were rejected, or refuses if there are none.

    A document that may have been issued is not among them, and nothing of a canceled sale: a caller who asks
    for all that is left does not ask for those. Each can be emitted by itself.
    """
    if sale.status is SaleStatus.CANCELED:
        raise _wrong_state(sale, _CANCELED, *_EMITTABLE)
    waiting = [
        document
        for document in documents
        if document.status in EMITTABLE and not may_have_been_issued(document)
    ]
    if not documents:
        raise _wrong_state(sale, _DISCARDED)
    if not waiting:
        raise _wrong_state(sale, "A venda não tem documento a emitir.", *_EMITTABLE)
    return waiting


def _versions(documents: Sequence[Document]) -> list[tuple[UUID, str, int]]:
    """Returns what differs if a document was changed, emitted, discarded, canceled or made anew."""
    return [(document.id, document.status, document.version) for document in documents]


async def _start(tenant: Tenant, sale_id: UUID, ready: Sequence[Ready], today: date) -> None:
    await tenant.sales.unschedule(sale_id)
    for one in ready:
        await start(tenant, one, today)
    await reserve_documents(tenant, [one.period for one in ready if one.period])


async def cancel_sale(
    desk: Desk, subscription_id: UUID, company: Company, sale_id: UUID, told: SaleCancellation
) -> tuple[SaleRecord, bool]:
    """Cancel every authorized document of a sale; tells whether an authority has still to answer."""
    database = desk.counter.database
    async with database.snapshot(subscription_id) as tenant:
        sale = await shown(tenant, company.id, sale_id)
        documents = await tenant.documents.of_sales([sale_id])
    authorized = [document for document in documents if document.status == Status.AUTHORIZED]
    if sale.status is SaleStatus.PROCESSING:
        sentence = "Um documento da venda ainda está em processamento: aguarde o seu resultado."
        raise _wrong_state(sale, sentence, *_CANCELABLE)
    if not authorized:
        raise _wrong_state(sale, "A venda não tem documento autorizado a cancelar.", *_CANCELABLE)
    async with database.autocommit(subscription_id) as tenant:
        # What of a canceled sale waits for its time goes out no more, unless somebody says so.
        await tenant.sales.unschedule(sale_id)
    # Each by itself: what an authority says of one does not keep another from being canceled.
    outcomes = await asyncio.gather(
        *(_cancel(desk, subscription_id, company, document, told) for document in authorized),
        return_exceptions=True,
    )
    for document, outcome in zip(authorized, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            raise _about(document, outcome)
    is_open = any(isinstance(outcome, EventUnderWay) for outcome in outcomes)
    async with database.tenant(subscription_id) as tenant:
        if not is_open:
            await _drop_drafts(tenant, sale_id)
        return await shown(tenant, company.id, sale_id), is_open


async def _drop_drafts(tenant: Tenant, sale_id: UUID) -> None:
    """Delete what of a canceled sale was never sent: nobody is to issue it by mistake."""
    await tenant.sales.lock(sale_id)
    documents = await tenant.documents.lock_of_sale(sale_id)
    drafts = [
        document.id
        for document in documents
        if document.status == Status.PENDING and may_be_discarded(document)
    ]
    if not await tenant.documents.delete(drafts):
        raise LookupError("drafts that are held can't be deleted")


async def _cancel(
    desk: Desk, subscription_id: UUID, company: Company, document: Document, told: SaleCancellation
) -> Record:
    kind = kind_named(document.type)
    event = kind.cancellation
    if event is None:
        raise LookupError(f"{kind.name} has no cancellation")
    request = event.request
    given: dict[str, Any] = told.model_dump(by_alias=True, exclude_none=True)
    own = {name: value for name, value in given.items() if to_snake(name) in request.model_fields}
    which = Reference(subscription_id, document.id, company.id, kind.read_collection)
    return await register_event(desk, company, which, event.name, request.model_validate(own))


def _about(document: Document, refused: BaseException) -> BaseException:
    """A refusal with the document that it is about; others of the sale may be canceled by now."""
    if not isinstance(refused, Refusal):
        return refused
    named = {"documentId": str(document.id), "documentType": document.type}
    return Refusal(refused.code, refused.message, **(refused.details or {}), **named)


def _wrong_state(sale: SaleRecord, sentence: str, *allowed: SaleStatus) -> Refusal:
    return Refusal(Code.INVALID_STATE, sentence, currentStatus=sale.status, allowed=[*allowed])
