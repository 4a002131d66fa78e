"""Workers that are killed or frozen in the middle of a document: it is authorized exactly once."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path

from acceptance.fault_company import ISSUED_TYPES, Company
from acceptance.fault_judge import codes_by_name, contradictions
from acceptance.fault_programs import Failpoint, Gate, Program, named
from acceptance.fault_site import LONG_LEASES, NO_WORK, Site

STEPS = ("numbered", "signed", "answered", "concluded")
MAX_DEATHS = 10


async def codes_of(site: Site, company: Company) -> list[str]:
    """Returns the answer codes of everything that was sent."""
    return [entry["code"] for entry in await site.sent(company)]


async def codes_by_document(site: Site, company: Company) -> dict[str, list[str]]:
    """Returns the answer codes of each document by its external id, and of others by their keys."""
    rows = await site.fetch(
        "select d.external_id, e.access_key from documents d join emissions e on e.document_id = d.id"
        " where d.company_id = $1",
        company.id,
    )
    names = {row["access_key"]: row["external_id"] for row in rows}
    return codes_by_name(await site.sent(company), names)


def once(names: Sequence[str]) -> dict[str, list[str]]:
    """Returns the expected answer codes of documents with these names."""
    return {name: ["100"] for name in names}


def parked_of(company: Company) -> str:
    """Returns an SQL expression: the number of parked documents of a company."""
    return f"(select count(parked_reason) from documents where company_id = '{company.id}')"


class TestKilledWorker:
    async def test_document_of_a_killed_worker_is_sent_and_authorized_once(
        self, site: Site, company: Company
    ) -> None:
        """Each worker finishes the document of the worker before, and is killed in the middle of the next."""
        names = []
        for document_type, step in product(ISSUED_TYPES, STEPS):
            names.append(f"{document_type}-{step}")
            with site.worker(Failpoint(names[-1], step), **LONG_LEASES) as victim:
                with named(f"finishing {names[-2:-1]}"):
                    await site.until_settled(company)
                with named(f"dying at {names[-1]}"):
                    await company.issue(document_type, external_id=names[-1])
                    assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
        with site.worker():
            await site.until_settled(company)
            await site.until(NO_WORK)
        assert await codes_by_document(site, company) == once(names)
        assert await contradictions(site, company) == []

    async def test_document_sent_without_an_answer_is_settled_by_a_consult(
        self, site: Site, company: Company
    ) -> None:
        for count, document_type in enumerate(ISSUED_TYPES, 1):
            with (
                named(f"{document_type}, or the rest of the document before it"),
                site.worker(**LONG_LEASES) as victim,
            ):
                await site.until_settled(company)
                await company.issue(document_type, external_id=document_type, notes="SIMULA:DEMORA:60s")
                await site.until_sent(company, count=count)
                await victim.kill()
            await site.end_leases()
        with site.worker():
            await site.until_settled(company)
        assert await codes_by_document(site, company) == once(ISSUED_TYPES)
        assert await contradictions(site, company) == []

    async def test_document_that_kills_every_worker_is_parked_and_the_others_are_issued(
        self, site: Site, company: Company
    ) -> None:
        poison = await company.issue("nfe", external_id="poison")
        for document_type in ISSUED_TYPES * 3:
            await company.issue(document_type)
        assert await self.deaths_until_the_rest_is_done(site, company) == 3
        counts = (await company.read("status"))["documents"]
        assert (counts["processing"], counts["parked"]) == (1, 1)

        assert poison in await site.command("documents", "parked")
        await site.command("documents", "resume", poison)
        with site.worker():
            await site.until_settled(company)
        assert await contradictions(site, company) == []

    async def deaths_until_the_rest_is_done(self, site: Site, company: Company) -> int:
        """Starts worker after worker until one parks the poison document and issues all others."""
        parked, processing, poison = parked_of(company), company.count("processing"), Failpoint("poison")
        for deaths in range(MAX_DEATHS):
            with site.worker(poison, attempts_before_parking="3", **LONG_LEASES) as worker:
                while worker.is_alive:
                    if await site.holds(f"{parked} > 0 and {processing} = {parked}"):
                        return deaths
                    await asyncio.sleep(0.05)
            await site.end_leases()
        return MAX_DEATHS


class TestFrozenWorker:
    async def test_frozen_worker_sends_nothing_after_another_worker_issued_its_document(
        self, site: Site, company: Company, tmp_path: Path
    ) -> None:
        """Each worker finishes the document of the worker before, and freezes in the middle of the next."""
        names: list[str] = []
        frozen: list[Program] = []
        gate = Gate.closed_in(tmp_path)
        with ExitStack() as workers:
            for document_type, step in product(["nfe", "nfse"], STEPS[:3]):
                names.append(f"{document_type}-{step}")
                frozen.append(workers.enter_context(site.worker(Failpoint(names[-1], step, gate))))
                with named(f"finishing {names[-2:-1]}"):
                    await site.until_settled(company)
                with named(f"freezing at {names[-1]}"):
                    await company.issue(document_type, external_id=names[-1])
                    await gate.until_reached_by(len(frozen))
            with site.worker():
                await site.until_settled(company)
            gate.open()
            for document_type in ("nfe", "nfse"):
                names.append(f"{document_type}-afterwards")
                await company.issue(document_type, external_id=names[-1])
            await site.until_settled(company)
            assert await asyncio.gather(*(worker.terminate() for worker in frozen)) == [0] * len(frozen)
        assert await codes_by_document(site, company) == once(names)
        assert await contradictions(site, company) == []
