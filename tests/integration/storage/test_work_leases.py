import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from carimbo.storage import work
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.jobs import enqueue, enqueue_due, tidy
from carimbo.storage.probes import add_probe, answer_probe, answered_at, forget_probes
from carimbo.storage.work import Lease, LeaseLost, WorkKey, WorkKind

MINUTE = timedelta(minutes=1)
NONE = timedelta(0)
LetGo = Callable[[Connection, Lease], Awaitable[Any]]


@pytest.fixture
async def rows(rows_database: Database) -> Database:
    """A database of this file alone, without a row of work in it."""
    async with rows_database.connection() as connection:
        await connection.execute("truncate probes, pgqueuer")
    return rows_database


@pytest.fixture
async def key(rows: Database) -> WorkKey:
    """A row that is due."""
    async with rows.transaction() as connection:
        return await add_probe(connection)


@pytest.fixture
async def lease(rows: Database, key: WorkKey) -> Lease:
    return await claimed(rows, key)


async def claimed(database: Database, key: WorkKey, duration: timedelta = MINUTE) -> Lease:
    lease = await claim(database, key, duration)
    assert lease is not None
    return lease


async def claim(database: Database, key: WorkKey, duration: timedelta = MINUTE) -> Lease | None:
    async with database.transaction() as connection:
        return await work.claim(connection, key, duration)


async def row_of(database: Database, key: WorkKey) -> dict[str, Any]:
    async with database.connection() as connection:
        row = await connection.fetchrow("select *, now() from probes where id = $1", key.id)
    assert row is not None
    return dict(row)


async def change(database: Database, key: WorkKey, changes: str) -> None:
    async with database.connection() as connection:
        await connection.execute(f"update probes set {changes} where id = $1", key.id)


async def taken_over(database: Database, lease: Lease) -> Lease:
    """Let the lease lapse, and let another worker claim the row."""
    await change(database, lease.key, "lease_until = now()")
    return await claimed(database, lease.key)


class TestClaim:
    async def test_a_due_row_is_claimed(self, rows: Database, key: WorkKey) -> None:
        assert await claim(rows, key) == Lease(key, token=1, attempts=1)

    async def test_a_claimed_row_is_not_claimed_again(self, rows: Database, lease: Lease) -> None:
        assert await claim(rows, lease.key) is None

    async def test_of_many_at_once_one_gets_it(self, rows: Database, key: WorkKey) -> None:
        leases = await asyncio.gather(*(claim(rows, key) for _ in range(20)))
        assert [lease for lease in leases if lease] == [Lease(key, token=1, attempts=1)]

    async def test_the_lease_is_as_long_as_asked_for(self, rows: Database, key: WorkKey) -> None:
        await claim(rows, key, timedelta(hours=3))
        row = await row_of(rows, key)
        assert timedelta(hours=2, minutes=59) < row["lease_until"] - row["now"] <= timedelta(hours=3)

    async def test_a_lapsed_lease_can_be_claimed_with_a_higher_token(
        self, rows: Database, lease: Lease
    ) -> None:
        assert await taken_over(rows, lease) == Lease(lease.key, token=2, attempts=2)

    async def test_a_row_that_is_due_later_is_not_claimed(self, rows: Database, key: WorkKey) -> None:
        await change(rows, key, "next_action_at = now() + interval '1 hour'")
        assert await claim(rows, key) is None

    async def test_a_row_with_nothing_to_do_is_not_claimed(self, rows: Database, key: WorkKey) -> None:
        await change(rows, key, "next_action_at = null")
        assert await claim(rows, key) is None

    async def test_a_row_that_is_gone_is_not_claimed(self, rows: Database) -> None:
        assert await claim(rows, WorkKey(WorkKind.PROBE, NIL, new_id())) is None

    async def test_a_row_of_another_subscription_is_not_claimed(self, rows: Database, key: WorkKey) -> None:
        assert await claim(rows, WorkKey(key.kind, new_id(), key.id)) is None

    @pytest.mark.parametrize(("attempts", "taken"), [(0, True), (1, True), (2, False), (7, False)])
    async def test_one_that_was_taken_too_often_already_is_left_alone_by_who_asks_for_that(
        self, rows: Database, key: WorkKey, attempts: int, taken: bool
    ) -> None:
        await change(rows, key, f"attempts = {attempts}")
        async with rows.transaction() as connection:
            lease = await work.claim(connection, key, MINUTE, most_attempts=2)
        assert (lease is not None) == taken
        assert (await row_of(rows, key))["attempts"] == attempts + taken


