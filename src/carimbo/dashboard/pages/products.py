"""Products and services of the catalog: the list, and everything about one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from starlette.responses import Response

from carimbo.dashboard.body_form import REST, TypedForm, kind_of, read_number
from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import number
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout
from carimbo.service.catalog.product_bodies import ProductType
from carimbo.service.catalog.product_form import fiscal_sections, product_form, typed_product
from carimbo.service.catalog.product_readiness import ProductReadiness, product_readiness
from carimbo.service.catalog.products import CatalogItemRecord, SplitItemRecord, list_products, read_product
from carimbo.service.exports.lists import export_products
from carimbo.service.people.roles import Capability
from carimbo.service.words import ITEM_TYPES
from carimbo.storage.products import ProductFilter

_NAMES: Mapping[str, str] = {
    "ncm": "o NCM",
    "cfop": "o CFOP",
    "icms.cst": "a situação tributária do ICMS",
    "icms.rate": "a alíquota do ICMS",
    "icms.creditRate": "a alíquota do crédito de ICMS",
    "serviceItemCode": "o item da lista de serviços",
    "iss": "o ISS",
}


@dataclass(frozen=True)
class FiscalRow:
    """A fiscal field of an item in words."""

    label: str
    value: str


@dataclass(frozen=True)
class FiscalSection:
    """The fields of one tax, or the codes."""

    title: str
    rows: Sequence[FiscalRow]


@dataclass(frozen=True)
class ItemReadiness:
    """Whether documents of a type can have the item."""

    title: str
    missing: Sequence[str]
    from_company: Sequence[str]


@dataclass(frozen=True)
class ProductDetail:
    """Everything that the page of an item shows."""

    item: CatalogItemRecord
    sections: Sequence[FiscalSection]
    readiness: Sequence[ItemReadiness]


async def products(visit: CompanyVisit) -> Response:
    """Lists the items of a catalog, newest first."""
    wanted = ProductFilter(visit.choice("tipo", ProductType), visit.filter("busca"))
    database = visit.services.database
    if wants_csv(visit):
        return csv_response(await export_products(database, visit.subscription_id, visit.company, wanted))
    listed = await list_products(
        database, visit.subscription_id, visit.company.id, wanted, visit.page_request
    )
    return page(visit, "products/list.html", products=listed, wanted=wanted, item_types=ITEM_TYPES)


async def product(visit: CompanyVisit) -> Response:
    """Shows one item."""
    detail = await _detail(visit)
    components = detail.item.components if isinstance(detail.item, SplitItemRecord) else []
    return page(visit, "products/detail.html", detail=detail, components=components, item_types=ITEM_TYPES)


def product_id_of(visit: CompanyVisit) -> str:
    """Returns the id of the item that the address names."""
    text = visit.request.path_params["product_id"]
    # Nothing else can be the id of an item, and some texts can't be asked of the database.
    return text if text.isascii() and text.isalnum() else ""


async def _detail(visit: CompanyVisit) -> ProductDetail:
    database, company = visit.services.database, visit.company
    record = await read_product(database, visit.subscription_id, company.id, product_id_of(visit))
    readiness = [_readiness(line) for line in product_readiness(record, visit.company)]
    return ProductDetail(record.root, list(_sections(record.root)), readiness)


def _readiness(line: ProductReadiness) -> ItemReadiness:
    return ItemReadiness(
        line.document_type.title,
        [_NAMES.get(name, name) for name in line.missing],
        [_NAMES.get(name, name) for name in line.from_company],
    )


def _sections(item: CatalogItemRecord) -> Iterator[FiscalSection]:
    """Yields the fiscal fields of an item that have a value, in the sections and words of its form."""
    layout = product_form(item.type)
    texts = TypedForm.of_body(layout, typed_product(item)).texts
    for section in fiscal_sections(item.type):
        fields = [part for part in section.parts if isinstance(part, FormField) and part.path in texts]
        if fields:
            yield FiscalSection(section.title, [_row(layout, field, texts[field.path]) for field in fields])
    if REST in texts:
        yield FiscalSection("Outros campos", [FiscalRow("Em JSON", texts[REST])])


def _row(layout: FormLayout, field: FormField, text: str) -> FiscalRow:
    label, _, unit = field.label.partition(", em ")
    if kind_of(layout, field.path, field) is FieldKind.FLAG:
        text = "Sim" if text == "true" else "Não"
    elif unit and isinstance(value := read_number(text), Decimal):
        text = f"{number(value)}%" if unit == "%" else f"R$ {number(value)}{unit.removeprefix('R$')}"
    return FiscalRow(label, dict(field.options).get(text, text))


ROUTES = (
    company_page("/produtos", Capability.READ_CATALOG, products),
    company_page("/produtos/{product_id}", Capability.READ_CATALOG, product),
)
