"""Workers that are killed or frozen in the middle of a filing: it is registered exactly once."""

import asyncio
import signal
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import product
from pathlib import Path

from acceptance.fault_company import FILED_EVENTS, Company
from acceptance.fault_judge import codes_of_filings, contradictions_of_filings
from acceptance.fault_programs import Failpoint, Gate, Program, named
from acceptance.fault_site import EVENT, INUTILIZATION, LONG_LEASES, NO_WORK, Site

STEPS = ("signed", "answered", "concluded")
REGISTERED = {"nfe": "135", "nfce": "135", "nfse": "201", "cte": "135", "cteOs": "135", "mdfe": "135"}
INUTILIZED = "102"
INUTILIZED_BEFORE = "563"
# There is no consult for inutilized numbers: after a lost answer the same bytes are sent again.
CODES_OF_NUMBERS = {
    "signed": [INUTILIZED],
    "answered": [INUTILIZED, INUTILIZED_BEFORE],
    "concluded": [INUTILIZED],
}
# These differ from a closing only in what a consult looks for.
CONSULTED_ONLY = {
    ("mdfe", event) for event in ("cancellation", "driverInclusion", "documentInclusion", "payment")
}
# The simulator's switch: the authority judges, but does not answer in time.
UNANSWERED = {"latencySeconds": 60}


async def authorized(
    site: Site, company: Company, document_type: str, name: str, event: str = "cancellation"
) -> str:
    """Issues a document with the running worker, and returns its id."""
    document = await company.issue(document_type, external_id=name, event=event)
    await site.until_settled(company)
    return document


async def ready_for(site: Site, company: Company, document_type: str, event: str, name: str) -> str:
    """Issues a document that can have an event with the running worker, and returns its id."""
    document = await authorized(site, company, document_type, name, event)
    if event == "deliveryCancellation":
        await company.file(document_type, "delivery", document)
        await site.until_filed(company)
    return document


def registered_once(events: Iterable[tuple[str, str, str]]) -> dict[str, list[str]]:
    """Returns the expected answer codes of events, by the names of their documents."""
    return {
        f"{document_type}-{event}-{step}": [REGISTERED[document_type]] * _registrations(event)
        for document_type, event, step in events
    }


def _registrations(event: str) -> int:
    """Returns how many events a document has in the end: one that undoes a delivery follows its proof."""
    return 2 if event == "deliveryCancellation" else 1


async def assert_only(site: Site, company: Company, codes: Mapping[str, list[str]]) -> None:
    """Checks the answer codes of each filing, and that all of them are registered once."""
    assert await codes_of_filings(site, company) == codes
    assert await contradictions_of_filings(site, company) == []


