"""What a split item of the catalog divides into."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Body, Percent, Record, Sku
from carimbo.fiscal.problems import quoted
from carimbo.service.errors import Code, Refusal
from carimbo.service.readable import readable
from carimbo.storage.database import Tenant
from carimbo.storage.products import Product

SPLIT = "split"
_WHOLE = Decimal(100)

ProductId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$", to_upper=True),
    Field(examples=["01JCQ4W8ZK3N5T7V9X2B6D8FHM"]),
]
"""A ULID, in capitals or not."""


class ComponentBody(Body):
    """A part of a split item."""

    sku: Sku | None = Field(
        default=None, description="SKU do serviço ou produto; na falta, vale o id.", examples=["ebook"]
    )
    id: ProductId | None = Field(default=None, description="Id do serviço ou produto no catálogo (ULID).")
    percentage: Annotated[Percent, Field(gt=0)] = Field(
        description="Parte do preço, em percentual, com até 4 casas decimais.", examples=[70]
    )

    @model_validator(mode="after")
    def names_an_item(self) -> "ComponentBody":
        """Refuse a part that nobody could find in the catalog."""
        if self.sku is None and self.id is None:
            raise PydanticCustomError("component", "Informe sku ou id.")
        return self


def _make_a_whole(components: list[ComponentBody]) -> list[ComponentBody]:
    total = sum(one.percentage for one in components)
    if total != _WHOLE:
        raise PydanticCustomError(
            "component", "Os percentuais devem somar 100, e somam {total}.", {"total": f"{total:f}"}
        )
    return components


# Of a tuple, pydantic would also tell that it is too short when all that is in it is wrong.
Components = Annotated[list[ComponentBody], Field(min_length=2, max_length=20), AfterValidator(_make_a_whole)]


class ComponentRecord(Record):
    """A part of a split item as callers see it."""

    id: str
    sku: str = Field(examples=["ebook"])
    percentage: Percent = Field(examples=[70])


async def components_of(
    tenant: Tenant, company_id: UUID, own_id: str, told: Sequence[ComponentBody]
) -> list[dict[str, str]]:
    """Find the parts of an item in the catalog, or refuse with everything that is wrong with them."""
    by_sku = await tenant.products.by_skus(company_id, [one.sku for one in told if one.sku])
    by_id = await tenant.products.by_ids(company_id, [one.id for one in told if one.id])
    skus, ids = {item.sku: item for item in by_sku}, {item.id: item for item in by_id}
    found = [ids.get(one.id) if one.id else skus.get(one.sku or "") for one in told]
    _require_right(own_id, told, found)
    parts = zip((item for item in found if item), told, strict=True)
    return [{"id": item.id, "percentage": f"{one.percentage:f}"} for item, one in parts]


async def shown_components(
    tenant: Tenant, company_id: UUID, items: Iterable[Product]
) -> Mapping[str, list[ComponentRecord]]:
    """The parts of split items, by the id of the item."""
    splits = {item.id: parts for item in items if (parts := stored_parts(item))}
    ids = {part["id"] for parts in splits.values() for part in parts}
    found = await tenant.products.by_ids(company_id, list(ids)) if ids else []
    skus = {item.id: item.sku for item in found}
    return {
        item_id: [ComponentRecord(**part, sku=skus[part["id"]]) for part in parts if part["id"] in skus]
        for item_id, parts in splits.items()
    }


def stored_parts(item: Product) -> list[dict[str, Any]]:
    """Returns the ids and percentages of an item's parts; none if they can't be read."""
    return readable(
        "products",
        item.id,
        lambda: [{"id": part["id"], "percentage": Decimal(part["percentage"])} for part in item.components],
        list,
    )


async def require_no_split_of(tenant: Tenant, company_id: UUID, product_id: str) -> None:
    """Refuse to take an item out of the catalog, or to split it, while a split item divides into it."""
    splits = await tenant.products.splits_with(company_id, product_id)
    if splits:
        listed = ", ".join(quoted(split.sku) for split in splits)
        raise Refusal(
            Code.INVALID_STATE,
            f"O item compõe o item dividido de SKU {listed}: retire-o de lá primeiro.",
            usedBy=[split.id for split in splits],
        )


def _require_right(own_id: str, told: Sequence[ComponentBody], found: Sequence[Product | None]) -> None:
    """Refuse all parts that can't be parts of an item."""
    wrong = [
        {"field": f"components[{place}].{'id' if one.id else 'sku'}", "error": error}
        for place, (one, item) in enumerate(zip(told, found, strict=True))
        if (error := _error_of(own_id, one, item, found[:place]))
    ]
    if wrong:
        raise Refusal(Code.VALIDATION_ERROR, fields=wrong)


def _error_of(
    own_id: str, told: ComponentBody, item: Product | None, before: Sequence[Product | None]
) -> str | None:
    if item is None:
        return "Não há item com este id no catálogo." if told.id else "Não há item com este SKU no catálogo."
    if told.sku not in (None, item.sku):
        return f"O item com este id tem outro SKU, {quoted(item.sku)}."
    if item.id == own_id:
        return "Um item não se divide em si mesmo."
    if item.type == SPLIT:
        return "É um item dividido: informe um serviço ou produto."
    return f"É o mesmo item de components[{before.index(item)}]." if item in before else None
