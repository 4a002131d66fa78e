"""Stores the body of an entry by the use case that the API uses for it; a repeated entry adds nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from carimbo.service.catalog.customers import CustomerUpsert, upsert_customer
from carimbo.service.catalog.product_bodies import ProductBody
from carimbo.service.catalog.products import create_product, replace_product
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import ErrorCode, Refusal, invalid_body, invalid_field
from carimbo.service.json_values import write_json
from carimbo.service.orders import DIFFERENT_BODY
from carimbo.service.sales.body import SaleBody
from carimbo.service.sales.create import SaleOrder, create_sale, find_replay
from carimbo.storage.companies import CompanyRow
from carimbo.storage.imports import ImportKind
from carimbo.storage.subscriptions import Subscription

Model = TypeVar("Model", bound=BaseModel)


class EntryResult(Enum):
    """What became of an entry."""

    CREATED = auto()
    CHANGED = auto()
    UNCHANGED = auto()
    """It existed already, and was left as it was."""


@dataclass(frozen=True)
class ImportTarget:
    """Where the entries of a file are stored."""

    context: IssuingContext
    subscription: Subscription
    company: CompanyRow


async def store_entry(
    target: ImportTarget, kind: ImportKind, body: Mapping[str, Any], key: str, since: datetime
) -> EntryResult:
    """Stores the body of an entry. Raises Refusal.

    `key` identifies the entry. What was created after `since`, when the progress of the import was stored
    last, counts as created: a worker may have been killed after it had stored this entry.
    """
    match kind:
        case ImportKind.CUSTOMERS:
            return await _store_customer(target, body, since)
        case ImportKind.PRODUCTS:
            return await _store_product(target, body, since)
        case ImportKind.SALES:
            return await _store_sale(target, body, key, since)


async def _store_customer(target: ImportTarget, body: Mapping[str, Any], since: datetime) -> EntryResult:
    upsert = validated(CustomerUpsert, body)
    customer = await upsert_customer(
        target.context.database, target.subscription.id, target.company.id, upsert
    )
    return EntryResult.CREATED if customer.created_at > since else EntryResult.CHANGED


async def _store_product(target: ImportTarget, body: Mapping[str, Any], since: datetime) -> EntryResult:
    """Adds an item to the catalog, or changes the item that has the same SKU."""
    if "sku" not in body:
        # The catalog would invent another one each time.
        raise invalid_field("sku", "Campo obrigatório: é o SKU que identifica o item.")
    database, company_id = target.context.database, target.company.id
    product_id = await _find_product(target, body["sku"])
    if product_id is None:
        try:
            new = validated(ProductBody, body).root
            await create_product(database, target.subscription.id, company_id, new)
            return EntryResult.CREATED
        except Refusal as refusal:
            if refusal.code is not ErrorCode.DUPLICATE_RESOURCE:
                raise
            # Another request has added it meanwhile.
            product_id = await _find_product(target, body["sku"])
            if product_id is None:
                raise
    changed = await replace_product(database, target.subscription.id, company_id, product_id, dict(body))
    return EntryResult.CREATED if changed.root.created_at > since else EntryResult.CHANGED


async def _find_product(target: ImportTarget, sku: str) -> str | None:
    """Returns the id of the item of the catalog that has the SKU, or None."""
    async with target.context.database.autocommit(target.subscription.id) as tenant:
        product = await tenant.products.find_by_sku(target.company.id, sku.strip())
    return None if product is None else product.id


async def _store_sale(
    target: ImportTarget, body: Mapping[str, Any], key: str, since: datetime
) -> EntryResult:
    """Creates a sale, unless the same one exists. A sale with a number of its own needs no other key."""
    order_key = None if body.get("externalId") else key
    subscription, company, database = target.subscription, target.company, target.context.database
    existing = await find_replay(database, subscription.id, company.id, order_key, body)
    if existing is None:
        text = write_json(dict(body))
        order = SaleOrder(subscription, company, validated(SaleBody, body), text, order_key)
        accepted = await create_sale(target.context, order)
        if accepted.is_new:
            return EntryResult.CREATED
        existing = accepted.record
    if DIFFERENT_BODY in existing.warnings:
        raise Refusal(
            ErrorCode.DUPLICATE_RESOURCE,
            "Já existe uma venda com este número e com outros dados: ela ficou como estava. As linhas de uma"
            " venda têm de vir uma depois da outra.",
            field="externalId",
            existingId=str(existing.id),
        )
    return EntryResult.CREATED if existing.created_at > since else EntryResult.UNCHANGED


def validated(model: type[Model], body: Mapping[str, Any]) -> Model:
    try:
        return model.model_validate(dict(body))
    except ValidationError as invalid:
        raise invalid_body(invalid, model) from None
