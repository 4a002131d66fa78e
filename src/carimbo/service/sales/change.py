"""Changing and deleting a sale of which nothing was issued: its documents are drafts, or were rejected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.fiscal.lifecycle import EMITTABLE, EmissionState, Status
from carimbo.service.companies import Deleted, hold_company
from carimbo.service.contexts import IssuingContext
from carimbo.service.discarding import may_be_discarded
from carimbo.service.dismissal import may_have_been_issued
from carimbo.service.documents import stored_request
from carimbo.service.errors import Code, Refusal, invalid_field
from carimbo.service.exact_json import write
from carimbo.service.kinds import kind_named
from carimbo.service.sales.body import SaleBody
from carimbo.service.sales.catalog import SoldBefore
from carimbo.service.sales.create import AcceptedSale, buyer_id, prepare, sale_of, sold_lines
from carimbo.service.sales.draft_storage import Prepared, SaleOrder, add_drafts
from carimbo.service.sales.patch import Merging, patched
from carimbo.service.sales.record import MOST_TRIES, SaleStatus, changed_meanwhile, shown, unknown_sale
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.sales import Sale, ShownLine, ShownSale
from carimbo.storage.subscriptions import Subscription

_DIRECT = "A venda foi feita por um documento: corrija o documento em invoices e emita-o de novo."
_NUMBERED = "A venda tem documento que já tem número: corrija-o em invoices, se preciso, e emita-o."


@dataclass(frozen=True)
class _CurrentSale:
    """A sale as it was when changes were merged with it."""

    sale: ShownSale
    lines: Sequence[ShownLine]
    buyer_tax_id: str | None

    @property
    def sold_before(self) -> SoldBefore:
        return SoldBefore(self.sale.customer_id, [line.product_id for line in self.lines])


async def change_sale(
    counter: IssuingContext,
    subscription: Subscription,
    company: Company,
    sale_id: UUID,
    changes: dict[str, Any],
    merging: Merging,
) -> AcceptedSale:
    """Changes some fields of a sale; its documents wait to be emitted, unless the changes say when.

    Starts again if another request or its schedule changes the sale meanwhile.
    """
    for _ in range(MOST_TRIES):
        async with counter.database.snapshot(subscription.id) as tenant:
            current = await _read_changeable(tenant, company.id, sale_id)
        body = patched(current.sale, current.lines, current.buyer_tax_id, changes, merging)
        body = _with_external_id_of(current.sale, body)
        order = SaleOrder(subscription, company, body, write(changes))
        prepared = await prepare(counter, order, current.sold_before)
        async with counter.database.tenant(subscription.id) as tenant:
            if await _rewrite(counter, tenant, order, prepared, current.sale):
                return AcceptedSale(await shown(tenant, company.id, sale_id), prepared.goes_now)
    raise changed_meanwhile()


async def delete_sale(database: Database, subscription_id: UUID, company_id: UUID, sale_id: UUID) -> Deleted:
    """Deletes a sale with its documents, none of which has a number; customer and items stay."""
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
    return Deleted(id=sale_id)


async def _read_changeable(tenant: Tenant, company_id: UUID, sale_id: UUID) -> _CurrentSale:
    sale = await tenant.sales.show(sale_id)
    if sale is None or sale.company_id != company_id:
        raise unknown_sale()
    documents = await tenant.documents.of_sales([sale_id])
    _require_changeable(sale, documents)
    buyer_tax_id = None if sale.customer_id else sale.buyer_tax_id or _tax_id_on_receipt(documents)
    return _CurrentSale(sale, await tenant.sales.lines([sale_id]), buyer_tax_id)


async def _rewrite(
    counter: IssuingContext, tenant: Tenant, order: SaleOrder, prepared: Prepared, sale: ShownSale
) -> bool:
    """Writes a changed sale and makes its documents anew; writes nothing if the sale was changed since.

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
    if not numbered.keys() <= {(draft.kind.name, draft.environment) for draft in prepared.drafts}:
        raise _wrong_state(sale, _NUMBERED, documents)
    customer_id = await buyer_id(tenant, sale.company_id, prepared.plan)
    lines = await sold_lines(tenant, prepared.plan)
    await _delete(tenant, [document for document in documents if may_be_discarded(document)])
    await tenant.sales.rewrite(sale_of(prepared.plan, sale.id, order, customer_id), lines)
    await add_drafts(counter, tenant, order, prepared, sale.id, numbered)
    return True


async def _delete(tenant: Tenant, documents: Sequence[Document]) -> None:
    if not await tenant.documents.delete([document.id for document in documents]):
        raise LookupError("documents that are held can't be deleted")


def _tax_id_on_receipt(documents: Sequence[Document]) -> str | None:
    """Returns the CPF or CNPJ that the receipt of a sale without customer names.

    Sales that an earlier release stored have it nowhere else.
    """
    requests = ((kind_named(document.type).issuing, stored_request(document)) for document in documents)
    addressees = (issuing.addressee(request) for issuing, request in requests)
    return next((addressee.tax_id for addressee in addressees if addressee and addressee.tax_id), None)


def _with_external_id_of(sale: Sale, body: SaleBody) -> SaleBody:
    """Returns the body with the external id of the sale, or refuses another one."""
    if body.external_id not in (None, sale.external_id):
        raise invalid_field("externalId", "Identifica a venda e não pode ser alterado.")
    return body.model_copy(update={"external_id": sale.external_id})


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
