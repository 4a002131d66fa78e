"""Companies: the list of those that a person may see, and everything about one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.responses import Response

from carimbo.dashboard.company_forms import datum_address, form_address
from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.pages.certificate import CERTIFICATE_BADGES
from carimbo.dashboard.pages.company_registration import ALL_REGISTRATIONS
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page, subscription_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.visit import CompanyVisit, SubscriptionVisit
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.company_bodies import CompanyRecord
from carimbo.service.companies.company_settings import read_settings
from carimbo.service.companies.registration import company_record
from carimbo.service.companies.settings_forms import SETTINGS_FORMS
from carimbo.service.companies.shown_settings import shown_settings
from carimbo.service.companies.state_registrations import StateRegistrationRecord, list_state_registrations
from carimbo.service.company_status.checklist import Check, TypeChecklist, common_checks, type_checklist
from carimbo.service.company_status.contingency_form import CONTINGENCY_CHOICES
from carimbo.service.company_status.readiness import (
    CompanyReadiness,
    list_readiness,
    read_readiness,
)
from carimbo.service.company_status.status import CompanyStatusRecord, read_status
from carimbo.service.document_types import RECEIVED_TYPES, find_document_type, receiving_of_type
from carimbo.service.exports.lists import export_companies
from carimbo.service.missing_data import CompanyForm
from carimbo.service.people.roles import Capability
from carimbo.service.receiving.stream_warnings import STOPPED
from carimbo.service.words import (
    IBS_CBS_REGIMES,
    PIS_COFINS_REGIMES,
    TAX_REGIMES,
    UNREADABLE_COMPANY,
    authority_name,
)

READY, NOT_READY = Badge("Pronta para emitir", "good"), Badge("Falta configurar", "warn")
_UNREADABLE = Badge("Não pôde ser conferida", "bad")
_NO_CERTIFICATE = Badge("Sem certificado", "bad")


@dataclass(frozen=True)
class SeriesSetting:
    """The numbering of a document type, as the settings have it."""

    type: str
    series: int
    number: int | None
    is_active: bool | None
    """None for a type without a switch."""


@dataclass(frozen=True)
class ReceivedType:
    """A document type whose documents of other issuers the company may receive."""

    type: str
    is_followed: bool
    """Whether the company receives them in its present environment."""


@dataclass(frozen=True, kw_only=True)
class CompanyDetail:
    """Everything that the page of a company shows."""

    record: CompanyRecord
    readiness: CompanyReadiness | None
    """None for a deleted company, and for one whose stored data can't be read."""
    common: Sequence[Check]
    """The checks of what all types need."""
    used: Sequence[TypeChecklist]
    unused: Sequence[TypeChecklist]
    status: CompanyStatusRecord | None
    registrations: Sequence[StateRegistrationRecord]
    settings: Sequence[tuple[str, str]]
    series: Sequence[SeriesSetting]
    received: Sequence[ReceivedType]


async def companies(visit: SubscriptionVisit) -> Response:
    """Lists the companies that the person may see, by name."""
    search, company_ids = visit.filter("busca"), visit.membership.company_ids
    if wants_csv(visit):
        return csv_response(
            await export_companies(visit.services.database, visit.subscription_id, company_ids, search)
        )
    listed = await list_readiness(
        visit.services.status_reader, visit.subscription_id, company_ids, search, visit.page_request
    )
    return page(visit, "companies/list.html", companies=listed, **_WORDS)


async def company(visit: CompanyVisit) -> Response:
    """Shows one company."""
    return page(
        visit,
        "companies/detail.html",
        detail=await _detail(visit),
        address_of_datum=partial(datum_address, visit),
        address_of_module=partial(form_address, visit, CompanyForm.SETTINGS),
        **_WORDS,
    )


async def _detail(visit: CompanyVisit) -> CompanyDetail:
    record = company_record(visit.company)
    if visit.company.deleted_at is not None:
        return _without_readiness(record)
    reader, database = visit.services.status_reader, visit.services.database
    [readiness] = await read_readiness(reader, visit.subscription_id, [visit.company])
    if not readiness.is_readable:
        return _without_readiness(record)
    status = await read_status(reader, visit.subscription_id, visit.company, asks_authorities=False)
    registrations = await list_state_registrations(
        database, visit.subscription_id, visit.company.id, ALL_REGISTRATIONS
    )
    settings = await read_settings(database, visit.subscription_id, visit.company.id)
    values = settings.model_dump(mode="json", by_alias=True)
    checklists = [type_checklist(each) for each in readiness.types]
    return CompanyDetail(
        record=record,
        readiness=readiness,
        common=common_checks(readiness.types),
        used=[each for each in checklists if each.readiness.is_used],
        unused=[each for each in checklists if not each.readiness.is_used],
        status=status,
        registrations=registrations.items,
        settings=list(shown_settings(settings, {each.type for each in readiness.used_types})),
        series=[_series(each.type, values[each.type]) for each in readiness.types],
        received=list(_received_types(readiness, status)),
    )


def _without_readiness(record: CompanyRecord) -> CompanyDetail:
    """Returns the page of a company of which only the registration is shown."""
    return CompanyDetail(
        record=record,
        readiness=None,
        common=(),
        used=(),
        unused=(),
        status=None,
        registrations=(),
        settings=(),
        series=(),
        received=(),
    )


def _received_types(readiness: CompanyReadiness, status: CompanyStatusRecord) -> Iterator[ReceivedType]:
    environments = {each.type: each.environment for each in readiness.types}
    followed = {(stream.service, stream.environment) for stream in status.streams if stream.status != STOPPED}
    for document_type in RECEIVED_TYPES:
        stream = (receiving_of_type(document_type).service, environments[document_type.name])
        yield ReceivedType(document_type.name, stream in followed)


def _series(type_name: str, module: Mapping[str, Any]) -> SeriesSetting:
    return SeriesSetting(type_name, module["series"], module.get("number"), module.get("active"))


_WORDS: Mapping[str, Any] = {
    "ready": READY,
    "not_ready": NOT_READY,
    "unreadable": _UNREADABLE,
    "unreadable_sentence": UNREADABLE_COMPANY,
    "no_certificate": _NO_CERTIFICATE,
    "certificate_badges": CERTIFICATE_BADGES,
    "tax_regimes": TAX_REGIMES,
    "pis_cofins": PIS_COFINS_REGIMES,
    "ibs_cbs_regimes": IBS_CBS_REGIMES,
    "contingency_modes": CONTINGENCY_CHOICES,
    "registered_titles": [each.title for each in DOCUMENT_TYPES if each.requirements.state_registration],
    "authority_name": authority_name,
    "common_forms": [
        (form.title, form.module) for form in SETTINGS_FORMS if not find_document_type(form.module)
    ],
}
ROUTES = (
    subscription_page("/empresas", Capability.READ_COMPANIES, companies),
    company_page("", Capability.READ_COMPANIES, company),
)
