"""The products and services in a company's catalog."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias
from uuid import UUID

from pydantic import ConfigDict, Field, RootModel, ValidationError, field_serializer

from carimbo.fiscal.catalog_sale import ItemType
from carimbo.fiscal.fields import Body, Record, UnitValue
from carimbo.fiscal.stored import STORED
from carimbo.service.errors import Code, Refusal, invalid_body, not_found
from carimbo.service.pages import Page, PageRequest
from carimbo.service.product_bodies import (
    CatalogItem,
    ProductType,
    ReadOnlyOfItem,
    SplitItem,
    changed_item,
    lacking_alone,
    product_of,
    with_fiscal_fields,
)
from carimbo.service.read_only import refuse_changed
from carimbo.service.readable import ReadFields, readable_fields
from carimbo.service.split_items import (
    ComponentRecord,
    components_of,
    require_no_split_of,
    shown_components,
    stored_parts,
)
from carimbo.storage.database import Database, Tenant
from carimbo.storage.products import NewProduct, Product, ProductFilter, SkuTaken, new_product_id


class CatalogItemRecord(Record):
    """What callers see of every item."""

    # The forms of bodies, which give the fiscal fields, would refuse what they do not know.
    model_config = ConfigDict(extra="ignore")

    id: str
    name: str
    sku: str
    type: ProductType
    category: str | None
    price: UnitValue | None
    guarantee: int | None
    fiscal_follows_company_defaults: bool
    created_at: datetime
    updated_at: datetime

    # A tax has dozens of fields: those that are told are enough. A function's annotation would take the place
    # of the fields' types in the published contract, and a lambda has none.
    as_told: ClassVar[Any] = field_serializer("*", mode="wrap")(
        lambda self, value, serialize: _as_told(value) if isinstance(value, Body) else serialize(value)
    )


class SplitItemRecord(CatalogItemRecord):
    """An item whose price divides into those of others."""

    type: Literal[ProductType.SPLIT]
    components: list[ComponentRecord]


class DeletedProduct(Record):
    """What a delete answers."""

    id: str
    deleted: bool = True


if TYPE_CHECKING:
    ServiceItemRecord = CatalogItemRecord
    ProductItemRecord = CatalogItemRecord
else:
    ServiceItemRecord = with_fiscal_fields("ServiceItemRecord", ItemType.SERVICE, CatalogItemRecord)
    ProductItemRecord = with_fiscal_fields("ProductItemRecord", ItemType.PRODUCT, CatalogItemRecord)

_AnyRecord: TypeAlias = ServiceItemRecord | ProductItemRecord | SplitItemRecord


class ProductRecord(RootModel[Annotated[_AnyRecord, Field(discriminator="type")]]):
    """An item of the catalog as callers see it."""


async def create_product(
    database: Database, subscription_id: UUID, company_id: UUID, body: CatalogItem
) -> ProductRecord:
    """Put an item into the catalog; one SKU once per company."""
    _require_enough(body)
    async with database.tenant(subscription_id) as tenant:
        product = await _product(tenant, company_id, new_product_id(), body)
        added = await tenant.products.add(product)
        if added is None:
            raise await _duplicate(tenant, company_id, product.sku)
        return (await _shown(tenant, company_id, [added]))[0]


async def list_products(
    database: Database, subscription_id: UUID, company_id: UUID, wanted: ProductFilter, request: PageRequest
) -> Page[ProductRecord]:
    """List a catalog, newest first."""
    async with database.snapshot(subscription_id) as tenant:
        found = await tenant.products.page(company_id, wanted, request.offset, request.page_size)
        total = await tenant.products.count(company_id, wanted)
        return Page(await _shown(tenant, company_id, found), total, request)


async def read_product(
    database: Database, subscription_id: UUID, company_id: UUID, product_id: str
) -> ProductRecord:
    """Show an item of the catalog."""
    async with database.snapshot(subscription_id) as tenant:
        found = await tenant.products.get(company_id, product_id)
        if found is None:
            raise _unknown()
        return (await _shown(tenant, company_id, [found]))[0]


async def replace_product(
    database: Database, subscription_id: UUID, company_id: UUID, product_id: str, changes: dict[str, Any]
) -> ProductRecord:
    """Writes the fields that were sent, and only those. Sales stay as they were made."""
    async with database.tenant(subscription_id) as tenant:
        await tenant.products.hold(company_id)
        current = await tenant.products.get(company_id, product_id)
        if current is None:
            raise _unknown()
        body = _changed(current, changes)
        _require_enough(body)
        product = await _product(tenant, company_id, product_id, body, current.sku)
        try:
            written = await tenant.products.write(product)
        except SkuTaken:
            raise await _duplicate(tenant, company_id, product.sku) from None
        return (await _shown(tenant, company_id, [written]))[0]


def _changed(current: Product, changes: dict[str, Any]) -> CatalogItem:
    """Returns the whole item after a change; refuses read-only fields with other values than the item's."""
    facts = _readable_item(current, []).values
    facts["components"] = stored_parts(current)
    names = [field.alias for field in ReadOnlyOfItem.model_fields.values()]
    try:
        sent = ReadOnlyOfItem.model_validate({name: changes[name] for name in names if name in changes})
        refuse_changed(sent, CatalogItemRecord.model_validate(facts), {"id", "created_at"})
        return changed_item(facts, changes)
    except ValidationError as invalid:
        raise invalid_body(invalid) from None


