"""The content of the archive of a month: the documents of a company that were issued in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.receiving import Situation
from carimbo.service.document_types import RECEIVED_TYPES, receiving_of_type, title_of
from carimbo.service.errors import invalid_field
from carimbo.service.listing import month_moments
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.monthly_documents import IssuedTotal, IssuePeriod, ReceivedTotal

# The first year of the NF-e.
_FIRST_YEAR = 2006
_MONTHS = 61
"""The current month and five years: so long documents must be kept."""
_XML_BYTES, _PDF_BYTES = 4_000, 30_000
"""The usual sizes of the files in an archive, in bytes."""


class ExportContent(StrEnum):
    """The files of an archive."""

    XML = "xml"
    XML_AND_PDF = "xmlAndPdf"

    @property
    def has_pdf(self) -> bool:
        return self is ExportContent.XML_AND_PDF


@dataclass(frozen=True)
class TypeTotal:
    """The documents of a type in an archive."""

    type: str
    is_received: bool
    valid: int
    """Authorized documents that were not canceled."""
    canceled: int
    amount: Decimal
    """Of the valid documents."""

    @property
    def title(self) -> str:
        """The usual name of the type."""
        return title_of(self.type)


@dataclass(frozen=True)
class ArchiveSize:
    """How much an archive has."""

    documents: int
    files: int
    """With the events of documents, the index and LEIA-ME.txt; a file that can't be read is counted too."""
    totals: tuple[TypeTotal, ...]


def check_month(company: CompanyRow, month: date, now: datetime) -> date:
    """Returns the first day of a month. Refuses a month that has not begun."""
    first = month.replace(day=1)
    if first.year < _FIRST_YEAR or first > local_day(now, company.local_state):
        raise invalid_field("month", "Escolha um mês que já começou.")
    return first


def month_before(day: date) -> date:
    """Returns the first day of the month before that of a day."""
    return date(day.year - (day.month == 1), (day.month - 2) % 12 + 1, 1)


def selectable_months(company: CompanyRow, now: datetime) -> list[date]:
    """Returns the months that pages offer, the newest first."""
    months = [local_day(now, company.local_state).replace(day=1)]
    while len(months) < _MONTHS:
        months.append(month_before(months[-1]))
    return months


def usual_month(company: CompanyRow, now: datetime) -> date:
    """Returns the month that people want most often: the last whole one, or the first of a new company."""
    current = local_day(now, company.local_state).replace(day=1)
    first = local_day(company.created_at, company.local_state).replace(day=1)
    return month_before(current) if first < current else current


def issue_period(company: CompanyRow, environment: str, month: date) -> IssuePeriod:
    """Returns the time of a month in the time zone of a company."""
    return IssuePeriod(company.id, environment, *month_moments(month, company.local_state))


def estimated_bytes(size: ArchiveSize, content: ExportContent) -> int:
    """Returns about how large an archive is."""
    pdf = size.documents if content.has_pdf else 0
    return (size.files - pdf) * _XML_BYTES + pdf * _PDF_BYTES


async def count_archive(
    database: Database,
    subscription_id: UUID,
    company: CompanyRow,
    month: date,
    content: ExportContent = ExportContent.XML,
) -> ArchiveSize:
    """Returns how much the archive of a month has, in the environment in which the company issues now."""
    async with database.snapshot(subscription_id) as tenant:
        return await archive_size(tenant, issue_period(company, company.environment, month), content)


async def archive_size(tenant: Tenant, period: IssuePeriod, content: ExportContent) -> ArchiveSize:
    """Returns how much the archive of a period has."""
    issued = await tenant.monthly_documents.issued_totals(period)
    received = [
        total
        for document_type in RECEIVED_TYPES
        for total in await tenant.monthly_documents.received_totals(
            period, receiving_of_type(document_type).service
        )
    ]
    own = sum(total.documents for total in issued)
    whole = own + sum(total.files for total in received)
    events = sum(total.events for total in issued)
    return ArchiveSize(
        documents=own + sum(total.documents for total in received),
        files=whole * (2 if content.has_pdf else 1) + events + 2,
        totals=(*_totals_of_issued(issued), *_totals_of_received(received)),
    )


def _totals_of_issued(rows: Sequence[IssuedTotal]) -> list[TypeTotal]:
    totals = []
    for name in dict.fromkeys(row.type for row in rows):
        valid = [row for row in rows if row.type == name and row.status == Status.AUTHORIZED]
        canceled = [row for row in rows if row.type == name and row.status == Status.CANCELED]
        totals.append(_total(name, valid, canceled, is_received=False))
    return totals


def _totals_of_received(rows: Sequence[ReceivedTotal]) -> list[TypeTotal]:
    totals = []
    for name in dict.fromkeys(row.type for row in rows):
        own = [row for row in rows if row.type == name]
        valid = [row for row in own if Situation(row.situation).is_valid]
        canceled = [row for row in own if row.situation == Situation.CANCELED]
        totals.append(_total(name, valid, canceled, is_received=True))
    return totals


def _total(
    name: str,
    valid: Sequence[IssuedTotal | ReceivedTotal],
    canceled: Sequence[IssuedTotal | ReceivedTotal],
    *,
    is_received: bool,
) -> TypeTotal:
    return TypeTotal(
        type=name,
        is_received=is_received,
        valid=sum(row.documents for row in valid),
        canceled=sum(row.documents for row in canceled),
        amount=sum((row.amount for row in valid), ZERO),
    )
