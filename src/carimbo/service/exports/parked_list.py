"""Parked work as a CSV file: that of an owner, or of the whole installation."""

from collections.abc import Sequence

from carimbo.service.document_types import title_of
from carimbo.service.exports.csv_files import CsvColumn, CsvFile
from carimbo.service.exports.lists import file_of_rows
from carimbo.service.words import WORK_KINDS, word_for
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL
from carimbo.storage.parked_work import NamedParkedWork, ParkedWorks, WorkOwner

_COLUMNS: Sequence[CsvColumn[NamedParkedWork]] = (
    CsvColumn("Trabalho", lambda row: word_for(WORK_KINDS, row.kind)),
    CsvColumn("Tipo", lambda row: row.document_type and title_of(row.document_type)),
    CsvColumn("Empresa", lambda row: row.company_name),
    CsvColumn("Assinatura", lambda row: row.subscription_name),
    CsvColumn("Motivo", lambda row: row.parked_reason),
    CsvColumn("Espera o operador", lambda row: "Sim" if row.is_held else "Não"),
    CsvColumn("Desde", lambda row: row.queued_at),
    CsvColumn("Id da assinatura", lambda row: row.subscription_id),
    CsvColumn("Id da empresa", lambda row: row.company_id),
    CsvColumn("Id", lambda row: row.id),
)


async def export_parked(database: Database, owner: WorkOwner | None = None) -> CsvFile:
    """Returns the parked work of an owner, or of the whole installation, as a CSV file, oldest first."""
    return file_of_rows(
        database,
        NIL if owner is None else owner.subscription_id,
        "trabalho-parado",
        _COLUMNS,
        lambda tenant, after, size: ParkedWorks(tenant.connection, owner).after(after, size),
    )
