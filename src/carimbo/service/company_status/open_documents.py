"""Documents that are open for long: warnings before the authority refuses new ones, and closing them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import chain

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
    """Returns the days until `closes_by`, rounded up; 0 afterwards."""
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
    async with database.connection() as connection:
        rows = await open_documents(connection, [*_TERMS], _warned_since(now))
    return [row for row in rows if warning_due(row, now) is not None]


def _warned_since(now: datetime) -> datetime:
    """Returns the latest moment of an authorization that is warned of now."""
    return now - min(term.days - max(term.warned_days) for term in _TERMS.values()) * _DAY


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
    """Returns the documents that are open for longer than their companies want."""
    async with database.connection() as connection:
        rows = [
            await documents_to_be_closed(connection, name, term.closing_setting, now)
            for name, term in _TERMS.items()
        ]
    return list(chain.from_iterable(rows))


async def file_usual_closing(context: FilingContext, row: OpenDocumentRow) -> None:
    """Files the usual closing of a document. Raises Refusal if it can't be closed."""
    async with context.issuing.database.autocommit(row.subscription_id) as tenant:
        company = await tenant.companies.get(row.company_id)
        document = await tenant.documents.get(row.id)
    if company is None or document is None:
        return
    closing = _TERMS[row.type].usual_closing(stored_request(document))
    reference = DocumentReference(row.subscription_id, row.id, row.company_id)
    await register_event(context, company, reference, CLOSING, closing)


async def near_their_term(
    database: Database, snapshot: CompanySnapshot, now: datetime
) -> list[OpenDocumentRow]:
    """Returns the open documents of a company whose term ends soon, the first to end first."""
    async with database.autocommit(snapshot.subscription_id) as tenant:
        rows = await tenant.open_documents.of_company(snapshot.row.id, [*_TERMS], _warned_since(now))
    return sorted(
        (row for row in rows if row.environment == snapshot.environment_of(document_type_named(row.type))),
        key=closes_by,
    )
