"""Emits and cancels the documents of a sale."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_snake

from carimbo.fiscal.body.fields import Body, Record, Text
from carimbo.fiscal.lifecycle import EMITTABLE, Status
from carimbo.service.companies.registration import hold_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.outcome import EventUnderWay
from carimbo.service.filing.register import register_event
from carimbo.service.issuing.drafts import (
    may_be_discarded,
    prepare_emission,
    start_emission,
)
from carimbo.service.maintenance import may_have_been_issued
from carimbo.service.sales.record import (
    MAX_TRIES,
    SaleRecord,
    SaleStatus,
    changed_meanwhile,
    sale_name,
    sale_record,
)
from carimbo.service.subscriptions import reserve_documents
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
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
CANCELABLE = (SaleStatus.INVOICED, SaleStatus.PARTIALLY_INVOICED)


class SaleCancellation(Body):
    """The body that cancels the documents of a sale."""

    justification: Annotated[Text, StringConstraints(min_length=15, max_length=255)] | None = Field(
        default=None, description="Justificativa, de 15 a 255 caracteres; na falta, um texto padrão."
    )
    reason_code: Annotated[str, StringConstraints(pattern="^[129]$")] | None = Field(
        default=None, description="Motivo, para a NFS-e: 1 erro na emissão, 2 serviço não prestado, 9 outros."
    )


async def emit_sale(
    context: IssuingContext, subscription: Subscription, company: CompanyRow, sale_id: UUID
) -> SaleRecord:
    """Emits every draft and every rejected document of a sale: all of them, or none.

    Starts again if another request changes a document of the sale meanwhile.
    """
    for _ in range(MAX_TRIES):
        async with context.database.snapshot(subscription.id) as tenant:
            sale = await sale_record(tenant, company.id, sale_id)
            documents = await tenant.documents.of_sales([sale_id])
        emittable = [
            await prepare_emission(context, subscription, company, document)
            for document in _emittable(sale, documents)
        ]
        async with context.database.tenant(subscription.id) as tenant:
            await hold_company(tenant, company.id)
            await tenant.sales.lock(sale_id)
            locked = await tenant.documents.lock_of_sale(sale_id)
            if _versions(locked) == _versions(documents):
                await tenant.sales.unschedule(sale_id)
                today = context.builder.today
                for document in emittable:
                    await start_emission(tenant, document, today)
                await reserve_documents(
                    tenant, [document.period for document in emittable if document.period]
                )
                await _audit(tenant, AuditAction.SALE_EMITTED, company, sale)
                return await sale_record(tenant, company.id, sale_id)
    raise changed_meanwhile()


def _emittable(sale: SaleRecord, documents: Sequence[Document]) -> list[Document]:
    """Returns the drafts and rejected documents of a sale, or refuses if there are none.

    Leaves out documents that may have been issued, and refuses a canceled sale: each of those documents has
    to be emitted by itself.
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
    """Returns values that differ after any change, emission, cancellation, deletion or new document."""
    return [(document.id, document.status, document.version) for document in documents]


async def cancel_sale(
    context: FilingContext,
    subscription_id: UUID,
    company: CompanyRow,
    sale_id: UUID,
    cancellation: SaleCancellation,
) -> tuple[SaleRecord, bool]:
    """Cancels every authorized document of a sale; returns it, and whether an answer is still pending."""
    database = context.issuing.database
    async with database.snapshot(subscription_id) as tenant:
        sale = await sale_record(tenant, company.id, sale_id)
        documents = await tenant.documents.of_sales([sale_id])
    authorized = [document for document in documents if document.status == Status.AUTHORIZED]
    if sale.status is SaleStatus.PROCESSING:
        sentence = "Um documento da venda ainda está em processamento: aguarde o seu resultado."
        raise _wrong_state(sale, sentence, *CANCELABLE)
    if not authorized:
        raise _wrong_state(sale, "A venda não tem documento autorizado a cancelar.", *CANCELABLE)
    async with database.tenant(subscription_id) as tenant:
        # Scheduled documents of a canceled sale are not emitted, unless somebody emits them.
        await tenant.sales.unschedule(sale_id)
        await _audit(tenant, AuditAction.SALE_CANCELED, company, sale)
    # Each document is canceled separately: if one is refused, the others are canceled anyway.
    outcomes = await asyncio.gather(
        *(_cancel(context, subscription_id, company, document, cancellation) for document in authorized),
        return_exceptions=True,
    )
    for document, outcome in zip(authorized, outcomes, strict=True):
        if isinstance(outcome, Refusal):
            # Names the document, because others may already be canceled.
            details = {"documentId": str(document.id), "documentType": document.type}
            raise Refusal(outcome.code, outcome.message, **(outcome.details or {}), **details)
        if isinstance(outcome, BaseException):
            raise outcome

    is_pending = any(isinstance(outcome, EventUnderWay) for outcome in outcomes)
    async with database.tenant(subscription_id) as tenant:
        if not is_pending:
            await _delete_drafts(tenant, sale_id)
        return await sale_record(tenant, company.id, sale_id), is_pending


async def _audit(tenant: Tenant, action: AuditAction, company: CompanyRow, sale: SaleRecord) -> None:
    await tenant.audit.add(
        action,
        company_id=company.id,
        subject_id=sale.id,
        subject_name=sale_name(sale.external_id, sale.sale_date, sale.amount),
    )


async def _delete_drafts(tenant: Tenant, sale_id: UUID) -> None:
    """Deletes the unsent drafts of a canceled sale, so that nobody emits them by mistake."""
    await tenant.sales.lock(sale_id)
    documents = await tenant.documents.lock_of_sale(sale_id)
    drafts = [
        document.id
        for document in documents
        if document.status == Status.PENDING and may_be_discarded(document)
    ]
    if not await tenant.documents.delete(drafts):
        raise LookupError("locked drafts can't be deleted")


async def _cancel(
    context: FilingContext,
    subscription_id: UUID,
    company: CompanyRow,
    document: Document,
    cancellation: SaleCancellation,
) -> Record:
    document_type = document_type_named(document.type)
    event = document_type.cancellation
    if event is None:
        raise LookupError(f"{document_type.name} has no cancellation")
    request = event.request
    fields: dict[str, Any] = cancellation.model_dump(by_alias=True, exclude_none=True)
    own = {name: value for name, value in fields.items() if to_snake(name) in request.model_fields}
    reference = DocumentReference(subscription_id, document.id, company.id, document_type.read_collection)
    return await register_event(context, company, reference, event.name, request.model_validate(own))


def _wrong_state(sale: SaleRecord, sentence: str, *allowed: SaleStatus) -> Refusal:
    return Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=sale.status, allowed=[*allowed])
