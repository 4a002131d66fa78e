"""Whatever fails while sales wait for their time, or when it comes: each document goes out then, and once."""

import asyncio
import random
from datetime import UTC, datetime, timedelta

from acceptance.fault_company import Company
from acceptance.fault_sales import DOCUMENTS, contradictions_of_sales, schedule, stock, until_issued
from acceptance.fault_site import Site, local, until_answered
from acceptance.test_issuing_outages import kill_at
from support import come_due, free_port

ON_TIME = timedelta(seconds=60)
"""How late a document may be that nobody had to look for, however busy the machine is."""
NEVER = "600"
"""Seconds after which no test looks any more."""


def soon(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def schedule_many(company: Company, how_many: int) -> None:
    await stock(company)
    await schedule(company)
    await asyncio.gather(*(schedule(company) for _ in range(how_many - 1)))


def fired_of(company: Company) -> str:
    """An SQL expression: how many documents of a company were sent on their way."""
    return f"(select count(queued_at) from documents where company_id = '{company.id}')"


async def lateness(site: Site, company: Company, since: datetime) -> timedelta:
    """How long after the time of its sale the last document was sent, counted from a moment or later."""
    (row,) = await site.fetch(
        "select max(d.queued_at - greatest(s.scheduled_emit_at, $2)) as late"
        " from sales s join documents d on d.sale_id = s.id where s.company_id = $1",
        company.id,
        since,
    )
    late: timedelta = row["late"]
    return late


class TestManySales:
    async def test_due_at_once_go_out_once_whoever_is_killed(self, site: Site, company: Company) -> None:
        dice, sales = random.Random(12), 25
        fired, authorized, total = fired_of(company), company.count("authorized"), sales * DOCUMENTS
        await schedule_many(company, sales)
        await come_due(site.fetch, company.id)
        async with asyncio.TaskGroup() as group:
            for count in (fired, authorized):
                conditions = [f"{count} > {moment}" for moment in sorted(dice.sample(range(total), 4))]
                group.create_task(
                    kill_at(
                        site,
                        lambda: site.worker(worker_concurrency="2"),
                        conditions,
                        f"{authorized} = {total}",
                    )
                )
        assert await contradictions_of_sales(site, company, sales) == []

    async def test_are_shared_by_two_workers_and_go_out_once(self, site: Site, company: Company) -> None:
        await schedule_many(company, 25)
        await come_due(site.fetch, company.id)
        with site.worker(), site.worker():
            await until_issued(site, company)
        assert await contradictions_of_sales(site, company, 25) == []


class TestEmptiedQueue:
    async def test_is_filled_again_from_the_sales(self, site: Site, company: Company) -> None:
        await stock(company)
        for _ in range(10):
            await schedule(company, soon(1))
        assert len(await site.fetch("delete from pgqueuer returning id")) >= 10
        with site.worker(worker_concurrency="2"):
            await site.until(f"{fired_of(company)} > 4")
            await site.fetch("delete from pgqueuer")
            await until_issued(site, company)
        assert await contradictions_of_sales(site, company, 10) == []


class TestRestart:
    async def test_of_everything_before_the_time_changes_nothing(self, site: Site, company: Company) -> None:
        await stock(company)
        port = free_port()
        with site.api(port) as api, site.worker() as worker:
            await until_answered(local(port), "/readyz")
            await schedule(company, soon(8), at=local(port))
            await worker.kill()
            assert await api.terminate() == 0
        await site.stop_postgres()
        await site.start_postgres()
        assert await site.holds(f"{fired_of(company)} = 0")
        started = datetime.now(UTC)
        with site.api(port), site.worker():
            await until_issued(site, company)
        assert await lateness(site, company, started) < ON_TIME
        assert await contradictions_of_sales(site, company, 1) == []


class TestMoment:
    async def test_needs_no_sweep(self, site: Site, company: Company) -> None:
        await stock(company)
        with site.worker(sweep_seconds=NEVER):
            await company.issue("nfe")
            await site.until(f"{company.count('authorized')} = 1")
            started = datetime.now(UTC)
            await schedule(company, soon(2))
            await until_issued(site, company)
        assert await lateness(site, company, started) < ON_TIME
        assert await contradictions_of_sales(site, company, 1) == []

    async def test_is_announced_by_the_sweep_before_it(self, site: Site, company: Company) -> None:
        await stock(company)
        sale = await schedule(company, soon(600))
        await site.fetch("delete from pgqueuer")
        announced = f"(select execute_after from pgqueuer where dedupe_key like '%{sale}%')"
        with site.worker(sweep_seconds=NEVER):
            await site.until(f"{announced} = (select scheduled_emit_at from sales where id = '{sale}')")
        assert await site.holds(f"{fired_of(company)} = 0")
