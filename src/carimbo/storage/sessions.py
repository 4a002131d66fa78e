"""Sessions of people who signed in; only hashes of their tokens are stored."""

from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection, Row
from carimbo.storage.people import PERSON_COLUMNS, PersonRow, person_of
from carimbo.storage.sql import delete_batch
from carimbo.storage.subscriptions import Subscription, subscription_of

IDLE = timedelta(hours=12)
"""A session that was not used for so long has ended."""


@dataclass(frozen=True, kw_only=True)
class NewSession:
    """A session to store; it lasts `lifetime` at most."""

    hash: bytes = field(repr=False)
    id: UUID
    person_id: UUID
    method: str
    address: str | None
    user_agent: str | None
    form_token: str = field(repr=False)
    lifetime: timedelta


@dataclass(frozen=True, kw_only=True)
class SessionRow:
    """A session as its person sees it in the list of their sessions."""

    id: UUID
    method: str
    address: str | None
    user_agent: str | None
    created_at: datetime
    seen_at: datetime


@dataclass(frozen=True)
class AcceptedMembership:
    """A subscription of a person, with their role in it."""

    subscription: Subscription
    role: str
    company_ids: list[UUID] | None


@dataclass(frozen=True, kw_only=True)
class FoundSession:
    """A session with its person and the subscriptions of that person."""

    id: UUID
    person: PersonRow
    memberships: tuple[AcceptedMembership, ...]
    form_token: str = field(repr=False)
    method: str
    authenticated_at: datetime


_LIVES = "expires_at > now() and seen_at > now() - $2::interval"
_FIND = f"""
    with session as materialized (
        select * from sessions where hash = $1 and {_LIVES}
    ), seen as (
        update sessions set seen_at = now()
        where hash = $1 and {_LIVES} and seen_at < now() - interval '1 minute'
    )
    select {PERSON_COLUMNS},
        session.id as session_id, session.form_token, session.method, session.authenticated_at,
        m.role, m.company_ids,
        s.id, s.name, s.features, s.created_at,
        plan.name as plan, plan.monthly_documents, plan.total_documents, plan.requests_per_minute
    from session
    join people p on p.id = session.person_id and p.disabled_at is null
    left join memberships m on m.person_id = p.id and m.accepted_at is not null
    left join subscriptions s on s.id = m.subscription_id
    left join plans plan on plan.name = s.plan
    order by s.name, s.id
"""
_LISTED = ", ".join(listed.name for listed in fields(SessionRow))


class Sessions:
    """All sessions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, session: NewSession) -> None:
        """Stores a session, and deletes those of the same person that have ended."""
        await self._connection.execute(
            f"delete from sessions where person_id = $1 and not ({_LIVES})", session.person_id, IDLE
        )
        await self._connection.execute(
            """
            insert into sessions (hash, id, person_id, method, address, user_agent, form_token, expires_at)
            values ($1, $2, $3, $4, $5, $6, $7, now() + $8::interval)
            """,
            session.hash, session.id, session.person_id, session.method, session.address,
            session.user_agent, session.form_token, session.lifetime,
        )  # fmt: skip

    async def find(self, hash_: bytes) -> FoundSession | None:
        """Returns a session that has not ended, with all that a page needs, in one round trip.

        Stores that the session was used, at most once a minute.
        """
        rows = await self._connection.fetch(_FIND, hash_, IDLE)
        if not rows:
            return None
        session = rows[0]
        return FoundSession(
            id=session["session_id"],
            person=person_of(session),
            memberships=tuple(_membership(row) for row in rows if row["id"] is not None),
            form_token=session["form_token"],
            method=session["method"],
            authenticated_at=session["authenticated_at"],
        )

    async def lives(self, hash_: bytes) -> bool:
        """Returns whether a token still opens a session."""
        is_live: bool = await self._connection.fetchval(
            f"select exists (select from sessions where hash = $1 and {_LIVES})", hash_, IDLE
        )
        return is_live

    async def renew(self, hash_: bytes, new_hash: bytes, *, is_confirmed: bool) -> bool:
        """Replaces the token of a session; returns whether it still had the former one.

        The session is fresh again if its person has just confirmed who they are.
        """
        result = await self._connection.execute(
            "update sessions set hash = $2,"
            " authenticated_at = case when $3 then now() else authenticated_at end where hash = $1",
            hash_, new_hash, is_confirmed,
        )  # fmt: skip
        return bool(result == "UPDATE 1")

    async def all(self, person_id: UUID) -> list[SessionRow]:
        """Returns the sessions of a person that have not ended, last used first."""
        rows = await self._connection.fetch(
            f"select {_LISTED} from sessions where person_id = $1 and {_LIVES}"
            " order by seen_at desc, created_at desc, id",
            person_id, IDLE,
        )  # fmt: skip
        return [SessionRow(**row) for row in rows]

    async def end(self, person_id: UUID, session_id: UUID) -> bool:
        """Ends a session of a person; returns False if there is none."""
        result = await self._connection.execute(
            "delete from sessions where person_id = $1 and id = $2", person_id, session_id
        )
        return bool(result == "DELETE 1")

    async def end_all(self, person_id: UUID, except_id: UUID | None = None) -> int:
        """Ends the sessions of a person but for one, and returns how many."""
        result = await self._connection.execute(
            "delete from sessions where person_id = $1 and id is distinct from $2", person_id, except_id
        )
        return int(result.removeprefix("DELETE "))


async def delete_ended_sessions(connection: Connection) -> bool:
    """Deletes a batch of sessions that have ended; returns whether there may be more."""
    return await delete_batch(
        connection,
        """
        delete from sessions where hash in (
            select hash from sessions where expires_at < now() or seen_at < now() - $1::interval
            limit $2 for update skip locked
        )
        """,
        IDLE,
    )


def _membership(row: Row) -> AcceptedMembership:
    return AcceptedMembership(subscription_of(row), row["role"], row["company_ids"])
