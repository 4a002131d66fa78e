"""The queue: which rows are claimed, and which rows wake workers."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from carimbo.storage.database import Database
from carimbo.storage.probes import add_probe, delete_old_probes
from carimbo.storage.queue import WORK_CHANNEL, claim_due, due_in, listen
from carimbo.storage.work import TABLES, Lease, WorkKey, WorkKind, postpone
from integration.storage.probe_rows import MINUTE, change, claimed, row_of
from support import TIMEOUT_SECONDS

HELD = "lease_until = now() + interval '1 minute'"
SECOND_AGO = "next_action_at = now() - interval '1 second'"


async def claim_all(
    database: Database, limit: int = 100, duration: timedelta = MINUTE, *, with_suspect: bool = False
) -> list[Lease]:
    async with database.connection() as connection:
        return await claim_due(connection, WorkKind.PROBE, limit, duration, with_suspect=with_suspect)


async def add(database: Database, *changes: str) -> list[WorkKey]:
    """Adds one row with each of the changes."""
    keys = []
    for change_of_row in changes:
        async with database.transaction() as connection:
            keys.append(await add_probe(connection))
        await change(database, keys[-1], change_of_row)
    return keys


class TestClaim:
    async def test_a_due_row_is_claimed_for_the_requested_time(self, rows: Database, key: WorkKey) -> None:
        assert await claim_all(rows, duration=timedelta(hours=3)) == [Lease(key, token=1, attempts=1)]
        row = await row_of(rows, key)
        assert timedelta(hours=2, minutes=59) < row["lease_until"] - row["now"] <= timedelta(hours=3)

    @pytest.mark.parametrize(
        "state",
        [
            HELD,
            "next_action_at = null",
            "next_action_at = now() + interval '1 minute'",
            "next_action_at = null, parked_reason = 'broken'",
        ],
    )
    async def test_a_row_that_is_held_or_not_due_is_not_claimed(
        self, rows: Database, key: WorkKey, state: str
    ) -> None:
        await change(rows, key, state)
        assert await claim_all(rows, with_suspect=True) == []

    async def test_a_row_whose_lease_ended_is_claimed_with_a_higher_token(
        self, rows: Database, lease: Lease
    ) -> None:
        await change(rows, lease.key, "lease_until = now()")
        assert await claim_all(rows) == [Lease(lease.key, token=2, attempts=2)]

    async def test_rows_that_are_due_first_are_claimed_first(self, rows: Database) -> None:
        _, oldest, _ = await add(
            rows, SECOND_AGO, "next_action_at = now() - interval '3 seconds'", SECOND_AGO
        )
        assert [lease.key for lease in await claim_all(rows, limit=1)] == [oldest]

    async def test_no_more_rows_than_the_limit_are_claimed(self, rows: Database) -> None:
        await add(rows, SECOND_AGO, SECOND_AGO, SECOND_AGO)
        assert len(await claim_all(rows, limit=2)) == 2

    async def test_simultaneous_claims_share_the_rows(self, rows: Database) -> None:
        keys = await add(rows, *[SECOND_AGO] * 20)
        claims = await asyncio.gather(*(claim_all(rows, limit=5) for _ in range(8)))
        assert sorted(lease.key.id for claim in claims for lease in claim) == sorted(key.id for key in keys)


class TestSuspects:
    """Rows that were claimed twice without a result."""

    async def test_one_suspect_is_claimed_at_a_time(self, rows: Database) -> None:
        await add(rows, *["attempts = 2"] * 3)
        assert await claim_all(rows) == []
        assert len(await claim_all(rows, with_suspect=True)) == 1

    async def test_suspects_take_no_place_from_other_rows(self, rows: Database) -> None:
        await add(rows, *["attempts = 7"] * 3)
        keys = await add(rows, "attempts = 0", "attempts = 1")
        assert {lease.key for lease in await claim_all(rows, limit=2, with_suspect=True)} == set(keys)


class TestDueIn:
    async def test_a_row_that_is_due_now_is_found(self, rows: Database, key: WorkKey) -> None:
        async with rows.connection() as connection:
            assert (await due_in(connection))[WorkKind.PROBE] <= 0

    async def test_the_time_of_the_next_row_is_found(self, rows: Database) -> None:
        await add(rows, "next_action_at = now() + interval '1 hour'", "next_action_at = null", HELD)
        async with rows.connection() as connection:
            seconds = (await due_in(connection))[WorkKind.PROBE]
        assert 3600 - TIMEOUT_SECONDS < seconds <= 3600

    async def test_a_kind_without_rows_has_no_time(self, rows: Database) -> None:
        async with rows.connection() as connection:
            assert WorkKind.PROBE not in await due_in(connection)


class TestNotify:
    @pytest.fixture
    async def woken(self, rows_url: str, rows: Database) -> AsyncIterator["asyncio.Queue[str]"]:
        """The kinds of the rows that became due."""
        kinds, listening = asyncio.Queue[str](), asyncio.Event()
        listener = asyncio.create_task(listen(rows_url, WORK_CHANNEL, kinds.put_nowait, listening.set))
        await asyncio.wait_for(listening.wait(), TIMEOUT_SECONDS)
        yield kinds
        listener.cancel()

    async def test_a_row_that_becomes_due_wakes_workers(
        self, rows: Database, woken: "asyncio.Queue[str]"
    ) -> None:
        (key,) = await add(rows, "next_action_at = null")
        await change(rows, key, "next_action_at = now()")
        for _ in range(2):
            assert await asyncio.wait_for(woken.get(), TIMEOUT_SECONDS) == "probe"

    async def test_a_row_that_is_postponed_or_claimed_wakes_nobody(
        self, rows: Database, key: WorkKey, woken: "asyncio.Queue[str]"
    ) -> None:
        lease = await claimed(rows, key)
        async with rows.transaction() as connection:
            await postpone(connection, lease, timedelta(hours=1), progressed=True)
        async with rows.connection() as connection:
            # Notifications arrive in the order of their transactions.
            await connection.execute("select pg_notify($1, 'last')", WORK_CHANNEL)
        assert await asyncio.wait_for(woken.get(), TIMEOUT_SECONDS) == "last"

    async def test_every_work_table_has_the_trigger_of_its_kind(self, rows: Database) -> None:
        async with rows.connection() as connection:
            triggers = await connection.fetch(
                "select tgrelid::regclass::text as name, tgargs from pg_trigger"
                " where tgfoid = 'notify_work'::regproc"
            )
        expected = {(table, kind.value) for kind, table in TABLES.items()}
        assert {(row["name"], row["tgargs"].rstrip(b"\0").decode()) for row in triggers} == expected
        assert len(triggers) == 2 * len(expected)


async def test_a_claim_changes_no_index(rows_database: Database) -> None:
    """Otherwise every claim would write to all indexes of its table."""
    async with rows_database.connection() as connection:
        indexed = await connection.fetch(
            "select indexrelid::regclass::text as name from pg_index"
            " where indrelid = any($1::text[]::regclass[])"
            " and pg_get_indexdef(indexrelid) ~ 'lease_|attempts'",
            list(TABLES.values()),
        )
    assert [row["name"] for row in indexed] == []


class TestDeleteOldProbes:
    async def test_only_probes_answered_on_past_days_are_deleted(self, rows: Database) -> None:
        answers = ("now() - interval '25 hours'", "now() - interval '23 hours'", "null")
        _, yesterday, unanswered = await add(rows, *(f"answered_at = {answered}" for answered in answers))
        async with rows.transaction() as connection:
            await delete_old_probes(connection)
            left = {row["id"] for row in await connection.fetch("select id from probes")}
        assert left == {yesterday.id, unanswered.id}
