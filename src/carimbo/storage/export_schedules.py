"""Monthly e-mails with a link to the archive of the month before.

An e-mail with a document is a row of `emails`, which belongs to a document. A monthly e-mail belongs to a
company, and there is at most one at a time, so its progress is in the row of its schedule.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection, only


@dataclass(frozen=True, kw_only=True)
class ExportSchedule:
    """The schedule of a company."""

    company_id: UUID
    day: int
    recipients: list[str]
    content: str
    is_active: bool
    created_by: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime
    last_sent_month: date | None
    """The first day of the last month that was sent, or given up."""
    last_sent_at: datetime | None
    last_error: str | None


@dataclass(frozen=True, kw_only=True)
class ActiveSchedule:
    """A schedule that a worker looks at, with the state of its company."""

    subscription_id: UUID
    company_id: UUID
    day: int
    starts_on: date
    last_sent_month: date | None
    state: str | None


@dataclass(frozen=True, kw_only=True)
class ClaimedSchedule:
    """A schedule whose e-mail a worker sends now."""

    recipients: list[str]
    waiting: list[str]
    """The recipients that do not have the e-mail yet."""
    content: str
    created_by: dict[str, Any] | None
    """The actor who saved the schedule last."""
    export_id: UUID
    attempts: int
    claimed_until: datetime
    """It also identifies the claim."""


_COLUMNS = ", ".join(field.name for field in fields(ExportSchedule))
_CLAIMED = ", ".join(field.name for field in fields(ClaimedSchedule))
# The recipients that are new also get the e-mail that is being sent.
_SAVE = f"""
    insert into export_schedules as s
        (subscription_id, company_id, day, recipients, content, is_active, starts_on, created_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (subscription_id, company_id) do update
    set day = excluded.day, recipients = excluded.recipients, content = excluded.content,
        is_active = excluded.is_active, created_by = excluded.created_by, updated_at = now(),
        starts_on = case when s.is_active then s.starts_on else excluded.starts_on end,
        waiting = case when s.waiting is not null then array(
            select address from unnest(excluded.recipients) as address
            where address = any(s.waiting) or not address = any(s.recipients)
        ) end
    returning {_COLUMNS}
"""
_ACTIVE = """
    select s.subscription_id, s.company_id, s.day, s.starts_on, s.last_sent_month,
        c.address ->> 'state' as state
    from export_schedules s
    join companies c on c.subscription_id = s.subscription_id and c.id = s.company_id
    where s.is_active and c.deleted_at is null and (s.last_sent_month is null or s.last_sent_month < $1)
        and (s.claimed_until is null or s.claimed_until <= now())
    order by s.subscription_id, s.company_id
"""
_CLAIM = f"""
    update export_schedules set
        pending_month = $3,
        export_id = case when pending_month = $3 then export_id else $4 end,
        waiting = case when pending_month = $3 then waiting else recipients end,
        attempts = case when pending_month = $3 then attempts + 1 else 1 end,
        claimed_until = clock_timestamp() + $5::interval
    where subscription_id = $1 and company_id = $2 and is_active
        and (last_sent_month is null or last_sent_month < $3)
        and (claimed_until is null or claimed_until <= clock_timestamp())
    returning {_CLAIMED}
"""
_OF_CLAIM = "where subscription_id = $1 and company_id = $2 and claimed_until = $3"


class ExportSchedules:
    """The schedules of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def save(
        self,
        company_id: UUID,
        day: int,
        recipients: Sequence[str],
        content: str,
        today: date,
        *,
        is_active: bool,
    ) -> ExportSchedule:
        """Stores the schedule of a company; a new or reactivated one begins today."""
        row = await self._connection.fetchrow(
            _SAVE,
            self._subscription_id, company_id, day, recipients, content, is_active, today,
            stored_actor(self._actor),
        )  # fmt: skip
        return ExportSchedule(**only(row))

    async def get(self, company_id: UUID) -> ExportSchedule | None:
        """Returns the schedule of a company, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from export_schedules where subscription_id = $1 and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip
        return row and ExportSchedule(**row)

    async def delete(self, company_id: UUID) -> bool:
        """Deletes the schedule of a company; returns False if there is none."""
        result = await self._connection.execute(
            "delete from export_schedules where subscription_id = $1 and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip
        return bool(result == "DELETE 1")

    async def stop_of_author(self, person_id: UUID, kept: Collection[UUID]) -> list[UUID]:
        """Deactivates the schedules that a person saved last, except those of some companies.

        Returns their companies. An e-mail that is under way is given up, because its link is revoked.
        """
        rows = await self._connection.fetch(
            "update export_schedules set is_active = false, updated_at = now(), pending_month = null,"
            " export_id = null, waiting = null, attempts = 0, claimed_until = null"
            " where subscription_id = $1 and created_by ->> 'id' = $2 and is_active"
            " and not company_id = any($3::uuid[]) returning company_id",
            self._subscription_id, str(person_id), list(kept),
        )  # fmt: skip
        return [row["company_id"] for row in rows]

    async def claim(
        self, company_id: UUID, month: date, new_export_id: UUID, duration: timedelta
    ) -> ClaimedSchedule | None:
        """Claims the e-mail of a month; returns None if it was sent, or if another worker sends it.

        A further attempt gets the export of the first one.
        """
        row = await self._connection.fetchrow(
            _CLAIM, self._subscription_id, company_id, month, new_export_id, duration
        )
        return row and ClaimedSchedule(**row)

    async def settle(
        self, company_id: UUID, claim: ClaimedSchedule, sent_at: datetime | None, error: str | None
    ) -> None:
        """Stores that nobody waits for the e-mail of a month any more, if the claim is still valid."""
        await self._connection.execute(
            "update export_schedules set last_sent_month = pending_month,"
            " last_sent_at = coalesce($4, last_sent_at), last_error = $5, pending_month = null,"
            f" export_id = null, waiting = null, attempts = 0, claimed_until = null {_OF_CLAIM}",
            self._subscription_id, company_id, claim.claimed_until, sent_at, error,
        )  # fmt: skip

    async def release(
        self,
        company_id: UUID,
        claim: ClaimedSchedule,
        waiting: Sequence[str],
        sent_at: datetime | None,
        error: str | None,
    ) -> None:
        """Stores that some recipients still wait for the e-mail of a month, if the claim is still valid."""
        await self._connection.execute(
            "update export_schedules set waiting = $4, last_sent_at = coalesce($5, last_sent_at),"
            f" last_error = $6, claimed_until = null {_OF_CLAIM}",
            self._subscription_id, company_id, claim.claimed_until, waiting, sent_at, error,
        )  # fmt: skip


async def active_schedules(connection: Connection, month: date) -> list[ActiveSchedule]:
    """Returns the active schedules whose last month is before a month, of all subscriptions."""
    return [ActiveSchedule(**row) for row in await connection.fetch(_ACTIVE, month)]
