"""The products and services in a company's catalog."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias
from uuid import UUID

from pydantic import ConfigDict, Field, RootModel, ValidationError, field_serializer

from carimbo.fiscal.body.fields import Body, Record, UnitValue
from carimbo.fiscal.body.reading import STORED
from carimbo.fiscal.catalog.sale import ItemType
from carimbo.fiscal.issue_form import ChosenItem
from carimbo.service.audit import changed_fields
from carimbo.service.catalog.product_bodies import (
    CatalogItem,
    ProductType,
    ReadOnlyOfItem,
    SplitItem,
    changed_item,
    missing_without_defaults,
    product_row,
    with_fiscal_fields,
)
from carimbo.service.catalog.split_items import (
    ComponentRecord,
    component_records,
    require_no_split_of,
    resolve_components,
    stored_components,
)
from carimbo.service.change_bodies import refuse_read_only_changes
from carimbo.service.errors import ErrorCode, Refusal, invalid_body, not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.service.stored_records import ReadFields, readable_fields
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.products import NewProduct, ProductFilter, ProductRow, SkuTaken, new_product_id


class CatalogItemRecord(Record):
    """The fields that all records of an item share."""

    # The fiscal fields come from models of bodies, which forbid unknown fields.
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

    # A tax has dozens of fields: only those with a value are shown. A lambda, because the annotation of a
    # function would replace the types of the fields in the published contract.
    with_values_only: ClassVar[Any] = field_serializer("*", mode="wrap")(
        lambda self, value, serialize: _with_values(value) if isinstance(value, Body) else serialize(value)
    )


class SplitItemRecord(CatalogItemRecord):
    """An item whose price is split into other items."""

    type: Literal[ProductType.SPLIT]
    components: list[ComponentRecord]


class DeletedProduct(Record):
    """The response to a deletion."""

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
    """Adds an item to the catalog; a company has each SKU at most once."""
    _require_complete(body)
    async with database.tenant(subscription_id) as tenant:
        product = await _product(tenant, company_id, new_product_id(), body)
        added = await tenant.products.add(product)
        if added is None:
            raise await _duplicate(tenant, company_id, product.sku)
        await _audit(tenant, AuditAction.PRODUCT_CREATED, added)
        return (await _records(tenant, company_id, [added]))[0]


async def list_products(
    database: Database, subscription_id: UUID, company_id: UUID, filter_: ProductFilter, request: PageRequest
) -> Page[ProductRecord]:
    """Lists the items of a catalog, newest first."""
    async with database.snapshot(subscription_id) as tenant:
        products = await tenant.products.page(company_id, filter_, request.offset, request.page_size)
        total = await tenant.products.count(company_id, filter_)
        return Page(await _records(tenant, company_id, products), total, request)


async def read_product(
    database: Database, subscription_id: UUID, company_id: UUID, product_id: str
) -> ProductRecord:
    """Returns an item of the catalog."""
    async with database.snapshot(subscription_id) as tenant:
        product = await tenant.products.get(company_id, product_id)
        if product is None:
            raise _unknown_product()
        return (await _records(tenant, company_id, [product]))[0]


async def read_chosen_item(
    database: Database, subscription_id: UUID, company_id: UUID, product_id: str
) -> ChosenItem:
    """Returns an item of the catalog for a form that it fills."""
    async with database.autocommit(subscription_id) as tenant:
        product = await tenant.products.get(company_id, product_id)
    if product is None:
        raise _unknown_product()
    return ChosenItem(
        sku=product.sku,
        name=product.name,
        category=product.category,
        price=product.price,
        fiscal=product.fiscal,
    )


async def read_components(
    database: Database, subscription_id: UUID, company_id: UUID, product_ids: Iterable[str]
) -> Mapping[str, list[ComponentRecord]]:
    """Returns the components of split items by the ids of the items; other items have none."""
    async with database.autocommit(subscription_id) as tenant:
        items = await tenant.products.by_ids(company_id, list(product_ids))
        return await component_records(tenant, company_id, items)


async def replace_product(
    database: Database, subscription_id: UUID, company_id: UUID, product_id: str, changes: dict[str, Any]
) -> ProductRecord:
    """Changes the fields that were sent, and only those. Existing sales do not change."""
    async with database.tenant(subscription_id) as tenant:
        await tenant.products.hold(company_id)
        current = await tenant.products.get(company_id, product_id)
        if current is None:
            raise _unknown_product()
        (before,) = await _records(tenant, company_id, [current])
        body = _changed(current, changes)
        _require_complete(body)
        product = await _product(tenant, company_id, product_id, body, current.sku)
        try:
            written = await tenant.products.write(product)
        except SkuTaken:
            raise await _duplicate(tenant, company_id, product.sku) from None
        (after,) = await _records(tenant, company_id, [written])
        await _audit(tenant, AuditAction.PRODUCT_CHANGED, written, changed_fields(before, after))
        return after


def _changed(current: ProductRow, changes: dict[str, Any]) -> CatalogItem:
    """Returns the whole item after a change; refuses read-only fields whose values differ from the item's."""
    facts = _readable_item(current, []).values
    facts["components"] = stored_components(current)
    names = [field.alias for field in ReadOnlyOfItem.model_fields.values()]
    try:
        sent = ReadOnlyOfItem.model_validate({name: changes[name] for name in names if name in changes})
        refuse_read_only_changes(sent, CatalogItemRecord.model_validate(facts), {"id", "created_at"})
        return changed_item(facts, changes)
    except ValidationError as invalid:
        raise invalid_body(invalid) from None


