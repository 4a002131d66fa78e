"""The sale that is created for a direct document, with its customer and its catalog item."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.catalog.sale import DirectSale
from carimbo.service.catalog.customers import find_or_add_customer
from carimbo.service.catalog.products import find_or_add_item
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.products import NewProduct, new_product_id
from carimbo.storage.sales import NewSale, SaleLine

_ONCE = Decimal(1)
_AT_ONCE = "immediately"


async def add_direct_sale(
    tenant: Tenant, company_id: UUID, external_id: str | None, sold: DirectSale, today: date
) -> UUID:
    """Stores the sale of a document, in the document's transaction and before it.

    All code writes customer, item, sale, document and allowance in this order, so that two transactions never
    deadlock. Only a correction locks the sale and the document first. That is safe, because no request that
    creates a sale waits for these two rows.
    """
    sale = NewSale(
        id=new_id(),
        company_id=company_id,
        external_id=external_id,
        is_direct=True,
        customer_id=await find_or_add_customer(tenant, company_id, sold.customer),
        amount=sold.price - sold.discount,
        discount=sold.discount,
        sold_on=sold.sold_on or today,
        emit_when=_AT_ONCE,
    )
    await tenant.sales.add(sale, [await _line(tenant, company_id, sold)])
    return sale.id


async def correct_direct_sale(
    tenant: Tenant, sale_id: UUID, before: DirectSale, after: DirectSale, today: date
) -> None:
    """Applies the changes of a document to its sale; other values of the sale stay."""
    if after == before:
        return
    sale = await tenant.sales.get(sale_id)
    if sale is None:
        raise LookupError(f"sale {sale_id} is gone")
    if after.customer != before.customer:
        customer_id = await find_or_add_customer(tenant, sale.company_id, after.customer)
        sale = replace(sale, customer_id=customer_id)
    if after.sold_on != before.sold_on:
        sale = replace(sale, sold_on=after.sold_on or today)
    line = await _line(tenant, sale.company_id, after)
    changed = replace(sale, amount=after.price - after.discount, discount=after.discount)
    await tenant.sales.rewrite(changed, [line])


async def _line(tenant: Tenant, company_id: UUID, sold: DirectSale) -> SaleLine:
    item = sold.item
    new_product = NewProduct(
        id=new_product_id(),
        company_id=company_id,
        sku=item.sku,
        name=item.name,
        type=item.type,
        category=item.category,
        guarantee=item.guarantee,
        follows_company_defaults=True,
        fiscal=item.fiscal,
    )
    product = await find_or_add_item(tenant, new_product)
    return SaleLine(product_id=product.id, name=item.name, price=sold.price, quantity=_ONCE, total=sold.price)
