"""Whatever fails while documents are in progress: all of them are authorized, none of them twice."""

import asyncio
import random
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from acceptance.fault_company import ISSUED_TYPES, Company
from acceptance.fault_judge import contradictions
from acceptance.fault_programs import Program
from acceptance.fault_site import AUTHORIZATION, CALM, LISTENERS, STORM, Site, local
from support import code_of, free_port


async def kill_at(
    site: Site, start: Callable[[], AbstractContextManager[Program]], conditions: Iterable[str], end: str
) -> None:
    """Runs a program, and kills and restarts it each time the next condition holds, until the end."""
    for condition in conditions:
        with start() as program:
            await site.until(condition)
            await program.kill()
    with start():
        await site.until(end)


class TestRandomKills:
    async def test_random_kills_of_api_and_worker_lose_none_of_150_documents(
        self, site: Site, company: Company
    ) -> None:
        rng, port = random.Random(6), free_port()
        accepted = f"(select count(*) from documents where company_id = '{company.id}')"
        authorized, total = company.count("authorized"), 150
        moments = [sorted(rng.sample(range(total), 4)) for _ in range(2)]
        async with asyncio.TaskGroup() as group:
            group.create_task(company.issue_many(total, at=local(port)))
            for start, count, when in (
                (lambda: site.api(port), accepted, moments[0]),
                (site.worker, authorized, moments[1]),
            ):
                conditions = [f"{count} > {moment}" for moment in when]
                group.create_task(kill_at(site, start, conditions, f"{authorized} = {total}"))
        assert await site.holds(f"{accepted} = {total}")
        assert await contradictions(site, company) == []


class TestLostNotifications:
    async def test_documents_of_lost_notifications_are_found_by_polling(
        self, site: Site, company: Company
    ) -> None:
        with site.worker(worker_reconnect_seconds="600"):
            await company.issue("nfe")
            await site.until_settled(company)
            await site.cut_listeners()
            await company.issue_many(30)
            await site.until_settled(company)
            assert await site.holds(f"{LISTENERS} = 0")
        assert await site.holds(f"{company.count('authorized')} = 31")
        assert await contradictions(site, company) == []


class TestRestartedPostgres:
    async def test_stopped_postgres_is_reported_by_the_api_and_survived_by_the_worker(
        self, site: Site, company: Company
    ) -> None:
        with site.worker() as worker:
            async with asyncio.TaskGroup() as group:
                group.create_task(company.issue_many(40))
                await site.until(f"{company.count('authorized')} > 5")
                await site.stop_postgres()
                try:
                    answer = await company.create("nfe", key="in the dark")
                finally:
                    await site.start_postgres()
                assert (answer.status_code, code_of(answer)) == (503, "SERVICE_UNAVAILABLE")
            await site.until_settled(company)
            assert worker.is_alive
        assert await site.holds(f"{company.count('authorized')} = 40")
        assert await contradictions(site, company) == []


class TestStorm:
    async def test_documents_survive_lost_late_and_failed_answers(self, site: Site, company: Company) -> None:
        await company.issue_many(57)
        for document_type in ISSUED_TYPES:
            await company.issue(document_type, notes="SIMULA:DEMORA:30s")
        async with site.switched(**STORM):
            with site.worker(authority_read_seconds="3"):
                # A key may be consulted nine times an hour at most: the storm ends before they are used up.
                await site.until(
                    "not exists (select from documents d left join emissions e on e.document_id = d.id"
                    f" where d.company_id = '{company.id}' and coalesce(e.state, 'numbered') = 'numbered')"
                )
                faults = {"lostAnswers", "failures", "SIMULA:DEMORA:30s"}
                await site.until_faults_hit(company, AUTHORIZATION, faults)
                await site.switch(**CALM)
                await site.until_settled(company)
        assert await contradictions(site, company) == []
