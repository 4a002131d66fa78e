"""Probes: the smallest queued work. An answered probe shows that queue, worker and database work."""

from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.work import WorkKey, WorkKind


async def add_probe(connection: Connection) -> WorkKey:
    """Stores a probe, due now."""
    key = WorkKey(WorkKind.PROBE, NIL, new_id())
    await connection.execute(
        "insert into probes (subscription_id, id, next_action_at) values ($1, $2, now())",
        key.subscription_id, key.id,
    )  # fmt: skip
    return key


async def answer_probe(connection: Connection, probe_id: UUID) -> None:
    """Stores that a worker got a probe."""
    await connection.execute(
        "update probes set answered_at = now() where subscription_id = $1 and id = $2", NIL, probe_id
    )


async def probe_answered_at(connection: Connection, probe_id: UUID) -> datetime | None:
    """Returns when a worker answered a probe; None while none has."""
    instant: datetime | None = await connection.fetchval(
        "select answered_at from probes where subscription_id = $1 and id = $2", NIL, probe_id
    )
    return instant


async def delete_old_probes(connection: Connection) -> None:
    """Deletes answered probes that are older than a day."""
    await connection.execute("delete from probes where answered_at < now() - interval '1 day'")
