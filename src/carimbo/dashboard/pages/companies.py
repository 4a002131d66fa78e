"""Companies: the list of those that a person may see, and everything about one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page, subscription_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.visit import CompanyVisit, SubscriptionVisit
from carimbo.fiscal.parties.company import IbsCbsRegime, PisCofinsRegime, TaxRegime
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.company_bodies import CompanyRecord
from carimbo.service.companies.company_settings import read_settings
from carimbo.service.companies.registration import company_record
from carimbo.service.companies.shown_settings import shown_settings
from carimbo.service.companies.state_registrations import StateRegistrationRecord, list_state_registrations
from carimbo.service.company_status.certificate_expiry import CertificateState
from carimbo.service.company_status.checklist import Check, TypeChecklist, common_checks, type_checklist
from carimbo.service.company_status.readiness import (
    CompanyReadiness,
    list_readiness,
    read_readiness,
)
from carimbo.service.company_status.status import CompanyStatusRecord, read_status
from carimbo.service.document_types import RECEIVED_TYPES, receiving_of_type
from carimbo.service.exports.lists import export_companies
from carimbo.service.issuing.routes import ContingencyMode
from carimbo.service.listing import PageRequest
from carimbo.service.people.roles import Capability
from carimbo.service.words import CONTINGENCY_MODES, UNREADABLE_COMPANY, authority_name

_ALL_REGISTRATIONS = PageRequest(1, 100)
READY, NOT_READY = Badge("Pronta para emitir", "good"), Badge("Falta configurar", "warn")
_UNREADABLE = Badge("Não pôde ser conferida", "bad")
_CERTIFICATES: Mapping[CertificateState, Badge] = {
    CertificateState.VALID: Badge("Em vigor", "good"),
    CertificateState.EXPIRING: Badge("Vence em breve", "warn"),
    CertificateState.EXPIRED: Badge("Vencido", "bad"),
    CertificateState.NOT_ACCEPTED: Badge("Recusado", "bad"),
}
_NO_CERTIFICATE = Badge("Sem certificado", "bad")
_TAX_REGIMES: Mapping[TaxRegime, str] = {
    TaxRegime.SIMPLES: "Simples Nacional",
    TaxRegime.SIMPLES_EXCESS: "Simples Nacional, acima do sublimite",
    TaxRegime.NORMAL: "Regime normal (lucro presumido ou real)",
    TaxRegime.MEI: "MEI",
}
_PIS_COFINS: Mapping[PisCofinsRegime, str] = {
    PisCofinsRegime.CUMULATIVE: "Cumulativo (0,65% e 3%)",
    PisCofinsRegime.NON_CUMULATIVE: "Não cumulativo (1,65% e 7,6%)",
}
_IBS_CBS: Mapping[IbsCbsRegime, str] = {
    IbsCbsRegime.DAS: "Os dois no DAS",
    IbsCbsRegime.MIXED: "CBS no DAS, IBS fora dele",
    IbsCbsRegime.REGULAR: "Os dois fora do DAS",
}
_CONTINGENCY: Mapping[ContingencyMode, str] = {
    ContingencyMode.AUTOMATIC: "começa quando a autoridade deixa de responder, e acaba quando ela volta",
    ContingencyMode.FORCED: "os documentos vão sempre para a contingência",
    ContingencyMode.FORBIDDEN: "os documentos esperam até a autoridade voltar",
}


@dataclass(frozen=True)
class SeriesSetting:
    """The numbering of a document type, as the settings have it."""

    type: str
    series: int
    number: int | None
    is_active: bool | None
    """None for a type without a switch."""


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
    return page(visit, "companies/detail.html", detail=await _detail(visit), **_WORDS)


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
        database, visit.subscription_id, visit.company.id, _ALL_REGISTRATIONS
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
    )


def _series(type_name: str, module: Mapping[str, Any]) -> SeriesSetting:
    return SeriesSetting(type_name, module["series"], module.get("number"), module.get("active"))


_WORDS: Mapping[str, Any] = {
    "ready": READY,
    "not_ready": NOT_READY,
    "unreadable": _UNREADABLE,
    "unreadable_sentence": UNREADABLE_COMPANY,
    "no_certificate": _NO_CERTIFICATE,
    "certificate_badges": _CERTIFICATES,
    "tax_regimes": _TAX_REGIMES,
    "pis_cofins": _PIS_COFINS,
    "ibs_cbs_regimes": _IBS_CBS,
    "contingency_modes": {
        mode: f"{CONTINGENCY_MODES[mode]}: {meaning}" for mode, meaning in _CONTINGENCY.items()
    },
    "registered_titles": [each.title for each in DOCUMENT_TYPES if each.requirements.state_registration],
    "received_collections": [receiving_of_type(each).collection for each in RECEIVED_TYPES],
    "authority_name": authority_name,
}
ROUTES = (
    subscription_page("/empresas", Capability.READ_COMPANIES, companies),
    company_page("", Capability.READ_COMPANIES, company),
)
