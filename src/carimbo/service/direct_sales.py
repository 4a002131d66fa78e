"""The sale that a document makes when it is created directly, with its customer and its catalog item."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.direct_sale import DirectSale, SoldItem
from carimbo.service.catalog_items import stored_item
from carimbo.service.customers import customer_for
from carimbo.storage.database import Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.products import NewProduct, new_product_id
from carimbo.storage.sales import NewSale, SaleLine

_ONCE = Decimal(1)
_AT_ONCE = "immediately"


async def add_direct_sale(
    tenant: Tenant, company_id: UUID, external_id: str | None, sold: DirectSale, today: date
) -> UUID:
    """Store the sale of a document, in the document's transaction and before it.

    Customer, item, sale, document, place in the plan: whoever makes them writes them in this order, so that
    two never wait crosswise. A correction locks its sale and then its document first: no request that creates
    a sale waits for either.
    """
    sale = NewSale(
        id=new_id(),
        company_id=company_id,
        external_id=external_id,
        is_direct=True,
        customer_id=await customer_for(tenant, company_id, sold.customer),
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
    """Let the sale follow its document, whose body was another before; what did not change there stays."""
    if after == before:
        return
    sale = await tenant.sales.get(sale_id)
    if sale is None:
        raise LookupError(f"sale {sale_id} is gone")
    if after.customer != before.customer:
        customer_id = await customer_for(tenant, sale.company_id, after.customer)
        sale = replace(sale, customer_id=customer_id)
    if after.sold_on != before.sold_on:
        sale = replace(sale, sold_on=after.sold_on or today)
    line = await _line(tenant, sale.company_id, after)
    changed = replace(sale, amount=after.price - after.discount, discount=after.discount)
    await tenant.sales.rewrite(changed, [line])


async def _line(tenant: Tenant, company_id: UUID, sold: DirectSale) -> SaleLine:
    return SaleLine(
        product_id=(await stored_item(tenant, _new_product(company_id, sold.item))).id,
        name=sold.item.name,
        price=sold.price,
        quantity=_ONCE,
        total=sold.price,
    )


def _new_product(company_id: UUID, item: SoldItem) -> NewProduct:
    return NewProduct(
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
