"""The refused lines of an import as a CSV file, which can be corrected and imported again."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from uuid import UUID

from carimbo.service.exports.csv_files import CsvFile
from carimbo.service.exports.csv_lines import BYTE_ORDER_MARK, Cell, csv_lines
from carimbo.service.imports.cells import folded
from carimbo.service.imports.columns import REFUSAL_REASON, REFUSED_LINE
from carimbo.service.imports.files import open_file
from carimbo.service.imports.run import require_import
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database
from carimbo.storage.imports import MAX_STORED_PROBLEMS, ImportKind, ImportProblem

_ADDED_TITLES = (REFUSED_LINE, REFUSAL_REASON)


async def refused_lines_file(
    database: Database, subscription_id: UUID, company_id: UUID, import_id: UUID
) -> CsvFile:
    """Returns the refused lines with their reasons; of a refused sale, all of its lines."""
    async with database.snapshot(subscription_id) as tenant:
        row = await require_import(tenant, company_id, import_id)
        content = await tenant.imports.content(import_id) or b""
        problems = await tenant.imports.problems(import_id, 0, MAX_STORED_PROBLEMS)
    lines = await asyncio.to_thread(_refused_lines, ImportKind(row.kind), content, problems)
    name = f"linhas-recusadas-{row.created_at:%Y-%m-%d}.csv"

    async def chunks() -> AsyncGenerator[bytes, None]:
        async with database.autocommit(subscription_id) as tenant:
            await tenant.audit.add(AuditAction.EXPORT_CREATED, company_id=company_id, subject_name=name)
        yield lines

    return CsvFile(name, chunks())


def _refused_lines(kind: ImportKind, content: bytes, problems: Sequence[ImportProblem]) -> bytes:
    file = open_file(kind, content)
    own = {folded(title) for title in _ADDED_TITLES}
    # A file of refused lines that was imported again has these columns already.
    dropped = {at for at, title in enumerate(file.table.titles) if folded(title) in own}

    def kept(cells: Sequence[str]) -> list[str]:
        return [cell for at, cell in enumerate(cells) if at not in dropped]

    reasons = {problem.line: "" for problem in problems}
    for problem in problems:
        reason = f"{problem.field}: {problem.message}" if problem.field else problem.message
        reasons[problem.line] = " ".join(filter(None, (reasons[problem.line], reason)))
    rows: list[list[Cell]] = [[*_ADDED_TITLES, *kept(file.table.titles)]]
    rows += [
        [record.line, reasons.get(record.line, ""), *kept(record.cells)]
        for entry in file.entries()
        if any(record.line in reasons for record in entry.records)
        for record in entry.records
    ]
    return BYTE_ORDER_MARK + csv_lines(rows, None)
