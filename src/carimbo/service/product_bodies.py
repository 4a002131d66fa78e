"""The body of an item of the catalog, in one form for each type of item."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, RootModel, WrapValidator, create_model

from carimbo.fiscal.catalog_sale import CatalogSale, ItemType
from carimbo.fiscal.fields import Body, Category, Flag, GuaranteeDays, ItemName, Sku, UnitValue
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.split_items import SPLIT, Components


class ProductType(StrEnum):
    """What an item of the catalog is: something that a document invoices, or what divides into such."""

    SERVICE = ItemType.SERVICE
    PRODUCT = ItemType.PRODUCT
    SPLIT = SPLIT


# Of the types that invoice the same, one tells which fiscal fields there are.
_CATALOG_SALES: Mapping[str, CatalogSale] = {
    kind.issuing.catalog_sale.item_type: kind.issuing.catalog_sale
    for kind in reversed(DOCUMENT_TYPES)
    if kind.issuing and kind.issuing.catalog_sale
}


class CatalogItem(Body):
    """What every item of the catalog has."""

    type: ProductType = Field(description="Tipo do item: service, product ou split.")
    name: ItemName = Field(description="Nome, de 3 a 64 caracteres.", examples=["Caneca de porcelana"])
    sku: Sku = Field(description="Código do item, único no catálogo da empresa.", examples=["caneca-300"])
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

_FORMS: Mapping[ProductType, type[CatalogItem]] = {
    ProductType.SERVICE: ServiceItem,
    ProductType.PRODUCT: ProductItem,
    ProductType.SPLIT: SplitItem,
}
_NAMES = {form: frozenset(field.alias for field in form.model_fields.values()) for form in _FORMS.values()}
_ALL_NAMES = frozenset[str | None]().union(*_NAMES.values())


class _Typed(BaseModel):
    type: ProductType


def _of_its_type(body: Any, _: Any) -> CatalogItem:
    """Validate by the form of its type: pydantic itself would put the form's name into the paths of errors.

    Null in a field of another form says no more than its absence.
    """
    form = _FORMS[_Typed.model_validate(body).type]
    others = _ALL_NAMES - _NAMES[form]
    return form.model_validate(
        {name: told for name, told in body.items() if told is not None or name not in others}
    )


_AnyItem: TypeAlias = ServiceItem | ProductItem | SplitItem


class ProductBody(RootModel[Annotated[_AnyItem, Field(discriminator="type"), WrapValidator(_of_its_type)]]):
    """An item to be written."""


def fiscal_of(item: CatalogItem) -> dict[str, Any]:
    """The fiscal fields that a body tells, as plain values of JSON."""
    sale = _CATALOG_SALES.get(item.type)
    names = set(sale.fiscal.model_fields) if sale else set()
    return item.model_dump(mode="json", by_alias=True, include=names, exclude_unset=True, exclude_none=True)


def lacking_alone(item: CatalogItem) -> tuple[str, ...]:
    """What a body must still tell, because it takes nothing from the company."""
    sale = _CATALOG_SALES.get(item.type)
    return sale.needed_alone(item) if sale and not item.fiscal_follows_company_defaults else ()
