"""The whole installation, for its operator: subscriptions, plans, versions and tables."""

import asyncio
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from uuid import UUID

from carimbo import __version__
from carimbo.fiscal.local_time import brasilia_day
from carimbo.fiscal.schemas import PACKAGE, Schema, Schemas
from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.fiscal.tables.table import TableInfo
from carimbo.fiscal.taxes.missing_rates import MissingRate, reported_missing_rates
from carimbo.service.errors import not_found
from carimbo.service.listing import Page, PageRequest
from carimbo.service.subscriptions import Period, period_of
from carimbo.storage.database import Database
from carimbo.storage.installation import Installation, SizedSubscription, UsedPlan
from carimbo.storage.keyset import KeysetPage, Position
from carimbo.storage.migrate import all_migrations
from carimbo.storage.subscriptions import Subscription


@dataclass(frozen=True, kw_only=True)
class SubscriptionSummary:
    """A subscription as the operator sees it: its sizes, and nothing that it stores."""

    subscription: Subscription
    companies: int
    people: int
    period: Period
    used: int
    """The documents of the period that the plan counts."""


@dataclass(frozen=True, kw_only=True)
class InstalledVersions:
    """The versions of the programs, and where the official XSDs come from."""

    carimbo: str
    python: str
    postgresql: str
    migration: str
    """The last migration of this version."""
    schema_package: str
    schemas: int
    """How many messages have an XSD."""
    operator_schemas: tuple[Path, ...]
    """The files of the operator that are in force instead of those of the package."""


@dataclass(frozen=True, kw_only=True)
class OfficialTables:
    """The official tables in force, and the tax rates that they lack."""

    tables: tuple[TableInfo, ...]
    missing_rates: tuple[MissingRate, ...]


async def list_subscription_summaries(
    database: Database, search: str | None, request: PageRequest, now: datetime
) -> Page[SubscriptionSummary]:
    """Lists the subscriptions by name."""
    async with database.connection() as connection:
        installation = Installation(connection)
        rows = await installation.subscriptions(search, request.offset, request.page_size)
        summaries = await _summaries(installation, rows, now)
        total = await installation.count_subscriptions(search)
    return Page(summaries, total, request)


async def read_subscription_summary(
    database: Database, subscription_id: UUID, now: datetime
) -> SubscriptionSummary:
    """Returns a subscription."""
    async with database.connection() as connection:
        installation = Installation(connection)
        row = await installation.subscription(subscription_id)
        if row is None:
            raise not_found("Assinatura não encontrada.")
        (summary,) = await _summaries(installation, [row], now)
    return summary


async def read_used_plan(database: Database, name: str) -> UsedPlan:
    """Returns a plan with the number of its subscriptions."""
    for used in await list_used_plans(database):
        if used.plan.name == name:
            return used
    raise not_found(f"O plano {name!r} não existe.")


async def subscription_summaries_after(
    installation: Installation, search: str | None, after: Position | None, size: int, now: datetime
) -> KeysetPage[SubscriptionSummary]:
    """Returns the subscriptions after a place in the list by name."""
    rows = await installation.subscriptions_after(search, after, size)
    return KeysetPage(await _summaries(installation, rows.rows, now), rows.next)


async def _summaries(
    installation: Installation, rows: Sequence[SizedSubscription], now: datetime
) -> list[SubscriptionSummary]:
    periods = {row.subscription.id: period_of(row.subscription.plan, now) for row in rows}
    used = await installation.used_in([*periods], [period.name for period in periods.values()])
    return [
        SubscriptionSummary(
            subscription=row.subscription,
            companies=row.companies,
            people=row.people,
            period=periods[row.subscription.id],
            used=used.get(row.subscription.id, 0),
        )
        for row in rows
    ]


async def list_used_plans(database: Database) -> list[UsedPlan]:
    """Returns the plans with the number of their subscriptions, by name."""
    async with database.connection() as connection:
        return await Installation(connection).plans()


async def read_versions(database: Database, schemas: Schemas) -> InstalledVersions:
    """Returns the versions of this process and of the database."""
    async with database.connection() as connection:
        server_version = await Installation(connection).server_version()
    migration = all_migrations()[-1]
    return InstalledVersions(
        carimbo=__version__,
        python=platform.python_version(),
        postgresql=server_version,
        migration=f"{migration.version:04} {migration.name}",
        schema_package=f"{PACKAGE} {version(PACKAGE)}",
        schemas=len(Schema),
        operator_schemas=_operator_schemas(schemas),
    )


def _operator_schemas(schemas: Schemas) -> tuple[Path, ...]:
    """Returns the XSD files of the operator that are in force, by name."""
    files = [schemas.file_of(schema) for schema in Schema]
    return tuple(sorted(file.path for file in files if file.is_operators))


async def read_tables(now: datetime) -> OfficialTables:
    """Returns the official tables in force in this process."""
    # In a thread: the first read of all tables takes about a second.
    tables = await asyncio.to_thread(_tables_in_force)
    return OfficialTables(tables=tuple(tables), missing_rates=reported_missing_rates(brasilia_day(now)))


def _tables_in_force() -> Sequence[TableInfo]:
    return [table.about for table in ALL_TABLES]
