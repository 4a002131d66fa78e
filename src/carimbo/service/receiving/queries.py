"""Reading received documents: lists, a single document, its events, and monthly totals."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Number, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.receiving import Receiving, Role, Situation, UnreadFile
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import receiving_of_type, title_of
from carimbo.service.documents.files import RECEIVED_FILE
from carimbo.service.errors import invalid_field, not_found
from carimbo.service.json_values import json_value
from carimbo.service.listing import Page, PageRequest, first_moment, moment_after, month_moments
from carimbo.service.receiving.record import (
    ReceivedDetailsRecord,
    ReceivedEventRecord,
    ReceivedRecord,
    event_records,
    received_record,
    received_values,
)
from carimbo.service.stored_records import log_unreadable
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.received import ReceivedRow
from carimbo.storage.received_search import ReceivedFilter

UNKNOWN_RECEIVED = "Documento recebido não encontrado."


@dataclass(frozen=True)
class ReceivedReference:
    """Identifies a received document of a company."""

    subscription_id: UUID
    company_id: UUID
    document_type: DocumentType
    document_id: UUID

    @property
    def receiving(self) -> Receiving:
        """How documents of the type are received."""
        return receiving_of_type(self.document_type)


@dataclass(frozen=True, kw_only=True)
class ReceivedQuery:
    """The filters of a list of received documents, as a caller writes them."""

    status: str | None = None
    situation: Situation | None = None
    role: Role | None = None
    start_date: date | None = None
    end_date: date | None = None
    search: str = ""
    after: int | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether there is any filter beside the cursor."""
        return self != ReceivedQuery(after=self.after)


class TotalRecord(Record):
    """A sum of a month."""

    cfop: str = Field(description="Vazio nos serviços.", examples=["5102"])
    tax: str = Field(examples=["icms"])
    cst: str = Field(description="CST ou CSOSN; vazio quando o imposto não o tem.", examples=["00"])
    items: Number = Field(
        description="Valor dos itens menos os descontos; sem frete, seguro, outras despesas, IPI e ST."
    )
    base: Number = Field(description="Base de cálculo; zero no imposto cobrado por quantidade.")
    amount: Number
    documents: int


class MonthRecord(Record):
    """The sums of what a company received in a month."""

    month: str = Field(examples=["2026-11"])
    documents: int = Field(description="Documentos somados.")
    summaries: int = Field(
        description="Documentos do mês que não estão nas somas, porque deles só há o resumo: veja /{id}/xml."
    )
    totals: list[TotalRecord]


async def list_received(
    context: IssuingContext,
    subscription_id: UUID,
    company: CompanyRow,
    document_type: DocumentType,
    query: ReceivedQuery,
    request: PageRequest,
) -> Page[ReceivedRecord]:
    """Lists received documents, the newest first; after a version, in the order of their changes."""
    receiving = receiving_of_type(document_type)
    if query.after is not None and (query.is_filtered or request.page > 1):
        raise invalid_field("after", "Não se combina com filtros nem com page.")
    wanted = await received_filter(context, subscription_id, company, document_type, query)
    async with context.database.autocommit(subscription_id) as tenant:
        if query.after is not None:
            rows = await tenant.received.after_version(
                company.id, receiving.service, wanted.environment, query.after, request.page_size
            )
            return Page([received_record(row) for row in rows], len(rows), request)
        rows, total = await tenant.received.page(company.id, wanted, request.offset, request.page_size)
    return Page([received_record(row) for row in rows], total, request)


async def received_filter(
    context: IssuingContext,
    subscription_id: UUID,
    company: CompanyRow,
    document_type: DocumentType,
    query: ReceivedQuery,
) -> ReceivedFilter:
    """Returns the filter of a list of received documents. Raises Refusal."""
    receiving = receiving_of_type(document_type)
    _require_status(receiving, query.status)
    snapshot = await context.snapshots.of(subscription_id, company.id, company.revision)
    state = company.state
    return ReceivedFilter(
        service=receiving.service,
        environment=snapshot.environment_of(document_type),
        status=query.status,
        situation=query.situation,
        role=query.role,
        issued_from=first_moment(query.start_date, state),
        issued_before=moment_after(query.end_date, state),
        search=query.search.strip() or None,
    )


def _require_status(receiving: Receiving, status: str | None) -> None:
    statuses = ("pending", *(kind.name for kind in receiving.responses if kind.undoes is None))
    if status is not None and status not in statuses:
        raise invalid_field("status", f"Use um destes: {', '.join(statuses)}.")


async def read_received(database: Database, which: ReceivedReference) -> ReceivedDetailsRecord:
    """Returns a received document with parties, items and totals, if its whole XML is here."""
    async with database.autocommit(which.subscription_id) as tenant:
        row = await require_received(tenant, which)
        xml = await tenant.archive.get(row.id, RECEIVED_FILE) if row.has_full_xml else None
    details = None
    if xml is not None:
        try:
            read = which.receiving.details(xml)
            details = read.model_copy(update={"items": json_value(read.items)})
        except UnreadFile as error:
            log_unreadable("received_documents", row.id, error)
    return ReceivedDetailsRecord.model_validate({**received_values(row), "details": details})


async def read_received_events(database: Database, which: ReceivedReference) -> list[ReceivedEventRecord]:
    """Returns what its issuer, others and the company itself registered about a document, oldest first."""
    async with database.autocommit(which.subscription_id) as tenant:
        row = await require_received(tenant, which)
        events = await tenant.received.events(row.company_id, row.environment, row.access_key)
        manifestations = await tenant.manifestations.of_document(row.id)
    return event_records(row, which.receiving, events, manifestations)


async def read_month(
    context: IssuingContext,
    subscription_id: UUID,
    company: CompanyRow,
    document_type: DocumentType,
    month: date,
) -> MonthRecord:
    """Returns the sums of a month by CFOP, tax and CST, of what the company bought or took.

    Documents that were canceled, or whose operation the company denies, do not count.
    """
    receiving = receiving_of_type(document_type)
    snapshot = await context.snapshots.of(subscription_id, company.id, company.revision)
    since, before = month_moments(month, company.state)
    async with context.database.autocommit(subscription_id) as tenant:
        sums = await tenant.received.monthly_sums(
            company.id,
            receiving.service,
            snapshot.environment_of(document_type),
            since,
            before,
            receiving.responds_as,
            [kind.name for kind in receiving.responses if kind.denies],
        )
    return MonthRecord(
        month=f"{month:%Y-%m}",
        documents=sums.documents,
        summaries=sums.summaries,
        totals=[TotalRecord.model_validate(total) for total in sums.totals],
    )


async def audit_received(
    tenant: Tenant, action: AuditAction, row: ReceivedRow, details: Mapping[str, Any] | None = None
) -> None:
    """Stores in the audit what somebody did with a received document."""
    await tenant.audit.add(
        action,
        company_id=row.company_id,
        subject_id=row.id,
        subject_name=f"{title_of(row.type)} {row.access_key}",
        details=details,
    )


async def require_received(tenant: Tenant, which: ReceivedReference) -> ReceivedRow:
    """Returns a received document of a company. Raises Refusal."""
    row = await tenant.received.get(which.document_id)
    is_right = row and row.company_id == which.company_id and row.service == which.receiving.service
    if row is None or not is_right:
        raise not_found(UNKNOWN_RECEIVED)
    return row
