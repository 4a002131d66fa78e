"""The Portuguese words for stored values in exported files."""

from collections.abc import Mapping
from datetime import date

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.receiving import Role, Situation
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.document_types import find_document_type, receiving_of_type
from carimbo.service.filing.gaps import GapReason
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.people.roles import MemberRole
from carimbo.service.sales.record import SaleStatus

_MONTHS = (
    "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
    "novembro", "dezembro",
)  # fmt: skip
DOCUMENT_STATUSES: Mapping[str, str] = {
    Status.PENDING: "Rascunho",
    Status.PROCESSING: "Em processamento",
    Status.AUTHORIZED: "Autorizado",
    Status.REJECTED: "Rejeitado",
    Status.CANCELED: "Cancelado",
}
SALE_STATUSES: Mapping[str, str] = {
    SaleStatus.DRAFT: "Rascunho",
    SaleStatus.SCHEDULED: "Agendada",
    SaleStatus.PROCESSING: "Em processamento",
    SaleStatus.INVOICED: "Faturada",
    SaleStatus.PARTIALLY_INVOICED: "Faturada em parte",
    SaleStatus.FAILED: "Com falha",
    SaleStatus.CANCELED: "Cancelada",
}
SITUATIONS: Mapping[str, str] = {
    Situation.AUTHORIZED: "Autorizado",
    Situation.CORRECTED: "Corrigido",
    Situation.CANCELED: "Cancelado",
    Situation.DENIED: "Denegado",
}
RECIPIENT_ROLES: Mapping[str, str] = {
    Role.RECIPIENT: "Destinatário",
    Role.TAKER: "Tomador",
    Role.INTERMEDIARY: "Intermediário",
    Role.SHIPPER: "Remetente",
    Role.CARRIER: "Transportador",
    Role.AUTHORIZED: "Autorizado a ler",
    Role.ISSUER: "Emitente",
    Role.OTHER: "Outro",
}
PERSON_ROLES: Mapping[str, str] = {
    MemberRole.OWNER: "Proprietário",
    MemberRole.ADMIN: "Administrador",
    MemberRole.ISSUER: "Emissor",
    MemberRole.ACCOUNTANT: "Contador",
    MemberRole.VIEWER: "Leitor",
}
ENVIRONMENTS: Mapping[str, str] = {
    Environment.PRODUCTION: "Produção",
    Environment.HOMOLOGATION: "Homologação",
}
ITEM_TYPES: Mapping[str, str] = {"product": "Produto", "service": "Serviço", "split": "Item dividido"}
FILING_STATUSES: Mapping[str, str] = {
    FilingStatus.PROCESSING: "Em processamento",
    FilingStatus.AUTHORIZED: "Homologada",
    FilingStatus.REJECTED: "Recusada",
}
DELIVERY_STATUSES: Mapping[str, str] = {
    DeliveryStatus.PENDING: "Pendente",
    DeliveryStatus.DELIVERED: "Entregue",
    DeliveryStatus.FAILED: "Falhou",
}
GAP_REASONS: Mapping[str, str] = {
    GapReason.NEVER_SENT: "Nunca enviado",
    GapReason.UNKNOWN_TO_AUTHORITY: "A autoridade não o tem",
    GapReason.ABANDONED_REJECTION: "Documento rejeitado e abandonado",
    GapReason.UNKNOWN_FATE: "Destino desconhecido",
    GapReason.AUTHORIZED_TWICE: "Autorizado duas vezes",
}


def word_for(words: Mapping[str, str], value: str | None) -> str | None:
    """Returns the word for a value; the value itself if it has none, as in a row of a newer release."""
    return None if value is None else words.get(value, value)


def month_name(month: date) -> str:
    """Returns a month as `novembro de 2026`."""
    return f"{_MONTHS[month.month - 1]} de {month.year}"


def type_title(name: str) -> str:
    """Returns the usual name of a document type."""
    document_type = find_document_type(name)
    return document_type.title if document_type else name


def manifestation_title(type_name: str, status: str) -> str:
    """Returns what a company said about a received document."""
    document_type = find_document_type(type_name)
    kinds = receiving_of_type(document_type).responses if document_type and document_type.receiving else ()
    titles = {kind.name: kind.description for kind in kinds}
    return "Sem manifestação" if status == "pending" else titles.get(status, status)
