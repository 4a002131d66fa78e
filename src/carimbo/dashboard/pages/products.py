"""Products and services of the catalog: the list, and everything about one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import number
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.catalog.product_bodies import ProductType
from carimbo.service.catalog.product_readiness import ProductReadiness, product_readiness
from carimbo.service.catalog.products import CatalogItemRecord, SplitItemRecord, list_products, read_product
from carimbo.service.exports.lists import export_products
from carimbo.service.people.roles import Capability
from carimbo.service.words import ITEM_TYPES
from carimbo.storage.products import ProductFilter

_LABELS: Mapping[str, str] = {
    "ncm": "NCM",
    "cest": "CEST",
    "cfop": "CFOP",
    "gtin": "GTIN (código de barras)",
    "unit": "Unidade",
    "origin": "Origem da mercadoria",
    "benefit_code": "Código de benefício fiscal",
    "service_item_code": "Item da lista de serviços",
    "city_service_code": "Código municipal do serviço",
    "nbs": "NBS",
    "cnae_code": "CNAE",
    "icms": "ICMS",
    "pis": "PIS",
    "cofins": "COFINS",
    "ipi": "IPI",
    "iss": "ISS",
    "taxes": "Tributos federais",
    "ibs_cbs": "IBS e CBS",
}
_ORIGINS: Mapping[str, str] = {
    "0": "nacional",
    "1": "estrangeira, importada direto",
    "2": "estrangeira, comprada no Brasil",
    "3": "nacional, com mais de 40% de conteúdo importado",
    "4": "nacional, por processo produtivo básico",
    "5": "nacional, com até 40% de conteúdo importado",
    "6": "estrangeira, importada direto, sem similar nacional",
    "7": "estrangeira, comprada no Brasil, sem similar nacional",
    "8": "nacional, com mais de 70% de conteúdo importado",
}
_NAMES: Mapping[str, str] = {
    "ncm": "o NCM",
    "cfop": "o CFOP",
    "icms.cst": "a situação tributária do ICMS",
    "icms.rate": "a alíquota do ICMS",
    "icms.creditRate": "a alíquota do crédito de ICMS",
    "serviceItemCode": "o item da lista de serviços",
    "iss": "o ISS",
}
_IN_REAIS = frozenset({"unit_rate", "single_phase_rate", "single_phase_withholding_rate"})
"""Rates that are an amount per unit, not a percentage."""


@dataclass(frozen=True)
class FiscalRow:
    """A fiscal field of an item in words."""

    label: str
    value: str


@dataclass(frozen=True)
class FiscalSection:
    """The fields of one tax; without a title, those that are no tax."""

    title: str | None
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


async def _detail(visit: CompanyVisit) -> ProductDetail:
    text = visit.request.path_params["product_id"]
    # Nothing else can be the id of an item, and some texts can't be asked of the database.
    product_id = text if text.isascii() and text.isalnum() else ""
    record = await read_product(visit.services.database, visit.subscription_id, visit.company.id, product_id)
    readiness = [_readiness(line) for line in product_readiness(record, visit.company)]
    return ProductDetail(record.root, list(_sections(record.root)), readiness)


def _readiness(line: ProductReadiness) -> ItemReadiness:
    return ItemReadiness(
        line.document_type.title,
        [_NAMES.get(name, name) for name in line.missing],
        [_NAMES.get(name, name) for name in line.from_company],
    )


def _sections(item: CatalogItemRecord) -> Iterator[FiscalSection]:
    """Yields the fiscal fields of an item that have a value: first the codes, then each tax."""
    shared = CatalogItemRecord.model_fields.keys() | SplitItemRecord.model_fields.keys()
    fields = [(name, value) for name, value in item if name not in shared and value is not None]
    codes = [_row(name, _LABELS[name], value) for name, value in fields if not isinstance(value, BaseModel)]
    if codes:
        yield FiscalSection(None, codes)
    for name, value in fields:
        if isinstance(value, BaseModel) and (rows := list(_rows(value, ""))):
            yield FiscalSection(_LABELS[name], rows)


def _rows(tax: BaseModel, prefix: str) -> Iterator[FiscalRow]:
    """Yields the fields of a tax with a value; those of a part of it have the name of the part before."""
    for name, value in tax:
        label = prefix + _first_words(type(tax).model_fields[name].description or name)
        if isinstance(value, BaseModel):
            yield from _rows(value, f"{label}: ")
        elif value is not None:
            yield _row(name, label, value)


def _first_words(description: str) -> str:
    """Returns what a description says before its conditions and the name in the layout."""
    for end in (";", " (", ", em percentual", ". "):
        description = description.partition(end)[0]
    return description.removesuffix(".")


def _row(name: str, label: str, value: Any) -> FiscalRow:
    if isinstance(value, bool):
        return FiscalRow(label, "Sim" if value else "Não")
    if isinstance(value, Decimal):
        is_percentage = name not in _IN_REAIS
        return FiscalRow(label, f"{number(value)}%" if is_percentage else f"R$ {number(value)} por unidade")
    if name == "origin" and value in _ORIGINS:
        return FiscalRow(label, f"{value}, {_ORIGINS[value]}")
    return FiscalRow(label, ", ".join(value) if isinstance(value, list | tuple) else str(value))


ROUTES = (
    company_page("/produtos", Capability.READ_CATALOG, products),
    company_page("/produtos/{product_id}", Capability.READ_CATALOG, product),
)
