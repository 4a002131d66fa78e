"""The body of an item of the catalog, in one form for each type of item."""

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

from carimbo.fiscal.body_reading import reading_of, without_blanks
from carimbo.fiscal.catalog_sale import CatalogSale, ItemType
from carimbo.fiscal.fields import Body, Category, Flag, GuaranteeDays, ItemName, Sku, UnitValue
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.code_search_index import folded
from carimbo.service.partial_body import AS_SENT, partial_of
from carimbo.service.read_only import READ_ONLY, Dated
from carimbo.service.split_items import SPLIT, Components
from carimbo.storage.products import NewProduct


class ProductType(StrEnum):
    """What an item of the catalog is: something that a document invoices, or what divides into such."""

    SERVICE = ItemType.SERVICE
    PRODUCT = ItemType.PRODUCT
    SPLIT = SPLIT


# Of the types that invoice the same, one tells which fiscal fields there are.
_CATALOG_SALES: Mapping[str, CatalogSale] = {
    kind.catalog_sale.item_type: kind.catalog_sale for kind in reversed(DOCUMENT_TYPES) if kind.catalog_sale
}


_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME_IN_SKU = 30
_RANDOM_CHARACTERS = 6


class CatalogItem(Body):
    """What every item of the catalog has."""

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
    """An item whose price divides into those of others."""

    type: Literal[ProductType.SPLIT] = Field(description="Item que se divide em outros.")
    components: Components = Field(description="Serviços e produtos em que o preço se divide, de 2 a 20.")


def with_fiscal_fields(name: str, item_type: ItemType, base: type[BaseModel]) -> Any:
    """A model of a type of item: what its base has, and the fiscal fields of its documents."""
    bases: Any = (_CATALOG_SALES[item_type].fiscal, base)
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

_PUBLISHED: Mapping[ProductType, type[CatalogItem]] = {
    ProductType.SERVICE: ServiceItem,
    ProductType.PRODUCT: ProductItem,
    ProductType.SPLIT: SplitItem,
}
_ALL_NAMES = frozenset[str]().union(*(form.model_fields for form in _PUBLISHED.values()))
_ALL_ALIASES = frozenset(
    field.alias or name for form in _PUBLISHED.values() for name, field in form.model_fields.items()
)


def _refused(name: str) -> Any:
    """The type of a field that only other types of item have: null says no more than its absence."""
    owners = " ou ".join(kind for kind, form in _PUBLISHED.items() if name in form.model_fields)

    def refuse(told: Any) -> None:
        if told is not None:
            raise PydanticCustomError("of_another_type", "Campo de itens do tipo {types}.", {"types": owners})

    return Annotated[None, BeforeValidator(refuse)]


def _with_all_names(form: type[CatalogItem]) -> type[CatalogItem]:
    others: dict[str, Any] = {name: (_refused(name), None) for name in _ALL_NAMES - form.model_fields.keys()}
    return create_model(form.__name__, __base__=form, **others)


_FORMS = {kind: _with_all_names(form) for kind, form in _PUBLISHED.items()}
# For items whose name stays: documents make items with shorter and longer names than callers may give.
_FORMS_OF_ANY_NAME = {
    kind: create_model(form.__name__, __base__=form, name=(str, Field())) for kind, form in _FORMS.items()
}


class _Typed(BaseModel):
    type: ProductType


def _type_of(body: Any) -> ProductType:
    """Returns the type of an item; without a right one, raises with everything else that is wrong."""
    try:
        return _Typed.model_validate(body).type
    except ValidationError:
        if not isinstance(body, dict):
            raise
        of_some_types = _ALL_ALIASES - {field.alias for field in CatalogItem.model_fields.values()}
        common = {name: value for name, value in body.items() if name not in of_some_types}
        return CatalogItem.model_validate(common).type


def _of_its_type(body: Any, _: Any) -> CatalogItem:
    """Validate by the form of its type: pydantic itself would put the form's name into paths of errors."""
    return _FORMS[_type_of(body)].model_validate(body)


_AnyItem: TypeAlias = ServiceItem | ProductItem | SplitItem


class ProductBody(RootModel[Annotated[_AnyItem, Field(discriminator="type"), WrapValidator(_of_its_type)]]):
    """An item to be written."""


class ReadOnlyOfItem(Dated):
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
    """What changes in an item: an absent field stays as it is, null clears it."""


def changed_item(current: Mapping[str, Any], changes: Mapping[str, Any]) -> CatalogItem:
    """Returns the item that a record becomes by changes to it.

    `current` has the fields of the record by their names in the JSON. What belongs to another type than the
    one that the item has afterwards is left out. Raises ValidationError.
    """
    item_type = _Typed.model_validate({"type": changes.get("type") or current["type"]}).type
    names = {field.alias or name for name, field in _PUBLISHED[item_type].model_fields.items()}
    kept = {name: value for name, value in current.items() if name in names and value is not None}
    read_only = {field.alias for field in ReadOnlyOfItem.model_fields.values()}
    writable = {name: value for name, value in changes.items() if name not in read_only}
    item = kept | without_blanks(writable, reading_of(_PUBLISHED[item_type], clears=True))
    if isinstance(item["name"], str) and item["name"].strip() == current["name"]:
        return _FORMS_OF_ANY_NAME[item_type].model_validate(item | {"name": current["name"]})
    return _FORMS[item_type].model_validate(item)


def product_of(
    item: CatalogItem, company_id: UUID, product_id: str, known_sku: str | None = None
) -> NewProduct:
    """Returns the row of an item, without its parts; an item without SKU keeps the known one, or gets one."""
    return NewProduct(
        id=product_id,
        company_id=company_id,
        sku=item.sku or known_sku or _made_sku(item.name, product_id),
        name=item.name,
        type=item.type,
        category=item.category,
        price=item.price,
        guarantee=item.guarantee,
        follows_company_defaults=item.fiscal_follows_company_defaults,
        fiscal=_fiscal_of(item),
    )


def _made_sku(name: str, product_id: str) -> str:
    """Returns a SKU that people can read, with the random end of the id to tell it from others."""
    words = _BETWEEN_WORDS.sub("-", folded(name))[:_LONGEST_NAME_IN_SKU].strip("-")
    return f"{words or 'item'}-{product_id[-_RANDOM_CHARACTERS:].lower()}"


def lacking_alone(item: CatalogItem) -> tuple[str, ...]:
    """What a body must still tell, because it takes nothing from the company."""
    sale = _CATALOG_SALES.get(item.type)
    return sale.needed_alone(item) if sale and not item.fiscal_follows_company_defaults else ()


def _fiscal_of(item: CatalogItem) -> dict[str, Any]:
    """The fiscal fields that a body tells, as plain values of JSON."""
    sale = _CATALOG_SALES.get(item.type)
    names = set(sale.fiscal.model_fields) if sale else set()
    return item.model_dump(mode="json", by_alias=True, include=names, exclude_unset=True, exclude_none=True)
