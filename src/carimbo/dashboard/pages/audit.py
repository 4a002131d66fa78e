"""The audit: who changed what in a subscription. The histories of documents are on their own pages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import subscription_page
from carimbo.dashboard.shown import NOTHING, moment
from carimbo.dashboard.visit import PersonVisit, SubscriptionVisit, Visit
from carimbo.service.audit import AuditQuery, AuditRecord, list_audit
from carimbo.service.companies.registration import company_names, visible_companies
from carimbo.service.exports.lists import export_audit
from carimbo.service.listing import Page
from carimbo.service.people.roles import Capability
from carimbo.service.words import PERSON_ROLES, SIGN_IN_METHODS
from carimbo.storage.actors import ActorKind

_MAX_COMPANIES = 200
_ACTORS: Sequence[tuple[str, str]] = (
    (ActorKind.PERSON, "Pessoas"),
    (ActorKind.CREDENTIAL, "Credencial da API"),
    (ActorKind.AGENT, "Agentes"),
    (ActorKind.SCHEDULE, "O próprio serviço"),
)
_ACTIONS: Sequence[tuple[str, str]] = (
    ("company", "Empresas"),
    ("certificate", "Certificados"),
    ("environment", "Ambiente"),
    ("settings", "Configurações"),
    ("logo", "Logotipo"),
    ("stateRegistration", "Inscrições estaduais"),
    ("contingency", "Contingência"),
    ("numbering", "Numeração"),
    ("inutilization", "Inutilizações"),
    ("document", "Documentos"),
    ("sale", "Vendas"),
    ("customer", "Clientes"),
    ("product", "Produtos"),
    ("import", "Importações"),
    ("received", "Documentos recebidos"),
    ("manifestation", "Manifestações"),
    ("webhook", "Webhooks"),
    ("credential", "Credenciais"),
    ("subscription", "Assinatura"),
    ("plan", "Planos"),
    ("person", "Pessoas"),
    ("membership", "Acesso das pessoas"),
    ("invitation", "Convites"),
    ("session", "Entradas no painel"),
    ("password", "Senhas"),
    ("passkey", "Chaves de acesso"),
    ("secondFactor", "Segundo fator"),
    ("export", "Exportações"),
    ("exportSchedule", "Envio mensal"),
    ("link", "Links"),
    ("work", "Trabalho parado"),
    ("secrets", "Chaves dos segredos"),
)
"""The subjects of actions: the part of their names before the dot."""
# What the sentence of an entry does not say already.
_DETAILS: Mapping[str, str] = {
    "fields": "Campos",
    "role": "Papel",
    "previousRole": "Papel anterior",
    "companies": "Empresas",
    "subjectName": "Titular",
    "expiresAt": "Válido até",
    "since": "Falhas desde",
    "overlapHours": "Horas em que o segredo antigo ainda vale",
    "reason": "Motivo",
    "method": "Entrada por",
    "disabled": "Desativada",
    "operator": "Opera a instalação",
    "removesSecondFactor": "Desliga o segundo fator",
    "passkey": "Chave",
    "count": "Quantas",
    "to": "Para",
    "documents": "Documentos",
    "sales": "Vendas",
    "features": "Recursos",
    "monthly_documents": "Documentos por mês",
    "total_documents": "Documentos ao todo",
    "requests_per_minute": "Requisições por minuto",
}


async def audit(visit: SubscriptionVisit) -> Response:
    """Lists what was changed in a subscription, newest first."""
    database, company_id = visit.services.database, visit.id_filter("empresa")
    query = audit_query(visit, company_id if company_id and visit.membership.may_see(company_id) else None)
    if wants_csv(visit):
        return csv_response(await export_audit(database, visit.subscription_id, query))
    entries = await list_audit(database, visit.subscription_id, query, visit.page_request)
    companies = await visible_companies(
        database, visit.subscription_id, visit.membership.company_ids, _MAX_COMPANIES
    )
    options = {company.id: company.shown_name for company in companies}
    others = {entry.company_id for entry in entries.items} | {query.company_id}
    names = await company_names(database, visit.subscription_id, [each for each in others if each])
    if query.company_id is not None and query.company_id in names:
        options[query.company_id] = names[query.company_id]
    return audit_page(visit, entries, options, names)


def audit_page(
    visit: PersonVisit,
    entries: Page[AuditRecord],
    options: Mapping[UUID, str] | None = None,
    names: Mapping[UUID, str] | None = None,
) -> Response:
    """Renders entries, with the companies of the filter and the names of those in the entries.

    Without companies, they are those of the installation.
    """
    return page(
        visit,
        "audit.html",
        entries=entries,
        is_installation=options is None,
        names=names or {},
        company_options=[(str(company_id), name) for company_id, name in (options or {}).items()],
        actors=_ACTORS,
        actions=_ACTIONS,
        details=_details,
    )


def audit_query(visit: Visit, company_id: UUID | None = None) -> AuditQuery:
    """Returns the filters of the address. A malformed one counts as absent."""
    action = visit.filter("assunto")
    return AuditQuery(
        actor_kind=visit.choice("tipo", ActorKind),
        actor_name=visit.filter("quem"),
        action=action if action in dict(_ACTIONS) else None,
        company_id=company_id,
        start=visit.day_filter("inicio"),
        end=visit.day_filter("fim"),
    )


def _details(entry: AuditRecord) -> Iterator[tuple[str, str]]:
    """Yields the details of an entry that its sentence does not say, in words."""
    for name, label in _DETAILS.items():
        value = entry.details.get(name)
        if value not in (None, "", []):
            yield label, _detail_text(name, value)


def _detail_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "Sim" if value else "Não"
    if name == "companies":
        return str(len(value)) if isinstance(value, list) else NOTHING
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    if name in ("role", "previousRole"):
        return PERSON_ROLES.get(value, str(value))
    if name in ("expiresAt", "since"):
        return _moment_text(str(value))
    return SIGN_IN_METHODS.get(str(value), str(value)) if name == "method" else str(value)


def _moment_text(stored: str) -> str:
    """Returns a stored moment as pages show it; any other text as it is."""
    with suppress(ValueError):
        return moment(datetime.fromisoformat(stored))
    return stored


ROUTES = (subscription_page("/registro", Capability.READ_AUDIT, audit),)
