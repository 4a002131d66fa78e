"""The queue: claims rows that are due, and listens for rows that become due.

The work rows are the queue (see work.py). A row is due when its `next_action_at` has passed and nobody holds
it. Triggers send a NOTIFY when a row is inserted or changed to be due now.
"""

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import asyncpg

from carimbo.storage.connection import Connection, connect, connecting
from carimbo.storage.documents import CLAIMED_COLUMNS, claimed_document
from carimbo.storage.work import TABLES, Lease, LeaseDeadline, WorkKey, WorkKind

WORK_CHANNEL = "carimbo_work"
"""The NOTIFY channel of due rows; the payload is the kind of work (triggers of 0032_queue.sql)."""
MAX_UNSUSPECTED = 2
"""A row that was claimed this often without a result is suspect: it may have killed its workers."""

_FREE = "(lease_until is null or lease_until <= now())"


@dataclass(frozen=True)
class _Lane:
    """Some of the due rows of a table, and their order."""

    rows: str
    order: str = "next_action_at"
    share: int = 1
    """The lane gets one of this many parts of the places that are left."""


def _waiting(urgent: str) -> _Lane:
    # With `coalesce` the planner can only use the index of turns.
    rows = f"{urgent} and turn > 0 and next_action_at is not null"
    return _Lane(f"{rows} and coalesce(next_action_at, 'infinity') <= now()", "turn")


def _paused(rows: str, share: int = 1) -> _Lane:
    return _Lane(f"{rows} and next_action_at <= now() and attempts < {MAX_UNSUSPECTED}", share=share)


# Urgent documents come first. Of the others, those that wait for their turn and those that were paused get
# one half of the places each, so that neither waits for all of the others. A document waits for its turn only
# once: a pause and a second claim set its turn to 0.
_DOCUMENT_LANES = (
    _waiting("is_urgent"),
    _paused("is_urgent and turn = 0"),
    _paused("not is_urgent and turn = 0", share=2),
    _waiting("not is_urgent"),
)
_LANES = {WorkKind.DOCUMENT: _DOCUMENT_LANES}
_USUAL_LANES = (_paused("true"),)
_SUSPECTS = {WorkKind.DOCUMENT: "turn = 0 and "}
_CHANGES = {WorkKind.DOCUMENT: ", turn = case when t.attempts = 0 then turn else 0 end"}
# Documents are claimed and read in one statement: most are claimed once, before they have an attempt.
_RETURNED = {WorkKind.DOCUMENT: CLAIMED_COLUMNS}


def _claim_sql(kind: WorkKind) -> str:
    """Returns SQL that claims up to $1 rows for the time $2; at most one suspect row, and none unless $3."""
    lanes, left = [], "$1::integer"
    suspects = f"{_SUSPECTS.get(kind, '')}next_action_at <= now() and attempts >= {MAX_UNSUSPECTED}"
    for number, lane in enumerate((*_LANES.get(kind, _USUAL_LANES), _Lane(suspects))):
        limit = f"({left} + {lane.share - 1}) / {lane.share}" if lane.share > 1 else left
        if lane.rows is suspects:
            limit = f"least({left}, case when $3::boolean then 1 else 0 end)"
        lanes.append(
            f"lane{number} as (select subscription_id, id from {TABLES[kind]} where {lane.rows} and {_FREE}"
            f" order by {lane.order} limit {limit} for update skip locked)"
        )
        left += f" - (select count(*) from lane{number})"
    union = " union all ".join(f"select * from lane{number}" for number in range(len(lanes)))
    return f"""
        with {", ".join(lanes)}, picked as ({union})
        update {TABLES[kind]} t
        set lease_token = lease_token + 1, lease_until = now() + $2::interval,
            attempts = t.attempts + 1{_CHANGES.get(kind, "")}
        from picked where t.subscription_id = picked.subscription_id and t.id = picked.id
        returning t.subscription_id, t.lease_token, {_RETURNED.get(kind, "t.id, t.attempts")}
    """


