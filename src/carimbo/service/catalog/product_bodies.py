"""The bodies of catalog items, one model for each type of item."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    RootModel,
    ValidationError,
    WrapValidator,
    create_model,
)
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Body, Category, Flag, GuaranteeDays, ItemName, Sku, UnitValue
from carimbo.fiscal.body.reading import reading_of, without_blanks
from carimbo.fiscal.catalog.sale import CatalogSale, ItemType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.catalog.code_search import folded
from carimbo.service.catalog.split_items import SPLIT, Components
from carimbo.service.change_bodies import AS_SENT, READ_ONLY, ReadOnlyDates, partial_of
from carimbo.storage.products import NewProduct


class ProductType(StrEnum):
    """The type of an item: one that documents invoice, or one that is split into others."""

    SERVICE = ItemType.SERVICE
    PRODUCT = ItemType.PRODUCT
    SPLIT = SPLIT


# If several document types invoice the same kind of item, the first one defines its fiscal fields.
CATALOG_SALES: Mapping[str, CatalogSale] = {
    document_type.catalog_sale.item_type: document_type.catalog_sale
    for document_type in reversed(DOCUMENT_TYPES)
    if document_type.catalog_sale
}


_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
_MAX_NAME_LENGTH_IN_SKU = 30
_RANDOM_CHARACTERS = 6


class CatalogItem(Body):
    """The fields that all items of the catalog share."""

    type: ProductType = Field(description="Tipo do item: service, product ou split.")
    name: ItemName = Field(description="Nome, de 3 a 64 caracteres.", examples=["Caneca de porcelana"])
    sku: Sku | None = Field(
        default=None,
        description="Código do item, único no catálogo da empresa; na falta, um é feito do nome.",
        examples=["caneca-300"],
    )
    category: Category | None = Field(default=None, description="Categoria.", examples=["ebook"])
    price: UnitValue | None = Field(
        default=None, description="Preço padrão de uma unidade, em reais.", examples=[35.9]
    )
    guarantee: GuaranteeDays | None = Field(default=None, description="Garantia, de 1 a 365 dias.")
    fiscal_follows_company_defaults: Flag = Field(
        default=True, description="Se o que falta nos campos fiscais vem das configurações da empresa."
    )


class InvoicedItem(CatalogItem):
    """An item that documents invoice."""

    category: Category = Field(description="Categoria.", examples=["ebook"])


class SplitItem(CatalogItem):
    """An item whose price is split into other items."""

    type: Literal[ProductType.SPLIT] = Field(description="Item que se divide em outros.")
    components: Components = Field(description="Serviços e produtos em que o preço se divide, de 2 a 20.")


def with_fiscal_fields(name: str, item_type: ItemType, base: type[BaseModel]) -> Any:
    """Returns a model of an item type: the fields of its base and the fiscal fields of its documents."""
    bases: Any = (CATALOG_SALES[item_type].fiscal, base)
    own_type: Any = Literal[ProductType(item_type)]
    return create_model(
        name,
        __base__=bases,
        __doc__="An item that documents invoice, with the fiscal fields of its type.",
        type=(own_type, Field(description="Tipo do item.")),
    )


if TYPE_CHECKING:
    ServiceItem = InvoicedItem
    ProductItem = InvoicedItem
else:
    ServiceItem = with_fiscal_fields("ServiceItem", ItemType.SERVICE, InvoicedItem)
    ProductItem = with_fiscal_fields("ProductItem", ItemType.PRODUCT, InvoicedItem)

ITEM_BODIES: Mapping[ProductType, type[CatalogItem]] = {
    ProductType.SERVICE: ServiceItem,
    ProductType.PRODUCT: ProductItem,
    ProductType.SPLIT: SplitItem,
}
_ALL_NAMES = frozenset[str]().union(*(form.model_fields for form in ITEM_BODIES.values()))
_ALL_ALIASES = frozenset(
    field.alias or name for form in ITEM_BODIES.values() for name, field in form.model_fields.items()
)


def _refused(name: str) -> Any:
    """Returns the annotation of a field that only other item types have: it accepts null and nothing else."""
    owners = " ou ".join(item_type for item_type, form in ITEM_BODIES.items() if name in form.model_fields)

    def refuse(value: Any) -> None:
        if value is not None:
            raise PydanticCustomError("of_another_type", "Campo de itens do tipo {types}.", {"types": owners})

    return Annotated[None, BeforeValidator(refuse)]


def _with_all_names(form: type[CatalogItem]) -> type[CatalogItem]:
    """Returns a model that refuses the fields of other item types with a message of their own."""
    others: dict[str, Any] = {name: (_refused(name), None) for name in _ALL_NAMES - form.model_fields.keys()}
    return create_model(form.__name__, __base__=form, **others)


_FORMS = {item_type: _with_all_names(form) for item_type, form in ITEM_BODIES.items()}
# For items whose name does not change: documents create items with names that callers may not send.
_FORMS_OF_ANY_NAME = {
    item_type: create_model(form.__name__, __base__=form, name=(str, Field()))
    for item_type, form in _FORMS.items()
}


class _Typed(BaseModel):
    type: ProductType


def _type_of(body: Any) -> ProductType:
    """Returns the type of an item; if it is invalid, raises with the errors of all common fields."""
    try:
        return _Typed.model_validate(body).type
    except ValidationError:
        if not isinstance(body, dict):
            raise
        of_some_types = _ALL_ALIASES - {field.alias for field in CatalogItem.model_fields.values()}
        common = {name: value for name, value in body.items() if name not in of_some_types}
        return CatalogItem.model_validate(common).type


def _of_its_type(body: Any, _: Any) -> CatalogItem:
    """Validates by the model of its type: pydantic itself would put the model's name into error paths."""
    return _FORMS[_type_of(body)].model_validate(body)


