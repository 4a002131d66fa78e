import asyncio
from collections import Counter
from dataclasses import replace

from structlog.testing import capture_logs

from carimbo.main.outbound import mailing_context_of
from carimbo.main.worker import worker_context_of
from carimbo.service.maintenance import probe_queue
from carimbo.settings import Settings
from carimbo.storage.work import WorkKind
from carimbo.worker.tasks import tasks_of
from integration.worker.worker_site import (
    NEVER,
    POLICY,
    QUICK,
    Site,
    milliseconds,
    outcomes,
    recording,
    until_logged,
    until_the_end,
)
from support import TIMEOUT_SECONDS


class TestProbe:
    async def test_a_worker_answers_a_probe(self, site: Site) -> None:
        async with site.worker():
            seconds = await probe_queue(site.database, TIMEOUT_SECONDS)
        assert seconds is not None

    async def test_without_a_worker_a_probe_is_not_answered(self, site: Site) -> None:
        assert await probe_queue(site.database, 0.2) is None

    async def test_a_waiting_worker_is_woken_at_once(self, site: Site) -> None:
        """By the notification: polling happens only every hour."""
        async with site.worker(options=replace(QUICK, poll=NEVER)):
            for _ in range(3):
                assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None

    async def test_many_probes_are_answered_with_one_claim_each(self, site: Site) -> None:
        keys = await site.add(200)
        async with site.worker():
            await site.until_all_answered()
        for row in await site.fetch("select * from probes"):
            assert (row["next_action_at"], row["lease_until"], row["lease_token"]) == (None, None, 1)
        assert len(keys) == 200

    async def test_every_kind_of_work_has_a_task(self, site: Site, settings: Settings) -> None:
        async with worker_context_of(settings, site.database) as context:
            assert set(tasks_of(context, mailing_context_of(settings, site.database))) == set(WorkKind)


class TestPoll:
    """Polling finds what nobody was notified of."""

    async def test_a_row_is_done_when_its_time_comes(self, site: Site) -> None:
        async with site.worker():
            await site.add(1)
            await site.until_all_answered()
            (key,) = await site.add(1)
            await site.fetch("update probes set next_action_at = now() + interval '300 milliseconds'")
            await site.until_all_answered()
        row = await site.row_of(key)
        assert row["lease_token"] == 1

    async def test_a_row_whose_notification_was_lost_is_done(self, site: Site) -> None:
        async with site.worker():
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
            await site.fetch("alter table probes disable trigger user")
            try:
                await site.add(3)
                await site.until_all_answered()
            finally:
                await site.fetch("alter table probes enable trigger user")

    async def test_a_row_of_a_worker_that_died_is_done_after_its_lease(self, site: Site) -> None:
        await site.add(1)
        await site.fetch(
            "update probes set lease_token = 1, attempts = 1,"
            " lease_until = now() + interval '300 milliseconds'"
        )
        async with site.worker():
            await site.until_all_answered()

    async def test_kinds_of_a_newer_release_are_ignored(self, site: Site) -> None:
        async with site.worker(options=replace(QUICK, poll=NEVER)):
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
            await site.fetch("select pg_notify('carimbo_work', 'something new')")
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None


class TestConnectionLost:
    async def test_a_worker_reconnects_and_continues(self, site: Site) -> None:
        async with site.worker() as worker:
            for _ in range(3):
                assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
                await self._cut_all(site)
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
            assert not worker.done()

    async def test_a_waiting_worker_notices_a_lost_connection_at_once(self, site: Site) -> None:
        """Polling happens only every hour."""
        async with site.worker(options=replace(QUICK, poll=NEVER)):
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
            await self._cut_all(site)
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None

    async def test_lost_connection_loses_no_work(self, site: Site) -> None:
        keys = await site.add(150)
        advancer = site.advancer(recording("worker"), lease=milliseconds(300))
        advancer = replace(advancer, policy=replace(POLICY, attempts_before_parking=50))
        async with site.worker(advancer):
            await site.until("exists (select from probes where answered_at is not null)")
            await self._cut_all(site)
            await site.until_all_answered()
        assert await outcomes(site) == Counter(key.id for key in keys)

    async def _cut_all(self, site: Site) -> None:
        """Ends every other connection to this database."""
        await site.fetch(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )


