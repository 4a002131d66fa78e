"""Workers that are killed or frozen in the middle of a statement: it is registered, and only once."""

import asyncio
import signal
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

from acceptance.fault_company import Company
from acceptance.fault_judge import codes_of_statements, contradictions_of_statements
from acceptance.fault_programs import Failpoint, Gate, Program, named
from acceptance.fault_site import EVENT, INUTILIZATION, LONG_LEASES, NO_WORK, Site

EVENTS = (
    ("nfe", "cancellation"),
    ("nfce", "cancellation"),
    ("nfse", "cancellation"),
    ("nfe", "correction"),
)
STEPS = ("signed", "answered", "concluded")
REGISTERED, VOID = {"nfe": "135", "nfce": "135", "nfse": "201"}, "102"
VOID_BEFORE = "563"
# Nobody can ask whether a number was given up: whoever does not know sends the same bytes again.
CODES_OF_NUMBERS = {"signed": [VOID], "answered": [VOID, VOID_BEFORE], "concluded": [VOID]}
# The simulator's switch: what the authority judges is not answered in time.
UNANSWERED = {"latencySeconds": 60}


async def authorized(site: Site, company: Company, kind: str, name: str) -> str:
    """The id of a document that the worker of the moment gets authorised."""
    document = await company.issue(kind, external_id=name)
    await site.until_settled(company)
    return document


async def tell(company: Company, kind: str, document: str, event: str) -> Any:
    """Ask for an event; tells what is known of it for now."""
    record = await (company.cancel(kind, document) if event == "cancellation" else company.correct(document))
    return record.get(event)


def registered_once(events: Iterable[tuple[str, str, str]]) -> dict[str, list[str]]:
    """Returns what the authority has to have said of events, by the names of their documents."""
    return {"-".join(event): [REGISTERED[event[0]]] for event in events}


async def require_only(site: Site, company: Company, codes: Mapping[str, list[str]]) -> None:
    """Require that the authority said this of each statement, and that all of them are registered once."""
    assert await codes_of_statements(site, company) == codes
    assert await contradictions_of_statements(site, company) == []


class TestKilledWorker:
    async def test_leaves_an_event_that_is_registered_once(self, site: Site, company: Company) -> None:
        """Each worker finishes what the one before it left, and is killed in the middle of the next one."""
        events = [(kind, event, step) for (kind, event), step in product(EVENTS, STEPS)]
        name = "nothing"
        for kind, event, step in events:
            before, name = name, f"{kind}-{event}-{step}"
            with site.worker(Failpoint(name, f"{event} {step}"), **LONG_LEASES) as victim:
                with named(f"finishing {before}"):
                    await site.until_told(company)
                with named(f"dying at {name}"):
                    document = await authorized(site, company, kind, name)
                    under_way = await tell(company, kind, document, event)
                    assert step == "concluded" or under_way["status"] == "processing"
                    assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
        with site.worker():
            await site.until_told(company)
            await site.until(NO_WORK)
        await require_only(site, company, registered_once(events))

    async def test_that_had_sent_an_event_and_got_no_answer_leaves_it_to_a_consult(
        self, site: Site, company: Company
    ) -> None:
        events = [(kind, event, "sent") for kind, event in EVENTS]
        for count, (kind, event, step) in enumerate(events, 1):
            name = f"{kind}-{event}-{step}"
            with named(f"{name}, or what is left of the one before"), site.worker(**LONG_LEASES) as victim:
                await site.until_told(company)
                document = await authorized(site, company, kind, name)
                async with site.switched(**UNANSWERED):
                    under_way = await tell(company, kind, document, event)
                    assert under_way["status"] == "processing"
                    await site.until_sent(company, EVENT, count)
                    await victim.kill()
            await site.end_leases()
        with site.worker():
            await site.until_told(company)
        await require_only(site, company, registered_once(events))

    async def test_leaves_a_number_that_is_given_up_once(self, site: Site, company: Company) -> None:
        for number, step in enumerate(STEPS, 1):
            given_up = await company.inutilize(number)
            assert given_up["status"] == "processing"
            failpoint = Failpoint(given_up["id"], f"inutilization {step}")
            with named(step), site.worker(failpoint, **LONG_LEASES) as victim:
                assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
            with named(step), site.worker():
                await site.until_told(company)
                await site.until(NO_WORK)
        codes = {str(number): CODES_OF_NUMBERS[step] for number, step in enumerate(STEPS, 1)}
        await require_only(site, company, codes)

    async def test_that_had_given_up_a_number_and_got_no_answer_leaves_it_to_the_same_bytes(
        self, site: Site, company: Company
    ) -> None:
        async with site.switched(**UNANSWERED):
            await company.inutilize(1)
            with site.worker(**LONG_LEASES) as victim:
                await site.until_sent(company, INUTILIZATION)
                await victim.kill()
        await site.end_leases()
        with site.worker():
            await site.until_told(company)
        await require_only(site, company, {"1": [VOID, VOID_BEFORE]})


class TestFrozenWorker:
    async def test_whose_event_another_one_finished_sends_nothing_and_spoils_nothing(
        self, site: Site, company: Company, tmp_path: Path
    ) -> None:
        """Each worker finishes what the one before it holds, and freezes in the middle of the next one."""
        events = [(kind, "cancellation", step) for kind, step in product(["nfe", "nfse"], STEPS[:2])]
        gate = Gate.closed_in(tmp_path)
        frozen: list[Program] = []
        name = "nothing"
        with ExitStack() as workers:
            for kind, event, step in events:
                before, name = name, f"{kind}-{event}-{step}"
                failpoint = Failpoint(name, f"{event} {step}", gate)
                frozen.append(workers.enter_context(site.worker(failpoint)))
                with named(f"finishing {before}"):
                    await site.until_told(company)
                with named(f"freezing at {name}"):
                    await company.cancel(kind, await authorized(site, company, kind, name))
                    await gate.until_reached_by(len(frozen))
            with site.worker():
                await site.until_told(company)
            await self.thaw(site, gate, frozen)
        await require_only(site, company, registered_once(events))

    async def test_whose_number_another_one_gave_up_spoils_nothing(
        self, site: Site, company: Company, tmp_path: Path
    ) -> None:
        gate = Gate.closed_in(tmp_path)
        frozen: list[Program] = []
        with ExitStack() as workers:
            for number, step in enumerate(STEPS[:2], 1):
                with named(step):
                    given_up = await company.inutilize(number)
                    failpoint = Failpoint(given_up["id"], f"inutilization {step}", gate)
                    frozen.append(workers.enter_context(site.worker(failpoint)))
                    await gate.until_reached_by(len(frozen))
                    with site.worker():
                        await site.until_told(company)
            await self.thaw(site, gate, frozen)
        codes = {str(number): CODES_OF_NUMBERS[step] for number, step in enumerate(STEPS[:2], 1)}
        await require_only(site, company, codes)

    async def thaw(self, site: Site, gate: Gate, frozen: list[Program]) -> None:
        """Lets those that are frozen go on, and find nothing that is left to do."""
        gate.open()
        await site.until(NO_WORK)
        assert await asyncio.gather(*(worker.terminate() for worker in frozen)) == [0] * len(frozen)
