"""Rows that say what is due: the truth that the queue only wakes.

Every work table has the columns `next_action_at` (null: nothing to do), `lease_token`, `lease_until`,
`attempts` and `parked_reason`. A worker claims a row by a lease; each claim raises the token, and whoever
writes an outcome must still hold the newest one (a fencing token), so a worker that froze past its lease
can't overwrite the work of the one that took over.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from carimbo.storage.connection import Connection, Row, only


class LeaseLost(Exception):
    """Another worker took the row over; what this one did must not be written."""


class WorkKind(StrEnum):
    """The kinds of queued work; the value is the name in the queue and in logs."""

    DOCUMENT = "document"
    PROBE = "probe"


# Table names are put into SQL text: they come from here and nowhere else.
_TABLES = {WorkKind.DOCUMENT: "documents", WorkKind.PROBE: "probes"}
# Work that takes turns has the columns `turn` and `is_urgent`; the rest has none.
_TURNS = {WorkKind.DOCUMENT: "turn, is_urgent", WorkKind.PROBE: "0 as turn, false as is_urgent"}
# The queue's priorities are 32 bits: what is urgent goes before a thousand million turns of the rest.
_URGENT = 1 << 30


@dataclass(frozen=True)
class WorkKey:
    """Which row: kind, subscription, id."""

    kind: WorkKind
    subscription_id: UUID
    id: UUID

    @property
    def table(self) -> str:
        return _TABLES[self.kind]

    def __str__(self) -> str:
        return f"{self.kind}:{self.subscription_id}:{self.id}"

    @classmethod
    def parse(cls, text: str) -> "WorkKey":
        kind, subscription_id, row_id = text.split(":")
        return cls(WorkKind(kind), UUID(subscription_id), UUID(row_id))


@dataclass(frozen=True)
class Lease:
    """The right to work on a row until somebody else claims it."""

    key: WorkKey
    token: int
    attempts: int


@dataclass(frozen=True)
class Due:
    """A row that should be worked on, with its place in the queue."""

    key: WorkKey
    priority: int
    token: int


def priority_of(turn: int, *, is_urgent: bool) -> int:
    """The place in the queue that a turn gives: lower turns first, urgent ones before all others."""
    return (_URGENT if is_urgent else 0) - min(turn, _URGENT - 1)


async def claim(
    connection: Connection, key: WorkKey, duration: timedelta, most_attempts: int | None = None
) -> Lease | None:
    """Take a due row that nobody holds; None when there is nothing to do or somebody is at it.

    With `most_attempts`, one that was taken so often without coming back is left alone.
    """
    row = await connection.fetchrow(
        f"""
        update {key.table}
        set lease_token = lease_token + 1, lease_until = now() + $3::interval, attempts = attempts + 1
        where subscription_id = $1 and id = $2 and next_action_at <= now()
            and (lease_until is null or lease_until <= now()) and ($4::integer is null or attempts < $4)
        returning lease_token, attempts
        """,
        key.subscription_id, key.id, duration, most_attempts,
    )  # fmt: skip
    return row and Lease(key, row["lease_token"], row["attempts"])


async def renew(connection: Connection, lease: Lease, duration: timedelta) -> None:
    """Hold on longer, or raise LeaseLost."""
    await _change(connection, lease, "lease_until = now() + $4::interval", duration)


async def conclude(connection: Connection, lease: Lease) -> None:
    """Nothing more is due; called in the transaction that writes the outcome."""
    await _change(connection, lease, "next_action_at = null, lease_until = null, attempts = 0")


async def postpone(connection: Connection, lease: Lease, delay: timedelta, *, progressed: bool) -> datetime:
    """Let go of the row until later; progress starts the count of attempts anew."""
    attempts = "0" if progressed else "attempts"
    return await _change(
        connection,
        lease,
        f"next_action_at = now() + $4::interval, lease_until = null, attempts = {attempts}",
        delay,
    )


async def park(connection: Connection, lease: Lease, reason: str) -> None:
    """Set aside work that keeps failing (or killing its worker), for a person to look at."""
    await _change(connection, lease, "next_action_at = null, lease_until = null, parked_reason = $4", reason)


async def due_rows(connection: Connection, kind: WorkKind, overdue: timedelta, most: int) -> list[Due]:
    """List rows that should have been worked on and that nobody holds, oldest first.

    The order is total: two sweepers that enqueue the same rows in different orders would deadlock.
    """
    rows = await connection.fetch(
        f"""
        select subscription_id, id, lease_token, {_TURNS[kind]} from {_TABLES[kind]}
        where next_action_at <= now() - $1::interval and (lease_until is null or lease_until <= now())
        order by next_action_at, subscription_id, id limit $2
        """,
        overdue, most,
    )  # fmt: skip
    return [_due(kind, row) for row in rows]


async def place_of(connection: Connection, key: WorkKey) -> Due:
    """Tell a row's place in the queue."""
    row = await connection.fetchrow(
        f"select subscription_id, id, lease_token, {_TURNS[key.kind]} from {key.table}"
        " where subscription_id = $1 and id = $2",
        key.subscription_id, key.id,
    )  # fmt: skip
    return _due(key.kind, only(row))


def _due(kind: WorkKind, row: Row) -> Due:
    key = WorkKey(kind, row["subscription_id"], row["id"])
    return Due(key, priority_of(row["turn"], is_urgent=row["is_urgent"]), row["lease_token"])


async def _change(connection: Connection, lease: Lease, changes: str, *arguments: object) -> datetime:
    # `lease_until is not null`: whoever let go of the row holds it no more, though the token is still his. A
    # renewal that waited for the concluding transaction must not take the row again.
    row = await connection.fetchrow(
        f"update {lease.key.table} set {changes} where subscription_id = $1 and id = $2"
        " and lease_token = $3 and lease_until is not null returning now()",
        lease.key.subscription_id, lease.key.id, lease.token, *arguments,
    )  # fmt: skip
    if row is None:
        raise LeaseLost(str(lease.key))
    now: datetime = row["now"]
    return now
