"""Imports the lines of a file, for about a second in each turn of the worker.

The progress is stored after every entry. If a worker is killed between an entry and its progress, the next
one stores the entry again, which adds nothing (see storing.py).
"""

import asyncio
import time
from datetime import timedelta

from carimbo.service.contexts import IssuingContext, WorkerContext
from carimbo.service.errors import Refusal
from carimbo.service.imports.entries import ImportEntry
from carimbo.service.imports.files import ImportFile, open_file
from carimbo.service.imports.problems import problems_of_cells, problems_of_refusal
from carimbo.service.imports.storing import EntryResult, ImportTarget, store_entry
from carimbo.service.waiting import AT_ONCE
from carimbo.storage import work
from carimbo.storage.actors import actor_of
from carimbo.storage.imports import ImportKind, ImportProblem, ImportProgress, ImportRow, ImportState
from carimbo.storage.subscriptions import Subscriptions
from carimbo.storage.work import Lease

_TURN = timedelta(seconds=1)
"""So long an import keeps its place; then other work may have it. The file is read again in each turn."""


async def advance_import(context: WorkerContext, lease: Lease) -> None:
    """Imports the next lines of a file, and releases the row or concludes its work."""
    subscription_id, import_id = lease.key.subscription_id, lease.key.id
    async with context.database.snapshot(subscription_id) as tenant:
        row = await tenant.imports.get(import_id)
        if row is None:
            raise LookupError(f"{lease.key} has no row")
        company = await tenant.companies.get(row.company_id)
        subscription = await Subscriptions(tenant.connection).get(subscription_id)
        content = await tenant.imports.content(import_id)
    if row.state != ImportState.PROCESSING or company is None or subscription is None:
        await _conclude(context, lease, ImportState.CANCELED)
        return
    file = await asyncio.to_thread(open_file, ImportKind(row.kind), content or b"")
    target = ImportTarget(_as_uploader(context, row), subscription, company)
    if await _import_entries(context, lease, row, file, target):
        await _conclude(context, lease, ImportState.FINISHED)
    else:
        async with context.database.transaction() as connection:
            await work.postpone(connection, lease, AT_ONCE, progressed=True)


def _as_uploader(context: WorkerContext, row: ImportRow) -> IssuingContext:
    """Returns the context in which all that is stored names the person who uploaded the file."""
    database = context.database
    if row.created_by is not None:
        database = database.acting_as(actor_of(row.created_by))
    return IssuingContext(database, context.snapshots, context.builder)


async def _import_entries(
    context: WorkerContext, lease: Lease, row: ImportRow, file: ImportFile, target: ImportTarget
) -> bool:
    """Imports entries until the turn is over; returns whether nothing is left to import."""
    end = time.monotonic() + _TURN.total_seconds()
    for entry in file.entries(row.lines_done):
        # Another worker may have the row, and imports the same entry.
        lease.require_held()
        progress = await _import_entry(target, row, file, entry)
        context.reached("entry imported", str(row.id))
        async with context.database.autocommit(lease.key.subscription_id) as tenant:
            row = await tenant.imports.advance(lease, row, progress)
        if row.state != ImportState.PROCESSING:
            # Somebody canceled it.
            return True
        if time.monotonic() >= end:
            return False
    return True


async def _import_entry(
    target: ImportTarget, row: ImportRow, file: ImportFile, entry: ImportEntry
) -> ImportProgress:
    """Stores an entry, or describes why it is refused."""
    if entry.contradictions:
        return _refused(entry, problems_of_cells(file.columns, entry))
    key = f"import:{row.id}:{entry.records[0].line}"
    try:
        result = await store_entry(target, file.columns.kind, entry.body, key, row.progressed_at)
    except Refusal as refusal:
        return _refused(entry, problems_of_refusal(file.columns, entry, refusal))
    return ImportProgress(
        lines=len(entry.records),
        created=int(result is EntryResult.CREATED),
        changed=int(result is EntryResult.CHANGED),
        unchanged=int(result is EntryResult.UNCHANGED),
    )


def _refused(entry: ImportEntry, problems: list[ImportProblem]) -> ImportProgress:
    return ImportProgress(lines=len(entry.records), refused=len(entry.records), problems=problems)


async def _conclude(context: WorkerContext, lease: Lease, state: ImportState) -> None:
    async with context.database.tenant(lease.key.subscription_id) as tenant:
        await tenant.imports.conclude(lease, state)
