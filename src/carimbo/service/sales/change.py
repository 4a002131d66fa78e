"""Changing and deleting a sale of which nothing was issued: its documents are drafts, or were rejected."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, Status
from carimbo.service.companies import Deleted, hold_company
from carimbo.service.discarding import may_be_discarded
from carimbo.service.dismissal import may_have_been_issued
from carimbo.service.documents import stored_request
from carimbo.service.errors import Code, Refusal, invalid_field
from carimbo.service.exact_json import write
from carimbo.service.issuing.accept import Counter
from carimbo.service.issuing.workshop import issuing_of
from carimbo.service.kinds import kind_named
from carimbo.service.sales.create import AcceptedSale, buyer_id, prepare, sale_of, sold_lines
from carimbo.service.sales.draft_storage import Numbered, Prepared, SaleOrder, add_drafts
from carimbo.service.sales.patch import Merging, patched
from carimbo.service.sales.record import SaleStatus, shown, unknown_sale
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.sales import Sale
from carimbo.storage.subscriptions import Subscription

_DIRECT = "A venda foi feita por um documento: corrija o documento em invoices e emita-o de novo."
_NUMBERED = "A venda tem documento que já tem número: corrija-o em invoices, se preciso, e emita-o."


async def change_sale(
    counter: Counter,
    subscription: Subscription,
    company: Company,
    sale_id: UUID,
    changes: dict[str, Any],
    merging: Merging,
) -> AcceptedSale:
    """Changes some fields of a sale; its documents wait to be emitted, unless the changes say when."""
    async with counter.database.snapshot(subscription.id) as tenant:
        sale = await tenant.sales.show(sale_id)
        if sale is None or sale.company_id != company.id:
            raise unknown_sale()
        documents = await tenant.documents.of_sales([sale_id])
        _require_changeable(sale, documents)
        buyer_tax_id = None if sale.customer_id else _unnamed_buyer(documents)
        body = patched(sale, await tenant.sales.lines([sale_id]), buyer_tax_id, changes, merging)
    order = SaleOrder(subscription, company, body, write(changes))
    return await _replace(counter, order, sale)


async def _replace(counter: Counter, order: SaleOrder, sale: Sale) -> AcceptedSale:
    """Replaces a sale by another, with documents made anew, and sends those that are to go now."""
    subscription_id, company_id = order.subscription.id, order.company.id
    known = _under_its_name(order, sale)
    prepared = await prepare(counter, known)
    async with counter.database.tenant(subscription_id) as tenant:
        await _rewrite(counter, tenant, known, prepared, sale)
        return AcceptedSale(await shown(tenant, company_id, sale.id), prepared.goes_now)


async def delete_sale(database: Database, subscription_id: UUID, company_id: UUID, sale_id: UUID) -> Deleted:
    """Deletes a sale with its documents, none of which has a number; customer and items stay."""
    async with database.tenant(subscription_id) as tenant:
        sale = _require(await tenant.sales.lock(sale_id), company_id)
        documents = await tenant.documents.lock_of_sale(sale_id)
        _require_unissued(documents)
        if not all(map(may_be_discarded, documents)):
            raise _wrong_state(sale, _NUMBERED, documents)
        await _delete(tenant, documents)
        await tenant.sales.delete(sale_id)
    return Deleted(id=sale_id)


async def _rewrite(
    counter: Counter, tenant: Tenant, order: SaleOrder, prepared: Prepared, sale: Sale
) -> None:
    """Write in the order in which a new sale is written."""
    await hold_company(tenant, sale.company_id)
    customer_id = await buyer_id(tenant, sale.company_id, prepared.plan)
    lines = await sold_lines(tenant, prepared.plan)
    locked = _require(await tenant.sales.lock(sale.id), sale.company_id)
    documents = await tenant.documents.lock_of_sale(sale.id)
    numbered = _numbered(locked, documents, prepared)
    await _delete(tenant, [document for document in documents if may_be_discarded(document)])
    changed = sale_of(prepared.plan, sale.id, order, customer_id)
    stored = Sale(**vars(changed), created_at=locked.created_at, updated_at=locked.updated_at)
    await tenant.sales.rewrite(stored, lines)
    await add_drafts(counter, tenant, order, prepared, sale.id, numbered)


def _numbered(sale: Sale, documents: Sequence[Document], prepared: Prepared) -> Numbered:
    """Returns the documents whose numbers the changed sale goes on using, or refuses the change."""
    _require_changeable(sale, documents)
    numbered = {
        (document.type, document.environment): document for document in documents if document.emission
    }
    if not numbered.keys() <= {(draft.kind.name, draft.environment) for draft in prepared.drafts}:
        raise _wrong_state(sale, _NUMBERED, documents)
    return numbered


async def _delete(tenant: Tenant, documents: Sequence[Document]) -> None:
    if not await tenant.documents.delete([document.id for document in documents]):
        raise LookupError("documents that are held can't be deleted")


def _unnamed_buyer(documents: Sequence[Document]) -> str | None:
    """Returns the CPF or CNPJ that the receipt of a sale without customer names."""
    requests = ((issuing_of(kind_named(one.type)), stored_request(one)) for one in documents)
    addressees = (issuing.addressee(request) for issuing, request in requests)
    return next((one.tax_id for one in addressees if one and one.tax_id), None)


def _under_its_name(order: SaleOrder, sale: Sale) -> SaleOrder:
    """The order with the external id that the sale has, which can't become another."""
    if order.body.external_id not in (None, sale.external_id):
        raise invalid_field("externalId", "Identifica a venda e não pode ser alterado.")
    return replace(order, body=order.body.model_copy(update={"external_id": sale.external_id}))


def _require(sale: Sale | None, company_id: UUID) -> Sale:
    if sale is None or sale.company_id != company_id:
        raise unknown_sale()
    return sale


def _require_changeable(sale: Sale, documents: Sequence[Document]) -> None:
    """Refuses what was issued, and rejected documents whose numbers may belong to an issued document."""
    _require_unissued(documents)
    if sale.is_direct:
        raise _wrong_state(sale, _DIRECT, documents)
    if any(may_have_been_issued(document) or _is_denied(document) for document in documents):
        raise _wrong_state(sale, _NUMBERED, documents)


def _require_unissued(documents: Sequence[Document]) -> None:
    """Refuses while any document is on its way, and once one was authorized."""
    if any(document.status not in EMITTABLE for document in documents):
        raise Refusal(Code.SALE_ALREADY_INVOICED)


def _is_denied(document: Document) -> bool:
    return document.emission is not None and document.emission.state == EmissionState.DENIED


def _wrong_state(sale: Sale, sentence: str, documents: Sequence[Document]) -> Refusal:
    """Refuses what no other status of the sale would permit."""
    if any(document.status == Status.REJECTED for document in documents):
        status = SaleStatus.FAILED
    else:
        status = SaleStatus.SCHEDULED if sale.scheduled_emit_at else SaleStatus.DRAFT
    return Refusal(Code.INVALID_STATE, sentence, currentStatus=status, allowed=[])
