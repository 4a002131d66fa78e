"""Changes and deletes a sale without issued documents: all are drafts, or were rejected."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import RootModel, ValidationError

from carimbo.fiscal.body.reading import is_blank
from carimbo.fiscal.catalog.sale import without_absent
from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, Status
from carimbo.service.change_bodies import AS_SENT, partial_of
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.companies.registration import hold_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import stored_request
from carimbo.service.errors import ErrorCode, Refusal, invalid_body, invalid_field
from carimbo.service.issuing.drafts import may_be_discarded
from carimbo.service.json_values import merge_patch, write_json
from carimbo.service.maintenance import may_have_been_issued
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.catalog import PreviousReferences
from carimbo.service.sales.create import (
    AcceptedSale,
    PreparedSale,
    SaleOrder,
    add_drafts,
    audit_sale,
    prepare_sale,
    sale_row,
    store_buyer,
    store_lines,
)
from carimbo.service.sales.record import MAX_TRIES, SaleStatus, changed_meanwhile, sale_record, unknown_sale
from carimbo.service.stored_records import log_unreadable
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.sales import SaleDetails, SaleLineDetails, SaleRow
from carimbo.storage.subscriptions import Subscription

_PAYMENT = ("paymentMethod", "payments")
_STORED_JSON = ("payments", "nfse")
_IDENTITY = ("name", "document", "foreignId")
# Fields that every sale has: a blank value changes nothing, as in every PUT.
_NEVER_EMPTY = ("products", "emitWhen")
_DIRECT = "A venda foi feita por um documento: corrija o documento em invoices e emita-o de novo."
_NUMBERED = "A venda tem documento que já tem número: corrija-o em invoices, se preciso, e emita-o."


if TYPE_CHECKING:
    _Changes: TypeAlias = dict[str, Any]
else:
    _Changes = partial_of(SaleBody)


class SaleChanges(RootModel[Annotated[_Changes, AS_SENT]]):
    """The fields of a sale that change, as in the body that creates one."""


class MergeMode(Enum):
    """How changes are merged into a sale; absent fields stay in either case."""

    WHOLE = "objects replace objects"
    DEEP = "objects join objects (RFC 7396)"


def changed_body(
    sale: SaleDetails,
    lines: Sequence[SaleLineDetails],
    buyer_tax_id: str | None,
    patch: dict[str, Any],
    merging: MergeMode,
) -> SaleBody:
    """Returns the body of a sale after a patch, or refuses it.

    Either payment field replaces both. A customer object without name, document and foreign id completes the
    customer of the sale; a buyer outside the catalog is identified by a CPF or CNPJ alone.
    """
    current = _current(sale, lines, buyer_tax_id)
    patch = {name: value for name, value in patch.items() if name not in _NEVER_EMPTY or not is_blank(value)}
    if any(patch.get(name) for name in _PAYMENT):
        current = {name: value for name, value in current.items() if name not in _PAYMENT}
    customer = patch.get("customer")
    if isinstance(customer, dict) and not any(customer.get(name) for name in _IDENTITY):
        id_fields = {
            "name": sale.customer_name,
            "document": sale.customer_document or buyer_tax_id,
            "foreignId": sale.customer_foreign_id,
            "email": sale.customer_email,
        }
        patch = patch | {"customer": customer | without_absent(id_fields)}
    try:
        body = merge_patch(current, patch) if merging is MergeMode.DEEP else current | patch
        return SaleBody.model_validate(body)
    except ValidationError as invalid:
        _refuse_unreadable(sale, patch, invalid)
        raise invalid_body(invalid) from None


def _refuse_unreadable(sale: SaleDetails, patch: dict[str, Any], invalid: ValidationError) -> None:
    """Refuses a change if the stored payments or `nfse` can't be read and are not replaced."""
    invalid_names = {str(error["loc"][0]) for error in invalid.errors() if error["loc"]}
    unreadable = [name for name in _STORED_JSON if name in invalid_names and name not in patch]
    if unreadable:
        log_unreadable("sales", sale.id, invalid)
        sentence = f"Parte da venda não pôde ser lida: envie de novo {' e '.join(unreadable)}."
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=sale.status, allowed=[])