async def delete_product(
    database: Database, subscription_id: UUID, company_id: UUID, product_id: str
) -> DeletedProduct:
    """Take an item out of the catalog; sales go on naming it."""
    async with database.tenant(subscription_id) as tenant:
        await tenant.products.hold(company_id)
        await require_no_split_of(tenant, company_id, product_id)
        if not await tenant.products.delete(company_id, product_id):
            raise _unknown()
    return DeletedProduct(id=product_id)


async def _product(
    tenant: Tenant, company_id: UUID, product_id: str, body: CatalogItem, known_sku: str | None = None
) -> NewProduct:
    """The item of a body, whose parts, if it has any, are in the catalog."""
    product = product_of(body, company_id, product_id, known_sku)
    if isinstance(body, SplitItem):
        return replace(product, components=await _parts(tenant, company_id, product_id, body))
    return product


async def _parts(tenant: Tenant, company_id: UUID, product_id: str, body: SplitItem) -> list[dict[str, str]]:
    await tenant.products.hold(company_id)
    await require_no_split_of(tenant, company_id, product_id)
    return await components_of(tenant, company_id, product_id, body.components)


async def _shown(tenant: Tenant, company_id: UUID, products: Sequence[Product]) -> list[ProductRecord]:
    parts = await shown_components(tenant, company_id, products)
    return [_record(product, parts.get(product.id, [])) for product in products]


def _record(product: Product, parts: list[ComponentRecord]) -> ProductRecord:
    """Returns an item as callers see it, without the fiscal fields that can't be read."""
    return _readable_item(product, parts).model


def _readable_item(product: Product, parts: list[ComponentRecord]) -> ReadFields[ProductRecord]:
    return readable_fields("products", product.id, ProductRecord, _facts(product, parts), STORED)


def _facts(product: Product, parts: list[ComponentRecord]) -> dict[str, Any]:
    return {
        **product.fiscal,
        "id": product.id,
        "name": product.name,
        "sku": product.sku,
        "type": product.type,
        "category": product.category,
        "price": product.price,
        "guarantee": product.guarantee,
        "fiscalFollowsCompanyDefaults": product.follows_company_defaults,
        "components": parts,
        "createdAt": product.created_at,
        "updatedAt": product.updated_at,
    }


def _as_told(value: Body) -> dict[str, Any]:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def _require_enough(body: CatalogItem) -> None:
    """Refuse an item that takes nothing from the company and lacks what its documents need."""
    lacking = lacking_alone(body)
    if lacking:
        error = "Obrigatório quando fiscalFollowsCompanyDefaults é false."
        raise Refusal(Code.VALIDATION_ERROR, fields=[{"field": name, "error": error} for name in lacking])


async def _duplicate(tenant: Tenant, company_id: UUID, sku: str) -> Refusal:
    existing = await tenant.products.find_by_sku(company_id, sku)
    return Refusal(
        Code.DUPLICATE_RESOURCE,
        "Já existe um item com este SKU no catálogo.",
        field="sku",
        existingId=existing and existing.id,
    )


def _unknown() -> Refusal:
    return not_found("Item não encontrado no catálogo.")
