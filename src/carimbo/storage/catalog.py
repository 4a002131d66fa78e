"""What a company's catalog knows of the buyer and the items of one request."""

from dataclasses import fields
from typing import Any
from uuid import UUID

from carimbo.fiscal.catalog_filling import CatalogFacts, CatalogReferences, CatalogService
from carimbo.fiscal.catalog_sale import FiscalItem
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.party_address import known_lines
from carimbo.storage.connection import Connection, only
from carimbo.storage.json_columns import json_object

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
# The type as a literal, so that every plan of the statement may use the index of these services.
_SERVICES = f"""
    select sku, fiscal from products
    where {_OF_COMPANY} and type = 'service' and fiscal ->> 'cityServiceCode' = $3
    order by created_at, id
"""


class Catalog:
    """Customers and items of one subscription's companies, as documents need them."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def facts(self, company_id: UUID, wanted: CatalogReferences, item_type: str) -> CatalogFacts:
        """Returns what the catalog has of a request's references; only items of a type are found by SKU."""
        if wanted.city_service_code is not None:
            return CatalogFacts(services=await self._services(company_id, wanted.city_service_code))
        row = only(
            await self._connection.fetchrow(
                _KNOWN, self._subscription_id, company_id, wanted.tax_id, wanted.skus, item_type
            )
        )
        items = {sku: _fiscal_item(sku, **item) for sku, item in (row["items"] or {}).items()}
        known = row["customer"]
        if known is None:
            return CatalogFacts(None, items)
        address = json_object("customers", f"of company {company_id}", "address", known["address"])
        return CatalogFacts(CustomerFacts(**known | {"address": known_lines(address)}), items)

    async def _services(self, company_id: UUID, city_service_code: str) -> tuple[CatalogService, ...]:
        rows = await self._connection.fetch(_SERVICES, self._subscription_id, company_id, city_service_code)
        return tuple(CatalogService(**row) for row in rows)


def _fiscal_item(sku: str, fiscal: Any, *, follows_company_defaults: bool) -> FiscalItem:
    return FiscalItem(
        fiscal=json_object("products", sku, "fiscal", fiscal) or {},
        follows_company_defaults=follows_company_defaults,
    )
