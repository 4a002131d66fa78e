"""The forms of catalog items: one for each type of item, with the fiscal fields of its documents."""

from typing import Any

from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormList, FormSection
from carimbo.service.catalog.product_bodies import CATALOG_SALES, ITEM_BODIES, ProductType
from carimbo.service.catalog.products import CatalogItemRecord, SplitItemRecord

COMPONENTS = FormList(
    path="components",
    title="Em que o preço se divide",
    singular="parte",
    fields=(
        FormField(path="sku", label="SKU", hint="De um serviço ou produto do catálogo.", is_required=True),
        FormField(path="percentage", label="Parte do preço, em %"),
    ),
)
_NOT_TYPED = {"id", "type", "created_at", "updated_at"}


def fiscal_sections(item_type: ProductType) -> tuple[FormSection, ...]:
    """Returns the sections with the fiscal fields of an item; a split item has none."""
    sale = CATALOG_SALES.get(item_type)
    return sale.sections() if sale else ()


def product_form(item_type: ProductType) -> FormLayout:
    """Returns the form of an item of a type."""
    is_split = item_type is ProductType.SPLIT
    section = FormSection(title="Item", parts=(*_common(is_split=is_split), *_of_type(is_split=is_split)))
    return FormLayout(body=ITEM_BODIES[item_type], sections=(section, *fiscal_sections(item_type)))


def _common(*, is_split: bool) -> tuple[FormField, ...]:
    return (
        FormField(path="name", label="Nome", is_required=True),
        FormField(path="sku", label="SKU", hint="Único no catálogo. Na falta, um é feito do nome."),
        FormField(
            path="category",
            label="Categoria",
            hint="Agrupa os itens, como ebook ou assinatura.",
            is_required=not is_split,
        ),
        FormField(
            path="price",
            label="Preço, em reais",
            hint="De uma unidade. Em branco, é informado em cada venda.",
        ),
        FormField(path="guarantee", label="Garantia, em dias", hint="De 1 a 365."),
    )


def _of_type(*, is_split: bool) -> tuple[FormField | FormList, ...]:
    if is_split:
        return (COMPONENTS,)
    follows = FormField(
        path="fiscalFollowsCompanyDefaults",
        label="Usa as configurações da empresa",
        hint="No que falta nos campos fiscais.",
        is_required=True,
    )
    return (follows,)


def typed_product(item: CatalogItemRecord) -> dict[str, Any]:
    """Returns an item as the body that its form shows."""
    body = item.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=_NOT_TYPED)
    # The record writes numbers as floats, and prices have more digits.
    body |= {} if item.price is None else {"price": item.price}
    if isinstance(item, SplitItemRecord):
        del body["fiscalFollowsCompanyDefaults"]
        body["components"] = [
            {"sku": component.sku, "percentage": component.percentage} for component in item.components
        ]
    return body