class TestRenew:
    async def test_the_row_is_held_longer(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.renew(connection, lease, timedelta(hours=3))
        row = await row_of(rows, lease.key)
        assert row["lease_until"] - row["now"] > timedelta(hours=2)

    async def test_a_lapsed_lease_that_nobody_took_is_renewed(self, rows: Database, lease: Lease) -> None:
        await change(rows, lease.key, "lease_until = now() - interval '1 hour'")
        async with rows.transaction() as connection:
            await work.renew(connection, lease, MINUTE)
        assert await claim(rows, lease.key) is None

    async def test_a_row_that_another_holds_is_not_renewed(self, rows: Database, lease: Lease) -> None:
        await taken_over(rows, lease)
        with pytest.raises(LeaseLost):
            async with rows.transaction() as connection:
                await work.renew(connection, lease, MINUTE)

    async def test_a_renewal_that_waited_for_the_conclusion_does_not_take_the_row_again(
        self, rows: Database, lease: Lease
    ) -> None:
        async def renew() -> None:
            async with rows.transaction() as connection:
                await work.renew(connection, lease, MINUTE)

        async with rows.transaction() as connection:
            await work.conclude(connection, lease)
            renewal = asyncio.create_task(renew())
            await self._until_somebody_waits(rows)
        with pytest.raises(LeaseLost):
            await renewal
        assert (await row_of(rows, lease.key))["lease_until"] is None

    async def _until_somebody_waits(self, database: Database) -> None:
        waiting = "select exists (select from pg_locks where locktype = 'transactionid' and not granted)"
        async with asyncio.timeout(10), database.connection() as connection:
            while True:
                if await connection.fetchval(waiting):
                    return
                await asyncio.sleep(0.01)


class TestConclude:
    async def test_nothing_is_due_and_nobody_holds_the_row(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.conclude(connection, lease)
        row = await row_of(rows, lease.key)
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 0)

    async def test_what_is_written_with_it_stays(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await answer_probe(connection, lease.key.id)
            await work.conclude(connection, lease)
        assert (await row_of(rows, lease.key))["answered_at"] is not None


class TestPostpone:
    async def test_the_row_is_due_after_the_delay(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            now = await work.postpone(connection, lease, timedelta(hours=2), progressed=False)
        row = await row_of(rows, lease.key)
        assert row["next_action_at"] == now + timedelta(hours=2)
        assert row["lease_until"] is None
        assert await claim(rows, lease.key) is None

    async def test_without_delay_it_can_be_claimed_at_once(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.postpone(connection, lease, NONE, progressed=False)
        assert await claim(rows, lease.key) == Lease(lease.key, token=2, attempts=2)

    async def test_progress_starts_the_count_of_attempts_anew(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.postpone(connection, lease, NONE, progressed=True)
        assert await claim(rows, lease.key) == Lease(lease.key, token=2, attempts=1)


class TestPark:
    async def test_the_row_is_set_aside_with_its_reason(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.park(connection, lease, "broken beyond repair")
        row = await row_of(rows, lease.key)
        assert row["parked_reason"] == "broken beyond repair"
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 1)
        assert await claim(rows, lease.key) is None


async def postpone(connection: Connection, lease: Lease) -> None:
    await work.postpone(connection, lease, NONE, progressed=True)


async def park(connection: Connection, lease: Lease) -> None:
    await work.park(connection, lease, "parked")


@pytest.mark.parametrize("let_go", [work.conclude, postpone, park])
class TestLeaseLost:
    async def test_who_was_overtaken_writes_nothing(
        self, rows: Database, lease: Lease, let_go: LetGo
    ) -> None:
        await taken_over(rows, lease)
        before = await row_of(rows, lease.key)
        with pytest.raises(LeaseLost, match=str(lease.key)):
            async with rows.transaction() as connection:
                await answer_probe(connection, lease.key.id)
                await let_go(connection, lease)
        after = await row_of(rows, lease.key)
        assert {**after, "now": None} == {**before, "now": None}
        assert after["answered_at"] is None

    async def test_who_overtook_writes(self, rows: Database, lease: Lease, let_go: LetGo) -> None:
        second = await taken_over(rows, lease)
        async with rows.transaction() as connection:
            await let_go(connection, second)
        assert (await row_of(rows, lease.key))["lease_until"] is None

    @pytest.mark.parametrize("let_go_first", [work.conclude, postpone, park])
    async def test_who_let_go_holds_the_row_no_more(
        self, rows: Database, lease: Lease, let_go_first: LetGo, let_go: LetGo
    ) -> None:
        async with rows.transaction() as connection:
            await let_go_first(connection, lease)
        with pytest.raises(LeaseLost):
            async with rows.transaction() as connection:
                await let_go(connection, lease)

    async def test_a_row_that_is_gone_is_a_lost_lease(
        self, rows: Database, lease: Lease, let_go: LetGo
    ) -> None:
        async with rows.connection() as connection:
            await connection.execute("delete from probes where id = $1", lease.key.id)
        with pytest.raises(LeaseLost):
            async with rows.transaction() as connection:
                await let_go(connection, lease)


class TestDueRows:
    async def test_rows_are_listed_oldest_first(self, rows: Database) -> None:
        keys = await self._add(rows, "now() - interval '1 second'", "now() - interval '3 seconds'", "now()")
        assert await self._due(rows) == [keys[1], keys[0], keys[2]]

    async def test_rows_of_the_same_instant_are_listed_in_one_order(self, rows: Database) -> None:
        async with rows.transaction() as connection:
            keys = [await add_probe(connection) for _ in range(50)]
        await self._shuffle(rows)
        assert await self._due(rows) == sorted(keys, key=lambda key: key.id)

    async def test_only_so_many_are_listed(self, rows: Database) -> None:
        keys = await self._add(rows, "now() - interval '1 second'", "now()")
        assert await self._due(rows, most=1) == [keys[0]]

    async def test_rows_that_are_due_but_not_for_long_are_left_to_their_jobs(self, rows: Database) -> None:
        keys = await self._add(rows, "now() - interval '1 second'", "now() - interval '30 seconds'")
        assert await self._due(rows, overdue=timedelta(seconds=15)) == [keys[1]]

    async def test_rows_that_are_held_concluded_or_due_later_are_not_listed(self, rows: Database) -> None:
        held, *_ = await self._add(rows, "now()", "null", "now() + interval '1 hour'")
        await claimed(rows, held)
        assert await self._due(rows) == []

    async def test_a_row_with_a_lapsed_lease_is_listed(self, rows: Database, lease: Lease) -> None:
        await change(rows, lease.key, "lease_until = now()")
        assert await self._due(rows) == [lease.key]

    async def _shuffle(self, database: Database) -> None:
        """Rewrite the rows in another order than they came."""
        async with database.connection() as connection:
            for row in await connection.fetch("select id from probes order by md5(id::text)"):
                await connection.execute("update probes set attempts = 0 where id = $1", row["id"])

    async def _add(self, database: Database, *next_action_at: str) -> list[WorkKey]:
        keys = []
        for instant in next_action_at:
            async with database.transaction() as connection:
                keys.append(await add_probe(connection))
            await change(database, keys[-1], f"next_action_at = {instant}")
        return keys

    async def _due(self, database: Database, overdue: timedelta = NONE, most: int = 100) -> list[WorkKey]:
        """Which rows get a job, in the order in which they do."""
        async with database.connection() as connection:
            await connection.execute("delete from pgqueuer")
            count = await enqueue_due(connection, WorkKind.PROBE, overdue, most)
            jobs = await connection.fetch("select payload from pgqueuer order by id")
        assert len(jobs) == count
        return [WorkKey.parse(job["payload"].decode()) for job in jobs]


class TestEnqueue:
    async def test_the_job_is_there_when_the_transaction_is(self, rows: Database, key: WorkKey) -> None:
        (job,) = await self._jobs(rows)
        assert (job["entrypoint"], job["payload"]) == ("probe", str(key).encode())

    async def test_a_transaction_that_fails_leaves_no_job(self, rows: Database) -> None:
        with pytest.raises(LookupError):
            async with rows.transaction() as connection:
                await add_probe(connection)
                raise LookupError("something else went wrong")
        assert await self._jobs(rows) == []

    async def test_a_row_has_one_live_job(self, rows: Database, key: WorkKey) -> None:
        async with rows.transaction() as connection:
            assert not await enqueue(connection, key)
        assert len(await self._jobs(rows)) == 1

    async def test_a_skipped_job_does_not_spoil_the_transaction(self, rows: Database, key: WorkKey) -> None:
        async with rows.transaction() as connection:
            await enqueue(connection, key)
            await answer_probe(connection, key.id)
        assert (await row_of(rows, key))["answered_at"] is not None

    async def test_a_row_whose_job_is_gone_gets_another(self, rows: Database, key: WorkKey) -> None:
        async with rows.transaction() as connection:
            await connection.execute("delete from pgqueuer")
            assert await enqueue(connection, key)
        assert len(await self._jobs(rows)) == 1

    async def test_many_at_once_make_one_job(self, rows: Database, key: WorkKey) -> None:
        async with rows.connection() as connection:
            await connection.execute("delete from pgqueuer")

        async def wake() -> bool:
            async with rows.transaction() as connection:
                return await enqueue(connection, key)

        assert sorted(await asyncio.gather(*(wake() for _ in range(10)))) == [False] * 9 + [True]

    async def test_a_row_that_is_gone_gets_none(self, rows: Database) -> None:
        async with rows.transaction() as connection:
            assert not await enqueue(connection, WorkKey(WorkKind.PROBE, NIL, new_id()))
        assert await self._jobs(rows) == []

    async def test_a_job_for_later_waits_until_then(self, rows: Database, key: WorkKey) -> None:
        async with rows.transaction() as connection:
            await connection.execute("delete from pgqueuer")
            await enqueue(connection, key, after=MINUTE)
            now = await connection.fetchval("select now()")
        (job,) = await self._jobs(rows)
        assert job["execute_after"] == now + MINUTE

    async def test_a_row_that_was_claimed_meanwhile_may_have_another(
        self, rows: Database, lease: Lease
    ) -> None:
        """The job of work just concluded may still be there when more is to be done."""
        async with rows.transaction() as connection:
            assert await enqueue(connection, lease.key)
            assert not await enqueue(connection, lease.key)
        assert len(await self._jobs(rows)) == 2

    async def _jobs(self, database: Database) -> list[asyncpg.Record]:
        async with database.connection() as connection:
            return await connection.fetch("select * from pgqueuer")


class TestTidy:
    async def test_only_what_is_older_goes(self, rows: Database) -> None:
        async with rows.connection() as connection:
            await connection.execute("truncate pgqueuer_log, pgqueuer_statistics")
            for days in (8, 6):
                created = datetime.now(UTC) - timedelta(days=days)
                await connection.execute(
                    "insert into pgqueuer_log (created, job_id, status, priority, entrypoint)"
                    " values ($1, 1, 'successful', 0, 'probe')",
                    created,
                )
                await connection.execute(
                    "insert into pgqueuer_statistics (created, count, priority, status, entrypoint)"
                    " values ($1, 1, 0, 'successful', 'probe')",
                    created,
                )
            await tidy(connection, timedelta(days=7))
            for table in ("pgqueuer_log", "pgqueuer_statistics"):
                assert await connection.fetchval(f"select count(*) from {table}") == 1, table


class TestForgetProbes:
    async def test_answered_probes_of_past_days_go(self, rows: Database) -> None:
        answers = {"now() - interval '25 hours'": False, "now() - interval '23 hours'": True, "null": True}
        keys = {}
        for answered in answers:
            async with rows.transaction() as connection:
                keys[answered] = await add_probe(connection)
            await change(rows, keys[answered], f"answered_at = {answered}")
        async with rows.transaction() as connection:
            await forget_probes(connection)
            left = set(await connection.fetch("select id from probes"))
        assert {row["id"] for row in left} == {keys[one].id for one, stays in answers.items() if stays}


class TestAnsweredAt:
    async def test_it_is_none_until_answered(self, rows: Database, key: WorkKey) -> None:
        async with rows.transaction() as connection:
            assert await answered_at(connection, key.id) is None
            await answer_probe(connection, key.id)
            instant = await answered_at(connection, key.id)
        assert instant is not None
        assert abs(datetime.now(UTC) - instant) < MINUTE
