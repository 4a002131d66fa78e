"""E-mails that carry documents, and every attempt to send one."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, only
from carimbo.storage.sql import NamedSql, delete_batch
from carimbo.storage.work import WHERE_HELD, Lease, write_held


@dataclass(frozen=True, kw_only=True)
class Email:
    """An e-mail with a document."""

    id: UUID
    company_id: UUID
    document_id: UUID
    recipients: list[str] | None
    """None until the recipient is read from the document."""
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
    """An attempt to send an e-mail, and its outcome."""

    number: int
    started_at: datetime
    milliseconds: int
    recipients: Sequence[str]
    """The recipients of this attempt: not those who got the e-mail before or were refused for good."""
    outcome: str
    code: int | None
    message: str | None
    refusals: Sequence[dict[str, Any]] = ()
    """Recipients that the mail server refused, as JSON values."""


@dataclass(frozen=True, kw_only=True)
class EmailOutcome:
    """The state of an e-mail after a worker's step."""

    status: str
    error: str | None = None
    recipients: Sequence[str] | None = None
    """None if the recipients were not determined in this step."""
    message_id: str | None = None
    sent_at: datetime | None = None
    pause: timedelta | None = None
    """The time until the next attempt; None if there is none."""
    attempt: EmailAttempt | None = None
    """None if no attempt was made."""


_COLUMNS = ", ".join(field.name for field in fields(Email))
_ATTEMPT = tuple(field.name for field in fields(EmailAttempt))
_ATTEMPT_COLUMNS = ", ".join(_ATTEMPT)
_OF_DOCUMENT = "subscription_id = $1 and document_id = $2"
_ADD = f"""
    insert into emails (subscription_id, company_id, document_id, recipients, asked_by)
    values ($1, $2, $3, $4, 'request') returning {_COLUMNS}
"""
_WRITE = NamedSql(f"""
    with held as (
        update emails set status = :status, last_error = :error,
            recipients = coalesce(:all_recipients::text[], recipients),
            message_id = coalesce(:message_id, message_id), sent_at = coalesce(sent_at, :sent_at),
            next_action_at = now() + :pause::interval, lease_until = null, attempts = 0,
            attempts_made = coalesce(:number, attempts_made),
            settled_at = case when :status <> 'pending' then now() end
        {WHERE_HELD} returning subscription_id, id
    ), attempt as (
        insert into email_attempts (subscription_id, email_id, {_ATTEMPT_COLUMNS})
        select subscription_id, id, {", ".join(f":{name}" for name in _ATTEMPT)}
        from held where :number::integer is not null
    )
    select id from held
""")


class Emails:
    """E-mails of one subscription's documents."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, company_id: UUID, document_id: UUID, recipients: Sequence[str]) -> Email:
        """Stores an e-mail that a caller asked for, due now."""
        row = await self._connection.fetchrow(
            _ADD, self._subscription_id, company_id, document_id, recipients
        )
        return Email(**only(row))

    async def get(self, email_id: UUID) -> Email | None:
        """Returns an e-mail of any document of the subscription, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from emails where subscription_id = $1 and id = $2",
            self._subscription_id, email_id,
        )  # fmt: skip
        return row and Email(**row)

    async def of_document(self, document_id: UUID, offset: int, size: int) -> list[Email]:
        """Returns a page of a document's e-mails, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from emails where {_OF_DOCUMENT}"
            " order by created_at desc, id desc offset $3 limit $4",
            self._subscription_id, document_id, offset, size,
        )  # fmt: skip
        return [Email(**row) for row in rows]

    async def count(self, document_id: UUID) -> int:
        """Returns how many e-mails a document has."""
        total: int = await self._connection.fetchval(
            f"select count(*) from emails where {_OF_DOCUMENT}", self._subscription_id, document_id
        )
        return total

    async def attempts(self, email_ids: Sequence[UUID]) -> dict[UUID, list[EmailAttempt]]:
        """Returns the attempts of some e-mails by e-mail, oldest first."""
        rows = await self._connection.fetch(
            f"select email_id, {_ATTEMPT_COLUMNS} from email_attempts"
            " where subscription_id = $1 and email_id = any($2) order by number",
            self._subscription_id, email_ids,
        )  # fmt: skip
        attempts: dict[UUID, list[EmailAttempt]] = {email_id: [] for email_id in email_ids}
        for row in rows:
            attempts[row["email_id"]].append(EmailAttempt(**{name: row[name] for name in _ATTEMPT}))
        return attempts

    async def write(self, lease: Lease, outcome: EmailOutcome) -> None:
        """Stores the state of an e-mail with its last attempt, and releases the lease. Raises LeaseLost."""
        attempt = vars(outcome.attempt) if outcome.attempt else dict.fromkeys(_ATTEMPT)
        values = {**vars(outcome), **attempt, "all_recipients": outcome.recipients}
        await write_held(self._connection, lease, _WRITE.text, *_WRITE.arguments(values))

    async def forget(self, lease: Lease) -> None:
        """Deletes an e-mail that is not to be sent. Raises LeaseLost."""
        await write_held(self._connection, lease, f"delete from emails {WHERE_HELD} returning id")


async def delete_old_emails(connection: Connection, keep: timedelta) -> bool:
    """Deletes a batch of old settled e-mails with their attempts; returns whether there may be more."""
    return await delete_batch(
        connection,
        """
        delete from emails where (subscription_id, id) in (
            select subscription_id, id from emails where settled_at < now() - $1::interval
            limit $2 for update skip locked
        )
        """,
        keep,
    )
