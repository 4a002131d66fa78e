"""Sales: the list, and everything about one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import NOTHING, badges
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.tables.payment_methods import find_payment_method
from carimbo.service.catalog.products import read_components
from carimbo.service.catalog.split_items import SPLIT, ComponentRecord
from carimbo.service.exports.lists import export_sales
from carimbo.service.people.roles import Capability
from carimbo.service.sales.body import EmitWhen
from carimbo.service.sales.emit import CANCELABLE
from carimbo.service.sales.record import SaleQuery, SaleRecord, SaleStatus, list_sales, read_sale
from carimbo.service.words import EMISSIONS, ITEM_TYPES, SALE_STATUSES

STATUSES = badges(
    SALE_STATUSES,
    {
        SaleStatus.DRAFT: "quiet",
        SaleStatus.SCHEDULED: "busy",
        SaleStatus.PROCESSING: "busy",
        SaleStatus.INVOICED: "good",
        SaleStatus.PARTIALLY_INVOICED: "warn",
        SaleStatus.FAILED: "bad",
        SaleStatus.CANCELED: "quiet",
    },
)


@dataclass(frozen=True)
class PaymentRow:
    """A payment of a sale in words; the amount is None if the method pays the whole sale."""

    method: str
    amount: object


@dataclass(frozen=True)
class SaleDetail:
    """Everything that the page of a sale shows."""

    record: SaleRecord
    payments: Sequence[PaymentRow]
    components: Mapping[str, Sequence[ComponentRecord]]
    """The parts of the split items of the sale, by the ids of the items."""


async def sales(visit: CompanyVisit) -> Response:
    """Lists the sales of a company, the latest first."""
    database, query = visit.services.database, _query(visit)
    if wants_csv(visit):
        return csv_response(await export_sales(database, visit.subscription_id, visit.company, query))
    listed = await list_sales(database, visit.subscription_id, visit.company.id, query, visit.page_request)
    return page(
        visit, "sales/list.html", sales=listed, query=query, statuses=STATUSES, emissions=EMISSIONS.items()
    )


async def sale(visit: CompanyVisit) -> Response:
    """Shows one sale."""
    return page(
        visit,
        "sales/detail.html",
        detail=await _detail(visit),
        statuses=STATUSES,
        emissions=EMISSIONS,
        item_types=ITEM_TYPES,
        cancelable=CANCELABLE,
    )


async def _detail(visit: CompanyVisit) -> SaleDetail:
    record = await read_shown_sale(visit)
    split = {line.id for line in record.products if line.type == SPLIT}
    components: Mapping[str, Sequence[ComponentRecord]] = {}
    if split:
        components = await read_components(
            visit.services.database, visit.subscription_id, visit.company.id, split
        )
    return SaleDetail(record, _payments(record), components)


def _payments(record: SaleRecord) -> list[PaymentRow]:
    if record.payments:
        return [PaymentRow(_method(payment.method), payment.amount) for payment in record.payments]
    return [PaymentRow(_method(record.payment_method), None)] if record.payment_method else []


def _method(text: str) -> str:
    """Returns the name of a payment method that is stored as a code or a word."""
    method = find_payment_method(text)
    return method.name if method else text or NOTHING


async def read_shown_sale(visit: CompanyVisit) -> SaleRecord:
    """Returns the sale that the address names."""
    sale_id = UUID(visit.request.path_params["sale_id"])
    return await read_sale(visit.services.database, visit.subscription_id, visit.company.id, sale_id)


def _query(visit: CompanyVisit) -> SaleQuery:
    """Returns the filters of the address. A malformed one counts as absent."""
    return SaleQuery.model_validate(
        {
            "status": visit.choice("status", SaleStatus),
            "customerId": visit.id_filter("cliente"),
            "emitWhen": visit.choice("emissao", EmitWhen),
            "startDate": visit.day_filter("inicio"),
            "endDate": visit.day_filter("fim"),
            "search": visit.filter("busca"),
        }
    )


ROUTES = (
    company_page("/vendas", Capability.READ_DOCUMENTS, sales),
    company_page("/vendas/{sale_id:uuid}", Capability.READ_DOCUMENTS, sale),
)
