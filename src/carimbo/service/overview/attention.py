"""Reads what needs a person now, for all companies that a person may see.

The parts about documents are read by one statement each. Those about the companies themselves need their
settings, which are cached; of very many companies, those that changed last are checked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.service.company_status.certificate_expiry import certificate_state, days_left
from carimbo.service.company_status.open_documents import closes_by
from carimbo.service.document_types import RECEIVED_TYPES
from carimbo.service.overview.companies import CheckedCompanies, check_companies
from carimbo.service.overview.gaps import read_gaps
from carimbo.service.overview.items import (
    Attention,
    CertificateItem,
    DueReceived,
    NamedCompany,
    OpenManifestItem,
    OverdueDocument,
    ParkedItem,
    Part,
    RejectedDocument,
    RejectionGroup,
    Rejections,
    WebhookItem,
    cut,
)
from carimbo.service.services import Services
from carimbo.storage.companies import CompanyRow
from carimbo.storage.document_figures import DocumentFigures, StatusCount
from carimbo.storage.overview import CertificateEnd, Overview, RejectionGroupRow, read_without_workers

MAX_ITEMS = 10
"""How many items of a part are shown."""
MAX_REJECTED = 5_000
"""How many rejected documents are grouped, the newest ones."""
_NEWEST_OF_GROUP = 5
_REJECTED_WITHIN = timedelta(days=30)
_CERTIFICATE_WITHIN = timedelta(days=30)
_DAY = timedelta(days=1)
_NO_CODE = ""


@dataclass(frozen=True)
class _Reading:
    """Everything needed to read a part."""

    overview: Overview
    companies: Mapping[UUID, NamedCompany]
    now: datetime


async def read_attention(
    services: Services, subscription_id: UUID, companies: Sequence[CompanyRow], now: datetime
) -> Attention:
    """Returns what needs a person now. The companies are those that the person may see."""
    named = {company.id: NamedCompany.of(company) for company in companies}
    clock_offset = services.issuing.builder.clock_offset
    async with services.database.snapshot(subscription_id) as tenant:
        await read_without_workers(tenant.connection)
        reading = _Reading(Overview(tenant.connection, subscription_id, list(named)), named, now)
        counts = await DocumentFigures(tenant.connection, subscription_id, list(named)).counts()
        rejections = await _rejections(reading, counts)
        parked = await _parked(reading)
        certificates = await _certificates(reading)
        gaps = await read_gaps(reading.overview, companies, now, clock_offset)
        open_manifests = await _open_manifests(reading)
        webhooks = await _webhooks(reading.overview)
        received_due = await _received_due(reading)
        overdue = await _overdue(reading, services.status_reader.overdue_after)
        receptions = await tenant.receptions.active_of_companies(list(named))
    checked: CheckedCompanies = await check_companies(
        services, subscription_id, companies, counts, receptions, now
    )
    return Attention(
        rejections=rejections,
        parked=parked,
        certificates=certificates,
        gaps=cut(gaps, MAX_ITEMS),
        open_manifests=open_manifests,
        webhooks=webhooks,
        received_due=received_due,
        overdue=overdue,
        outages=cut(checked.outages, MAX_ITEMS),
        contingencies=cut(checked.contingencies, MAX_ITEMS),
        streams=cut(checked.streams, MAX_ITEMS),
        unready=cut(checked.unready, MAX_ITEMS),
        unreadable=cut(checked.unreadable, MAX_ITEMS),
        unchecked_companies=checked.unchecked,
    )


async def _rejections(reading: _Reading, counts: Sequence[StatusCount]) -> Rejections:
    rows = await reading.overview.rejections(_REJECTED_WITHIN, _NEWEST_OF_GROUP, MAX_REJECTED)
    documents = sum(row.documents for row in rows)
    all_rejected = sum(count.documents for count in counts if count.status == Status.REJECTED)
    groups = [_group(reading, row) for row in rows[:MAX_ITEMS]]
    return Rejections(
        groups=Part(len(rows), tuple(groups)),
        documents=documents,
        others=max(0, all_rejected - documents),
        is_cut=documents >= MAX_REJECTED,
    )


def _group(reading: _Reading, row: RejectionGroupRow) -> RejectionGroup:
    return RejectionGroup(
        environment=row.environment,
        code=row.code or _NO_CODE,
        message=row.message or "",
        hint=row.hint,
        documents=row.documents,
        last_at=row.last_at,
        types=tuple(row.types),
        companies=tuple(reading.companies[company_id] for company_id in row.company_ids),
        newest=tuple(
            RejectedDocument(
                reading.companies[reference.company_id], reference.id, reference.type, reference.number
            )
            for reference in row.newest
        ),
    )


async def _parked(reading: _Reading) -> Part[ParkedItem]:
    rows, total = await reading.overview.parked(MAX_ITEMS)
    items = [
        ParkedItem(
            company=reading.companies[row.company_id],
            kind=row.kind,
            id=row.id,
            queued_at=row.queued_at,
            reason=row.parked_reason,
        )
        for row in rows
    ]
    return Part(total, tuple(items))


async def _certificates(reading: _Reading) -> Part[CertificateItem]:
    rows = await reading.overview.certificates_ending_before(reading.now + _CERTIFICATE_WITHIN)
    return Part(len(rows), tuple(_certificate(reading, row) for row in rows[:MAX_ITEMS]))


def _certificate(reading: _Reading, row: CertificateEnd) -> CertificateItem:
    company, expires_at = reading.companies[row.company_id], row.expires_at
    if expires_at is None:
        return CertificateItem(company=company, expires_at=None, days_left=None, state=None)
    return CertificateItem(
        company=company,
        expires_at=expires_at,
        days_left=days_left(expires_at, reading.now),
        state=certificate_state(expires_at, reading.now),
    )


async def _open_manifests(reading: _Reading) -> Part[OpenManifestItem]:
    rows, total = await reading.overview.open_documents(Environment.PRODUCTION, MAX_ITEMS)
    items = [
        OpenManifestItem(
            company=reading.companies[row.company_id],
            id=row.id,
            type=row.type,
            number=row.number,
            days_open=max(0, (reading.now - row.open_since) // _DAY),
            closes_by=closes_by(row),
            is_late=reading.now >= closes_by(row),
        )
        for row in rows
    ]
    return Part(total, tuple(items))


async def _webhooks(overview: Overview) -> Part[WebhookItem]:
    rows = await overview.failing_webhooks()
    items = [
        WebhookItem(
            id=row.id,
            name=row.name,
            url=row.url,
            is_disabled=not row.is_active,
            disabled_reason=row.disabled_reason,
            failing_since=row.failing_since,
        )
        for row in rows
    ]
    return cut(items, MAX_ITEMS)


async def _received_due(reading: _Reading) -> Part[DueReceived]:
    """Returns the documents that need an answer and whose term ends soon, the first to end first."""
    items, total = [], 0
    for document_type in RECEIVED_TYPES:
        receiving = document_type.receiving
        if receiving is None or receiving.warned_days is None or not receiving.must_conclude:
            continue
        until = reading.now + receiving.warned_days * _DAY
        rows, count = await reading.overview.received_due(
            receiving.service, receiving.unanswered, reading.now, until, MAX_ITEMS
        )
        total += count
        items += [
            DueReceived(
                company=reading.companies[row.company_id],
                id=row.id,
                type=row.type,
                issuer_name=row.issuer_name,
                number=row.number,
                amount=row.amount,
                respond_by=row.respond_by,
                days_left=days_left(row.respond_by, reading.now),
            )
            for row in rows
        ]
    return Part(total, tuple(sorted(items, key=lambda item: item.respond_by)[:MAX_ITEMS]))


async def _overdue(reading: _Reading, after: timedelta) -> Part[OverdueDocument]:
    rows, total = await reading.overview.overdue(after, MAX_ITEMS)
    items = [
        OverdueDocument(
            company=reading.companies[row.company_id],
            id=row.id,
            type=row.type,
            number=row.number,
            since=row.queued_at,
            answer_code=row.answer_code,
            answer_message=row.answer_message,
        )
        for row in rows
    ]
    return Part(total, tuple(items))
