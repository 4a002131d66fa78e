"""Numbering: the next number of each series, unused numbers, and attempts whose outcome is unknown."""

from collections.abc import Mapping
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import attachment, page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import badges
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.document_types import find_document_type
from carimbo.service.errors import not_found
from carimbo.service.exports.lists import export_gaps, export_inutilizations
from carimbo.service.filing.inutilize import MAX_NUMBERS, list_ranges
from carimbo.service.filing.numbering import (
    INUTILIZED_TYPES,
)
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.filing.xml import read_range_xml
from carimbo.service.overview.numbering import gap_lines, read_numbering_overview, read_one_series
from carimbo.service.people.roles import Capability
from carimbo.service.words import INUTILIZATION_STATUSES

_STATUSES = badges(
    INUTILIZATION_STATUSES,
    {FilingStatus.PROCESSING: "busy", FilingStatus.AUTHORIZED: "good", FilingStatus.REJECTED: "bad"},
)


async def numbering(visit: CompanyVisit) -> Response:
    """Shows the series of a company and what is open about their numbers."""
    if wants_csv(visit):
        return csv_response(
            await export_gaps(visit.services.database, visit.subscription_id, visit.company, None, visit.now)
        )
    overview = await read_numbering_overview(
        visit.services.database, visit.subscription_id, visit.company, visit.now
    )
    return page(
        visit,
        "numbering/overview.html",
        overview=overview,
        statuses=_STATUSES,
        environments=await environments_of(visit),
        max_numbers=MAX_NUMBERS,
    )


async def series(visit: CompanyVisit) -> Response:
    """Shows the gaps of one series."""
    values = visit.request.path_params
    key = (values["type"], values["environment"], values["series"])
    record = await read_one_series(
        visit.services.database, visit.subscription_id, visit.company, key, visit.now
    )
    if record is None:
        raise not_found("Esta série não existe.")
    return page(
        visit,
        "numbering/series.html",
        series=record,
        lines=gap_lines(record),
        environments=await environments_of(visit),
        max_numbers=MAX_NUMBERS,
    )


async def environments_of(visit: CompanyVisit) -> Mapping[str, str]:
    """Returns the environment in which the company inutilizes numbers now, by type."""
    company = visit.company
    snapshot = await visit.services.issuing.snapshots.of(visit.subscription_id, company.id, company.revision)
    return {each.name: snapshot.environment_of(each) for each in INUTILIZED_TYPES}


async def inutilizations(visit: CompanyVisit) -> Response:
    """Lists the inutilizations of a company, newest first."""
    if wants_csv(visit):
        return csv_response(
            await export_inutilizations(visit.services.database, visit.subscription_id, visit.company)
        )
    listed = await list_ranges(
        visit.services.database, visit.subscription_id, visit.company.id, INUTILIZED_TYPES, visit.page_request
    )
    return page(visit, "numbering/inutilizations.html", ranges=listed, statuses=_STATUSES)


async def inutilization_xml(visit: CompanyVisit) -> Response:
    """Downloads the registered inutilization."""
    values = visit.request.path_params
    document_type = find_document_type(values["type"])
    if document_type is None or document_type not in INUTILIZED_TYPES:
        raise not_found("Inutilização não encontrada.")
    file = await read_range_xml(
        visit.services.database,
        visit.subscription_id,
        visit.company.id,
        document_type,
        UUID(values["range_id"]),
    )
    return attachment(file.xml, "application/xml", file.name)


_SERIES = "/numeracao/{type}/{environment}/{series}"
_RANGES = "/numeracao/inutilizacoes"
ROUTES = (
    company_page("/numeracao", Capability.READ_DOCUMENTS, numbering),
    company_page(_RANGES, Capability.READ_DOCUMENTS, inutilizations),
    company_page(f"{_RANGES}/{{type}}/{{range_id:uuid}}/xml", Capability.READ_DOCUMENTS, inutilization_xml),
    company_page(_SERIES, Capability.READ_DOCUMENTS, series),
)
