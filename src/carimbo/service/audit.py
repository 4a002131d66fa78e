"""The audit: reading its entries, each with a sentence, and the details of changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from carimbo.fiscal.body.fields import Record
from carimbo.service.actors import ActorRecord
from carimbo.service.listing import Page, PageRequest, first_moment, moment_after
from carimbo.storage.actors import ActorKind
from carimbo.storage.audit import AuditAction, AuditEntry, AuditFilter
from carimbo.storage.database import Database

_NOT_COMPARED = frozenset({"createdAt", "updatedAt", "warnings", "lastDelivery"})


@dataclass(frozen=True, kw_only=True)
class AuditQuery:
    """The filters of a list of entries, as a person chooses them; None matches all."""

    actor_kind: ActorKind | None = None
    actor_name: str | None = None
    """A part of the name of who did it."""
    action: str | None = None
    """The name of an action, or only its part before the dot, as `webhook`."""
    company_id: UUID | None = None
    start: date | None = None
    """A day or a moment; days are those of Brasília."""
    end: date | None = None
    """The same; a day is included to its end."""


class AuditRecord(Record):
    """An entry of the audit."""

    id: UUID
    actor: ActorRecord
    company_id: UUID | None
    action: str = Field(examples=["webhook.created"])
    sentence: str = Field(description="O que foi feito, em uma frase.")
    subject_id: str | None
    subject_name: str | None
    details: dict[str, Any]
    created_at: datetime


async def list_audit(
    database: Database, subscription_id: UUID, query: AuditQuery, request: PageRequest
) -> Page[AuditRecord]:
    """Lists what was done in a subscription, newest first; NIL is the installation itself."""
    wanted = audit_filter(query)
    async with database.snapshot(subscription_id) as tenant:
        entries = await tenant.audit.page(wanted, request.offset, request.page_size)
        total = await tenant.audit.count(wanted)
    return Page([record_of_entry(entry) for entry in entries], total, request)


def audit_filter(query: AuditQuery) -> AuditFilter:
    """Returns the filter of a list of entries."""
    return AuditFilter(
        actor_kind=query.actor_kind,
        actor_name=(query.actor_name or "").strip() or None,
        actions=None if query.action is None else _actions_of(query.action),
        company_id=query.company_id,
        created_from=first_moment(query.start, None),
        created_before=moment_after(query.end, None),
    )


def changed_fields(before: BaseModel, after: BaseModel) -> dict[str, list[str]]:
    """Returns the details of a change: the paths of the fields that differ, without their values."""
    return {"fields": sorted(_different(_json_of(before), _json_of(after)))}


def _json_of(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, warnings=False)


def _different(before: Mapping[str, Any], after: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name in before.keys() | after.keys():
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _different(old, new, f"{prefix}{name}.")
        elif old != new and name not in _NOT_COMPARED:
            yield f"{prefix}{name}"


def _actions_of(name: str) -> frozenset[str]:
    return frozenset(action for action in AuditAction if name in (action, action.partition(".")[0]))


def record_of_entry(entry: AuditEntry) -> AuditRecord:
    """Returns an entry with its sentence."""
    return AuditRecord(
        id=entry.id,
        actor=ActorRecord(kind=entry.actor.kind, name=entry.actor.name),
        company_id=entry.company_id,
        action=entry.action,
        sentence=describe(entry.action, entry.subject_name, entry.details),
        subject_id=entry.subject_id,
        subject_name=entry.subject_name,
        details=entry.details,
        created_at=entry.created_at,
    )


class _Values(dict[str, str]):
    """Values of a sentence; one that an entry does not have is shown as a question mark."""

    def __missing__(self, name: str) -> str:
        return "?"


_WORDS = {
    "production": "produção",
    "homologation": "homologação",
    "automatic": "automática",
    "forced": "forçada",
    "forbidden": "proibida",
    "customers": "clientes",
    "products": "produtos",
    "sales": "vendas",
}
"""Values that sentences show in Portuguese."""
_SENTENCES: Mapping[str, str] = {
    AuditAction.COMPANY_CREATED: "Cadastrou a empresa{name}",
    AuditAction.COMPANY_CHANGED: "Alterou o cadastro da empresa{name}",
    AuditAction.COMPANY_DELETED: "Excluiu a empresa{name}",
    AuditAction.CERTIFICATE_STORED: "Enviou um certificado da empresa{name}",
    AuditAction.CERTIFICATE_DELETED: "Removeu o certificado da empresa{name}",
    AuditAction.ENVIRONMENT_SWITCHED: "Trocou o ambiente da empresa{name}: de {previous} para {environment}",
    AuditAction.SETTINGS_CHANGED: "Alterou as configurações da empresa{name}",
    AuditAction.LOGO_STORED: "Enviou o logotipo da empresa{name}",
    AuditAction.LOGO_DELETED: "Removeu o logotipo da empresa{name}",
    AuditAction.STATE_REGISTRATION_ADDED: "Acrescentou a inscrição estadual{name}",
    AuditAction.STATE_REGISTRATION_DELETED: "Removeu a inscrição estadual{name}",
    AuditAction.DEFAULT_REGISTRATION_CHOSEN: "Tornou padrão a inscrição estadual{name}",
    AuditAction.CONTINGENCY_CHANGED: "Mudou a contingência da empresa{name}: de {previous} para {mode}",
    AuditAction.NUMBERING_CHANGED: "Mudou a numeração de{name}: série {series}, próximo número {number}",
    AuditAction.WEBHOOK_CREATED: "Criou o webhook{name}",
    AuditAction.WEBHOOK_CHANGED: "Alterou o webhook{name}",
    AuditAction.WEBHOOK_ACTIVATED: "Ativou o webhook{name}",
    AuditAction.WEBHOOK_DEACTIVATED: "Desativou o webhook{name}",
    AuditAction.WEBHOOK_DELETED: "Excluiu o webhook{name}",
    AuditAction.WEBHOOK_SECRET_ROTATED: "Trocou a chave das assinaturas do webhook{name}",
    AuditAction.WEBHOOK_TESTED: "Enviou um teste ao webhook{name}",
    AuditAction.WEBHOOK_RESENT: "Reenviou entregas do webhook{name}",
    AuditAction.CREDENTIAL_ROTATED: "Trocou a senha da credencial da API",
    AuditAction.CUSTOMER_CREATED: "Cadastrou o cliente{name}",
    AuditAction.CUSTOMER_CHANGED: "Alterou o cliente{name}",
    AuditAction.CUSTOMER_DELETED: "Excluiu o cliente{name}",
    AuditAction.PRODUCT_CREATED: "Cadastrou o item{name}",
    AuditAction.PRODUCT_CHANGED: "Alterou o item{name}",
    AuditAction.PRODUCT_DELETED: "Excluiu o item{name}",
    AuditAction.SALE_CREATED: "Registrou a venda{name}",
    AuditAction.SALE_CHANGED: "Alterou a venda{name}",
    AuditAction.SALE_DELETED: "Excluiu a venda{name}",
    AuditAction.SALE_EMITTED: "Mandou emitir os documentos da venda{name}",
    AuditAction.SALE_CANCELED: "Mandou cancelar os documentos da venda{name}",
    AuditAction.DOCUMENT_DISCARDED: "Descartou o documento{name}",
    AuditAction.DOCUMENT_EMAILED: "Pediu o envio por e-mail do documento{name}",
    AuditAction.DOCUMENT_CLOSED_BY_KEY: "Encerrou pela chave de acesso o documento{name}",
    AuditAction.DOCUMENT_DISMISSED: "Encerrou o documento{name}, que estava posto de lado",
    AuditAction.WORK_RESUMED: "Retomou o que estava posto de lado:{name}",
    AuditAction.WORK_HELD: "Pôs de lado os documentos e as vendas que ainda não foram enviados",
    AuditAction.SECRETS_REKEYED: "Cifrou de novo os segredos guardados, com a chave atual",
    AuditAction.INUTILIZATION_FILED: (
        "Inutilizou números de{name}: série {series}, de {numberStart} a {numberEnd}"
    ),
    AuditAction.IMPORT_STARTED: "Enviou o arquivo{name} para importar {kind}",
    AuditAction.IMPORT_CANCELED: "Cancelou a importação de {kind} do arquivo{name}",
    AuditAction.RECEPTION_STARTED: "Pediu a consulta dos documentos recebidos:{name}",
    AuditAction.RECEPTION_STOPPED: "Deixou de acompanhar os documentos recebidos:{name}",
    AuditAction.RECEIVED_IMPORTED: "Importou o documento recebido{name}",
    AuditAction.MANIFESTATION_FILED: "Manifestou-se sobre o documento recebido{name}: {statement}",
    AuditAction.SUBSCRIPTION_CREATED: "Criou a assinatura{name}, com o plano {plan}",
    AuditAction.SUBSCRIPTION_PLAN_CHANGED: "Mudou o plano da assinatura{name}: de {previous} para {plan}",
    AuditAction.SUBSCRIPTION_FEATURES_CHANGED: "Mudou os recursos da assinatura{name}",
    AuditAction.PLAN_DEFINED: "Definiu o plano{name}",
    AuditAction.PERSON_INVITED: "Convidou{name}",
    AuditAction.PERSON_JOINED: "Aceitou o convite",
    AuditAction.PERSON_CHANGED: "Alterou os dados de{name}",
    AuditAction.MEMBERSHIP_CHANGED: "Mudou o acesso de{name}",
    AuditAction.MEMBERSHIP_REMOVED: "Retirou o acesso de{name}",
    AuditAction.INVITATION_WITHDRAWN: "Cancelou o convite de{name}",
    AuditAction.SESSION_STARTED: "Entrou no painel",
    AuditAction.SESSION_ENDED: "Encerrou uma sessão",
    AuditAction.PASSWORD_CHANGED: "Trocou a senha de{name}",
    AuditAction.PASSWORD_RESET_REQUESTED: "Pediu uma nova senha para{name}",
    AuditAction.PUBLIC_RESET_REQUESTED: "Alguém sem sessão pediu uma nova senha para{name}",
    AuditAction.PASSKEY_ADDED: "Cadastrou a chave de acesso{name}",
    AuditAction.PASSKEY_REMOVED: "Removeu a chave de acesso{name}",
    AuditAction.SECOND_FACTOR_ENABLED: "Ligou o segundo fator de{name}",
    AuditAction.SECOND_FACTOR_DISABLED: "Desligou o segundo fator de{name}",
    AuditAction.EXPORT_CREATED: "Baixou{name}",
    AuditAction.LINK_CREATED: "Criou um link para{name}",
    AuditAction.LINK_REVOKED: "Revogou o link para{name}",
    AuditAction.LINK_DOWNLOADED: "Alguém sem conta baixou{name} por um link",
    AuditAction.EXPORT_SCHEDULE_SAVED: "Definiu o envio mensal de documentos, no dia {day}",
    AuditAction.EXPORT_SCHEDULE_DELETED: "Excluiu o envio mensal de documentos",
    AuditAction.EXPORT_SCHEDULE_STOPPED: (
        "Parou o envio mensal de documentos: quem o definiu não pode mais exportar"
    ),
}


def describe(action: str, subject_name: str | None, details: Mapping[str, Any]) -> str:
    """Returns what was done as a sentence; the name itself of an action of a newer release."""
    template = _SENTENCES.get(action)
    if template is None:
        return action
    values = {name: _WORDS.get(str(value), str(value)) for name, value in details.items()}
    name = f" {subject_name}" if subject_name else ""
    return f"{template.format_map(_Values(values | {'name': name}))}."
