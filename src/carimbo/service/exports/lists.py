"""The lists that can be exported as CSV files, each with the same filters as its page."""

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.service.audit import AuditQuery, AuditRecord, audit_filter, record_of_entry
from carimbo.service.companies.registration import visible_companies
from carimbo.service.company_status.authorities import ObservedAuthority, read_authorities
from carimbo.service.company_status.status import StatusReader
from carimbo.service.contexts import IssuingContext
from carimbo.service.delivery.deliveries import record_of_delivery, require_webhook
from carimbo.service.delivery.webhooks import MAX_WEBHOOKS, WebhookHealth, list_webhook_health
from carimbo.service.documents.queries import DocumentQuery, document_filter
from carimbo.service.documents.record import record_of
from carimbo.service.exports import columns
from carimbo.service.exports.columns import ListedDocument, ListedGap, ListedPerson
from carimbo.service.exports.csv_files import CsvColumn, CsvFile, PageReader, all_pages, csv_chunks
from carimbo.service.filing.inutilize import record_of_range
from carimbo.service.filing.numbering import read_ledger
from carimbo.service.listing import PageRequest
from carimbo.service.people.people import list_people
from carimbo.service.receiving.queries import ReceivedQuery, received_filter
from carimbo.service.receiving.record import received_record
from carimbo.service.sales.record import SaleQuery, sale_filter
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from carimbo.storage.deliveries import DeliveryFilter
from carimbo.storage.documents import DocumentForExport
from carimbo.storage.products import ProductFilter

T = TypeVar("T")
_MAX_GAPS = 10_000
"""How many gaps of a series a file has: they are read at once."""


async def export_documents(
    database: Database,
    subscription_id: UUID,
    company: CompanyRow,
    types: Sequence[str] | None,
    query: DocumentQuery,
) -> CsvFile:
    """Returns a company's documents as a CSV file, newest first; of all types if none are given."""
    wanted = document_filter(company, types, query)
    pages = all_pages(
        database,
        subscription_id,
        lambda tenant, after, size: tenant.documents.older(company.id, wanted, after, size),
        _listed_document,
    )
    return audited_file(database, subscription_id, "documentos", columns.DOCUMENTS, pages, company)


async def export_received(
    context: IssuingContext,
    subscription_id: UUID,
    company: CompanyRow,
    document_type: DocumentType,
    query: ReceivedQuery,
) -> CsvFile:
    """Returns received documents as a CSV file, the newest issued first."""
    wanted = await received_filter(context, subscription_id, company, document_type, query)
    pages = all_pages(
        context.database,
        subscription_id,
        lambda tenant, after, size: tenant.received.older(company.id, wanted, after, size),
        received_record,
    )
    return audited_file(
        context.database, subscription_id, f"recebidos-{document_type.name}", columns.RECEIVED, pages, company
    )


async def export_sales(
    database: Database, subscription_id: UUID, company: CompanyRow, query: SaleQuery
) -> CsvFile:
    """Returns a company's sales as a CSV file, the latest first."""
    wanted = sale_filter(query)
    return file_of_rows(
        database,
        subscription_id,
        "vendas",
        columns.SALES,
        lambda tenant, after, size: tenant.sales.older(company.id, wanted, after, size),
        company,
    )


async def export_customers(
    database: Database, subscription_id: UUID, company: CompanyRow, search: str = ""
) -> CsvFile:
    """Returns a company's customers as a CSV file, newest first; a blank search returns all."""
    pattern = search.strip() or None
    return file_of_rows(
        database,
        subscription_id,
        "clientes",
        columns.CUSTOMERS,
        lambda tenant, after, size: tenant.customers.older(company.id, pattern, after, size),
        company,
    )


async def export_products(
    database: Database, subscription_id: UUID, company: CompanyRow, wanted: ProductFilter
) -> CsvFile:
    """Returns the items of a catalog as a CSV file, newest first."""
    return file_of_rows(
        database,
        subscription_id,
        "produtos",
        columns.PRODUCTS,
        lambda tenant, after, size: tenant.products.older(company.id, wanted, after, size),
        company,
    )


async def export_gaps(
    database: Database, subscription_id: UUID, company: CompanyRow, type_name: str | None, now: datetime
) -> CsvFile:
    """Returns the unused numbers of a company's series as a CSV file."""
    gaps = _gaps(database, subscription_id, company, type_name, now)
    return audited_file(database, subscription_id, "lacunas", columns.GAPS, gaps, company)


async def export_inutilizations(database: Database, subscription_id: UUID, company: CompanyRow) -> CsvFile:
    """Returns a company's inutilizations of all types as a CSV file, newest first."""
    pages = all_pages(
        database,
        subscription_id,
        lambda tenant, after, size: tenant.inutilizations.older(company.id, after, size),
        record_of_range,
    )
    return audited_file(database, subscription_id, "inutilizacoes", columns.INUTILIZATIONS, pages, company)


