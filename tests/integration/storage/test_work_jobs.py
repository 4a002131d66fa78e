"""The jobs that wake workers for rows, and the removal of old jobs and probes."""

import asyncio
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.jobs import (
    add_probe,
    answer_probe,
    delete_old_probes,
    enqueue,
    enqueue_due,
    probe_answered_at,
    tidy,
)
from carimbo.storage.work import Lease, WorkKey, WorkKind
from integration.storage.probe_rows import MINUTE, NONE, change, claimed, row_of


class TestDueRows:
    async def test_rows_are_listed_oldest_first(self, rows: Database) -> None:
        keys = await self._add(rows, "now() - interval '1 second'", "now() - interval '3 seconds'", "now()")
        assert await self._due(rows) == [keys[1], keys[0], keys[2]]

    async def test_rows_of_the_same_instant_are_listed_in_a_stable_order(self, rows: Database) -> None:
        async with rows.transaction() as connection:
            keys = [await add_probe(connection) for _ in range(50)]
        await self._shuffle(rows)
        assert await self._due(rows) == sorted(keys, key=lambda key: key.id)

    async def test_no_more_rows_than_the_limit_are_listed(self, rows: Database) -> None:
        keys = await self._add(rows, "now() - interval '1 second'", "now()")
        assert await self._due(rows, limit=1) == [keys[0]]

    async def test_rows_that_became_due_recently_are_left_to_their_jobs(self, rows: Database) -> None:
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
        """Rewrites the rows in another physical order."""
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

    async def _due(self, database: Database, overdue: timedelta = NONE, limit: int = 100) -> list[WorkKey]:
        """Returns the rows that get a job, in order."""
        async with database.connection() as connection:
            await connection.execute("delete from pgqueuer")
            count = await enqueue_due(connection, WorkKind.PROBE, overdue, limit)
            jobs = await connection.fetch("select payload from pgqueuer order by id")
        assert len(jobs) == count
        return [WorkKey.parse(job["payload"].decode()) for job in jobs]


class TestEnqueue:
    async def test_the_job_is_committed_with_its_row(self, rows: Database, key: WorkKey) -> None:
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

    async def test_simultaneous_calls_add_one_job(self, rows: Database, key: WorkKey) -> None:
        async with rows.connection() as connection:
            await connection.execute("delete from pgqueuer")

        async def wake() -> bool:
            async with rows.transaction() as connection:
                return await enqueue(connection, key)

        assert sorted(await asyncio.gather(*(wake() for _ in range(10)))) == [False] * 9 + [True]

    async def test_a_missing_row_gets_no_job(self, rows: Database) -> None:
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

    async def test_a_row_that_was_claimed_meanwhile_may_get_another_job(
        self, rows: Database, lease: Lease
    ) -> None:
        """The job of work just concluded may still exist when more is to be done."""
        async with rows.transaction() as connection:
            assert await enqueue(connection, lease.key)
            assert not await enqueue(connection, lease.key)
        assert len(await self._jobs(rows)) == 2

    async def _jobs(self, database: Database) -> list[asyncpg.Record]:
        async with database.connection() as connection:
            return await connection.fetch("select * from pgqueuer")


class TestTidy:
    async def test_only_older_entries_are_removed(self, rows: Database) -> None:
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


class TestDeleteOldProbes:
    async def test_only_probes_answered_on_past_days_are_deleted(self, rows: Database) -> None:
        answers = {"now() - interval '25 hours'": False, "now() - interval '23 hours'": True, "null": True}
        keys = {}
        for answered in answers:
            async with rows.transaction() as connection:
                keys[answered] = await add_probe(connection)
            await change(rows, keys[answered], f"answered_at = {answered}")
        async with rows.transaction() as connection:
            await delete_old_probes(connection)
            left = set(await connection.fetch("select id from probes"))
        assert {row["id"] for row in left} == {
            keys[answered].id for answered, stays in answers.items() if stays
        }


class TestAnsweredAt:
    async def test_a_probe_has_no_answer_time_until_answered(self, rows: Database, key: WorkKey) -> None:
        async with rows.transaction() as connection:
            assert await probe_answered_at(connection, key.id) is None
            await answer_probe(connection, key.id)
            instant = await probe_answered_at(connection, key.id)
        assert instant is not None
        assert abs(datetime.now(UTC) - instant) < MINUTE
