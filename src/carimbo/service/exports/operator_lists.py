"""The lists of the operator as CSV files. The audit of the installation says who downloaded one."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from carimbo.fiscal.tables.table import TableInfo
from carimbo.service.exports.csv_files import CsvColumn, CsvFile
from carimbo.service.exports.lists import audited_file, file_of_rows
from carimbo.service.installation import (
    SubscriptionSummary,
    list_used_plans,
    read_tables,
    subscription_summaries_after,
)
from carimbo.service.words import feature_name
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL
from carimbo.storage.installation import Installation, UsedPlan

_UNLIMITED = "Sem limite"


def _features(row: SubscriptionSummary) -> str:
    return ", ".join(feature_name(feature) for feature in sorted(row.subscription.features))


def _limit(value: int | None) -> int | str:
    return _UNLIMITED if value is None else value


_SUBSCRIPTIONS: Sequence[CsvColumn[SubscriptionSummary]] = (
    CsvColumn("Nome", lambda row: row.subscription.name),
    CsvColumn("Plano", lambda row: row.subscription.plan.name),
    CsvColumn("Recursos", _features),
    CsvColumn("Empresas", lambda row: row.companies),
    CsvColumn("Pessoas", lambda row: row.people),
    CsvColumn("Documentos", lambda row: row.used),
    CsvColumn("Limite", lambda row: _limit(row.period.limit)),
    CsvColumn("Contagem", lambda row: "No mês" if row.period.resets_at else "Ao todo"),
    CsvColumn("Criada em", lambda row: row.subscription.created_at),
    CsvColumn("Id", lambda row: row.subscription.id),
)
_PLANS: Sequence[CsvColumn[UsedPlan]] = (
    CsvColumn("Plano", lambda row: row.plan.name),
    CsvColumn("Documentos por mês", lambda row: _limit(row.plan.monthly_documents)),
    CsvColumn("Documentos ao todo", lambda row: _limit(row.plan.total_documents)),
    CsvColumn("Requisições por minuto", lambda row: _limit(row.plan.requests_per_minute)),
    CsvColumn("Assinaturas", lambda row: row.subscriptions),
)
_TABLES: Sequence[CsvColumn[TableInfo]] = (
    CsvColumn("Tabela", lambda row: row.name),
    CsvColumn("Data", lambda row: row.date),
    CsvColumn("Linhas", lambda row: row.rows),
    CsvColumn("Fonte", lambda row: row.source),
    CsvColumn("Arquivo do operador", lambda row: row.file.name if row.file else None),
)


async def export_subscriptions(database: Database, search: str | None, now: datetime) -> CsvFile:
    """Returns the subscriptions of a search as a CSV file, by name."""
    return file_of_rows(
        database,
        NIL,
        "assinaturas",
        _SUBSCRIPTIONS,
        lambda tenant, after, size: subscription_summaries_after(
            Installation(tenant.connection), search, after, size, now
        ),
    )


async def export_plans(database: Database) -> CsvFile:
    """Returns the plans as a CSV file, by name."""

    async def pages() -> AsyncIterator[list[UsedPlan]]:
        yield await list_used_plans(database)

    return audited_file(database, NIL, "planos", _PLANS, pages())


async def export_tables(database: Database, now: datetime) -> CsvFile:
    """Returns the official tables in force as a CSV file."""

    async def pages() -> AsyncIterator[Sequence[TableInfo]]:
        yield (await read_tables(now)).tables

    return audited_file(database, NIL, "tabelas", _TABLES, pages())
