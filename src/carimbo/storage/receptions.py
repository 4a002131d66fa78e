"""Receptions: which companies follow a stream, and how much of its journal each has read."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection, only
from carimbo.storage.work import WHERE_HELD, Lease, write_held

REFUSED_FOR = timedelta(days=1)
"""So long a certificate that the authority refused does not ask again."""


@dataclass(frozen=True, kw_only=True)
class Reception:
    """A company that follows a stream in one environment."""

    id: UUID
    company_id: UUID
    service: str
    environment: str
    stream_id: UUID
    is_active: bool
    pages_due: int
    pages_read: int
    proved_fingerprint: str | None
    """The certificate with which the authority answered this company."""
    refused_fingerprint: str | None
    refused_at: datetime | None
    failure: str | None
    """What the last question in its name got instead of documents."""
    created_at: datetime
    parked_reason: str | None


@dataclass(frozen=True)
class Asker:
    """A company that follows a stream, with its present certificate."""

    subscription_id: UUID
    reception_id: UUID
    company_id: UUID
    revision: int
    fingerprint: str
    is_proved: bool
    """Whether the authority has answered this certificate."""


_COLUMNS = ", ".join(field.name for field in fields(Reception))


class Receptions:
    """Receptions of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def start(self, company_id: UUID, service: str, environment: str, stream_id: UUID) -> Reception:
        """Makes a company follow a stream; it also gets what the journal still has."""
        row = await self._connection.fetchrow(
            f"""
            insert into receptions
                (subscription_id, company_id, service, environment, stream_id, pages_due, pages_read)
            select $1, $2, $3, $4, id, pages, coalesce(
                (select min(ordinal) - 1 from stream_pages where stream_id = $5), pages
            ) from streams where id = $5
            on conflict (subscription_id, company_id, service, environment) do update
            set is_active = true, parked_reason = null, attempts = 0,
                stream_id = excluded.stream_id,
                pages_due = case when receptions.stream_id = excluded.stream_id
                    then greatest(receptions.pages_due, excluded.pages_due) else excluded.pages_due end,
                pages_read = case when receptions.stream_id = excluded.stream_id
                    then greatest(receptions.pages_read, excluded.pages_read) else excluded.pages_read end,
                next_action_at = now()
            returning {_COLUMNS}
            """,
            self._subscription_id, company_id, service, environment, stream_id,
        )  # fmt: skip
        return Reception(**only(row))

    async def stop(self, company_id: UUID, service: str, environment: str) -> None:
        """Stores that a company does not follow a service in an environment any longer."""
        await self._connection.execute(
            "update receptions set is_active = false, next_action_at = null where subscription_id = $1"
            " and company_id = $2 and service = $3 and environment = $4 and is_active",
            self._subscription_id, company_id, service, environment,
        )  # fmt: skip

    async def stop_all(self, company_id: UUID) -> None:
        """Stores that a company follows nothing any longer."""
        await self._connection.execute(
            "update receptions set is_active = false, next_action_at = null"
            " where subscription_id = $1 and company_id = $2 and is_active",
            self._subscription_id, company_id,
        )  # fmt: skip

    async def get(self, reception_id: UUID) -> Reception | None:
        """Returns a reception, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from receptions where subscription_id = $1 and id = $2",
            self._subscription_id, reception_id,
        )  # fmt: skip
        return row and Reception(**row)

    async def of_company(self, company_id: UUID) -> list[Reception]:
        """Returns what a company follows or has followed."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from receptions where subscription_id = $1 and company_id = $2"
            " order by service, environment",
            self._subscription_id, company_id,
        )  # fmt: skip
        return [Reception(**row) for row in rows]

    async def active_of_companies(self, company_ids: Sequence[UUID]) -> list[Reception]:
        """Returns the receptions of several companies that are not stopped."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from receptions where subscription_id = $1 and company_id = any($2)"
            " and is_active order by company_id, service, environment",
            self._subscription_id, company_ids,
        )  # fmt: skip
        return [Reception(**row) for row in rows]

    async def wake(self, company_id: UUID) -> None:
        """Makes the work of a company's receptions due: what the company lacked may be there now."""
        await self._connection.execute(
            "update receptions set next_action_at = case when parked_reason is null then now() end"
            " where subscription_id = $1 and company_id = $2 and is_active",
            self._subscription_id, company_id,
        )  # fmt: skip


@dataclass(frozen=True)
class Follower:
    """A company that has read an answer of a stream."""

    subscription_id: UUID
    company_id: UUID


async def followers_of(connection: Connection, stream_id: UUID, ordinal: int) -> list[Follower]:
    """Returns the companies that have read an answer of the journal of a stream."""
    rows = await connection.fetch(
        "select subscription_id, company_id from receptions r where stream_id = $1 and pages_read >= $2"
        " and proved_fingerprint is not null and exists (select from companies c"
        " where c.subscription_id = r.subscription_id and c.id = r.company_id and c.deleted_at is null)",
        stream_id, ordinal,
    )  # fmt: skip
    return [Follower(**row) for row in rows]


async def askers_of(connection: Connection, stream_id: UUID) -> list[Asker]:
    """Returns the companies that may ask for a stream, the next one first.

    A certificate that the authority has not answered yet comes first once a day, and at once if it replaces
    one that was answered; but not after a question without an answer, as it may be the reason. The others ask
    in turn.
    """
    rows = await connection.fetch(
        """
        select r.subscription_id, r.id as reception_id, r.company_id, c.revision, k.fingerprint,
            r.proved_fingerprint is not distinct from k.fingerprint as is_proved
        from receptions r
        join streams s on s.id = r.stream_id
        join companies c on c.subscription_id = r.subscription_id and c.id = r.company_id
        join certificates k on k.subscription_id = r.subscription_id and k.company_id = r.company_id
        where r.stream_id = $1 and r.is_active and c.deleted_at is null
            and (r.refused_fingerprint is distinct from k.fingerprint
                or r.refused_at < now() - $2::interval)
        order by s.unanswered = 0 and r.proved_fingerprint is distinct from k.fingerprint and (
                coalesce(r.asked_at < now() - interval '1 day', true)
                or r.proved_fingerprint is not null and r.asked_fingerprint is distinct from k.fingerprint
            ) desc,
            is_proved desc, r.asked_at nulls first, k.expires_at desc, r.id
        """,
        stream_id, REFUSED_FOR,
    )  # fmt: skip
    return [Asker(**row) for row in rows]


async def advance_reading(connection: Connection, lease: Lease, ordinal: int) -> None:
    """Stores that an answer of the journal was read, in the transaction that stores its documents."""
    await write_held(
        connection, lease, f"update receptions set pages_read = $4 {WHERE_HELD} returning id", ordinal
    )


async def pause_reception(
    connection: Connection, lease: Lease, acknowledge_after: timedelta | None, fingerprint: str | None
) -> None:
    """Releases a reception until there is something to read or to acknowledge.

    `fingerprint` is that of its valid certificate. If it is not proved, the answer that proves it wakes the
    reception; it may have come meanwhile.
    """
    await write_held(
        connection, lease,
        f"""
        update receptions set lease_until = null, attempts = 0,
            next_action_at = case
                when is_active and proved_fingerprint = $5 and pages_due > pages_read then now()
                when is_active then now() + $4::interval
            end
        {WHERE_HELD} returning id
        """,
        acknowledge_after, fingerprint,
    )  # fmt: skip
