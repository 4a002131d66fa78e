"""Work rows and leases: the rows say what is due, and they are the queue (see queue.py).

Every work table has the columns `next_action_at` (null: nothing to do), `lease_token`, `lease_until`,
`attempts` and `parked_reason`. A worker claims a row by a lease. Each claim raises the token, and a worker
can write an outcome only with the newest token (a fencing token), so a worker that froze for longer than its
lease can't overwrite the work of the next one.

No index contains the columns of the lease, so a claim changes no index.
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from carimbo.storage.connection import Connection, Row
from carimbo.storage.documents import Document
from carimbo.storage.emissions import IS_PRINTED


class LeaseLost(Exception):
    """Another worker may have claimed the row: this one must not write or send anything more."""


class WorkKind(StrEnum):
    """The kinds of queued work; the value is the name in notifications and in logs."""

    DOCUMENT = "document"
    EVENT = "event"
    INUTILIZATION = "inutilization"
    SUPERSEDED = "stray"
    SALE = "sale"
    EMAIL = "email"
    STREAM = "stream"
    RECEPTION = "reception"
    MANIFESTATION = "manifestation"
    IMPORT = "import"
    PROBE = "probe"


# The only source of table names in SQL text.
TABLES = {
    WorkKind.DOCUMENT: "documents",
    WorkKind.EVENT: "event_filings",
    WorkKind.INUTILIZATION: "inutilizations",
    WorkKind.SUPERSEDED: "strays",
    WorkKind.SALE: "sales",
    WorkKind.EMAIL: "emails",
    WorkKind.STREAM: "streams",
    WorkKind.RECEPTION: "receptions",
    WorkKind.MANIFESTATION: "manifestations",
    WorkKind.IMPORT: "imports",
    WorkKind.PROBE: "probes",
}
IS_HELD = "held_by_operator is not false"
"""SQL condition of parked work: an operator holds it, or a release that did not store this parked it."""
_NOT_HELD = " and held_by_operator is false"
# The kinds that an operator holds; other parked work was parked by a worker.
_HOLDABLE = frozenset({WorkKind.DOCUMENT, WorkKind.SALE, WorkKind.IMPORT})
# SQL of when resumed work is due, if not now: a sale goes on waiting for its scheduled time.
_DUE_AGAIN = {WorkKind.SALE: "scheduled_emit_at"}

# SQL of what a postponement changes besides: a document that was postponed has waited for its turn already.
_ON_POSTPONE = {WorkKind.DOCUMENT: ", turn = 0"}

WHERE_HELD = "where subscription_id = $1 and id = $2 and lease_token = $3 and lease_until is not null"
"""SQL condition: the row of a lease ($1 to $3) that is still held. A released row has no `lease_until`."""


@dataclass(frozen=True)
class WorkKey:
    """The key of a work row: kind, subscription, id."""

    kind: WorkKind
    subscription_id: UUID
    id: UUID

    @property
    def table(self) -> str:
        return TABLES[self.kind]

    def __str__(self) -> str:
        return f"{self.kind}:{self.subscription_id}:{self.id}"


@dataclass
class LeaseDeadline:
    """Until when nobody else can claim the row, by the monotonic clock of this process."""

    until: float = float("inf")


@dataclass(frozen=True)
class Lease:
    """The right to work on a row until somebody else claims it."""

    key: WorkKey
    token: int
    attempts: int
    hold: LeaseDeadline = field(default_factory=LeaseDeadline, compare=False, repr=False)
    claimed_at: float = field(default_factory=time.monotonic, compare=False, repr=False)
    """When the row was claimed, by the monotonic clock of this process."""
    document: Document | None = field(default=None, compare=False, repr=False)
    """The document as it was claimed, if it had no attempt; only the holder of the lease makes one."""

    def require_held(self) -> None:
        """Raises LeaseLost if the lease may have ended; called before a request is sent.

        The token guards what is written to the database, but not what is sent: a process that froze for
        longer than its lease must not send a document that another process has given up meanwhile.
        """
        if time.monotonic() >= self.hold.until:
            raise LeaseLost(str(self.key))


async def renew(connection: Connection, lease: Lease, duration: timedelta) -> None:
    """Extends a lease. Raises LeaseLost."""
    asked_at = time.monotonic()
    await _change(connection, lease, "lease_until = now() + $4::interval", duration)
    lease.hold.until = asked_at + duration.total_seconds()


async def conclude(connection: Connection, lease: Lease) -> None:
    """Stores that nothing more is due, in the transaction that writes the outcome. Raises LeaseLost."""
    await _change(connection, lease, "next_action_at = null, lease_until = null, attempts = 0")


async def postpone(connection: Connection, lease: Lease, delay: timedelta, *, progressed: bool) -> datetime:
    """Releases the row until later and returns the database's time; progress resets the count of attempts."""
    attempts = "0" if progressed else "attempts"
    return await _change(
        connection,
        lease,
        f"next_action_at = now() + $4::interval, lease_until = null, attempts = {attempts}"
        f"{_ON_POSTPONE.get(lease.key.kind, '')}",
        delay,
    )


async def release(connection: Connection, lease: Lease) -> None:
    """Releases the row as if it had not been claimed: a worker that is stopped has not failed."""
    await _change(
        connection,
        lease,
        "next_action_at = now(), lease_until = null, attempts = greatest(attempts - 1, 0)",
    )


async def park(connection: Connection, lease: Lease, reason: str) -> None:
    """Parks work that fails again and again, or kills its worker, until a person looks at it."""
    holder = ", held_by_operator = false" if lease.key.kind in _HOLDABLE else ""
    changes = f"next_action_at = null, lease_until = null, parked_reason = $4{holder}"
    await _change(connection, lease, changes, reason)