_AnyItem: TypeAlias = ServiceItem | ProductItem | SplitItem


class ProductBody(RootModel[Annotated[_AnyItem, Field(discriminator="type"), WrapValidator(_of_its_type)]]):
    """The body that creates an item."""


class ReadOnlyOfItem(ReadOnlyDates):
    """The read-only fields of an item."""

    id: str | None = Field(default=None, description="Só de leitura.", json_schema_extra=READ_ONLY)


if TYPE_CHECKING:
    _AnyChanges: TypeAlias = dict[str, Any]
else:
    _AnyChanges = (
        partial_of(ServiceItem, ReadOnlyOfItem)
        | partial_of(ProductItem, ReadOnlyOfItem)
        | partial_of(SplitItem, ReadOnlyOfItem)
    )


class ProductChanges(RootModel[Annotated[_AnyChanges, AS_SENT]]):
    """The body that changes an item: an absent field stays as it is, null clears it."""


def changed_item(current: Mapping[str, Any], changes: Mapping[str, Any]) -> CatalogItem:
    """Returns the item that results from changes to a record.

    `current` has the fields of the record by their JSON names. Fields that do not belong to the new type of
    the item are left out. Raises ValidationError.
    """
    item_type = _Typed.model_validate({"type": changes.get("type") or current["type"]}).type
    names = {field.alias or name for name, field in ITEM_BODIES[item_type].model_fields.items()}
    remaining = {name: value for name, value in current.items() if name in names and value is not None}
    read_only = {field.alias for field in ReadOnlyOfItem.model_fields.values()}
    writable = {name: value for name, value in changes.items() if name not in read_only}
    item = remaining | without_blanks(writable, reading_of(ITEM_BODIES[item_type], clears=True))
    if isinstance(item["name"], str) and item["name"].strip() == current["name"]:
        return _FORMS_OF_ANY_NAME[item_type].model_validate(item | {"name": current["name"]})
    return _FORMS[item_type].model_validate(item)


def product_row(
    item: CatalogItem, company_id: UUID, product_id: str, current_sku: str | None = None
) -> NewProduct:
    """Returns the row of an item, without components. Without a SKU in the body, it keeps or gets one."""
    sale = CATALOG_SALES.get(item.type)
    fiscal_names = set(sale.fiscal.model_fields) if sale else set()
    return NewProduct(
        id=product_id,
        company_id=company_id,
        sku=item.sku or current_sku or _new_sku(item.name, product_id),
        name=item.name,
        type=item.type,
        category=item.category,
        price=item.price,
        guarantee=item.guarantee,
        follows_company_defaults=item.fiscal_follows_company_defaults,
        fiscal=item.model_dump(
            mode="json", by_alias=True, include=fiscal_names, exclude_unset=True, exclude_none=True
        ),
    )


def _new_sku(name: str, product_id: str) -> str:
    """Returns a readable SKU, made unique by the random end of the id."""
    words = _BETWEEN_WORDS.sub("-", folded(name))[:_MAX_NAME_LENGTH_IN_SKU].strip("-")
    return f"{words or 'item'}-{product_id[-_RANDOM_CHARACTERS:].lower()}"


def missing_without_defaults(item: CatalogItem) -> tuple[str, ...]:
    """Returns the fields that a body lacks because the item uses no defaults of the company."""
    sale = CATALOG_SALES.get(item.type)
    return sale.needed_alone(item) if sale and not item.fiscal_follows_company_defaults else ()
