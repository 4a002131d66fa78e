"""Rows that say what is due: the truth that the queue only wakes.

Every work table has the columns `next_action_at` (null: nothing to do), `lease_token`, `lease_until`,
`attempts` and `parked_reason`. A worker claims a row by a lease; each claim raises the token, and whoever
writes an outcome must still hold the newest one (a fencing token), so a worker that froze past its lease
can't overwrite the work of the one that took over.
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from carimbo.storage.connection import Connection, Row


class LeaseLost(Exception):
    """Another worker took the row over; what this one did must not be written."""


class WorkKind(StrEnum):
    """The kinds of queued work; the value is the name in the queue and in logs."""

    DOCUMENT = "document"
    EVENT = "event"
    INUTILIZATION = "inutilization"
    STRAY = "stray"
    SALE = "sale"
    EMAIL = "email"
    PROBE = "probe"


# Table names are put into SQL text: they come from here and nowhere else.
TABLES = {
    WorkKind.DOCUMENT: "documents",
    WorkKind.EVENT: "event_filings",
    WorkKind.INUTILIZATION: "inutilizations",
    WorkKind.STRAY: "strays",
    WorkKind.SALE: "sales",
    WorkKind.EMAIL: "emails",
    WorkKind.PROBE: "probes",
}
# A row's place in the queue, in SQL: lower turns first, urgent ones before all others. Priorities have 32
# bits: what is urgent goes before a thousand million turns of the rest. Work that takes no turns goes first;
# who tells an event waits for the answer. E-mails wait for all documents.
PRIORITIES = {
    WorkKind.DOCUMENT: "(is_urgent::integer << 30) - least(turn, (1 << 30) - 1)::integer",
    WorkKind.EVENT: "1 << 30",
    WorkKind.INUTILIZATION: "0",
    WorkKind.STRAY: "0",
    WorkKind.SALE: "0",
    WorkKind.EMAIL: "-(1 << 30)",
    WorkKind.PROBE: "0",
}
# When that is due which is taken up again, in SQL, where it is not now: a sale goes on waiting for its time.
_DUE_AGAIN = {WorkKind.SALE: "scheduled_emit_at"}

HELD = "where subscription_id = $1 and id = $2 and lease_token = $3 and lease_until is not null"
"""SQL: the row of a lease, if it is still held. Whoever let go of it does not hold it, whatever the token."""


@dataclass(frozen=True)
class WorkKey:
    """Which row: kind, subscription, id."""

    kind: WorkKind
    subscription_id: UUID
    id: UUID

    @property
    def table(self) -> str:
        return TABLES[self.kind]

    def __str__(self) -> str:
        return f"{self.kind}:{self.subscription_id}:{self.id}"

    @classmethod
    def parse(cls, text: str) -> "WorkKey":
        """Read the key that a job carries."""
        kind, subscription_id, row_id = text.split(":")
        return cls(WorkKind(kind), UUID(subscription_id), UUID(row_id))


@dataclass
class Hold:
    """Until when, by the clock of this process, nobody else can have claimed a row."""

    until: float = float("inf")


@dataclass(frozen=True)
class Lease:
    """The right to work on a row until somebody else claims it."""

    key: WorkKey
    token: int
    attempts: int
    hold: Hold = field(default_factory=Hold, compare=False, repr=False)

    def require_held(self) -> None:
        """Raise LeaseLost if it may have ended: called before what no transaction can undo.

        What is written is guarded by the token. What is sent is not: a process that froze for longer than its
        lease must not send what another one has given up in the meantime.
        """
        if time.monotonic() >= self.hold.until:
            raise LeaseLost(str(self.key))


async def claim(
    connection: Connection, key: WorkKey, duration: timedelta, most_attempts: int | None = None
) -> Lease | None:
    """Take a due row that nobody holds; None when there is nothing to do or somebody is at it.

    With `most_attempts`, one that was taken so often without coming back is left alone.
    """
    asked_at = time.monotonic()
    # An index of what is due must not serve here: one that was empty when it was last looked at seems the
    # shortest way to any row, and the planner would look through all that waits.
    row = await connection.fetchrow(
        f"""
        update {key.table}
        set lease_token = lease_token + 1, lease_until = now() + $3::interval, attempts = attempts + 1
        where subscription_id = $1 and id = $2 and coalesce(next_action_at, 'infinity') <= now()
            and (lease_until is null or lease_until <= now()) and ($4::integer is null or attempts < $4)
        returning lease_token, attempts
        """,
        key.subscription_id, key.id, duration, most_attempts,
    )  # fmt: skip
    hold = Hold(asked_at + duration.total_seconds())
    return row and Lease(key, row["lease_token"], row["attempts"], hold)


async def renew(connection: Connection, lease: Lease, duration: timedelta) -> None:
    """Hold on longer, or raise LeaseLost."""
    asked_at = time.monotonic()
    await _change(connection, lease, "lease_until = now() + $4::interval", duration)
    lease.hold.until = asked_at + duration.total_seconds()


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


async def give_back(connection: Connection, lease: Lease) -> None:
    """Leave the row to whoever comes next, as if it had not been claimed: who is stopped has not failed."""
    await _change(
        connection,
        lease,
        "next_action_at = now(), lease_until = null, attempts = greatest(attempts - 1, 0)",
    )


async def park(connection: Connection, lease: Lease, reason: str) -> None:
    """Set aside work that keeps failing (or killing its worker), for a person to look at."""
    await _change(connection, lease, "next_action_at = null, lease_until = null, parked_reason = $4", reason)


async def take_up_again(connection: Connection, key: WorkKey) -> None:
    """Make due what was set aside, now or when its time comes."""
    await connection.execute(
        f"update {key.table} set next_action_at = {_DUE_AGAIN.get(key.kind, 'now()')}, attempts = 0,"
        " parked_reason = null"
        " where subscription_id = $1 and id = $2 and parked_reason is not null",
        key.subscription_id, key.id,
    )  # fmt: skip


async def take_parked(connection: Connection, key: WorkKey) -> Lease | None:
    """Take what was set aside, to conclude it in the same transaction; None if it was not."""
    row = await connection.fetchrow(
        f"update {key.table} set lease_token = lease_token + 1, lease_until = now(), parked_reason = null"
        " where subscription_id = $1 and id = $2 and parked_reason is not null"
        " returning lease_token, attempts",
        key.subscription_id, key.id,
    )  # fmt: skip
    return row and Lease(key, row["lease_token"], row["attempts"])


async def write_held(connection: Connection, lease: Lease, statement: str, *arguments: object) -> Row:
    """Run a statement that does nothing unless the lease is held ($1 to $3, see HELD), or raise LeaseLost."""
    key = lease.key
    row: Row | None = await connection.fetchrow(
        statement, key.subscription_id, key.id, lease.token, *arguments
    )
    if row is None:
        raise LeaseLost(str(key))
    return row


async def _change(connection: Connection, lease: Lease, changes: str, *arguments: object) -> datetime:
    # A renewal that waited for the concluding transaction must not take the row again.
    change = f"update {lease.key.table} set {changes} {HELD} returning now()"
    now: datetime = (await write_held(connection, lease, change, *arguments))["now"]
    return now
