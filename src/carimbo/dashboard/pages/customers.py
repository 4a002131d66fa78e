"""Customers of the catalog: the list, and everything about one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.pages.sales import STATUSES
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.tables.geography import find_country
from carimbo.service.catalog.customer_readiness import read_customer_readiness
from carimbo.service.catalog.customers import CustomerRecord, list_customers
from carimbo.service.documents.queries import DocumentQuery, list_documents
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.exports.lists import export_customers
from carimbo.service.listing import Page, PageRequest
from carimbo.service.people.roles import Capability
from carimbo.service.sales.record import SaleQuery, SaleRecord, list_sales

_NEWEST = PageRequest(1, 5)
_FIELDS: Mapping[str, str] = {
    "name": "o nome",
    "document": "o CPF, CNPJ ou documento do exterior",
    "address": "o endereço",
    "address.street": "o logradouro",
    "address.number": "o número do imóvel",
    "address.district": "o bairro",
    "address.city": "o município",
    "address.state": "a UF",
}


@dataclass(frozen=True)
class ReadinessLine:
    """Whether documents of a type can name the customer, and what is missing."""

    title: str
    missing: Sequence[str]


@dataclass(frozen=True)
class CustomerDetail:
    """Everything that the page of a customer shows."""

    record: CustomerRecord
    address: Sequence[str]
    readiness: Sequence[ReadinessLine]
    documents: Page[DocumentRecord] | None
    """The newest documents; None for a customer without CPF and CNPJ, whose documents can't be found."""
    sales: Page[SaleRecord]


async def customers(visit: CompanyVisit) -> Response:
    """Lists the customers of a company, newest first."""
    database, search = visit.services.database, visit.filter("busca") or ""
    if wants_csv(visit):
        return csv_response(await export_customers(database, visit.subscription_id, visit.company, search))
    listed = await list_customers(
        database, visit.subscription_id, visit.company.id, search, visit.page_request
    )
    return page(visit, "customers/list.html", customers=listed, search=search)


async def customer(visit: CompanyVisit) -> Response:
    """Shows one customer."""
    return page(visit, "customers/detail.html", detail=await _detail(visit), sale_statuses=STATUSES)


async def _detail(visit: CompanyVisit) -> CustomerDetail:
    database, owner, company = visit.services.database, visit.subscription_id, visit.company
    customer_id = UUID(visit.request.path_params["customer_id"])
    record, readiness = await read_customer_readiness(database, owner, company.id, customer_id)
    documents = None
    if record.document:
        query = DocumentQuery(recipient_tax_id=record.document)
        documents = await list_documents(database, owner, company, None, query, _NEWEST)
    bought = SaleQuery.model_validate({"customerId": customer_id})
    return CustomerDetail(
        record,
        _address_lines(record),
        [
            ReadinessLine(line.document_type.title, [_FIELDS.get(path, path) for path in line.missing])
            for line in readiness
        ],
        documents,
        await list_sales(database, owner, company.id, bought, _NEWEST),
    )


def _address_lines(record: CustomerRecord) -> list[str]:
    """Returns the lines of an address as on an envelope; none if there is no address."""
    if record.address is None:
        return []
    shown = record.address.model_dump(by_alias=True)
    country = find_country(shown.get("countryCode"))
    lines = (
        _joined(", ", shown["street"], shown["number"], shown["complement"]),
        shown["district"],
        _joined("/", shown["city"], shown.get("state") or shown.get("region")),
        shown.get("zipcode") or shown.get("postalCode"),
        country.name if country else None,
    )
    return [line for line in lines if line]


def _joined(between: str, *parts: str | None) -> str:
    return between.join(part for part in parts if part)


ROUTES = (
    company_page("/clientes", Capability.READ_CATALOG, customers),
    company_page("/clientes/{customer_id:uuid}", Capability.READ_CATALOG, customer),
)