def _current(sale: SaleDetails, lines: Sequence[SaleLineDetails], buyer_tax_id: str | None) -> dict[str, Any]:
    """Returns the body that would create the same sale today.

    A sale without a schedule becomes `manual`, even if it was created with `immediately`.
    """
    due_at = sale.scheduled_emit_at if sale.is_waiting else None
    guarantee = due_at or sale.guarantee_date
    customer_id = sale.customer_id and str(sale.customer_id)
    body = {
        "customer": {"document": buyer_tax_id} if buyer_tax_id else customer_id,
        "products": [
            {"id": line.product_id, "name": line.name, "price": line.price, "quantity": line.quantity}
            for line in lines
        ],
        "saleDate": sale.sold_on.isoformat(),
        "paymentMethod": sale.payment_method,
        "payments": sale.payments,
        "emitWhen": (EmitWhen.AFTER_GUARANTEE if due_at else EmitWhen.MANUAL).value,
        "guaranteeDate": guarantee and guarantee.isoformat(),
        "sendEmail": sale.send_email,
        "externalId": sale.external_id,
        "discount": sale.discount,
        "shipping": sale.shipping,
        "nfse": sale.nfse,
        "productInvoiceType": sale.product_invoice_type,
        "notes": sale.notes,
    }
    return without_absent(body)


@dataclass(frozen=True)
class ChangeableSale:
    """A sale without issued documents, as it is before changes are merged into it."""

    sale: SaleDetails
    lines: Sequence[SaleLineDetails]
    buyer_tax_id: str | None

    @property
    def references(self) -> PreviousReferences:
        """The customer and the items that the sale may keep."""
        return PreviousReferences(self.sale.customer_id, [line.product_id for line in self.lines])

    @property
    def body(self) -> dict[str, Any]:
        """The body that would create the same sale today."""
        return _current(self.sale, self.lines, self.buyer_tax_id)


async def read_changeable_sale(
    database: Database, subscription_id: UUID, company_id: UUID, sale_id: UUID
) -> ChangeableSale:
    """Returns a sale that may be changed. Raises Refusal for any other."""
    async with database.snapshot(subscription_id) as tenant:
        return await _read_changeable(tenant, company_id, sale_id)


async def changed_order(
    context: IssuingContext,
    subscription: Subscription,
    company: CompanyRow,
    sale_id: UUID,
    changes: dict[str, Any],
    merging: MergeMode,
) -> tuple[ChangeableSale, SaleOrder]:
    """Returns a sale as it is, and the order that it is after changes. Raises Refusal."""
    current = await read_changeable_sale(context.database, subscription.id, company.id, sale_id)
    body = changed_body(current.sale, current.lines, current.buyer_tax_id, changes, merging)
    external_id = current.sale.external_id
    if body.external_id not in (None, external_id):
        raise invalid_field("externalId", "Identifica a venda e não pode ser alterado.")
    body = body.model_copy(update={"external_id": external_id})
    return current, SaleOrder(subscription, company, body, write_json(changes))


async def change_sale(
    context: IssuingContext,
    subscription: Subscription,
    company: CompanyRow,
    sale_id: UUID,
    changes: dict[str, Any],
    merging: MergeMode,
) -> AcceptedSale:
    """Changes some fields of a sale; its documents become drafts, unless the changes say when to emit them.

    Starts again if another request or the schedule changes the sale meanwhile.
    """
    for _ in range(MAX_TRIES):
        current, order = await changed_order(context, subscription, company, sale_id, changes, merging)
        prepared = await prepare_sale(context, order, current.references)
        async with context.database.tenant(subscription.id) as tenant:
            if await _rewrite(context, tenant, order, prepared, current.sale):
                await audit_sale(tenant, AuditAction.SALE_CHANGED, current.sale, {"fields": sorted(changes)})
                return AcceptedSale(await sale_record(tenant, company.id, sale_id), prepared.goes_now)
    raise changed_meanwhile()