async def resume(connection: Connection, key: WorkKey, *, also_held: bool) -> bool:
    """Makes parked work due, now or at its scheduled time; returns whether it was parked.

    Work that an operator holds is resumed only with `also_held`.
    """
    row = await connection.fetchrow(
        f"update {key.table} set next_action_at = {_DUE_AGAIN.get(key.kind, 'now()')}, attempts = 0,"
        f" parked_reason = null {_where_parked(key, also_held=also_held)} returning id",
        key.subscription_id, key.id,
    )  # fmt: skip
    return row is not None


async def claim_parked(connection: Connection, key: WorkKey, *, also_held: bool) -> Lease | None:
    """Claims parked work, to conclude it in the same transaction; returns None if it is not parked.

    Work that an operator holds is claimed only with `also_held`.
    """
    row = await connection.fetchrow(
        f"update {key.table} set lease_token = lease_token + 1, lease_until = now(), parked_reason = null"
        f" {_where_parked(key, also_held=also_held)} returning lease_token, attempts",
        key.subscription_id, key.id,
    )  # fmt: skip
    return row and Lease(key, row["lease_token"], row["attempts"])


def _where_parked(key: WorkKey, *, also_held: bool) -> str:
    not_held = "" if also_held or key.kind not in _HOLDABLE else _NOT_HELD
    return f"where subscription_id = $1 and id = $2 and parked_reason is not null{not_held}"


async def write_held(connection: Connection, lease: Lease, statement: str, *arguments: object) -> Row:
    """Runs a statement that contains WHERE_HELD ($1 to $3) and returns its row. Raises LeaseLost."""
    key = lease.key
    row: Row | None = await connection.fetchrow(
        statement, key.subscription_id, key.id, lease.token, *arguments
    )
    if row is None:
        raise LeaseLost(str(key))
    return row


async def _change(connection: Connection, lease: Lease, changes: str, *arguments: object) -> datetime:
    # With WHERE_HELD, a renewal that waited for the concluding transaction does not claim the row again.
    change = f"update {lease.key.table} set {changes} {WHERE_HELD} returning now()"
    now: datetime = (await write_held(connection, lease, change, *arguments))["now"]
    return now


@dataclass(frozen=True, kw_only=True)
class HeldWork:
    """How much work `hold_unsent` parked."""

    documents: int
    sales: int
    imports: int = 0


# Much longer than the timeout of requests: this must succeed, however many rows there are.
_TIMEOUT_SECONDS = 3600.0
# With the next token, the worker that holds the row can't write any more.
_PARK = (
    "lease_token = lease_token + 1, lease_until = null, next_action_at = null, parked_reason = $1,"
    " held_by_operator = true"
)
_IS_PARKED = "parked_reason is not null"
_IS_WAITING = "next_action_at is not null"
_IN_PROCESS = "status = 'processing'"
# Not documents that were printed offline: their number and key are final, and the authority must get them in
# time.
_UNSENT = f"""
    {_IN_PROCESS} and not exists (
        select from emissions e where e.subscription_id = d.subscription_id and e.document_id = d.id
            and e.ordinal = d.emission and (e.state = 'sent' or {IS_PRINTED})
    )
"""
_HOLD_PARKED_DOCUMENTS = f"update documents d set held_by_operator = true where {_IS_PARKED} and {_UNSENT}"
_HOLD_DOCUMENTS = f"update documents d set {_PARK} where parked_reason is null and {_UNSENT} returning d.id"


async def hold_unsent(connection: Connection, reason: str) -> HeldWork:
    """Parks all documents that were not sent, and all sales and imports that wait; needs a transaction.

    It parks the work of all subscriptions: the database may be a restored backup, and the documents may have
    been issued already. What was parked before keeps its reason, and is held by the operator from now on.

    Imports come first, because they make sales. Sales come before documents, because workers also lock a sale
    before its documents. One statement locks the rows and the next ones read them. A worker that is about to
    send locks the document and writes another row; a statement that waited for that lock would not see the
    new row, but the next statement does.
    """
    imports = await _hold_waiting(connection, "imports", reason)
    sales = await _hold_waiting(connection, "sales", reason)
    await _lock(connection, "documents", _IN_PROCESS)
    await connection.execute(_HOLD_PARKED_DOCUMENTS, timeout=_TIMEOUT_SECONDS)
    documents = await _count_held(connection, _HOLD_DOCUMENTS, reason)
    return HeldWork(documents=documents, sales=sales, imports=imports)


async def _hold_waiting(connection: Connection, table: str, reason: str) -> int:
    """Parks the rows of a table that wait; those that are parked already are held from now on."""
    await _lock(connection, table, f"{_IS_WAITING} or {_IS_PARKED}")
    parked = f"update {table} set held_by_operator = true where {_IS_PARKED}"
    await connection.execute(parked, timeout=_TIMEOUT_SECONDS)
    waiting = f"update {table} set {_PARK} where {_IS_WAITING} returning id"
    return await _count_held(connection, waiting, reason)


async def _lock(connection: Connection, table: str, which: str) -> None:
    # In one order: two processes that lock the same rows in different orders would deadlock.
    rows = f"select from {table} where {which} order by subscription_id, id for no key update"
    await _count_held(connection, rows)


async def _count_held(connection: Connection, statement: str, *arguments: object) -> int:
    counting = f"with held as ({statement}) select count(*) from held"
    count: int = await connection.fetchval(counting, *arguments, timeout=_TIMEOUT_SECONDS)
    return count
