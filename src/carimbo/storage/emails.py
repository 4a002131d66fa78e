"""E-mails that carry documents, and every attempt to send one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.forgetting import forget_some
from carimbo.storage.jobs import job_added
from carimbo.storage.work import HELD, Lease, WorkKind, write_held


@dataclass(frozen=True, kw_only=True)
class Email:
    """A document for somebody, and what became of it."""

    id: UUID
    company_id: UUID
    document_id: UUID
    recipients: list[str] | None
    """None until it is found out whom the document itself is for."""
    asked_by: str
    status: str
    attempts_made: int
    last_error: str | None
    sent_at: datetime | None
    """When the first of its recipients got it."""
    created_at: datetime
    parked_reason: str | None


@dataclass(frozen=True, kw_only=True)
class EmailAttempt:
    """What came of one attempt to send an e-mail."""

    number: int
    started_at: datetime
    milliseconds: int
    recipients: Sequence[str]
    """Whom it was for: not those who had it, or never will."""
    outcome: str
    code: int | None
    message: str | None
    refusals: Sequence[dict[str, Any]] = ()
    """Recipients that were not taken: plain values of JSON."""


@dataclass(frozen=True, kw_only=True)
class EmailFate:
    """How an e-mail stands after it was looked at."""

    status: str
    error: str | None = None
    recipients: Sequence[str] | None = None
    """Whom it is for; None if that was not found out."""
    message_id: str | None = None
    sent_at: datetime | None = None
    pause: timedelta | None = None
    """Until it is tried again; None when it never is."""
    attempt: EmailAttempt | None = None
    """None where nothing could be attempted."""


_COLUMNS = ", ".join(field.name for field in fields(Email))
_ATTEMPT = tuple(field.name for field in fields(EmailAttempt))
_ATTEMPT_COLUMNS = ", ".join(_ATTEMPT)
_OF_DOCUMENT = "subscription_id = $1 and document_id = $2"
_ADD = f"""
    with added as (
        insert into emails (subscription_id, company_id, document_id, recipients, asked_by)
        values ($1, $2, $3, $4, 'request') returning *
    ), woken as ({job_added(WorkKind.EMAIL, "added")})
    select {_COLUMNS} from added
"""
_WRITE = f"""
    with held as (
        update emails set status = $4, last_error = $5, recipients = coalesce($6::text[], recipients),
            message_id = coalesce($7, message_id), sent_at = coalesce(sent_at, $8),
            next_action_at = now() + $9::interval, lease_until = null, attempts = 0,
            attempts_made = coalesce($10, attempts_made),
            settled_at = case when $4 <> 'pending' then now() end
        {HELD} returning subscription_id, id
    ), tried as (
        insert into email_attempts (subscription_id, email_id, {_ATTEMPT_COLUMNS})
        select subscription_id, id, {", ".join(f"${place}" for place in range(10, 10 + len(_ATTEMPT)))}
        from held where $10::integer is not null
    )
    select id from held
"""


class Emails:
    """E-mails of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, company_id: UUID, document_id: UUID, recipients: Sequence[str]) -> Email:
        """Store what a caller asks for, and wake a worker."""
        row = await self._connection.fetchrow(
            _ADD, self._subscription_id, company_id, document_id, recipients
        )
        return _email(only(row))

    async def get(self, email_id: UUID) -> Email | None:
        """An e-mail of any document of the subscription."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from emails where subscription_id = $1 and id = $2",
            self._subscription_id, email_id,
        )  # fmt: skip
        return row and _email(row)

    async def of_document(self, document_id: UUID, offset: int, size: int) -> list[Email]:
        """A page of a document's e-mails, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from emails where {_OF_DOCUMENT}"
            " order by created_at desc, id desc offset $3 limit $4",
            self._subscription_id, document_id, offset, size,
        )  # fmt: skip
        return [_email(row) for row in rows]

    async def count(self, document_id: UUID) -> int:
        """How many e-mails a document has."""
        total: int = await self._connection.fetchval(
            f"select count(*) from emails where {_OF_DOCUMENT}", self._subscription_id, document_id
        )
        return total

    async def attempts(self, email_ids: Sequence[UUID]) -> dict[UUID, list[EmailAttempt]]:
        """What was attempted of each e-mail, oldest first."""
        rows = await self._connection.fetch(
            f"select email_id, {_ATTEMPT_COLUMNS} from email_attempts"
            " where subscription_id = $1 and email_id = any($2) order by number",
            self._subscription_id, email_ids,
        )  # fmt: skip
        found: dict[UUID, list[EmailAttempt]] = {email_id: [] for email_id in email_ids}
        for row in rows:
            found[row["email_id"]].append(EmailAttempt(**{name: row[name] for name in _ATTEMPT}))
        return found

    async def write(self, lease: Lease, fate: EmailFate) -> None:
        """Write how an e-mail stands with the attempt that made it so, and let go of it."""
        attempt = asdict(fate.attempt) if fate.attempt else dict.fromkeys(_ATTEMPT)
        await write_held(
            self._connection, lease, _WRITE,
            fate.status, fate.error, fate.recipients, fate.message_id, fate.sent_at, fate.pause,
            *attempt.values(),
        )  # fmt: skip

    async def forget(self, lease: Lease) -> None:
        """Let an e-mail be as if nobody had asked for it."""
        await write_held(self._connection, lease, f"delete from emails {HELD} returning id")


async def forget_emails(connection: Connection, keep: timedelta) -> bool:
    """Forget some of what was settled long ago, with its attempts; tells whether there may be more."""
    return await forget_some(
        connection,
        """
        delete from emails where (subscription_id, id) in (
            select subscription_id, id from emails where settled_at < now() - $1::interval
            limit $2 for update skip locked
        )
        """,
        keep,
    )


def _email(row: Row) -> Email:
    return Email(**row)
