"""The components of a split item: the items into which its price is split."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Body, Percent, Record, Sku
from carimbo.fiscal.problems import quoted
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.stored_records import record_or_partial
from carimbo.storage.database import Tenant
from carimbo.storage.products import ProductRow

SPLIT = "split"
_WHOLE = Decimal(100)

ProductId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$", to_upper=True),
    Field(examples=["01JCQ4W8ZK3N5T7V9X2B6D8FHM"]),
]
"""A ULID, in upper or lower case."""


class ComponentBody(Body):
    """A component of a split item."""

    sku: Sku | None = Field(
        default=None, description="SKU do serviço ou produto; na falta, vale o id.", examples=["ebook"]
    )
    id: ProductId | None = Field(default=None, description="Id do serviço ou produto no catálogo (ULID).")
    percentage: Annotated[Percent, Field(gt=0)] = Field(
        description="Parte do preço, em percentual, com até 4 casas decimais.", examples=[70]
    )

    @model_validator(mode="after")
    def names_an_item(self) -> "ComponentBody":
        """Refuses a component without SKU and id."""
        if self.sku is None and self.id is None:
            raise PydanticCustomError("component", "Informe sku ou id.")
        return self


def _make_a_whole(components: list[ComponentBody]) -> list[ComponentBody]:
    total = sum(component.percentage for component in components)
    if total != _WHOLE:
        raise PydanticCustomError(
            "component", "Os percentuais devem somar 100, e somam {total}.", {"total": f"{total:f}"}
        )
    return components


# A list, because for a tuple of invalid items pydantic would also report that it is too short.
Components = Annotated[list[ComponentBody], Field(min_length=2, max_length=20), AfterValidator(_make_a_whole)]


class ComponentRecord(Record):
    """A component of a split item as callers see it."""

    id: str
    sku: str = Field(examples=["ebook"])
    percentage: Percent = Field(examples=[70])


async def resolve_components(
    tenant: Tenant, company_id: UUID, own_id: str, bodies: Sequence[ComponentBody]
) -> list[dict[str, str]]:
    """Looks up the components of an item in the catalog; refuses with all errors at once."""
    by_sku = await tenant.products.by_skus(company_id, [body.sku for body in bodies if body.sku])
    by_id = await tenant.products.by_ids(company_id, [body.id for body in bodies if body.id])
    skus, ids = {item.sku: item for item in by_sku}, {item.id: item for item in by_id}
    items = [ids.get(body.id) if body.id else skus.get(body.sku or "") for body in bodies]

    errors = [
        {"field": f"components[{position}].{'id' if body.id else 'sku'}", "error": error}
        for position, (body, item) in enumerate(zip(bodies, items, strict=True))
        if (error := _error_of(own_id, body, item, items[:position]))
    ]
    if errors:
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=errors)
    components = zip((item for item in items if item), bodies, strict=True)
    return [{"id": item.id, "percentage": f"{body.percentage:f}"} for item, body in components]


async def component_records(
    tenant: Tenant, company_id: UUID, items: Iterable[ProductRow]
) -> Mapping[str, list[ComponentRecord]]:
    """Returns the components of split items, by the id of the item."""
    splits = {item.id: parts for item in items if (parts := stored_components(item))}
    ids = {part["id"] for parts in splits.values() for part in parts}
    components = await tenant.products.by_ids(company_id, list(ids)) if ids else []
    skus = {item.id: item.sku for item in components}
    return {
        item_id: [ComponentRecord(**part, sku=skus[part["id"]]) for part in parts if part["id"] in skus]
        for item_id, parts in splits.items()
    }


def stored_components(item: ProductRow) -> list[dict[str, Any]]:
    """Returns the ids and percentages of an item's components; none if they can't be read."""
    return record_or_partial(
        "products",
        item.id,
        lambda: [{"id": part["id"], "percentage": Decimal(part["percentage"])} for part in item.components],
        list,
    )


async def require_no_split_of(tenant: Tenant, company_id: UUID, product_id: str) -> None:
    """Refuses to delete or split an item while it is a component of a split item."""
    splits = await tenant.products.splits_with(company_id, product_id)
    if splits:
        listed = ", ".join(quoted(split.sku) for split in splits)
        raise Refusal(
            ErrorCode.INVALID_STATE,
            f"O item compõe o item dividido de SKU {listed}: retire-o de lá primeiro.",
            usedBy=[split.id for split in splits],
        )


def _error_of(
    own_id: str, body: ComponentBody, item: ProductRow | None, before: Sequence[ProductRow | None]
) -> str | None:
    if item is None:
        return "Não há item com este id no catálogo." if body.id else "Não há item com este SKU no catálogo."
    if body.sku not in (None, item.sku):
        return f"O item com este id tem outro SKU, {quoted(item.sku)}."
    if item.id == own_id:
        return "Um item não se divide em si mesmo."
    if item.type == SPLIT:
        return "É um item dividido: informe um serviço ou produto."
    return f"É o mesmo item de components[{before.index(item)}]." if item in before else None
