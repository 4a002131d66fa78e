"""Changing and deleting a sale, which only one can be whose documents wait to be told to go."""

from dataclasses import replace
from uuid import UUID

from carimbo.fiscal.lifecycle import Status
from carimbo.service.companies import Deleted, hold_company
from carimbo.service.errors import Code, Refusal, invalid_field
from carimbo.service.issuing.accept import Counter
from carimbo.service.sales.create import (
    AcceptedSale,
    Prepared,
    SaleOrder,
    add_drafts,
    buyer_id,
    prepare,
    sale_of,
    sold_lines,
)
from carimbo.service.sales.record import SaleStatus, shown, unknown_sale
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.sales import Sale

_CHANGEABLE = (SaleStatus.DRAFT, SaleStatus.SCHEDULED)


async def change_sale(counter: Counter, order: SaleOrder, sale_id: UUID) -> AcceptedSale:
    """Let a sale be what is told, with drafts made anew; told to go, they go."""
    subscription_id, company_id = order.subscription.id, order.company.id
    async with counter.database.autocommit(subscription_id) as tenant:
        sale = _require(await tenant.sales.get(sale_id), company_id)
        _require_unissued(await tenant.documents.of_sales([sale_id]))
    known = _under_its_name(order, sale)
    prepared = await prepare(counter, known)
    async with counter.database.tenant(subscription_id) as tenant:
        await _rewrite(counter, tenant, known, prepared, sale)
        return AcceptedSale(await shown(tenant, company_id, sale_id), prepared.goes_now)


async def delete_sale(database: Database, subscription_id: UUID, company_id: UUID, sale_id: UUID) -> Deleted:
    """Delete a sale with its drafts; customer and items stay in the catalog."""
    async with database.tenant(subscription_id) as tenant:
        _require(await tenant.sales.lock(sale_id), company_id)
        await _delete_drafts(tenant, sale_id)
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
    await _delete_drafts(tenant, sale.id)
    changed = sale_of(prepared.plan, sale.id, order, customer_id)
    stored = Sale(**vars(changed), created_at=locked.created_at, updated_at=locked.updated_at)
    await tenant.sales.rewrite(stored, lines)
    await add_drafts(counter, tenant, order, prepared, sale.id)


def _under_its_name(order: SaleOrder, sale: Sale) -> SaleOrder:
    """The order with the external id that the sale has, which can't become another."""
    if order.body.external_id not in (None, sale.external_id):
        raise invalid_field("externalId", "Identifica a venda e não pode ser alterado.")
    return replace(order, body=order.body.model_copy(update={"external_id": sale.external_id}))


def _require(sale: Sale | None, company_id: UUID) -> Sale:
    if sale is None or sale.company_id != company_id:
        raise unknown_sale()
    return sale


async def _delete_drafts(tenant: Tenant, sale_id: UUID) -> None:
    documents = await tenant.documents.lock_of_sale(sale_id)
    _require_unissued(documents)
    await tenant.documents.delete([document.id for document in documents])


def _require_unissued(documents: list[Document]) -> None:
    """Refuse once any document was sent on its way."""
    statuses = {Status(document.status) for document in documents} - {Status.PENDING}
    if not statuses:
        return
    if statuses == {Status.REJECTED}:
        raise Refusal(
            Code.INVALID_STATE,
            "A venda tem documento rejeitado: corrija-o em invoices e emita-o de novo.",
            currentStatus=SaleStatus.FAILED,
            allowed=[*_CHANGEABLE],
        )
    raise Refusal(Code.SALE_ALREADY_INVOICED)
