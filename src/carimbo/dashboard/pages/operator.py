"""The pages of the operator: the installation as a whole, and nothing inside a subscription."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.pages.audit import audit_page, audit_query
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import operator_page
from carimbo.dashboard.shown import percent
from carimbo.dashboard.visit import OperatorVisit
from carimbo.fiscal.calendar import CALENDAR
from carimbo.fiscal.local_time import brasilia_day
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, IbsCbsRate
from carimbo.fiscal.taxes.missing_rates import tax_name
from carimbo.service.audit import list_audit
from carimbo.service.exports.lists import export_audit
from carimbo.service.exports.operator_lists import (
    export_plans,
    export_subscriptions,
    export_tables,
)
from carimbo.service.fiscal_calendar import fiscal_calendar_on
from carimbo.service.installation import (
    list_subscription_summaries,
    list_used_plans,
    read_tables,
    read_versions,
)
from carimbo.storage.identifiers import NIL


async def subscriptions(visit: OperatorVisit) -> Response:
    """Lists the subscriptions with their sizes."""
    database, search = visit.services.database, visit.filter("busca")
    if wants_csv(visit):
        return csv_response(await export_subscriptions(database, search, visit.now))
    listed = await list_subscription_summaries(database, search, visit.page_request, visit.now)
    return page(visit, "operator/subscriptions.html", subscriptions=listed)


async def plans(visit: OperatorVisit) -> Response:
    """Lists the plans."""
    if wants_csv(visit):
        return csv_response(await export_plans(visit.services.database))
    return page(visit, "operator/plans.html", plans=await list_used_plans(visit.services.database))


async def tables(visit: OperatorVisit) -> Response:
    """Shows versions, XSDs and official tables."""
    if wants_csv(visit):
        return csv_response(await export_tables(visit.services.database, visit.now))
    versions = await read_versions(visit.services.database, visit.services.issuing.builder.schemas)
    official = await read_tables(visit.now)
    return page(visit, "operator/tables.html", versions=versions, official=official)


async def calendar(visit: OperatorVisit) -> Response:
    """Shows the fiscal calendar of a day."""
    day = visit.day_filter("dia") or brasilia_day(visit.now)
    return page(visit, "operator/calendar.html", calendar=fiscal_calendar_on(day), **_CALENDAR_WORDS)


async def audit(visit: OperatorVisit) -> Response:
    """Lists what was changed in the installation itself, newest first."""
    database, query = visit.services.database, audit_query(visit)
    if wants_csv(visit):
        return csv_response(await export_audit(database, NIL, query))
    entries = await list_audit(database, NIL, query, visit.page_request)
    return audit_page(visit, entries)


def _rate_text(row: IbsCbsRate) -> str:
    """Returns a rate as `Alíquota da CBS: 0,9%`."""
    return f"Alíquota {tax_name(row.tax)}: {percent(row.rate)}"


def _days_to(since: date, day: date) -> int:
    return (since - day).days


_CALENDAR_WORDS: Mapping[str, Any] = {
    "about": (CALENDAR.about, IBS_CBS_RATES.about),
    "rate_text": _rate_text,
    "tax_name": tax_name,
    "days_to": _days_to,
}
ROUTES = (
    operator_page("", subscriptions),
    operator_page("/planos", plans),
    operator_page("/tabelas", tables),
    operator_page("/calendario", calendar),
    operator_page("/registro", audit),
)
