"""The sale that a document makes when it is created directly, with its customer and its catalog item."""

from dataclasses import fields, replace
from datetime import date
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.direct_sale import DirectSale, SoldItem
from carimbo.storage.customers import Customer
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
    two never wait crosswise. A correction holds its document first, for which none of these waits.
    """
    sale = NewSale(
        id=new_id(),
        company_id=company_id,
        external_id=external_id,
        is_direct=True,
        customer_id=await customer_for(tenant, company_id, sold.customer),
        amount=sold.amount,
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
    await tenant.sales.rewrite(replace(sale, amount=after.amount), [line])


async def customer_for(tenant: Tenant, company_id: UUID, told: CustomerFacts) -> UUID:
    """The customer that facts are told of, with its gaps filled by them; made if nobody knows it."""
    known = await tenant.customers.find(company_id, told)
    if known is not None and merged(known, told) == known:
        return known.id
    await tenant.customers.hold(company_id, told)
    known = await tenant.customers.find(company_id, told)
    if known is None:
        return (await tenant.customers.add(new_id(), company_id, told)).id
    await _fill(tenant, known, told)
    return known.id


def merged(known: Customer, told: CustomerFacts) -> Customer:
    """A customer with what is told in the place of what is not known: nothing that is filled changes."""
    names = (field.name for field in fields(CustomerFacts))
    gaps = {name: getattr(told, name) for name in names if getattr(known, name) is None}
    # Who has a CPF or CNPJ may have an address abroad, and is not a foreigner by that.
    is_foreign = known.is_foreign or (known.document is None and told.is_foreign)
    return replace(known, **gaps, is_foreign=is_foreign)


async def _fill(tenant: Tenant, known: Customer, told: CustomerFacts) -> None:
    """Fill the gaps of a customer as it is now: others may have filled some of them."""
    current = await tenant.customers.lock(known.id)
    if current is not None:
        await tenant.customers.write(known.id, merged(current, told))


async def _line(tenant: Tenant, company_id: UUID, sold: DirectSale) -> SaleLine:
    return SaleLine(
        product_id=await _product_id(tenant, company_id, sold.item),
        name=sold.item.name,
        price=sold.amount,
        quantity=_ONCE,
        total=sold.amount,
    )


async def _product_id(tenant: Tenant, company_id: UUID, item: SoldItem) -> str:
    """The catalog's item of this SKU, as it is; made if there is none."""
    known = await tenant.products.find_by_sku(company_id, item.sku)
    if known is None:
        known = await tenant.products.add(_new_product(company_id, item))
    # Whoever came first has committed by now: their insert made ours wait.
    known = known or await tenant.products.find_by_sku(company_id, item.sku)
    if known is None:
        raise LookupError("a product that kept another from being stored is gone")
    return known.id


def _new_product(company_id: UUID, item: SoldItem) -> NewProduct:
    return NewProduct(
        id=new_product_id(),
        company_id=company_id,
        sku=item.sku,
        name=item.name,
        type=item.type,
        category=item.category,
        guarantee=item.guarantee,
        follows_company_defaults=not item.fiscal,
        fiscal=item.fiscal,
    )
