"""What a company's catalog knows of the buyer and the items of one request."""

from collections.abc import Sequence
from dataclasses import fields
from uuid import UUID

from carimbo.fiscal.catalog_filling import CatalogFacts
from carimbo.fiscal.catalog_sale import FiscalItem
from carimbo.fiscal.customer import CustomerFacts
from carimbo.storage.connection import Connection, only

_FACTS = ", ".join(field.name for field in fields(CustomerFacts))
_OF_COMPANY = "subscription_id = $1 and company_id = $2 and deleted_at is null"
# Both in one statement: a request waits for one answer of the database.
_KNOWN = f"""
    select (
        select to_jsonb(known) from (
            select {_FACTS} from customers where {_OF_COMPANY} and document = $3
            order by created_at, id limit 1
        ) as known
    ) as customer, (
        select jsonb_object_agg(
            sku, jsonb_build_object('fiscal', fiscal, 'follows_company_defaults', follows_company_defaults)
        ) from products where {_OF_COMPANY} and sku = any($4) and type = $5
    ) as items
"""


class Catalog:
    """Customers and items of one subscription's companies, as documents need them."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def facts(
        self, company_id: UUID, tax_id: str | None, skus: Sequence[str], item_type: str
    ) -> CatalogFacts:
        """Returns the customer with a CPF or CNPJ and the items of a type that have these SKUs."""
        row = only(
            await self._connection.fetchrow(
                _KNOWN, self._subscription_id, company_id, tax_id, skus, item_type
            )
        )
        items = {sku: FiscalItem(**item) for sku, item in (row["items"] or {}).items()}
        return CatalogFacts(CustomerFacts(**row["customer"]) if row["customer"] else None, items)