async def delete_sale(database: Database, subscription_id: UUID, company_id: UUID, sale_id: UUID) -> Deleted:
    """Deletes a sale and its documents, none of which has a number; customer and items stay."""
    async with database.tenant(subscription_id) as tenant:
        sale = await tenant.sales.lock(sale_id)
        if sale is None or sale.company_id != company_id:
            raise unknown_sale()
        documents = await tenant.documents.lock_of_sale(sale_id)
        _require_unissued(documents)
        if not all(map(may_be_discarded, documents)):
            raise _wrong_state(sale, _NUMBERED, documents)
        await _delete(tenant, documents)
        await tenant.sales.delete(sale_id)
        await audit_sale(tenant, AuditAction.SALE_DELETED, sale)
    return Deleted(id=sale_id)


async def _read_changeable(tenant: Tenant, company_id: UUID, sale_id: UUID) -> ChangeableSale:
    sale = await tenant.sales.show(sale_id)
    if sale is None or sale.company_id != company_id:
        raise unknown_sale()
    documents = await tenant.documents.of_sales([sale_id])
    _require_changeable(sale, documents)
    buyer_tax_id = None if sale.customer_id else sale.buyer_tax_id or _tax_id_on_receipt(documents)
    return ChangeableSale(sale, await tenant.sales.lines([sale_id]), buyer_tax_id)


async def _rewrite(
    context: IssuingContext, tenant: Tenant, order: SaleOrder, prepared: PreparedSale, sale: SaleDetails
) -> bool:
    """Stores a changed sale and drafts its documents again; returns False if the sale was changed meanwhile.

    Locks the sale and its documents before customer and items: no request that holds those waits for a sale.
    """
    await hold_company(tenant, sale.company_id)
    await tenant.sales.lock(sale.id)
    documents = await tenant.documents.lock_of_sale(sale.id)
    if await tenant.sales.show(sale.id) != sale:
        return False
    _require_changeable(sale, documents)
    numbered = {
        (document.type, document.environment): document for document in documents if document.emission
    }
    if not numbered.keys() <= {(draft.document_type.name, draft.environment) for draft in prepared.drafts}:
        raise _wrong_state(sale, _NUMBERED, documents)
    customer_id = await store_buyer(tenant, sale.company_id, prepared.plan)
    lines = await store_lines(tenant, prepared.plan)
    await _delete(tenant, [document for document in documents if may_be_discarded(document)])
    await tenant.sales.rewrite(sale_row(prepared.plan, sale.id, order, customer_id), lines)
    await add_drafts(context, tenant, order, prepared, sale.id, numbered)
    return True


async def _delete(tenant: Tenant, documents: Sequence[Document]) -> None:
    if not await tenant.documents.delete([document.id for document in documents]):
        raise LookupError("locked documents can't be deleted")


def _tax_id_on_receipt(documents: Sequence[Document]) -> str | None:
    """Returns the CPF or CNPJ in the receipt of a sale without customer.

    Sales of earlier releases have it nowhere else.
    """
    requests = (
        (document_type_named(document.type).issuing, stored_request(document)) for document in documents
    )
    addressees = (issuing.addressee(request) for issuing, request in requests)
    return next((addressee.tax_id for addressee in addressees if addressee and addressee.tax_id), None)


def _require_changeable(sale: SaleRow, documents: Sequence[Document]) -> None:
    """Refuses a sale with documents that were issued, or may have been."""
    _require_unissued(documents)
    if sale.is_direct:
        raise _wrong_state(sale, _DIRECT, documents)
    for document in documents:
        is_denied = document.emission is not None and document.emission.state == EmissionState.DENIED
        if is_denied or may_have_been_issued(document):
            raise _wrong_state(sale, _NUMBERED, documents)


def _require_unissued(documents: Sequence[Document]) -> None:
    """Refuses if any document is in processing or was issued."""
    if any(document.status not in EMITTABLE for document in documents):
        raise Refusal(ErrorCode.SALE_ALREADY_INVOICED)


def _wrong_state(sale: SaleRow, sentence: str, documents: Sequence[Document]) -> Refusal:
    """Returns the refusal of an operation that no status of the sale would allow."""
    if any(document.status == Status.REJECTED for document in documents):
        status = SaleStatus.FAILED
    else:
        status = SaleStatus.SCHEDULED if sale.scheduled_emit_at else SaleStatus.DRAFT
    return Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=status, allowed=[])
