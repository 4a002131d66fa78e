"""Trials of a sale: its amount, its documents and everything that is wrong; nothing is stored or sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.service.companies.company_settings import product_invoice_type_of
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import Refusal
from carimbo.service.sales.catalog import PreviousReferences, resolve_sale
from carimbo.service.sales.change import MergeMode, changed_order
from carimbo.service.sales.create import SaleOrder, prepare_sale
from carimbo.service.sales.documents import Draft
from carimbo.service.sales.plan import sale_amount
from carimbo.storage.companies import CompanyRow
from carimbo.storage.subscriptions import Subscription

_NO_REFERENCES = PreviousReferences()


@dataclass(frozen=True, slots=True)
class SaleTrial:
    """What a sale would be."""

    amount: Decimal | None
    """None if an item or a price is unknown, or the discount is too large."""
    drafts: Sequence[Draft] = ()
    """The documents, reviewed; none if the sale would be refused."""
    refusal: Refusal | None = None


async def try_sale(
    context: IssuingContext, order: SaleOrder, before: PreviousReferences = _NO_REFERENCES
) -> SaleTrial:
    """Computes a sale and reviews its documents."""
    try:
        prepared = await prepare_sale(context, order, before)
    except Refusal as refusal:
        return SaleTrial(await _amount(context, order, before), refusal=refusal)
    return SaleTrial(prepared.plan.amount, prepared.drafts)


async def try_change(
    context: IssuingContext,
    subscription: Subscription,
    company: CompanyRow,
    sale_id: UUID,
    changes: dict[str, Any],
) -> SaleTrial:
    """Computes a sale as it would be after a merge patch. Raises Refusal if its body would be invalid."""
    current, order = await changed_order(context, subscription, company, sale_id, changes, MergeMode.DEEP)
    return await try_sale(context, order, current.references)


async def _amount(context: IssuingContext, order: SaleOrder, before: PreviousReferences) -> Decimal | None:
    """Returns the amount of a sale that is refused for other reasons, such as a customer without address."""
    product_type = order.body.product_invoice_type or product_invoice_type_of(order.company)
    async with context.database.snapshot(order.subscription.id) as tenant:
        resolved = await resolve_sale(tenant, order.company.id, order.body, product_type, before)
    amount = sale_amount(order.body, resolved)
    is_priced = len(resolved.lines) == len(order.body.products)
    return amount if is_priced and amount >= 0 else None
