"""The columns of each list that is exported."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.identity.access_key import shown_access_key
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.fiscal.parties.address import shown_zipcode
from carimbo.service.audit import AuditRecord
from carimbo.service.company_status.authorities import ObservedAuthority
from carimbo.service.delivery.deliveries import DeliveryRecord
from carimbo.service.delivery.webhooks import LastDeliveryRecord, WebhookHealth
from carimbo.service.document_types import title_of
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.exports.csv_files import CsvColumn
from carimbo.service.exports.csv_lines import Cell
from carimbo.service.filing.inutilize import InutilizationRecord
from carimbo.service.filing.numbering import GapRecord, NumberingRecord
from carimbo.service.people.people import PersonInSubscription
from carimbo.service.receiving.record import ReceivedRecord
from carimbo.service.words import (
    COMPANY_ROLES,
    DELIVERY_STATUSES,
    DOCUMENT_STATUSES,
    ENVIRONMENTS,
    GAP_REASONS,
    INUTILIZATION_STATUSES,
    ITEM_TYPES,
    PERSON_ROLES,
    SALE_STATUSES,
    SITUATIONS,
    actor_name,
    authority_name,
    manifestation_word,
    word_for,
)
from carimbo.storage.companies import CompanyRow
from carimbo.storage.customers import Customer
from carimbo.storage.products import ProductRow
from carimbo.storage.sales import SaleDetails


@dataclass(frozen=True)
class ListedDocument:
    """A line of the list of documents."""

    record: DocumentRecord
    recipient_tax_id: str | None
    recipient_name: str | None


@dataclass(frozen=True)
class ListedGap:
    """A line of the list of gaps; without a gap it says how many more the series has."""

    series: NumberingRecord
    gap: GapRecord | None


@dataclass(frozen=True)
class ListedPerson:
    """A line of the list of people; without names of companies if they may see all."""

    person: PersonInSubscription
    companies: Sequence[str]


def _tax_id(stored: str | None) -> str | None:
    return None if stored is None else shown_tax_id(stored)


def _text_of(stored: Mapping[str, Any] | None, field: str) -> str | None:
    value = (stored or {}).get(field)
    return None if value is None else str(value)


def _last_delivery(row: WebhookHealth, cell: Callable[[LastDeliveryRecord], Cell]) -> Cell:
    last = row.record.last_delivery
    return None if last is None else cell(last)


DOCUMENTS: tuple[CsvColumn[ListedDocument], ...] = (
    CsvColumn("Tipo", lambda row: title_of(row.record.type)),
    CsvColumn("Situação", lambda row: word_for(DOCUMENT_STATUSES, row.record.status)),
    CsvColumn("Número", lambda row: row.record.number),
    CsvColumn("Série", lambda row: row.record.series),
    CsvColumn("Emissão", lambda row: row.record.issued_at),
    CsvColumn("Autorização", lambda row: row.record.authorized_at),
    CsvColumn("CPF/CNPJ do destinatário", lambda row: _tax_id(row.recipient_tax_id)),
    CsvColumn("Destinatário", lambda row: row.recipient_name),
    CsvColumn("Valor", lambda row: row.record.amount),
    CsvColumn("Total a pagar", lambda row: row.record.total_due),
    CsvColumn(
        "Chave de acesso", lambda row: row.record.access_key and shown_access_key(row.record.access_key)
    ),
    CsvColumn("Protocolo", lambda row: row.record.protocol),
    CsvColumn("Ambiente", lambda row: word_for(ENVIRONMENTS, row.record.environment)),
    CsvColumn("Código da rejeição", lambda row: row.record.rejection.code if row.record.rejection else None),
    CsvColumn(
        "Motivo da rejeição", lambda row: row.record.rejection.message if row.record.rejection else None
    ),
    CsvColumn("Número no seu sistema", lambda row: row.record.external_id),
    CsvColumn("Criado em", lambda row: row.record.created_at),
    CsvColumn("Id", lambda row: row.record.id),
)
RECEIVED: tuple[CsvColumn[ReceivedRecord], ...] = (
    CsvColumn("Tipo", lambda row: title_of(row.type)),
    CsvColumn("Situação", lambda row: word_for(SITUATIONS, row.situation)),
    CsvColumn("Manifestação", manifestation_word),
    CsvColumn("Número", lambda row: row.number),
    CsvColumn("Série", lambda row: row.series),
    CsvColumn("Emissão", lambda row: row.issued_at),
    CsvColumn("CPF/CNPJ do emitente", lambda row: _tax_id(row.issuer.tax_id)),
    CsvColumn("Emitente", lambda row: row.issuer.name),
    CsvColumn("Papel da empresa", lambda row: word_for(COMPANY_ROLES, row.role)),
    CsvColumn("Valor", lambda row: row.amount),
    CsvColumn("Chave de acesso", lambda row: shown_access_key(row.access_key)),
    CsvColumn("Protocolo", lambda row: row.protocol),
    CsvColumn("XML completo", lambda row: row.has_full_xml),
    CsvColumn("Prazo da manifestação", lambda row: row.manifest_deadline),
    CsvColumn("Ambiente", lambda row: word_for(ENVIRONMENTS, row.environment)),
    CsvColumn("Id", lambda row: row.id),
)
SALES: tuple[CsvColumn[SaleDetails], ...] = (
    CsvColumn("Data", lambda row: row.sold_on),
    CsvColumn("Situação", lambda row: word_for(SALE_STATUSES, row.status)),
    CsvColumn("CPF/CNPJ do cliente", lambda row: _tax_id(row.customer_document or row.buyer_tax_id)),
    CsvColumn("Cliente", lambda row: row.customer_name),
    CsvColumn("E-mail do cliente", lambda row: row.customer_email),
    CsvColumn("Valor", lambda row: row.amount),
    CsvColumn("Desconto", lambda row: row.discount),
    CsvColumn("Frete", lambda row: row.shipping),
    CsvColumn("Emissão agendada para", lambda row: row.scheduled_emit_at),
    CsvColumn("Número no seu sistema", lambda row: row.external_id),
    CsvColumn("Observações", lambda row: row.notes),
    CsvColumn("Criada em", lambda row: row.created_at),
    CsvColumn("Id", lambda row: row.id),
)
CUSTOMERS: tuple[CsvColumn[Customer], ...] = (
    CsvColumn("Nome", lambda row: row.name),
    CsvColumn("Nome fantasia", lambda row: row.trade_name),
    CsvColumn("CPF/CNPJ", lambda row: _tax_id(row.document)),
    CsvColumn("Identificação no exterior", lambda row: row.foreign_id),
    CsvColumn("E-mail", lambda row: row.email),
    CsvColumn("Telefone", lambda row: row.phone),
    CsvColumn("Inscrição estadual", lambda row: row.state_registration),
    CsvColumn("Inscrição municipal", lambda row: row.municipal_registration),
    CsvColumn("CEP", lambda row: shown_zipcode(_text_of(row.address, "zipcode") or "")),
    CsvColumn("Logradouro", lambda row: _text_of(row.address, "street")),
    CsvColumn("Número", lambda row: _text_of(row.address, "number")),
    CsvColumn("Complemento", lambda row: _text_of(row.address, "complement")),
    CsvColumn("Bairro", lambda row: _text_of(row.address, "district")),
    CsvColumn("Cidade", lambda row: _text_of(row.address, "city")),
    CsvColumn("UF", lambda row: _text_of(row.address, "state")),
    CsvColumn("País", lambda row: _text_of(row.address, "countryCode")),
    CsvColumn("Região no exterior", lambda row: _text_of(row.address, "region")),
    CsvColumn("Código postal no exterior", lambda row: _text_of(row.address, "postalCode")),
    CsvColumn("Criado em", lambda row: row.created_at),
    CsvColumn("Id", lambda row: row.id),
)
PRODUCTS: tuple[CsvColumn[ProductRow], ...] = (
    CsvColumn("SKU", lambda row: row.sku),
    CsvColumn("Nome", lambda row: row.name),
    CsvColumn("Tipo", lambda row: word_for(ITEM_TYPES, row.type)),
    CsvColumn("Categoria", lambda row: row.category),
    CsvColumn("Preço", lambda row: row.price),
    CsvColumn("Garantia (dias)", lambda row: row.guarantee),
    CsvColumn("NCM", lambda row: _text_of(row.fiscal, "ncm")),
    CsvColumn("Código de serviço", lambda row: _text_of(row.fiscal, "serviceItemCode")),
    CsvColumn("Criado em", lambda row: row.created_at),
    CsvColumn("Id", lambda row: row.id),
)
GAPS: tuple[CsvColumn[ListedGap], ...] = (
    CsvColumn("Tipo", lambda row: title_of(row.series.type)),
    CsvColumn("Ambiente", lambda row: word_for(ENVIRONMENTS, row.series.environment)),
    CsvColumn("Série", lambda row: row.series.series),
    CsvColumn("Próximo número", lambda row: row.series.next_number),
    CsvColumn("Do número", lambda row: row.gap.number_start if row.gap else None),
    CsvColumn("Ao número", lambda row: row.gap.number_end if row.gap else None),
    CsvColumn(
        "Motivo",
        lambda row: word_for(GAP_REASONS, row.gap.reason) if row.gap else f"e mais {row.series.omitted}",
    ),
    CsvColumn("Pode ser inutilizado", lambda row: row.gap.voidable if row.gap else None),
    CsvColumn("Prazo", lambda row: row.gap.deadline if row.gap else None),
    CsvColumn("Id do documento", lambda row: row.gap.document_id if row.gap else None),
)
INUTILIZATIONS: tuple[CsvColumn[InutilizationRecord], ...] = (
    CsvColumn("Tipo", lambda row: title_of(row.type)),
    CsvColumn("Situação", lambda row: word_for(INUTILIZATION_STATUSES, row.status)),
    CsvColumn("Ambiente", lambda row: word_for(ENVIRONMENTS, row.environment)),
    CsvColumn("Ano", lambda row: row.year),
    CsvColumn("Série", lambda row: row.series),
    CsvColumn("Do número", lambda row: row.number_start),
    CsvColumn("Ao número", lambda row: row.number_end),
    CsvColumn("Justificativa", lambda row: row.justification),
    CsvColumn("Protocolo", lambda row: row.protocol),
    CsvColumn("Código da autoridade", lambda row: row.authority_code),
    CsvColumn("Mensagem da autoridade", lambda row: row.authority_message),
    CsvColumn("Homologada em", lambda row: row.authorized_at),
    CsvColumn("Criada em", lambda row: row.created_at),
    CsvColumn("Id", lambda row: row.id),
)
DELIVERIES: tuple[CsvColumn[DeliveryRecord], ...] = (
    CsvColumn("Evento", lambda row: row.event),
    CsvColumn("Situação", lambda row: word_for(DELIVERY_STATUSES, row.status)),
    CsvColumn("Teste", lambda row: row.test),
    CsvColumn("Tentativas", lambda row: row.attempt_count),
    CsvColumn("Última resposta", lambda row: row.response_status),
    CsvColumn("Última tentativa", lambda row: row.attempted_at),
    CsvColumn("Próxima tentativa", lambda row: row.next_attempt_at),
    CsvColumn("Criada em", lambda row: row.created_at),
    CsvColumn("Id do documento", lambda row: row.document_id),
    CsvColumn("Id do evento", lambda row: row.event_id),
    CsvColumn("Id", lambda row: row.id),
)
WEBHOOKS: tuple[CsvColumn[WebhookHealth], ...] = (
    CsvColumn("Nome", lambda row: row.record.name),
    CsvColumn("Endereço", lambda row: row.record.url),
    CsvColumn("Ativo", lambda row: row.record.active),
    CsvColumn("Motivo da desativação", lambda row: row.record.disabled_reason),
    CsvColumn("Falhando desde", lambda row: row.failing_since),
    CsvColumn("Última entrega", lambda row: _last_delivery(row, lambda last: last.attempted_at)),
    CsvColumn(
        "Situação dela",
        lambda row: _last_delivery(row, lambda last: word_for(DELIVERY_STATUSES, last.status)),
    ),
    CsvColumn("Última resposta", lambda row: _last_delivery(row, lambda last: last.response_status)),
    CsvColumn("Eventos", lambda row: ", ".join(row.events)),
    CsvColumn("Criado em", lambda row: row.record.created_at),
    CsvColumn("Id", lambda row: row.record.id),
)
AUTHORITIES: tuple[CsvColumn[ObservedAuthority], ...] = (
    CsvColumn("Documento", lambda row: title_of(row.type)),
    CsvColumn("Autoridade", lambda row: authority_name(row.authorizer)),
    CsvColumn("Ambiente", lambda row: word_for(ENVIRONMENTS, row.environment)),
    CsvColumn("Contingência", lambda row: row.is_contingency),
    CsvColumn("UF das empresas", lambda row: ", ".join(row.states)),
    CsvColumn("Empresas", lambda row: row.companies),
    CsvColumn("Fora do ar", lambda row: row.is_out),
    CsvColumn("Falhas desde", lambda row: row.outage.since if row.outage else None),
    CsvColumn("Última falha", lambda row: row.outage.seen_at if row.outage else None),
    CsvColumn("Código da falha", lambda row: row.outage.code if row.outage else None),
    CsvColumn("Mensagem da falha", lambda row: row.outage.message if row.outage else None),
    CsvColumn("Última autorização", lambda row: row.last_authorized_at),
)
COMPANIES: tuple[CsvColumn[CompanyRow], ...] = (
    CsvColumn("CNPJ", lambda row: _tax_id(row.tax_id)),
    CsvColumn("Razão social", lambda row: row.legal_name),
    CsvColumn("Nome fantasia", lambda row: row.trade_name),
    CsvColumn("E-mail", lambda row: row.email),
    CsvColumn("Telefone", lambda row: row.phone),
    CsvColumn("Cidade", lambda row: _text_of(row.address, "city")),
    CsvColumn("UF", lambda row: _text_of(row.address, "state")),
    CsvColumn("Ambiente", lambda row: word_for(ENVIRONMENTS, row.environment)),
    CsvColumn("Cadastrada em", lambda row: row.created_at),
    CsvColumn("Id", lambda row: row.id),
)
PEOPLE: tuple[CsvColumn[ListedPerson], ...] = (
    CsvColumn("E-mail", lambda row: row.person.email),
    CsvColumn("Nome", lambda row: row.person.name),
    CsvColumn("Papel", lambda row: word_for(PERSON_ROLES, row.person.role)),
    CsvColumn(
        "Empresas", lambda row: "Todas" if row.person.company_ids is None else ", ".join(row.companies)
    ),
    CsvColumn("Convite pendente", lambda row: row.person.is_pending),
    CsvColumn("Desativada", lambda row: row.person.is_disabled),
    CsvColumn("Último acesso", lambda row: row.person.last_signed_in_at),
    CsvColumn("Desde", lambda row: row.person.created_at),
    CsvColumn("Id", lambda row: row.person.id),
)
AUDIT: tuple[CsvColumn[AuditRecord], ...] = (
    CsvColumn("Quando", lambda row: row.created_at),
    CsvColumn("Quem", lambda row: actor_name(row.actor)),
    CsvColumn("O quê", lambda row: row.sentence),
    CsvColumn("Id da empresa", lambda row: row.company_id),
    CsvColumn("Id", lambda row: row.id),
)