class TestKilledWorker:
    async def test_event_of_a_killed_worker_is_registered_once(self, site: Site, company: Company) -> None:
        """Each worker finishes the event of the worker before it, and is killed in the middle of the next."""
        events = [
            (document_type, event, step)
            for (document_type, event), step in product(FILED_EVENTS, STEPS)
            if (document_type, event) not in CONSULTED_ONLY
        ]
        name = "nothing"
        for document_type, event, step in events:
            before, name = name, f"{document_type}-{event}-{step}"
            with site.worker(Failpoint(name, f"{event} {step}"), **LONG_LEASES) as victim:
                with named(f"finishing {before}"):
                    await site.until_filed(company)
                with named(f"dying at {name}"):
                    document = await ready_for(site, company, document_type, event, name)
                    answer = await company.file(document_type, event, document)
                    assert step == "concluded" or answer[event]["status"] == "processing"
                    assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
        with site.worker():
            await site.until_filed(company)
            await site.until(NO_WORK)
        await assert_only(site, company, registered_once(events))

    async def test_event_sent_without_an_answer_is_settled_by_a_consult(
        self, site: Site, company: Company
    ) -> None:
        events = [(document_type, event, "sent") for document_type, event in FILED_EVENTS]
        for document_type, event, step in events:
            name = f"{document_type}-{event}-{step}"
            with named(f"{name}, or the rest of the event before it"), site.worker(**LONG_LEASES) as victim:
                await site.until_filed(company)
                document = await ready_for(site, company, document_type, event, name)
                sent = len(await site.sent(company, EVENT))
                async with site.switched(**UNANSWERED):
                    answer = await company.file(document_type, event, document)
                    assert answer[event]["status"] == "processing"
                    await site.until_sent(company, EVENT, sent + 1)
                    await victim.kill()
            await site.end_leases()
        with site.worker():
            await site.until_filed(company)
        await assert_only(site, company, registered_once(events))

    async def test_number_of_a_killed_worker_is_inutilized_once(self, site: Site, company: Company) -> None:
        for number, step in enumerate(STEPS, 1):
            inutilization = await company.inutilize(number)
            assert inutilization["status"] == "processing"
            failpoint = Failpoint(inutilization["id"], f"inutilization {step}")
            with named(step), site.worker(failpoint, **LONG_LEASES) as victim:
                assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
            with named(step), site.worker():
                await site.until_filed(company)
                await site.until(NO_WORK)
        codes = {str(number): CODES_OF_NUMBERS[step] for number, step in enumerate(STEPS, 1)}
        await assert_only(site, company, codes)

    async def test_inutilization_without_an_answer_is_sent_again_with_the_same_bytes(
        self, site: Site, company: Company
    ) -> None:
        async with site.switched(**UNANSWERED):
            await company.inutilize(1)
            with site.worker(**LONG_LEASES) as victim:
                await site.until_sent(company, INUTILIZATION)
                await victim.kill()
        await site.end_leases()
        with site.worker():
            await site.until_filed(company)
        await assert_only(site, company, {"1": [INUTILIZED, INUTILIZED_BEFORE]})


class TestFrozenWorker:
    async def test_frozen_worker_sends_nothing_after_another_worker_filed_its_event(
        self, site: Site, company: Company, tmp_path: Path
    ) -> None:
        """Each worker finishes the event of the worker before it, and freezes in the middle of the next."""
        events = [
            (document_type, "cancellation", step)
            for document_type, step in product(["nfe", "nfse"], STEPS[:2])
        ]
        gate = Gate.closed_in(tmp_path)
        frozen: list[Program] = []
        name = "nothing"
        with ExitStack() as workers:
            for document_type, event, step in events:
                before, name = name, f"{document_type}-{event}-{step}"
                failpoint = Failpoint(name, f"{event} {step}", gate)
                frozen.append(workers.enter_context(site.worker(failpoint)))
                with named(f"finishing {before}"):
                    await site.until_filed(company)
                with named(f"freezing at {name}"):
                    await company.cancel(document_type, await authorized(site, company, document_type, name))
                    await gate.until_reached_by(len(frozen))
            with site.worker():
                await site.until_filed(company)
            await self.thaw(site, gate, frozen)
        await assert_only(site, company, registered_once(events))

    async def test_frozen_worker_does_no_harm_after_another_worker_inutilized_its_number(
        self, site: Site, company: Company, tmp_path: Path
    ) -> None:
        gate = Gate.closed_in(tmp_path)
        frozen: list[Program] = []
        with ExitStack() as workers:
            for number, step in enumerate(STEPS[:2], 1):
                with named(step):
                    inutilization = await company.inutilize(number)
                    failpoint = Failpoint(inutilization["id"], f"inutilization {step}", gate)
                    frozen.append(workers.enter_context(site.worker(failpoint)))
                    await gate.until_reached_by(len(frozen))
                    with site.worker():
                        await site.until_filed(company)
            await self.thaw(site, gate, frozen)
        codes = {str(number): CODES_OF_NUMBERS[step] for number, step in enumerate(STEPS[:2], 1)}
        await assert_only(site, company, codes)

    async def thaw(self, site: Site, gate: Gate, frozen: list[Program]) -> None:
        """Lets the frozen workers continue; they find nothing to do."""
        gate.open()
        await site.until(NO_WORK)
        assert await asyncio.gather(*(worker.terminate() for worker in frozen)) == [0] * len(frozen)
