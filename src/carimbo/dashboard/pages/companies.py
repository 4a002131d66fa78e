"""Companies: the list of those that a person may see, and everything about one of them."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page, subscription_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.visit import CompanyVisit, SubscriptionVisit
from carimbo.fiscal.parties.company import IbsCbsRegime, PisCofinsRegime, TaxRegime
from carimbo.service.companies.company_settings import read_settings
from carimbo.service.companies.registration import CompanyRecord, company_record
from carimbo.service.companies.state_registrations import StateRegistrationRecord, list_state_registrations
from carimbo.service.company_status.certificate_expiry import CertificateState
from carimbo.service.company_status.readiness import (
    CompanyReadiness,
    TypeReadiness,
    list_readiness,
    read_readiness,
)
from carimbo.service.company_status.status import CompanyStatusRecord, read_status
from carimbo.service.document_types import find_document_type
from carimbo.service.errors import missing_datum
from carimbo.service.exports.lists import export_companies
from carimbo.service.listing import PageRequest
from carimbo.service.people.roles import Capability

_ALL_REGISTRATIONS = PageRequest(1, 100)
READY, NOT_READY = Badge("Pronta para emitir", "good"), Badge("Falta configurar", "warn")
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
CONTINGENCY_MODES: Mapping[str, str] = {
    "automatic": "Automática: começa quando a autoridade deixa de responder, e acaba quando ela volta",
    "forced": "Forçada: os documentos vão sempre para a contingência",
    "forbidden": "Proibida: os documentos esperam até a autoridade voltar",
}
# What all types need, by the names in `missing`.
_COMMON: Mapping[str, str] = {
    "address": "Endereço",
    "taxRegime": "Regime tributário",
    "stateRegistration": "Inscrição estadual na UF da empresa (só a NFS-e não precisa)",
    "certificate": "Certificado A1 em vigor",
}
_YES_NO = {True: "Sim", False: "Não"}
_SETTINGS: Sequence[tuple[str, str, Mapping[Any, str]]] = (
    ("defaults.productInvoiceType", "Documento das vendas de produtos", {"nfe": "NF-e", "nfce": "NFC-e"}),
    ("email.sendOnAuthorization", "E-mail ao cliente quando o documento é autorizado", _YES_NO),
    (
        "numbering.inutilizeGaps",
        "Inutilização de números sem uso",
        {"manual": "Só quando alguém pede", "automatic": "Automática, nos últimos dias do prazo"},
    ),
    ("received.autoAcknowledge", "Ciência automática das NF-e recebidas", _YES_NO),
    ("mdfe.closeAfterDays", "Dias até o encerramento automático dos MDF-e", {}),
    ("nfse.federalServiceCode", "Serviço usual da NFS-e (LC 116)", {}),
    ("nfse.cityServiceCode", "Código municipal do serviço", {}),
    ("nfse.issRate", "Alíquota usual do ISS, em %", {}),
    ("cte.rntrc", "RNTRC", {}),
    ("nfce.qrVersion", "Versão do QR Code da NFC-e", {}),
    ("nfce.paper", "Bobina da NFC-e", {}),
    ("defaults.cfop", "CFOP usual", {}),
    ("defaults.ncm", "NCM usual", {}),
    ("defaults.icmsRate", "Alíquota interna do ICMS, em %", {}),
)


@dataclass(frozen=True)
class Check:
    """A line of the checklist: something that a company needs, and what to do if it is missing."""

    text: str
    is_missing: bool = False
    remedy: str = ""
    """What to do, as a sentence."""
    call: str = ""
    """The call of the API that does it."""


@dataclass(frozen=True)
class TypeChecklist:
    """A document type with its checks."""

    readiness: TypeReadiness
    checks: tuple[Check, ...]
    hint: str
    """What would make requests shorter; empty if there is nothing."""


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
    """None for a deleted company."""
    common: Sequence[Check]
    """What all types need."""
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
    reader, database = visit.services.status_reader, visit.services.database
    [readiness] = await read_readiness(reader, visit.subscription_id, [visit.company])
    status = await read_status(reader, visit.subscription_id, visit.company, asks_authorities=False)
    registrations = await list_state_registrations(
        database, visit.subscription_id, visit.company.id, _ALL_REGISTRATIONS
    )
    settings = await read_settings(database, visit.subscription_id, visit.company.id)
    values = settings.model_dump(mode="json", by_alias=True)
    checklists = [TypeChecklist(each, tuple(_own_checks(each)), _hint(each)) for each in readiness.types]
    return CompanyDetail(
        record=record,
        readiness=readiness,
        common=list(_common_checks(readiness.types)),
        used=[each for each in checklists if each.readiness.is_used],
        unused=[each for each in checklists if not each.readiness.is_used],
        status=status,
        registrations=registrations.items,
        settings=list(_settings(values, {each.type for each in readiness.used_types})),
        series=[_series(each.type, values[each.type]) for each in readiness.types],
    )


def _common_checks(types: Sequence[TypeReadiness]) -> Iterator[Check]:
    """Yields what all types need."""
    missing = {name for each in types for name in each.missing}
    for name, text in _COMMON.items():
        if name in missing:
            yield Check(text, True, "Envie pela API:", missing_datum(name).route)
        else:
            yield Check(text)


def _own_checks(readiness: TypeReadiness) -> Iterator[Check]:
    """Yields what a type needs besides that, as far as it is missing."""
    own = [name for name in readiness.missing if name not in _COMMON]
    if not own:
        text = "Só o que todos os documentos precisam" if readiness.missing else "Nada falta"
        yield Check(text, bool(readiness.missing))
    responsible = [name for name in own if name.startswith("CARIMBO_")]
    if responsible:
        remedy = f"Quem opera o serviço configura {', '.join(responsible)}."
        yield Check("Responsável técnico do sistema, que a UF exige", True, remedy)
    for name in own:
        if ".csv:" in name:
            remedy = f"Quem opera o serviço preenche {name}."
            yield Check("Alíquota que falta nas tabelas do serviço", True, remedy)
        elif name not in responsible:
            datum = missing_datum(name)
            words = f"{datum.words[:1].upper()}{datum.words[1:]}"
            yield Check(words, True, f"Informe {name} pela API:", datum.route)


def _hint(readiness: TypeReadiness) -> str:
    names = ", ".join(readiness.shortcut_missing)
    if not names:
        return ""
    return f"Com {names} nas configurações, o pedido pode omitir o código do serviço e a alíquota."


def _settings(values: Mapping[str, Any], used: AbstractSet[str]) -> Iterator[tuple[str, str]]:
    """Yields the settings that have a value, in words; of document types, only those in use."""
    for path, label, words in _SETTINGS:
        module, _, name = path.partition(".")
        value = values.get(module, {}).get(name)
        if value is not None and (module in used or find_document_type(module) is None):
            yield label, words.get(value, str(value))
    if "nfce" in used:
        yield "CSC da NFC-e", "Informado" if values["nfce"].get("csc") else "Não informado"


def _series(type_name: str, module: Mapping[str, Any]) -> SeriesSetting:
    return SeriesSetting(type_name, module["series"], module.get("number"), module.get("active"))


_WORDS: Mapping[str, Any] = {
    "ready": READY,
    "not_ready": NOT_READY,
    "no_certificate": _NO_CERTIFICATE,
    "certificate_badges": _CERTIFICATES,
    "tax_regimes": _TAX_REGIMES,
    "pis_cofins": _PIS_COFINS,
    "ibs_cbs_regimes": _IBS_CBS,
    "contingency_modes": CONTINGENCY_MODES,
}
ROUTES = (
    subscription_page("/empresas", Capability.READ_COMPANIES, companies),
    company_page("", Capability.READ_COMPANIES, company),
)