_CLAIM = {kind: _claim_sql(kind) for kind in WorkKind}


async def claim_due(
    connection: Connection, kind: WorkKind, limit: int, duration: timedelta, *, with_suspect: bool
) -> list[Lease]:
    """Claims due rows of a kind that nobody holds; with a suspect row only if `with_suspect`."""
    asked_at = time.monotonic()
    rows = await connection.fetch(_CLAIM[kind], limit, duration, with_suspect)
    until = asked_at + duration.total_seconds()
    return [
        Lease(
            WorkKey(kind, row["subscription_id"], row["id"]),
            row["lease_token"],
            row["attempts"],
            LeaseDeadline(until),
            asked_at,
            claimed_document(row) if kind is WorkKind.DOCUMENT else None,
        )
        for row in rows
    ]


def _next_sql(kind: WorkKind) -> str:
    """Returns SQL of the rows of a kind that are due first, whether due now or later."""
    if kind is not WorkKind.DOCUMENT:
        return _first_sql(kind, "next_action_at is not null", "next_action_at")
    return " union all ".join(
        _first_sql(kind, f"{urgent} and turn {turn} and next_action_at is not null", order)
        for urgent in ("is_urgent", "not is_urgent")
        for turn, order in (("= 0", "next_action_at"), ("> 0", "turn"))
    )


def _first_sql(kind: WorkKind, rows: str, order: str) -> str:
    return (
        f"(select '{kind}' as kind, next_action_at from {TABLES[kind]}"
        f" where {rows} and {_FREE} order by {order} limit 1)"
    )


_DUE_IN = f"""
    select kind, extract(epoch from min(next_action_at) - now())::float8 as seconds
    from ({" union all ".join(_next_sql(kind) for kind in WorkKind)}) as first group by kind
"""


async def due_in(connection: Connection) -> dict[WorkKind, float]:
    """Returns in how many seconds the next row of each kind is due, 0 or less if one is due now."""
    return {WorkKind(row["kind"]): row["seconds"] for row in await connection.fetch(_DUE_IN)}


async def listen(
    url: str, channel: str, on_notify: Callable[[str], None], on_listening: Callable[[], None]
) -> None:
    """Calls `on_notify` with each payload, until the connection is lost or the task is cancelled.

    Calls `on_listening` once: notifications that were sent before were missed.
    """
    with connecting():
        connection = await connect(url)
    lost = asyncio.Event()
    try:
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(channel, lambda _, __, ___, payload: on_notify(str(payload)))
        on_listening()
        await lost.wait()
    finally:
        with suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await connection.close(timeout=5)


_DOCUMENT_ANSWER = """status = 'processing' and exists (
    select from emissions where emissions.subscription_id = $1 and emissions.document_id = documents.id
        and emissions.ordinal = documents.emission and emissions.answer_code = any($3)
)"""
_FILING_ANSWER = "state in ('queued', 'signed', 'sent') and authority_code = any($3)"
_ANSWERED = {
    WorkKind.DOCUMENT: _DOCUMENT_ANSWER,
    WorkKind.EVENT: _FILING_ANSWER,
    WorkKind.INUTILIZATION: _FILING_ANSWER,
    WorkKind.MANIFESTATION: _FILING_ANSWER,
}


async def retry_answered(
    connection: Connection, subscription_id: UUID, company_id: UUID, answer_codes: Collection[str]
) -> None:
    """Makes paused work of a company due if its last answer has one of the codes.

    This applies to documents, events, inutilizations and manifestations, but not to work that a worker holds.
    """
    for kind, answered in _ANSWERED.items():
        await connection.execute(
            f"update {TABLES[kind]} set next_action_at = now() where subscription_id = $1 and company_id = $2"
            f" and {answered} and next_action_at > now() and lease_until is null",
            subscription_id, company_id, list(answer_codes),
        )  # fmt: skip
