"""Archives of a month as downloads with their progress, and as links that need no account."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from uuid import UUID, uuid5

from carimbo.service.companies.registration import hold_company, require_company
from carimbo.service.errors import invalid_field, not_found
from carimbo.service.exports.archive import PROGRESS_STEP, ArchiveOrder, archive_pieces, size_of
from carimbo.service.exports.month import ExportContent, archive_size, check_month, issue_period
from carimbo.service.listing import Page, PageRequest
from carimbo.service.people.tokens import new_token, token_hash
from carimbo.service.printouts import Printouts
from carimbo.service.throttling import require_admitted
from carimbo.storage.actors import Actor
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.exports import ExportRow, NewExport, find_export_of_link
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.rate_limits import Rate

MIN_LINK_DAYS, MAX_LINK_DAYS = 7, 90
_DOWNLOAD_LIFETIME = timedelta(days=1)
# A download without progress for so long was interrupted: its process ended, or its receiver went away.
_INTERRUPTED_AFTER = timedelta(minutes=5)
_PATH = "/painel/exportacao?chave="
_OPENINGS = Rate.per_minute(30)
_GONE = "Esta exportação não vale mais: o download foi interrompido."


class ExportState(StrEnum):
    """The state of the download of an archive that began last."""

    CREATED = "created"
    STREAMING = "streaming"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class MonthlyExport:
    """An archive of a month: a download or a link."""

    id: UUID
    company_id: UUID
    environment: str
    month: date
    content: ExportContent
    created_by: str | None
    """The name of who created it."""
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    state: ExportState
    documents_total: int
    documents_done: int
    downloads: int
    last_downloaded_at: datetime | None

    def is_valid(self, now: datetime) -> bool:
        """Returns whether the link can still be opened."""
        return self.revoked_at is None and now < self.expires_at


@dataclass(frozen=True)
class NewExportLink:
    """A new link, with the token that opens it, which is not stored."""

    token: str = field(repr=False)
    export: MonthlyExport


@dataclass(frozen=True)
class OpenedExport:
    """An archive that may be downloaded now."""

    subscription_id: UUID
    company: CompanyRow
    export: MonthlyExport
    is_by_link: bool = False
    """Whether somebody opened its link, who need not have an account."""

    @property
    def order(self) -> ArchiveOrder:
        export = self.export
        return ArchiveOrder(
            self.subscription_id, self.company, export.environment, export.month, export.content
        )

    @property
    def file_name(self) -> str:
        """The name of the ZIP file."""
        return self.order.file_name


def export_address(link_base: str, token: str) -> str:
    """Returns the address of a link. The token is in the query, because paths are written to the log."""
    return f"{link_base}{_PATH}{token}"


async def start_export(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    month: date,
    content: ExportContent,
    now: datetime,
) -> OpenedExport:
    """Stores a download of the archive of a month, so that its progress can be read. Raises Refusal.

    The documents of a deleted company can still be downloaded.
    """
    async with database.tenant(subscription_id) as tenant:
        company = await require_company(tenant, company_id, deleted_too=True)
        first = check_month(company, month, now)
        export = await store_export(tenant, company, first, content, None, _DOWNLOAD_LIFETIME)
    return OpenedExport(subscription_id, company, export)


async def create_export_link(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    month: date,
    content: ExportContent,
    days: int,
    now: datetime,
) -> NewExportLink:
    """Creates a link to the archive of a month; only the hash of its token is stored. Raises Refusal."""
    if not MIN_LINK_DAYS <= days <= MAX_LINK_DAYS:
        raise invalid_field("days", f"Escolha de {MIN_LINK_DAYS} a {MAX_LINK_DAYS} dias.")
    token = new_token()
    async with database.tenant(subscription_id) as tenant:
        company = await require_company(tenant, company_id)
        first = check_month(company, month, now)
        export = await store_export(tenant, company, first, content, token, timedelta(days=days))
        await audit_export(tenant, AuditAction.LINK_CREATED, export)
    return NewExportLink(token, export)


async def store_export(
    tenant: Tenant,
    company: CompanyRow,
    month: date,
    content: ExportContent,
    token: str | None,
    valid_for: timedelta,
    export_id: UUID | None = None,
    author: Actor | None = None,
) -> MonthlyExport:
    """Stores an archive with the number of its documents, or returns the existing one with the id.

    Refuses a link to the archive of a deleted company.
    """
    if token is not None:
        await hold_company(tenant, company.id)
    size = await archive_size(tenant, issue_period(company, company.environment, month), content)
    new = NewExport(
        id=export_id or new_id(),
        company_id=company.id,
        environment=company.environment,
        month=month,
        content=content,
        token_hash=None if token is None else token_hash(token),
        documents_total=size.documents,
    )
    await tenant.exports.add(new, valid_for, author)
    return await _require_export(tenant, company.id, new.id)


async def read_export(
    database: Database, subscription_id: UUID, company_id: UUID, export_id: UUID, now: datetime
) -> MonthlyExport:
    """Returns an archive with the progress of its download. Raises Refusal."""
    async with database.autocommit(subscription_id) as tenant:
        return await _require_export(tenant, company_id, export_id, now)


async def list_export_links(
    database: Database, subscription_id: UUID, company_id: UUID, request: PageRequest, now: datetime
) -> Page[MonthlyExport]:
    """Lists the links of a company, newest first, also those that have expired or were revoked."""
    async with database.snapshot(subscription_id) as tenant:
        rows = await tenant.exports.links(company_id, request.offset, request.page_size)
        total = await tenant.exports.count_links(company_id)
    return Page([_export(row, now) for row in rows], total, request)


async def revoke_export_link(
    database: Database, subscription_id: UUID, company_id: UUID, export_id: UUID
) -> None:
    """Revokes a link: it opens nothing any more. Raises Refusal."""
    async with database.tenant(subscription_id) as tenant:
        row = await tenant.exports.revoke(company_id, export_id)
        if row is None:
            raise not_found("Link não encontrado.")
        await audit_export(tenant, AuditAction.LINK_REVOKED, _export(row))


async def open_export(database: Database, token: str) -> OpenedExport | None:
    """Returns the archive of a link; None if the link does not exist, has expired or was revoked."""
    async with database.connection() as connection:
        owned = await find_export_of_link(connection, token_hash(token))
    if owned is None:
        return None
    subscription_id, row = owned
    async with database.autocommit(subscription_id) as tenant:
        company = await tenant.companies.get(row.company_id)
    if company is None:
        return None
    return OpenedExport(subscription_id, company, _export(row), is_by_link=True)


async def open_limited(database: Database, token: str, network: str) -> OpenedExport | None:
    """Opens a link like `open_export`. Refuses it to a network that tries it, or unknown ones, too often."""
    opened = await open_export(database, token)
    subject = opened.export.id if opened else "unknown"
    await require_admitted(database, uuid5(NIL, f"export-link:{subject}:{network}"), _OPENINGS)
    return opened


async def stream_export(
    database: Database, printouts: Printouts, opened: OpenedExport, now: datetime
) -> AsyncGenerator[bytes, None]:
    """Yields the pieces of the ZIP file; counts the download, and stores its progress.

    Raises Refusal if the archive may not be downloaded any more, also in the middle of it.
    """
    export_id, order = opened.export.id, opened.order
    size = await size_of(database, order)
    await _begin(database, opened, size.documents)
    stored = written = 0
    async for piece in archive_pieces(database, printouts, order, size, now):
        written = piece.documents
        if piece.content:
            yield piece.content
        if written - stored >= PROGRESS_STEP:
            stored = written
            async with database.autocommit(opened.subscription_id) as tenant:
                if not await tenant.exports.advance(export_id, written):
                    raise not_found(_GONE)
    async with database.autocommit(opened.subscription_id) as tenant:
        await tenant.exports.advance(export_id, written, is_finished=True)


async def _begin(database: Database, opened: OpenedExport, documents: int) -> None:
    """Stores that a download begins, also in the audit. Raises Refusal."""
    async with database.tenant(opened.subscription_id) as tenant:
        if not await tenant.exports.begin(opened.export.id, documents):
            raise not_found(_GONE)
        if opened.is_by_link:
            await audit_export(tenant, AuditAction.LINK_DOWNLOADED, opened.export, link=True)
        else:
            await audit_export(tenant, AuditAction.EXPORT_CREATED, opened.export)


async def _require_export(
    tenant: Tenant, company_id: UUID, export_id: UUID, now: datetime | None = None
) -> MonthlyExport:
    row = await tenant.exports.get(export_id)
    if row is None or row.company_id != company_id:
        raise not_found("Exportação não encontrada.")
    return _export(row, now)


def _export(row: ExportRow, now: datetime | None = None) -> MonthlyExport:
    return MonthlyExport(
        id=row.id,
        company_id=row.company_id,
        environment=row.environment,
        month=row.month,
        content=ExportContent(row.content),
        created_by=None if row.created_by is None else row.created_by["name"],
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        state=_state(row, now),
        documents_total=row.documents_total,
        documents_done=row.documents_done,
        downloads=row.downloads,
        last_downloaded_at=row.last_downloaded_at,
    )


def _state(row: ExportRow, now: datetime | None) -> ExportState:
    is_silent = now and row.progressed_at and now - row.progressed_at > _INTERRUPTED_AFTER
    if row.state == ExportState.STREAMING and (is_silent or row.revoked_at):
        return ExportState.INTERRUPTED
    return ExportState(row.state)


async def audit_export(tenant: Tenant, action: AuditAction, export: MonthlyExport, **details: bool) -> None:
    """Stores in the audit what somebody did with an archive or its link."""
    await tenant.audit.add(
        action,
        company_id=export.company_id,
        subject_id=export.id,
        subject_name=f"documentos de {export.month:%m/%Y}",
        details={"content": export.content, "expiresAt": export.expires_at.isoformat(), **details},
    )
