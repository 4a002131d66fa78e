"""How many SQL statements each program sends, counted in the log of PostgreSQL.

The embedded PostgreSQL has no pg_stat_statements. Its log has the `application_name` of each program. It
costs CPU, so a run that is counted is not one that is timed.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg

from installation import Installation

_LOGGED = {
    "log_line_prefix": "'%a '",
    "log_min_duration_statement": "0",
    # Values would fill the log with whole documents.
    "log_parameter_max_length": "0",
}
_ENTRY = re.compile(
    rb"^carimbo_(?P<program>\w+) LOG:  duration: [0-9.]+ ms  (?P<step>statement|parse|execute)\b",
    re.MULTILINE,
)
_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class SqlUse:
    """What one program sent."""

    statements: int
    """Those that begin and end a transaction too."""
    round_trips: int
    """One for each statement, and one more when it is prepared: asyncpg sends nothing ahead."""


async def count_statements(
    installation: Installation, run: Callable[[], Awaitable[object]]
) -> dict[str, SqlUse]:
    """Run something, and return what each program of the installation sent meanwhile."""
    await _configure(installation, [f"alter system set {name} = {value}" for name, value in _LOGGED.items()])
    start = installation.postgres_log.stat().st_size
    await run()
    with installation.postgres_log.open("rb") as log:
        log.seek(start)
        counted = read_log(log.read())
    await _configure(installation, [f"alter system reset {name}" for name in _LOGGED])
    return counted


def read_log(log: bytes) -> dict[str, SqlUse]:
    """Count the statements of each program in a log."""
    entries = Counter((entry["program"].decode(), entry["step"].decode()) for entry in _ENTRY.finditer(log))
    counted = {}
    for program in sorted({program for program, _ in entries}):
        statements = entries[program, "statement"] + entries[program, "execute"]
        counted[program] = SqlUse(statements, statements + entries[program, "parse"])
    return counted


def sql_line(what: str, used: Mapping[str, SqlUse], many: int) -> str:
    """What is printed of so many documents or calls."""
    programs = (
        f"{name} {sql.statements / many:.2f} statements in {sql.round_trips / many:.2f} round trips"
        for name, sql in used.items()
    )
    return f"  SQL for a {what}: {', '.join(programs)}"


async def _configure(installation: Installation, commands: Sequence[str]) -> None:
    """Change settings of PostgreSQL, and wait until every connection has been told of them."""
    connection = await asyncpg.connect(installation.database_url)
    try:
        for command in commands:
            await connection.execute(command)
        changed_at = await connection.fetchval("select clock_timestamp()")
        await connection.execute("select pg_reload_conf()")
    finally:
        await connection.close()
    async with asyncio.timeout(_TIMEOUT_SECONDS):
        while await _loaded_at(installation) < changed_at:  # noqa: ASYNC110 - a server tells nobody
            await asyncio.sleep(0.05)


async def _loaded_at(installation: Installation) -> datetime:
    """When PostgreSQL read its settings; the server tells its connections before it takes a new one."""
    connection = await asyncpg.connect(installation.database_url)
    try:
        loaded_at: datetime = await connection.fetchval("select pg_conf_load_time()")
        return loaded_at
    finally:
        await connection.close()
