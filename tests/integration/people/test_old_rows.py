"""Sessions and links that ended do not stay in the database."""

import asyncio
from datetime import timedelta

import pytest

from carimbo.service.people.context import LinkPurpose, SignInContext
from carimbo.service.people.people import Invitation, invite
from carimbo.service.people.sessions import SignedIn, find_session
from carimbo.service.people.sign_in import open_link
from carimbo.storage import sql
from carimbo.storage.database import Database
from carimbo.worker.chores import delete_old_history_forever
from integration.people.conftest import MovedClock, NewPerson, new_email, new_visitor
from support import TIMEOUT_SECONDS, wait_until_true

KEEP = timedelta(days=9999)


async def delete_until(database: Database, condition: str) -> None:
    """Runs the chore of a worker until an SQL condition holds."""
    chore = asyncio.create_task(delete_old_history_forever(database, KEEP, KEEP))
    async with database.connection() as connection:
        await wait_until_true(connection.fetch, condition, TIMEOUT_SECONDS)
    chore.cancel()


async def test_sessions_that_ended_by_age_or_without_use_are_deleted(
    database: Database, new_person: NewPerson, ana: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "_BATCH_SIZE", 2)
    ended = [(await new_person()).session.id for _ in range(5)]
    async with database.connection() as connection:
        await connection.execute(
            "update sessions set expires_at = now() - interval '1 second' where id = any($1)", ended[1:]
        )
        await connection.execute(
            "update sessions set seen_at = now() - interval '13 hours' where id = $1", ended[0]
        )
    ids = ", ".join(f"'{session_id}'" for session_id in ended)
    await delete_until(database, f"not exists (select from sessions where id in ({ids}))")
    assert await find_session(database, ana.token)


async def test_links_are_deleted_a_month_after_they_expired(
    context: SignInContext, clock: MovedClock, database: Database
) -> None:
    async def invited(days_ago: int) -> Invitation:
        clock.offset = -timedelta(days=days_ago)
        return await invite(database, new_email(), is_operator=True, now=clock())

    old, recent, usable = [await invited(days) for days in (32, 30, 0)]
    links = "select from person_links where person_id ="
    await delete_until(database, f"not exists ({links} '{old.person.id}')")
    async with database.connection() as connection:
        assert await connection.fetchval(f"select exists ({links} $1)", recent.person.id)
    assert await open_link(context, usable.token, LinkPurpose.INVITATION, new_visitor())
