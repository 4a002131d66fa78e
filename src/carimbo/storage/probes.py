"""Probes: the smallest piece of queued work."""

from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.jobs import enqueue
from carimbo.storage.work import WorkKey, WorkKind


async def add_probe(connection: Connection) -> WorkKey:
    """Store a probe and wake a worker for it."""
    key = WorkKey(WorkKind.PROBE, NIL, new_id())
    await connection.execute(
        "insert into probes (subscription_id, id, next_action_at) values ($1, $2, now())",
        key.subscription_id, key.id,
    )  # fmt: skip
    await enqueue(connection, key)
    return key


async def answer_probe(connection: Connection, probe_id: UUID) -> None:
    """Note that a worker got it."""
    await connection.execute(
        "update probes set answered_at = now() where subscription_id = $1 and id = $2", NIL, probe_id
    )


async def answered_at(connection: Connection, probe_id: UUID) -> datetime | None:
    """Tell when a worker answered; None while none has."""
    instant: datetime | None = await connection.fetchval(
        "select answered_at from probes where subscription_id = $1 and id = $2", NIL, probe_id
    )
    return instant


async def forget_probes(connection: Connection) -> None:
    """Delete the answered probes of past days."""
    await connection.execute("delete from probes where answered_at < now() - interval '1 day'")
