"""Whatever fails between a document's status change and its webhook call: the change is delivered."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from acceptance.fault_company import Company
from acceptance.fault_listener import Listener, contradictions_of_deliveries, listening
from acceptance.fault_programs import Failpoint, Program
from acceptance.fault_site import Site, until_answered
from acceptance.test_sale_failpoints import lease_was_lost
from receiver import Reply
from support import LOOPBACK, free_port

# Short waits; a lease is twice as long as a call may take.
WAITS = {
    "webhook_allowed_hosts": LOOPBACK,
    "webhook_seconds": "1.5",
    "webhook_retry_seconds": "0.2,0.2,0.5,0.5,1",
}
SLOWLY = Reply(delay=0.2)
"""Keeps many calls in progress whenever something fails."""


@pytest.fixture(scope="module")
async def site(site: Site) -> AsyncIterator[Site]:
    """The shared installation, with an API that allows receivers on this machine."""
    port = free_port()
    site_with_webhooks = replace(site, settings={**site.settings, **WAITS, "port": str(port)})
    with site_with_webhooks.api(port):
        await until_answered(site_with_webhooks.url, "/readyz")
        yield site_with_webhooks


@pytest.fixture
async def listener(company: Company) -> AsyncIterator[Listener]:
    async with listening(company) as listener:
        yield listener


async def until_all_delivered(site: Site, listener: Listener) -> None:
    """Waits until all documents, filings and deliveries are settled."""
    await site.until_settled(listener.company)
    await site.until_filed(listener.company)
    await site.until(f"{listener.count('pending')} = 0")


def patient_worker(site: Site) -> AbstractContextManager[Program]:
    """Runs a worker whose calls do not time out because the machine is busy."""
    return site.worker(webhook_seconds="60")


async def end_leases(site: Site, listener: Listener) -> None:
    """Ends the leases that killed workers hold on deliveries."""
    await site.fetch(
        "update deliveries set lease_until = now() where webhook_id = $1 and lease_until is not null",
        listener.id,
    )


async def cancel_every_third(site: Site, company: Company, documents: int) -> None:
    """Cancels documents as soon as they are authorized, up to a third of the given total."""
    canceled: set[str] = set()
    while len(canceled) < documents // 3:
        await site.until(f"{company.count('authorized')} > 0")
        rows = await site.fetch(
            "select id::text, type from documents where company_id = $1 and status = 'authorized' limit 3",
            company.id,
        )
        for row in rows:
            if row["id"] not in canceled and len(canceled) < documents // 3:
                await company.cancel(row["type"], row["id"])
                canceled.add(row["id"])


async def kill_workers_at(site: Site, conditions: Iterable[str], end: str) -> None:
    """Runs a worker, and kills and replaces it each time the next condition holds, until the end."""
    for condition in conditions:
        with site.worker() as victim:
            await site.until(condition)
            await victim.kill()
    with site.worker():
        await site.until(end)


class TestKilledWorker:
    async def test_event_of_a_worker_killed_after_authorization_is_delivered_by_another(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        await company.issue("nfe", external_id="victim")
        with site.worker(Failpoint("victim", "concluded")) as victim:
            assert await victim.end() == -signal.SIGKILL
        assert await site.holds(f"{company.count('authorized')} = 1 and {listener.count('pending')} = 1")
        assert listener.receiver.calls == []
        with patient_worker(site):
            await until_all_delivered(site, listener)
        assert len(listener.receiver.calls) == 1
        assert await contradictions_of_deliveries(site, listener) == []

    async def test_event_of_a_worker_killed_after_cancellation_is_delivered_by_another(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        document = await company.issue("nfse", external_id="victim")
        with site.worker(Failpoint("victim", "cancellation concluded")) as victim:
            await site.until(f"{listener.count('delivered')} = 1")
            await company.cancel("nfse", document)
            assert await victim.end() == -signal.SIGKILL
        # The victim may have begun to deliver the event before it died.
        kept = f"{listener.count('pending')} + {listener.count('delivered')} = 2"
        assert await site.holds(f"{company.count('canceled')} = 1 and {kept}")
        with patient_worker(site):
            await until_all_delivered(site, listener)
        events = dict.fromkeys(call["event"] for call in listener.payloads())
        assert [*events] == ["nfse.authorized", "nfse.cancelled"]
        assert await contradictions_of_deliveries(site, listener) == []

    async def test_call_of_a_worker_killed_during_it_is_repeated_by_another(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        listener.receiver.default = Reply(hangs=True)
        await company.issue("nfce")
        with patient_worker(site) as victim:
            await listener.until_called(1)
            await victim.kill()
        assert await site.holds(f"{listener.under_way} = 1")
        listener.receiver.default = Reply()
        await end_leases(site, listener)
        with patient_worker(site):
            await until_all_delivered(site, listener)
        first, second = listener.receiver.calls
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert [entry["attemptCount"] for entry in await listener.log()] == [1]
        assert await contradictions_of_deliveries(site, listener) == []

    async def test_later_event_waits_for_the_call_of_a_killed_worker(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        listener.receiver.replies.append(Reply(drops=True))
        listener.receiver.default = Reply(hangs=True)
        document = await company.issue("nfe")
        with patient_worker(site) as victim:
            await listener.until_called(2)
            await victim.kill()
        listener.receiver.calls.clear()
        listener.receiver.default = Reply()
        await company.cancel("nfe", document)
        with patient_worker(site):
            await site.until(f"{company.count('canceled')} = 1 and {listener.count('pending')} = 2")
            assert listener.receiver.calls == []
            await end_leases(site, listener)
            await until_all_delivered(site, listener)
        assert [call["event"] for call in listener.payloads()] == ["nfe.authorized", "nfe.cancelled"]
        assert await contradictions_of_deliveries(site, listener) == []


class TestFrozenWorker:
    async def test_frozen_worker_writes_nothing_after_another_repeated_its_call(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        listener.receiver.replies.append(Reply(hangs=True))
        await company.issue("nfe")
        with site.worker(webhook_seconds="5") as frozen:
            await listener.until_called(1)
            frozen.send(signal.SIGSTOP)
            await end_leases(site, listener)
            with patient_worker(site):
                await until_all_delivered(site, listener)
                frozen.send(signal.SIGCONT)
                assert await frozen.terminate() == 0
        (delivery,) = await listener.log()
        assert lease_was_lost(site, delivery["id"])
        assert (delivery["attemptCount"], delivery["responseStatus"]) == (1, 200)
        assert await contradictions_of_deliveries(site, listener) == []


class TestLostNotifications:
    async def test_delivery_is_not_lost_with_its_notification(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        """The worker loses its notifications again and again, of documents as of deliveries."""
        listener.receiver.default = SLOWLY
        with site.worker() as worker:
            async with asyncio.TaskGroup() as group:
                group.create_task(company.issue_many(30))
                for calls in range(5, 30, 5):
                    await listener.until_called(calls)
                    await site.cut_listeners()
            await until_all_delivered(site, listener)
            assert worker.is_alive
        assert await site.holds(f"{company.count('authorized')} = 30")
        assert await contradictions_of_deliveries(site, listener) == []


class TestRestartedPostgres:
    async def test_restart_of_postgres_during_calls_loses_no_delivery(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        listener.receiver.default, gate = SLOWLY, asyncio.Event()
        with site.worker() as worker:
            async with asyncio.TaskGroup() as group:
                group.create_task(company.issue_many(30))
                await listener.until_called(5)
                listener.receiver.default = Reply(gate=gate)
                await site.until(f"{listener.under_way} > 0")
                await site.stop_postgres()
                await site.start_postgres()
                gate.set()
            await until_all_delivered(site, listener)
            assert worker.is_alive
        assert await site.holds(f"{company.count('authorized')} = 30")
        assert await contradictions_of_deliveries(site, listener) == []


class TestRandomKills:
    async def test_random_kills_lose_no_delivery_and_keep_the_order_of_each_document(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        rng, total = random.Random(12), 24
        listener.receiver.default = SLOWLY
        delivered, all_delivered = (
            listener.count("delivered"),
            f"{listener.count('delivered')} = {total + total // 3}",
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(company.issue_many(total))
            group.create_task(cancel_every_third(site, company, total))
            for _ in range(3):
                conditions = [f"{delivered} > {moment}" for moment in sorted(rng.sample(range(total), 2))]
                group.create_task(kill_workers_at(site, conditions, all_delivered))
        assert await site.holds(f"{company.count('canceled')} = {total // 3}")
        assert await contradictions_of_deliveries(site, listener) == []


class TestStoppedWorker:
    async def test_stopped_worker_finishes_its_calls_and_leaves_the_rest_to_another(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        listener.receiver.default = Reply(delay=1)
        await company.issue_many(12)
        with site.worker(webhook_seconds="15", webhook_concurrency_each="3") as stopped:
            await listener.until_called(3)
            assert await stopped.terminate() == 0
        called = len(listener.receiver.calls)
        assert await site.holds(f"{listener.under_way} = 0 and {listener.count('delivered')} = {called}")
        listener.receiver.default = Reply()
        with patient_worker(site):
            await until_all_delivered(site, listener)
        assert {listener.calls_of(call) for call in listener.receiver.calls} == {1}
        assert await contradictions_of_deliveries(site, listener) == []

    async def test_worker_that_must_stop_during_a_call_leaves_it_to_another_at_once(
        self, site: Site, company: Company, listener: Listener
    ) -> None:
        listener.receiver.replies.append(Reply(hangs=True))
        await company.issue("nfe")
        with site.worker(webhook_seconds="600", shutdown_seconds="1") as stopped:
            await listener.until_called(1)
            assert await stopped.terminate() == 0
        assert await site.holds(f"{listener.under_way} = 0")
        with patient_worker(site):
            await until_all_delivered(site, listener)
        assert {listener.calls_of(call) for call in listener.receiver.calls} == {2}
        assert await contradictions_of_deliveries(site, listener) == []