async def export_deliveries(
    database: Database, subscription_id: UUID, webhook_id: UUID, wanted: DeliveryFilter
) -> CsvFile:
    """Returns the deliveries of a webhook as a CSV file, newest first. Raises Refusal."""
    async with database.autocommit(subscription_id) as tenant:
        await require_webhook(tenant, webhook_id)
    pages = all_pages(
        database,
        subscription_id,
        lambda tenant, after, size: tenant.deliveries.older(webhook_id, wanted, after, size),
        record_of_delivery,
    )
    return audited_file(database, subscription_id, "entregas", columns.DELIVERIES, pages)


async def export_webhooks(database: Database, subscription_id: UUID) -> CsvFile:
    """Returns the webhooks of a subscription as a CSV file, newest first."""
    webhooks = _webhooks(database, subscription_id)
    return audited_file(database, subscription_id, "webhooks", columns.WEBHOOKS, webhooks)


async def export_authorities(
    database: Database, reader: StatusReader, subscription_id: UUID, ids: Collection[UUID] | None
) -> CsvFile:
    """Returns what was last seen of the authorities of companies as a CSV file."""
    authorities = _authorities(reader, subscription_id, ids)
    return audited_file(database, subscription_id, "autoridades", columns.AUTHORITIES, authorities)


async def export_companies(
    database: Database, subscription_id: UUID, ids: Collection[UUID] | None, search: str | None = None
) -> CsvFile:
    """Returns the companies of a search as a CSV file, by name; only those of `ids` if given."""
    return file_of_rows(
        database,
        subscription_id,
        "empresas",
        columns.COMPANIES,
        lambda tenant, after, size: tenant.companies.search_after(ids, search, after, size),
    )


async def export_people(database: Database, subscription_id: UUID) -> CsvFile:
    """Returns the people of a subscription as a CSV file, by e-mail address."""
    people = _people(database, subscription_id)
    return audited_file(database, subscription_id, "pessoas", columns.PEOPLE, people)


async def export_audit(database: Database, subscription_id: UUID, query: AuditQuery) -> CsvFile:
    """Returns what was done in a subscription as a CSV file, newest first."""
    wanted = audit_filter(query)
    pages: AsyncIterator[list[AuditRecord]] = all_pages(
        database,
        subscription_id,
        lambda tenant, after, size: tenant.audit.older(wanted, after, size),
        record_of_entry,
    )
    return audited_file(database, subscription_id, "registro", columns.AUDIT, pages)


def file_of_rows(
    database: Database,
    subscription_id: UUID,
    name: str,
    list_columns: Sequence[CsvColumn[T]],
    read: PageReader[T],
    company: CompanyRow | None = None,
) -> CsvFile:
    """Returns the file of a list whose rows become lines as they are read."""
    pages: AsyncIterator[list[T]] = all_pages(database, subscription_id, read, _unchanged)
    return audited_file(database, subscription_id, name, list_columns, pages, company)


def audited_file(
    database: Database,
    subscription_id: UUID,
    name: str,
    list_columns: Sequence[CsvColumn[T]],
    pages: AsyncIterator[Iterable[T]],
    company: CompanyRow | None = None,
) -> CsvFile:
    """Returns the file. Nothing is read before its first part is taken; that is stored in the audit."""
    file_name, company_id, state = f"{name}.csv", None, None
    if company:
        file_name, company_id = f"{name}-{company.tax_id}.csv", company.id
        state = company.state

    async def chunks() -> AsyncGenerator[bytes, None]:
        async with database.autocommit(subscription_id) as tenant:
            await tenant.audit.add(AuditAction.EXPORT_CREATED, company_id=company_id, subject_name=file_name)
        async for chunk in csv_chunks(list_columns, pages, state):
            yield chunk

    return CsvFile(file_name, chunks())


def _unchanged(row: T) -> T:
    return row


def _listed_document(row: DocumentForExport) -> ListedDocument:
    return ListedDocument(record_of(row.document), row.recipient_tax_id, row.recipient_name)


async def _people(database: Database, subscription_id: UUID) -> AsyncIterator[list[ListedPerson]]:
    people = await list_people(database, subscription_id)
    ids = {company_id for person in people for company_id in person.company_ids or ()}
    companies = await visible_companies(database, subscription_id, list(ids), len(ids))
    names = {company.id: company.legal_name for company in companies}
    yield [
        ListedPerson(person, sorted(names[each] for each in person.company_ids or () if each in names))
        for person in people
    ]


async def _webhooks(database: Database, subscription_id: UUID) -> AsyncIterator[list[WebhookHealth]]:
    yield (await list_webhook_health(database, subscription_id, PageRequest(1, MAX_WEBHOOKS))).items


async def _authorities(
    reader: StatusReader, subscription_id: UUID, ids: Collection[UUID] | None
) -> AsyncIterator[Sequence[ObservedAuthority]]:
    yield (await read_authorities(reader, subscription_id, ids)).authorities


async def _gaps(
    database: Database, subscription_id: UUID, company: CompanyRow, type_name: str | None, now: datetime
) -> AsyncIterator[list[ListedGap]]:
    for series in await read_ledger(database, subscription_id, company, type_name, now, _MAX_GAPS):
        gaps = [ListedGap(series, gap) for gap in series.gaps]
        yield [*gaps, ListedGap(series, None)] if series.omitted else gaps
