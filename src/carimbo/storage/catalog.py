"""The facts in a company's catalog about the buyer and the items of a request."""

from dataclasses import fields
from uuid import UUID

from carimbo.fiscal.catalog.filling import CatalogFacts, CatalogReferences, CatalogService
from carimbo.fiscal.catalog.sale import FiscalItem
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.party_address import known_address_fields
from carimbo.storage.connection import Connection, only
from carimbo.storage.sql import json_object

_FACTS = ", ".join(field.name for field in fields(CustomerFacts))
_OF_COMPANY = "subscription_id = $1 and company_id = $2 and deleted_at is null"
# Both in one statement, for one round trip.
_FIND = f"""
    select (
        select to_jsonb(customer) from (
            select {_FACTS} from customers where {_OF_COMPANY} and document = $3
            order by created_at, id limit 1
        ) as customer
    ) as customer, (
        select jsonb_object_agg(
            sku, jsonb_build_object('fiscal', fiscal, 'follows_company_defaults', follows_company_defaults)
        ) from products where {_OF_COMPANY} and sku = any($4) and type = $5
    ) as items
"""
# The type is a literal, so that every plan of the statement may use the index of these services.
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
        """Returns the catalog's facts about a request; a SKU matches only items of `item_type`."""
        if wanted.city_service_code is not None:
            rows = await self._connection.fetch(
                _SERVICES, self._subscription_id, company_id, wanted.city_service_code
            )
            return CatalogFacts(services=tuple(CatalogService(**row) for row in rows))

        row = only(
            await self._connection.fetchrow(
                _FIND, self._subscription_id, company_id, wanted.tax_id, wanted.skus, item_type
            )
        )
        items = {
            sku: FiscalItem(
                fiscal=json_object("products", sku, "fiscal", item["fiscal"]) or {},
                follows_company_defaults=item["follows_company_defaults"],
            )
            for sku, item in (row["items"] or {}).items()
        }
        customer = row["customer"]
        if customer is None:
            return CatalogFacts(None, items)
        address = json_object("customers", f"of company {company_id}", "address", customer["address"])
        return CatalogFacts(CustomerFacts(**customer | {"address": known_address_fields(address)}), items)
