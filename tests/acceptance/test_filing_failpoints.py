"""Workers that are killed or frozen in the middle of a statement: it is registered, and only once."""

import signal
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from acceptance.fault_company import Company
from acceptance.fault_judge import contradictions_of_statements
from acceptance.fault_programs import Failpoint, Program
from acceptance.fault_site import EVENT, INUTILIZATION, NO_WORK, Site

EVENTS = (
    ("nfe", "cancellation"),
    ("nfce", "cancellation"),
    ("nfse", "cancellation"),
    ("nfe", "correction"),
)
STEPS = ("signed", "answered", "concluded")
REGISTERED, VOID = {"nfe": "135", "nfce": "135", "nfse": "201"}, "102"
VOID_BEFORE = "563"
# The simulator's switch: what the authority judges is not answered in time.
UNANSWERED = {"latencySeconds": 60}


async def authorized(site: Site, company: Company, kind: str) -> str:
    """The id of a document that the worker of the moment gets authorised."""
    document = await company.issue(kind, external_id="victim")
    await site.until(f"{company.count('authorized')} = 1")
    return document


async def tell(company: Company, kind: str, document: str, event: str) -> Any:
    """Ask for an event; tells what is known of it for now."""
    record = await (company.cancel(kind, document) if event == "cancellation" else company.correct(document))
    return record.get(event)


async def codes_of(site: Site, company: Company, service: Sequence[str]) -> list[str]:
    """What the authority said of everything that a service was sent."""
    return [entry["code"] for entry in await site.sent(company, service)]


def hasty(site: Site, failpoint: Failpoint | None = None) -> AbstractContextManager[Program]:
    """A worker that does not wait for long before it takes over from the dead."""
    return site.worker(failpoint, lease_seconds="1", worker_heartbeat_seconds="1", worker_poll_seconds="0.2")


class TestKilledWorker:
    @pytest.mark.parametrize("step", STEPS)
    @pytest.mark.parametrize(("kind", "event"), EVENTS)
    async def test_leaves_an_event_that_is_registered_once(
        self, site: Site, company: Company, kind: str, event: str, step: str
    ) -> None:
        with hasty(site, Failpoint("victim", f"{event} {step}")) as victim:
            document = await authorized(site, company, kind)
            under_way = await tell(company, kind, document, event)
            assert step == "concluded" or under_way["status"] == "processing"
            assert await victim.end() == -signal.SIGKILL
        with hasty(site):
            await site.until_told(company)
            await site.until(NO_WORK)
        assert await codes_of(site, company, EVENT) == [REGISTERED[kind]]
        assert await contradictions_of_statements(site, company) == []

    @pytest.mark.parametrize(("kind", "event"), EVENTS)
    async def test_that_had_sent_an_event_and_got_no_answer_leaves_it_to_a_consult(
        self, site: Site, company: Company, kind: str, event: str
    ) -> None:
        with hasty(site) as victim:
            document = await authorized(site, company, kind)
            async with site.switched(**UNANSWERED):
                under_way = await tell(company, kind, document, event)
                assert under_way["status"] == "processing"
                await site.until_sent(company, EVENT)
                await victim.kill()
        with hasty(site):
            await site.until_told(company)
        assert await codes_of(site, company, EVENT) == [REGISTERED[kind]]
        assert await contradictions_of_statements(site, company) == []

    @pytest.mark.parametrize(
        ("step", "codes"), [("signed", [VOID]), ("answered", [VOID, VOID_BEFORE]), ("concluded", [VOID])]
    )
    async def test_leaves_a_number_that_is_given_up_once(
        self, site: Site, company: Company, step: str, codes: list[str]
    ) -> None:
        given_up = await company.inutilize(1)
        assert given_up["status"] == "processing"
        with hasty(site, Failpoint(given_up["id"], f"inutilization {step}")) as victim:
            assert await victim.end() == -signal.SIGKILL
        with hasty(site):
            await site.until_told(company)
            await site.until(NO_WORK)
        assert await codes_of(site, company, INUTILIZATION) == codes
        assert await contradictions_of_statements(site, company) == []

    async def test_that_had_given_up_a_number_and_got_no_answer_leaves_it_to_the_same_bytes(
        self, site: Site, company: Company
    ) -> None:
        async with site.switched(**UNANSWERED):
            await company.inutilize(1)
            with hasty(site) as victim:
                await site.until_sent(company, INUTILIZATION)
                await victim.kill()
        with hasty(site):
            await site.until_told(company)
        assert await codes_of(site, company, INUTILIZATION) == [VOID, VOID_BEFORE]
        assert await contradictions_of_statements(site, company) == []


class TestFrozenWorker:
    @pytest.mark.parametrize("step", ["signed", "answered"])
    @pytest.mark.parametrize("kind", ["nfe", "nfse"])
    async def test_whose_event_another_one_finished_sends_nothing_and_spoils_nothing(
        self, site: Site, company: Company, tmp_path: Path, kind: str, step: str
    ) -> None:
        gate = tmp_path / "gate"
        gate.touch()
        with site.worker(Failpoint("victim", f"cancellation {step}", gate)) as frozen:
            document = await authorized(site, company, kind)
            await company.cancel(kind, document)
            await site.until(
                f"exists (select from event_filings where company_id = '{company.id}' and state = 'sent')"
            )
            with site.worker():
                await site.until_told(company)
            gate.unlink()
            await site.until(NO_WORK)
            assert await frozen.terminate() == 0
        assert await codes_of(site, company, EVENT) == [REGISTERED[kind]]
        assert await contradictions_of_statements(site, company) == []

    @pytest.mark.parametrize(("step", "codes"), [("signed", [VOID]), ("answered", [VOID, VOID_BEFORE])])
    async def test_whose_number_another_one_gave_up_spoils_nothing(
        self, site: Site, company: Company, tmp_path: Path, step: str, codes: list[str]
    ) -> None:
        gate = tmp_path / "gate"
        gate.touch()
        given_up = await company.inutilize(1)
        with site.worker(Failpoint(given_up["id"], f"inutilization {step}", gate)) as frozen:
            await site.until(f"(select state = 'sent' from inutilizations where id = '{given_up['id']}')")
            with site.worker():
                await site.until_told(company)
            gate.unlink()
            await site.until(NO_WORK)
            assert await frozen.terminate() == 0
        assert await codes_of(site, company, INUTILIZATION) == codes
        assert await contradictions_of_statements(site, company) == []
