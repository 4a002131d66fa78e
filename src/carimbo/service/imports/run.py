"""Use cases of people who import files: start, watch and cancel an import, and get the refused lines."""

import asyncio
import re
from datetime import datetime
from typing import Annotated
from uuid import UUID

from carimbo.fiscal.body.fields import AS_STORED, Record
from carimbo.service.actors import ActorRecord, actor_record
from carimbo.service.companies.registration import hold_company
from carimbo.service.errors import ErrorCode, Refusal, invalid_field, not_found
from carimbo.service.imports.files import open_file
from carimbo.service.imports.reading import UnreadableFile
from carimbo.service.listing import Page, PageRequest
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.imports import ImportKind, ImportProblem, ImportRow, ImportState, NewImport

_FOLDERS = re.compile(r".*[/\\]", re.DOTALL)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_MAX_NAME_LENGTH = 120
_USUAL_NAME = "arquivo.csv"


class ImportRecord(Record):
    """An import as people see it."""

    id: UUID
    company_id: UUID
    kind: Annotated[ImportKind, AS_STORED]
    file_name: str
    state: Annotated[ImportState, AS_STORED]
    is_parked: bool
    """Whether it failed again and again, and waits for a person; its state is still processing."""
    lines_total: int
    lines_done: int
    created: int
    changed: int
    unchanged: int
    refused: int
    """In lines; the other counts are of customers, products or sales."""
    problems: int
    """Of the refused lines; not all of them are stored."""
    created_by: ActorRecord | None
    created_at: datetime
    progressed_at: datetime
    finished_at: datetime | None

    @property
    def is_processing(self) -> bool:
        """Whether a worker goes on with it by itself."""
        return self.state == ImportState.PROCESSING and not self.is_parked


async def start_import(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    kind: ImportKind,
    file_name: str,
    content: bytes,
) -> ImportRecord:
    """Checks a file as a whole and stores it, for a worker to import its lines.

    Refuses a file that can't be read, or that has unknown or missing columns.
    """
    try:
        file = await asyncio.to_thread(open_file, kind, content)
    except UnreadableFile as problem:
        raise invalid_field("file", str(problem)) from None
    new = NewImport(
        id=new_id(),
        company_id=company_id,
        kind=kind,
        file_name=_shown_name(file_name),
        content=content,
        lines_total=len(file.table.records),
    )
    async with database.tenant(subscription_id) as tenant:
        await hold_company(tenant, company_id)
        row = await tenant.imports.add(new)
        await _audit(tenant, AuditAction.IMPORT_STARTED, row)
    return import_record(row)


def _shown_name(file_name: str) -> str:
    """Returns the name of a file without folders, short enough for a page."""
    name = _CONTROLS.sub("", _FOLDERS.sub("", file_name)).strip()
    return name[-_MAX_NAME_LENGTH:] or _USUAL_NAME


async def list_imports(
    database: Database, subscription_id: UUID, company_id: UUID, request: PageRequest
) -> Page[ImportRecord]:
    """Lists the imports of a company, newest first."""
    async with database.snapshot(subscription_id) as tenant:
        rows = await tenant.imports.page(company_id, request.offset, request.page_size)
        total = await tenant.imports.count(company_id)
    return Page([import_record(row) for row in rows], total, request)


async def read_import(
    database: Database, subscription_id: UUID, company_id: UUID, import_id: UUID
) -> ImportRecord:
    """Returns an import of a company."""
    async with database.autocommit(subscription_id) as tenant:
        return import_record(await require_import(tenant, company_id, import_id))


async def list_import_problems(
    database: Database, subscription_id: UUID, company_id: UUID, import_id: UUID, request: PageRequest
) -> Page[ImportProblem]:
    """Lists the stored problems of an import, in the order of the lines of the file."""
    async with database.snapshot(subscription_id) as tenant:
        await require_import(tenant, company_id, import_id)
        problems = await tenant.imports.problems(import_id, request.offset, request.page_size)
        total = await tenant.imports.count_problems(import_id)
    return Page(problems, total, request)


async def cancel_import(
    database: Database, subscription_id: UUID, company_id: UUID, import_id: UUID
) -> ImportRecord:
    """Cancels the rest of an import. What was imported before stays."""
    async with database.tenant(subscription_id) as tenant:
        row = await require_import(tenant, company_id, import_id)
        if not await tenant.imports.cancel(company_id, import_id):
            raise Refusal(
                ErrorCode.INVALID_STATE,
                "Esta importação já terminou.",
                currentStatus=row.state,
                allowed=[ImportState.PROCESSING],
            )
        row = await require_import(tenant, company_id, import_id)
        await _audit(tenant, AuditAction.IMPORT_CANCELED, row)
    return import_record(row)


async def require_import(tenant: Tenant, company_id: UUID, import_id: UUID) -> ImportRow:
    """Returns an import of a company, or refuses as if it never existed."""
    row = await tenant.imports.get(import_id)
    if row is None or row.company_id != company_id:
        raise not_found("Importação não encontrada.")
    return row


def import_record(row: ImportRow) -> ImportRecord:
    """Returns an import as people see it."""
    values = vars(row) | {
        "created_by": actor_record(row.created_by),
        "is_parked": row.parked_reason is not None,
    }
    return ImportRecord.model_validate(values)


async def _audit(tenant: Tenant, action: AuditAction, row: ImportRow) -> None:
    await tenant.audit.add(
        action,
        company_id=row.company_id,
        subject_id=row.id,
        subject_name=row.file_name,
        details={"kind": row.kind, "lines": row.lines_total},
    )
