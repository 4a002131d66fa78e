"""Workers that are killed or frozen in the middle of a document: it is authorised, and only once."""

import asyncio
import signal
from pathlib import Path

import pytest

from acceptance.fault_company import KINDS, Company
from acceptance.fault_judge import contradictions
from acceptance.fault_programs import Failpoint
from acceptance.fault_site import NO_WORK, Site

MOST_DEATHS = 10


async def codes_of(site: Site, company: Company) -> list[str]:
    """What the authority said of everything that was sent."""
    return [entry["code"] for entry in await site.sent(company)]


def parked_of(company: Company) -> str:
    """An SQL expression: how many of a company's documents are set aside."""
    return f"(select count(parked_reason) from documents where company_id = '{company.id}')"


async def deaths_until_parked(site: Site, company: Company) -> int:
    """Start worker after worker until the document that kills them is set aside."""
    for deaths in range(MOST_DEATHS):
        with site.worker(Failpoint("poison"), attempts_before_parking="3") as worker:
            while worker.is_alive:
                if await site.holds(f"{parked_of(company)} > 0"):
                    return deaths
                await asyncio.sleep(0.05)
    return MOST_DEATHS


class TestKilledWorker:
    @pytest.mark.parametrize("step", ["numbered", "signed", "answered"])
    @pytest.mark.parametrize("kind", KINDS)
    async def test_leaves_a_document_that_is_sent_and_authorised_once(
        self, site: Site, company: Company, kind: str, step: str
    ) -> None:
        await company.issue(kind, external_id="victim")
        with site.worker(Failpoint("victim", step)) as victim:
            assert await victim.end() == -signal.SIGKILL
        with site.worker():
            await site.until_settled(company)
        assert await codes_of(site, company) == ["100"]
        assert await contradictions(site, company) == []

    @pytest.mark.parametrize("kind", KINDS)
    async def test_that_had_sent_and_got_no_answer_leaves_it_to_a_consult(
        self, site: Site, company: Company, kind: str
    ) -> None:
        await company.issue(kind, notes="SIMULA:DEMORA:60s")
        with site.worker() as victim:
            await site.until_sent(company)
            await victim.kill()
        with site.worker():
            await site.until_settled(company)
        assert await codes_of(site, company) == ["100"]
        assert await contradictions(site, company) == []

    @pytest.mark.parametrize("kind", KINDS)
    async def test_that_had_concluded_leaves_a_job_without_work(
        self, site: Site, company: Company, kind: str
    ) -> None:
        await company.issue(kind, external_id="victim")
        with site.worker(Failpoint("victim", "concluded")) as victim:
            assert await victim.end() == -signal.SIGKILL
        with site.worker():
            await site.until(NO_WORK)
        assert await codes_of(site, company) == ["100"]
        assert await contradictions(site, company) == []

    async def test_by_the_same_document_every_time_goes_on_with_the_others(
        self, site: Site, company: Company
    ) -> None:
        poison = await company.issue("nfe", external_id="poison")
        for kind in KINDS * 3:
            await company.issue(kind)
        assert await deaths_until_parked(site, company) == 3
        with site.worker(Failpoint("poison")) as survivor:
            await site.until(f"{company.count('processing')} = {parked_of(company)}")
            assert survivor.is_alive
        under_way = (await company.read("status"))["documents"]
        assert (under_way["processing"], under_way["parked"]) == (1, 1)

        assert poison in await site.command("documents", "parked")
        await site.command("documents", "resume", poison)
        with site.worker():
            await site.until_settled(company)
        assert await contradictions(site, company) == []


class TestFrozenWorker:
    @pytest.mark.parametrize("step", ["numbered", "signed", "answered"])
    @pytest.mark.parametrize("kind", ["nfe", "nfse"])
    async def test_whose_document_another_one_finished_sends_nothing_and_spoils_nothing(
        self, site: Site, company: Company, tmp_path: Path, kind: str, step: str
    ) -> None:
        gate = tmp_path / "gate"
        gate.touch()
        document = await company.issue(kind, external_id="frozen")
        with site.worker(Failpoint("frozen", step, gate)) as frozen:
            await site.until(f"exists (select from emissions where document_id = '{document}')")
            with site.worker():
                await site.until_settled(company)
            gate.unlink()
            await company.issue(kind)
            await site.until_settled(company)
            assert await frozen.terminate() == 0
        assert await codes_of(site, company) == ["100", "100"]
        assert await contradictions(site, company) == []
