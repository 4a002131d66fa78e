"""Whatever fails while sales are scheduled or due: each document is issued on time and once."""

import asyncio
import random
from datetime import UTC, datetime, timedelta

from acceptance.fault_company import Company
from acceptance.fault_sales import DOCUMENTS, contradictions_of_sales, schedule, stock, until_issued
from acceptance.fault_site import Site, local, until_answered
from acceptance.test_issuing_outages import kill_at
from support import free_port, make_due

ON_TIME = timedelta(seconds=60)
"""How late a document may be on a busy machine."""


def soon(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


async def schedule_many(company: Company, how_many: int) -> None:
    await stock(company)
    await schedule(company)
    await asyncio.gather(*(schedule(company) for _ in range(how_many - 1)))


def fired_of(company: Company) -> str:
    """Returns an SQL expression: the number of queued documents of a company."""
    return f"(select count(queued_at) from documents where company_id = '{company.id}')"


async def lateness(site: Site, company: Company, since: datetime) -> timedelta:
    """Returns how long after the time of its sale, or after `since`, the last document was queued."""
    (row,) = await site.fetch(
        "select max(d.queued_at - greatest(s.scheduled_emit_at, $2)) as late"
        " from sales s join documents d on d.sale_id = s.id where s.company_id = $1",
        company.id,
        since,
    )
    late: timedelta = row["late"]
    return late


class TestManySales:
    async def test_many_due_sales_are_issued_once_while_workers_are_killed(
        self, site: Site, company: Company
    ) -> None:
        rng, sales = random.Random(12), 25
        fired, authorized, total = fired_of(company), company.count("authorized"), sales * DOCUMENTS
        await schedule_many(company, sales)
        await make_due(site.fetch, company.id)
        async with asyncio.TaskGroup() as group:
            for count in (fired, authorized):
                conditions = [f"{count} > {moment}" for moment in sorted(rng.sample(range(total), 4))]
                group.create_task(
                    kill_at(
                        site,
                        lambda: site.worker(worker_concurrency="2"),
                        conditions,
                        f"{authorized} = {total}",
                    )
                )
        assert await contradictions_of_sales(site, company, sales) == []

    async def test_many_due_sales_are_shared_by_two_workers_and_issued_once(
        self, site: Site, company: Company
    ) -> None:
        await schedule_many(company, 25)
        await make_due(site.fetch, company.id)
        with site.worker(), site.worker():
            await until_issued(site, company)
        assert await contradictions_of_sales(site, company, 25) == []


class TestRestart:
    async def test_restart_of_everything_before_the_due_time_changes_nothing(
        self, site: Site, company: Company
    ) -> None:
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
    async def test_sale_is_fired_on_time_by_a_running_worker(self, site: Site, company: Company) -> None:
        await stock(company)
        with site.worker():
            await company.issue("nfe")
            await site.until(f"{company.count('authorized')} = 1")
            started = datetime.now(UTC)
            await schedule(company, soon(2))
            await until_issued(site, company)
        assert await lateness(site, company, started) < ON_TIME
        assert await contradictions_of_sales(site, company, 1) == []