class TestClaimFailed:
    async def test_a_worker_started_before_the_migration_works_after_it(self, site: Site) -> None:
        await site.fetch("alter table probes rename to somewhere_else")
        try:
            with capture_logs() as logs:
                async with site.worker():
                    await until_logged(logs, "work_not_claimed", times=2)
                    await site.fetch("alter table somewhere_else rename to probes")
                    assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
        finally:
            await site.fetch("alter table if exists somewhere_else rename to probes")


class TestChores:
    async def test_chores_are_cancelled_once_and_can_finish(self, site: Site) -> None:
        """A second cancellation would interrupt what the chore is finishing."""
        steps: list[str] = []

        async def chore() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                steps.append("cancelled")
                await site.fetch("select pg_sleep(0.1)")
                steps.append("finished")

        async with site.worker(chores=[chore()]):
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
        assert steps == ["cancelled", "finished"]

    async def test_chores_end_with_a_cancelled_worker(self, site: Site) -> None:
        ended = asyncio.Event()
        async with site.worker(chores=[until_the_end(ended)]) as worker:
            assert await probe_queue(site.database, TIMEOUT_SECONDS) is not None
            worker.cancel()
            await asyncio.wait_for(ended.wait(), TIMEOUT_SECONDS)


class TestTwoWorkers:
    async def test_each_row_is_concluded_once(self, site: Site) -> None:
        keys = await site.add(200)
        first = site.advancer(recording("one"))
        other = site.advancer(recording("other"))
        async with (
            site.worker(first),
            site.worker(other),
        ):
            await site.until_all_answered()
        assert await outcomes(site) == Counter(key.id for key in keys)

    async def test_each_row_is_concluded_once_though_leases_expire(self, site: Site) -> None:
        keys = await site.add(60)
        policy = replace(POLICY, attempts_before_parking=1000)

        async def dawdle() -> None:
            await asyncio.sleep(0.02)

        workers = [
            replace(site.advancer(recording(name, dawdle), lease=milliseconds(10)), policy=policy)
            for name in ("one", "other")
        ]
        async with (
            site.worker(workers[0]),
            site.worker(workers[1]),
        ):
            await site.until_all_answered()
        assert await outcomes(site) == Counter(key.id for key in keys)


class TestStop:
    async def test_a_stopping_worker_finishes_its_work_and_ends_its_chores(self, site: Site) -> None:
        started, stopping, finish = asyncio.Event(), asyncio.Event(), asyncio.Event()

        async def last_long() -> None:
            started.set()
            await finish.wait()

        (key,) = await site.add(1)
        advancer = site.advancer(recording("worker", last_long))
        async with site.worker(advancer, chores=[until_the_end(stopping)]) as worker:
            await asyncio.wait_for(started.wait(), TIMEOUT_SECONDS)
            worker.cancel()
            await asyncio.wait_for(stopping.wait(), TIMEOUT_SECONDS)
            assert not worker.done()
            finish.set()
            await asyncio.wait({worker}, timeout=TIMEOUT_SECONDS)
        assert (await site.row_of(key))["answered_at"] is not None

    async def test_a_worker_stopped_before_it_began_ends_at_once(self, site: Site) -> None:
        await site.add(1)
        async with site.worker():
            pass

    async def test_a_worker_without_a_database_stops_too(self, site: Site) -> None:
        nowhere = replace(site, url="postgresql://postgres@/x?host=/nonexistent")
        async with nowhere.worker() as worker:
            await asyncio.sleep(0)
            assert not worker.done()
