"""Workers that are killed or frozen while they receive documents, or that the authority blocks.

Each document arrives once and is acknowledged once, and the authority is never asked before its time.
"""

import signal
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from acceptance.fault_company import Company
from acceptance.fault_programs import Failpoint, Gate, Program, named
from acceptance.fault_receiving import (
    CONFIRMED,
    PAGES,
    SCIENCE,
    SINGLE,
    Market,
    codes,
    confirm,
    follow,
    hurried,
    open_market,
    sent_statements,
    statements_at_authority,
    unfinished,
)
from acceptance.fault_site import LISTENERS, LONG_LEASES, Site

ASKED, ANSWERED, STORED = "stream asked", "stream answered", "stream stored"
READ, LOT = "page read", "lot answered"
STEPS = (ASKED, ANSWERED, STORED, READ, LOT)
FOUND, NOTHING, OVERUSE = "138", "137", "656"
WORKERS = 3
COPIES = 2
"""The NF-e that each company gets."""
# The authority refuses the question after an answer that died with its worker: it knows a later number.
LOST_ANSWER = [FOUND, OVERUSE, NOTHING]
FILLED_GAP = [(1, COPIES, "lostAnswer", True)]
REGISTERED, REGISTERED_BEFORE = "135", "573"
CODES_OF_STATEMENTS = {
    "signed": [REGISTERED],
    "answered": [REGISTERED, REGISTERED_BEFORE],
    "concluded": [REGISTERED],
}
# Short, because the leases of frozen workers must end. A slow machine needs time to renew the others.
FREEZING_LEASES = {"lease_seconds": "4"}


@pytest.fixture
async def market(site: Site, company: Company) -> AsyncIterator[Market]:
    """A supplier, and companies that buy from it, at an authority that blocks who asks too often."""
    async with open_market(site, company) as opened:
        yield opened


async def two_hours_pass(site: Site, market: Market) -> None:
    """Lets two hours pass, each with a worker of its own, which does not remember what others have asked."""
    for _ in range(2):
        with site.worker():
            await market.until_quiet()
            await market.an_hour_passes()
            await market.until_quiet()


class TestKilledWorker:
    async def test_documents_of_a_killed_worker_arrive_and_are_acknowledged_once(
        self, site: Site, market: Market
    ) -> None:
        """Each worker finishes the work of the worker before it, and is killed in the middle of the next."""
        steps = {step: await market.new_buyer() for step in STEPS}
        keys: dict[str, list[str]] = {}
        for step, buyer in steps.items():
            failpoint = Failpoint(buyer.tax_id, step)
            with named(f"dying at {step}"), site.worker(failpoint, **LONG_LEASES) as victim:
                keys = keys or await market.issue_to(steps.values(), COPIES)
                await market.until_quiet()
                # A worker that dies between two pages leaves the next page to another one.
                await site.switch(distributionPage=1 if step == STORED else None)
                await follow(buyer)
                assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
        await two_hours_pass(site, market)
        assert await market.contradictions(keys) == []
        assert await market.gaps() == {steps[ANSWERED].tax_id: FILLED_GAP}
        assert await codes(site, steps[ANSWERED], PAGES) == LOST_ANSWER
        assert await codes(site, steps[ANSWERED], SINGLE) == [FOUND] * COPIES
        for step, buyer in steps.items():
            with named(step):
                assert step == ANSWERED or OVERUSE not in await codes(site, buyer)
                assert await hurried(site, buyer) == await unfinished(site, buyer)
        assert await hurried(site, steps[STORED]) >= 1

    async def test_lot_that_a_killed_worker_has_signed_is_sent_by_another_one(
        self, site: Site, market: Market
    ) -> None:
        buyer = await market.new_buyer()
        with site.worker():
            keys = await market.issue_to([buyer])
        (key,) = keys[buyer.id]
        with site.worker(Failpoint(key, "science signed"), **LONG_LEASES) as victim:
            await follow(buyer)
            assert await victim.end() == -signal.SIGKILL
        # The lease of a lot lasts longer than all others.
        for table in ("streams", "receptions"):
            await site.fetch(f"update {table} set lease_until = now() where lease_until is not null")
        await two_hours_pass(site, market)
        assert await market.contradictions(keys) == []