async def delete_product(
    database: Database, subscription_id: UUID, company_id: UUID, product_id: str
) -> DeletedProduct:
    """Deletes an item from the catalog; its sales still name it."""
    async with database.tenant(subscription_id) as tenant:
        await tenant.products.hold(company_id)
        await require_no_split_of(tenant, company_id, product_id)
        product = await tenant.products.get(company_id, product_id)
        if product is None or not await tenant.products.delete(company_id, product_id):
            raise _unknown_product()
        await _audit(tenant, AuditAction.PRODUCT_DELETED, product)
    return DeletedProduct(id=product_id)


async def _audit(
    tenant: Tenant, action: AuditAction, product: ProductRow, details: Mapping[str, Any] | None = None
) -> None:
    await tenant.audit.add(
        action,
        company_id=product.company_id,
        subject_id=product.id,
        subject_name=product.name,
        details=details,
    )


async def _product(
    tenant: Tenant, company_id: UUID, product_id: str, body: CatalogItem, current_sku: str | None = None
) -> NewProduct:
    """Returns the row of a body, with its components looked up in the catalog."""
    product = product_row(body, company_id, product_id, current_sku)
    if not isinstance(body, SplitItem):
        return product
    await tenant.products.hold(company_id)
    await require_no_split_of(tenant, company_id, product_id)
    components = await resolve_components(tenant, company_id, product_id, body.components)
    return replace(product, components=components)


async def _records(tenant: Tenant, company_id: UUID, products: Sequence[ProductRow]) -> list[ProductRecord]:
    """Returns items as callers see them, without the fiscal fields that can't be read."""
    components = await component_records(tenant, company_id, products)
    return [_readable_item(product, components.get(product.id, [])).model for product in products]


def _readable_item(product: ProductRow, components: list[ComponentRecord]) -> ReadFields[ProductRecord]:
    values = {
        **product.fiscal,
        "id": product.id,
        "name": product.name,
        "sku": product.sku,
        "type": product.type,
        "category": product.category,
        "price": product.price,
        "guarantee": product.guarantee,
        "fiscalFollowsCompanyDefaults": product.follows_company_defaults,
        "components": components,
        "createdAt": product.created_at,
        "updatedAt": product.updated_at,
    }
    return readable_fields("products", product.id, ProductRecord, values, STORED)


def _with_values(value: Body) -> dict[str, Any]:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def _require_complete(body: CatalogItem) -> None:
    """Refuses an item that uses no defaults of the company and lacks fields that its documents need."""
    missing = missing_without_defaults(body)
    if missing:
        error = "Obrigatório quando fiscalFollowsCompanyDefaults é false."
        raise Refusal(
            ErrorCode.VALIDATION_ERROR, fields=[{"field": name, "error": error} for name in missing]
        )


async def _duplicate(tenant: Tenant, company_id: UUID, sku: str) -> Refusal:
    existing = await tenant.products.find_by_sku(company_id, sku)
    return Refusal(
        ErrorCode.DUPLICATE_RESOURCE,
        "Já existe um item com este SKU no catálogo.",
        field="sku",
        existingId=existing and existing.id,
    )


def _unknown_product() -> Refusal:
    return not_found("Item não encontrado no catálogo.")


async def find_or_add_item(tenant: Tenant, item: NewProduct) -> NewProduct:
    """Returns the item with the same SKU from the catalog, unchanged; adds it if there is none."""
    if isinstance(item, ProductRow):
        return item
    existing = await tenant.products.find_by_sku(item.company_id, item.sku) or await tenant.products.add(item)
    # A concurrent insert made ours wait, and has committed by now.
    existing = existing or await tenant.products.find_by_sku(item.company_id, item.sku)
    if existing is None:
        raise LookupError("the product that has the same SKU is gone")
    return existing
