"""Items that sales and documents put into the catalog."""

from carimbo.storage.database import Tenant
from carimbo.storage.products import NewProduct, Product


async def stored_item(tenant: Tenant, item: NewProduct) -> NewProduct:
    """The catalog's item of this SKU, as it is; made if there is none."""
    if isinstance(item, Product):
        return item
    known = await tenant.products.find_by_sku(item.company_id, item.sku) or await tenant.products.add(item)
    # Whoever came first has committed by now: their insert made ours wait.
    known = known or await tenant.products.find_by_sku(item.company_id, item.sku)
    if known is None:
        raise LookupError("a product that kept another from being stored is gone")
    return known