class TestFrozenWorker:
    async def test_frozen_worker_asks_and_stores_nothing_after_another_worker_took_over(
        self, site: Site, market: Market, tmp_path: Path
    ) -> None:
        steps = {step: await market.new_buyer() for step in (ASKED, ANSWERED, LOT)}
        gate = Gate.closed_in(tmp_path)
        frozen: list[Program] = []
        with site.worker():
            keys = await market.issue_to(steps.values(), COPIES)
        with ExitStack() as workers:
            for step, buyer in steps.items():
                await follow(buyer)
                # A worker that freezes in the middle of a transaction keeps the row from all others.
                await market.put_off_reading(buyer)
                failpoint = Failpoint(buyer.tax_id, step, gate)
                frozen.append(workers.enter_context(site.worker(failpoint, **FREEZING_LEASES)))
                with named(f"freezing at {step}"):
                    await gate.until_reached_by(len(frozen))
            await market.end_leases_of_lots()
            with site.worker():
                await market.until_quiet()
                gate.open()
                for worker in frozen:
                    assert await worker.terminate() == 0
        assert await codes(site, steps[ASKED]) == []
        assert await codes(site, steps[ANSWERED]) == [FOUND]
        assert set(await market.received()) == {steps[LOT].id}
        await two_hours_pass(site, market)
        assert await market.contradictions(keys) == []
        assert await market.gaps() == {steps[ANSWERED].tax_id: FILLED_GAP}
        assert await codes(site, steps[ASKED]) == [FOUND, FOUND]
        assert await codes(site, steps[ANSWERED]) == LOST_ANSWER
        assert [await hurried(site, buyer) for buyer in steps.values()] == [0] * len(steps)


class TestBlockedWorkers:
    async def test_only_one_of_several_workers_asks_and_none_asks_during_a_block(
        self, site: Site, market: Market
    ) -> None:
        """No worker has a memory of what another one asked, or of the block that it got."""
        buyer = await market.new_buyer()
        with ExitStack() as workers:
            for _ in range(WORKERS):
                workers.enter_context(site.worker())
            await site.until(f"{LISTENERS} = {2 * WORKERS}")
            await follow(buyer)
            await market.until_quiet()
            assert await codes(site, buyer) == [NOTHING]
            # For the authority no time has passed: the next question is too early.
            await market.rows_age()
            await market.until_quiet()
            for _ in range(2 * WORKERS):
                await follow(buyer)
                await market.wake_streams()
                await market.until_quiet()
        assert await codes(site, buyer) == [NOTHING, OVERUSE]


class TestManifestation:
    async def test_statement_of_a_killed_worker_is_registered_once(self, site: Site, market: Market) -> None:
        """Each worker finishes the statement of the worker before it, and is killed in the next one."""
        buyer = await market.new_buyer()
        with site.worker():
            await market.issue_to([buyer], len(CODES_OF_STATEMENTS))
            await follow(buyer)
            await market.until_quiet()
        steps = dict(zip(CODES_OF_STATEMENTS, await buyer.read("received-nfes"), strict=True))
        for step, document in steps.items():
            failpoint = Failpoint(document["accessKey"], f"confirmed {step}")
            with named(step), site.worker(failpoint, **LONG_LEASES) as victim:
                await market.until_stated()
                answer = await confirm(buyer, document["id"])
                assert step == "concluded" or answer["manifestationStatus"] == "processing"
                assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
        with site.worker():
            await market.until_stated()
        for step, document in steps.items():
            with named(step):
                key = document["accessKey"]
                assert await statements_at_authority(site, key) == [SCIENCE, CONFIRMED]
                sent = await sent_statements(site, buyer, key, CONFIRMED)
                assert [entry["code"] for entry in sent] == CODES_OF_STATEMENTS[step]
                assert len({entry["digest"] for entry in sent}) == 1
                stated = await confirm(buyer, document["id"])
                assert (stated["status"], stated["manifestationStatus"]) == ("confirmed", "authorized")
