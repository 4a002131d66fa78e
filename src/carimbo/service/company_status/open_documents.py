"""Documents that are open for long: warnings before the authority refuses new ones, and closing them."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from carimbo.fiscal.lifecycle import CLOSING
from carimbo.fiscal.open_documents import OpenTerm
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.document_types import document_type_named
from carimbo.service.documents.queries import DocumentReference, stored_request
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.register import register_event
from carimbo.service.json_values import utc_text
from carimbo.storage.database import Database
from carimbo.storage.open_documents import OpenDocumentRow, documents_to_be_closed, open_documents

_TERMS: Mapping[str, OpenTerm] = {
    document_type.name: document_type.open_term for document_type in DOCUMENT_TYPES if document_type.open_term
}
_DAY = timedelta(days=1)


def closes_by(row: OpenDocumentRow) -> datetime:
    """Returns when the authority begins to refuse new documents, if the document is still open."""
    return row.open_since + _TERMS[row.type].days * _DAY


def days_left(row: OpenDocumentRow, now: datetime) -> int:
    """Returns the days until then, rounded up; 0 after that."""
    return max(0, -((now - closes_by(row)) // _DAY))


def warning_due(row: OpenDocumentRow, now: datetime) -> int | None:
    """Returns the warning that is due now, in days before the end of the term; None if it was sent."""
    left = days_left(row, now)
    due = [days for days in _TERMS[row.type].warned_days if left <= days]
    if not due or (row.warned_days is not None and row.warned_days <= min(due)):
        return None
    return min(due)


async def documents_to_warn_about(database: Database, now: datetime) -> list[OpenDocumentRow]:
    """Returns all documents for which a warning is due."""
    if not _TERMS:
        return []
    shortest = min(term.days - max(term.warned_days) for term in _TERMS.values())
    async with database.connection() as connection:
        rows = await open_documents(connection, [*_TERMS], now - shortest * _DAY)
    return [row for row in rows if warning_due(row, now) is not None]


async def publish_warning(database: Database, row: OpenDocumentRow, now: datetime) -> bool:
    """Publishes the due warning of a document; returns whether this call did it.

    Each warning is published once, even if several workers try.
    """
    days = warning_due(row, now)
    if days is None:
        return False
    details = {"closeBy": utc_text(closes_by(row)), "daysLeft": days_left(row, now)}
    async with database.tenant(row.subscription_id) as tenant:
        return await tenant.open_documents.warn(row.id, days, details)


async def documents_to_close(database: Database, now: datetime) -> list[OpenDocumentRow]:
    """Returns the documents that are open for at least a day, of companies that close them by themselves."""
    if not _TERMS:
        return []
    async with database.connection() as connection:
        return await documents_to_be_closed(connection, [*_TERMS], now - _DAY)


async def close_if_due(context: FilingContext, row: OpenDocumentRow, now: datetime) -> bool:
    """Closes a document that is open for longer than its company wants; returns whether it did.

    Raises Refusal if it can't be closed.
    """
    issuing = context.issuing
    async with issuing.database.autocommit(row.subscription_id) as tenant:
        company = await tenant.companies.get(row.company_id)
        document = await tenant.documents.get(row.id)
    if company is None or document is None:
        return False
    snapshot = await issuing.snapshots.of(row.subscription_id, company.id, company.revision)
    document_type = document_type_named(row.type)
    term = _TERMS[row.type]
    after = term.close_after(snapshot.settings_of(document_type))
    if after is None or now < row.open_since + after * _DAY:
        return False
    closing = term.usual_closing(stored_request(document))
    reference = DocumentReference(row.subscription_id, row.id, row.company_id)
    await register_event(context, company, reference, CLOSING, closing)
    return True


async def open_documents_to_tell(
    database: Database, snapshot: CompanySnapshot, now: datetime
) -> list[OpenDocumentRow]:
    """Returns the documents of a company whose term ends soon, the first to end first."""
    if not _TERMS:
        return []
    shortest = min(term.days - max(term.warned_days) for term in _TERMS.values())
    async with database.autocommit(snapshot.subscription_id) as tenant:
        rows = await tenant.open_documents.of_company(snapshot.row.id, [*_TERMS], now - shortest * _DAY)
    return sorted(rows, key=closes_by)
