"""Programs that are asked to stop: work in progress is finished or returned to the queue in time."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx2
import pytest

from acceptance.fault_company import Company, order
from acceptance.fault_judge import contradictions
from acceptance.fault_programs import Program, carimbo
from acceptance.fault_site import LISTENERS, Site, local, until_answered
from support import LOOPBACK, TIMEOUT_SECONDS, free_port

# No lease expires within the time of a test: another worker gets only rows that were released.
ENDLESS_LEASES = {"lease_seconds": "600"}


@dataclass(frozen=True)
class Request:
    """A request with half of its body sent."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    rest: bytes

    async def answer(self) -> httpx2.Response:
        """Returns the answer, read until the connection is closed."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            head, _, body = (await self.reader.read()).partition(b"\r\n\r\n")
        await _close(self.writer)
        first, *lines = head.decode().split("\r\n")
        headers = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
        return httpx2.Response(int(first.split()[1]), headers=headers, content=body)


@dataclass(frozen=True)
class Api:
    """An API that is about to be stopped."""

    program: Program
    port: int

    async def send_half_a_request(self, company: Company) -> Request:
        """Sends half of a request for an NF-e, so that the API waits for the rest."""
        body = json.dumps(order("nfe")).encode()
        headers = {"Host": LOOPBACK, "Content-Type": "application/json", "Content-Length": str(len(body))}
        for name in ("X-Api-Key", "X-Api-Secret"):
            headers[name] = company.http.headers[name]
        lines = (f"{name}: {value}" for name, value in headers.items())
        head = "\r\n".join((f"POST /v1/companies/{company.id}/nfe HTTP/1.1", *lines, "\r\n"))
        reader, writer = await asyncio.open_connection(LOOPBACK, self.port)
        writer.write(head.encode() + body[:20])
        await writer.drain()
        # This request is sent later: once it is answered, the API has read the first half.
        await until_answered(local(self.port), "/readyz")
        return Request(reader, writer, body[20:])

    async def until_closed(self) -> None:
        """Waits until it accepts no more connections."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while True:
                try:
                    _, writer = await asyncio.open_connection(LOOPBACK, self.port)
                except ConnectionError:
                    return
                await _close(writer)


def is_waiting(document: str) -> str:
    """Returns an SQL condition: a document is due, and no worker holds it."""
    return (
        "exists (select from documents where status = 'processing' and next_action_at <= now()"
        f" and lease_until is null and id = '{document}')"
    )


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@asynccontextmanager
async def api_of(site: Site, **settings: str) -> AsyncIterator[Api]:
    """Runs an API for one test alone."""
    port = free_port()
    with carimbo(["serve"], {**site.settings, **settings, "port": str(port)}, site.folder / "log") as program:
        await until_answered(local(port), "/readyz")
        yield Api(program, port)


@pytest.fixture(scope="module")
async def api_company(site: Site) -> AsyncIterator[Company]:
    """A company for all tests of the API: no worker runs that would issue its documents."""
    async with site.company() as registered:
        yield registered


@pytest.fixture
async def accepted(site: Site, api_company: Company) -> str:
    """An SQL expression: the number of documents accepted since the test began."""
    (row,) = await site.fetch(f"select {api_company.count('processing')} as before")
    return f"({api_company.count('processing')} - {row['before']})"


class TestApi:
    async def test_stopping_api_finishes_its_request_and_accepts_no_other(
        self, site: Site, api_company: Company, accepted: str
    ) -> None:
        async with api_of(site) as api:
            request = await api.send_half_a_request(api_company)
            api.program.send(signal.SIGTERM)
            await api.until_closed()
            # A second signal does not interrupt it.
            api.program.send(signal.SIGTERM)
            request.writer.write(request.rest)
            answer = await request.answer()
            assert await api.program.end() == 0
        assert (answer.status_code, answer.headers["connection"]) == (202, "close")
        assert await site.holds(f"{accepted} = 1")

    async def test_stopping_api_answers_503_to_a_request_that_does_not_end(
        self, site: Site, api_company: Company, accepted: str
    ) -> None:
        async with api_of(site, shutdown_seconds="1") as api:
            request = await api.send_half_a_request(api_company)
            api.program.send(signal.SIGTERM)
            answer = await request.answer()
            assert await api.program.end() == 0
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
        assert answer.headers["retry-after"] and answer.headers["x-request-id"]
        assert await site.holds(f"{accepted} = 0")

    async def test_draining_api_is_not_ready_but_still_answers(
        self, site: Site, api_company: Company
    ) -> None:
        async with api_of(site, drain_seconds="600") as api:
            api.program.send(signal.SIGTERM)
            async with asyncio.timeout(TIMEOUT_SECONDS), httpx2.AsyncClient(base_url=local(api.port)) as http:
                while (ready := await http.get("/readyz")).status_code == 200:  # noqa: ASYNC110 - a status sends no event
                    await asyncio.sleep(0.02)
            last_answer = await api_company.create("nfe", at=local(api.port))
            # Ctrl-C at a terminal skips the wait.
            api.program.send(signal.SIGINT)
            assert await api.program.end() == 0
        assert (ready.status_code, ready.json()) == (503, {"status": "stopping"})
        assert last_answer.status_code == 202

    async def test_second_ctrl_c_stops_the_api_at_once_without_a_traceback(
        self, site: Site, api_company: Company
    ) -> None:
        log = site.folder / "log"
        before = log.stat().st_size
        async with api_of(site, shutdown_seconds="600") as api:
            request = await api.send_half_a_request(api_company)
            api.program.send(signal.SIGINT)
            await api.until_closed()
            api.program.send(signal.SIGINT)
            answer = await request.answer()
            assert await api.program.end() == 0
        assert answer.status_code == 503
        assert b"Traceback" not in log.read_bytes()[before:]


class TestWorker:
    async def test_stopping_worker_releases_unfinished_work_for_another(
        self, site: Site, company: Company
    ) -> None:
        """The other worker claims it at once, without waiting for the end of the lease."""
        document = await company.issue("nfe", notes="SIMULA:DEMORA:60s")
        with site.worker(**ENDLESS_LEASES, shutdown_seconds="1") as worker:
            await site.until_sent(company)
            assert await site.holds(f"not {is_waiting(document)}")
            worker.send(signal.SIGTERM)
            assert await worker.terminate() == 0
        assert await site.holds(is_waiting(document))
        with site.worker(**ENDLESS_LEASES):
            await site.until_settled(company)
        assert await contradictions(site, company) == []

    async def test_second_ctrl_c_stops_the_worker_at_once_without_a_traceback(
        self, site: Site, company: Company
    ) -> None:
        log = site.folder / "log"
        before = log.stat().st_size
        document = await company.issue("nfe", notes="SIMULA:DEMORA:60s")
        with site.worker(**ENDLESS_LEASES, shutdown_seconds="600", authority_read_seconds="60") as worker:
            await site.until_sent(company)
            await site.until(f"{LISTENERS} = 2")
            worker.send(signal.SIGINT)
            # Sent together, two signals may arrive as one.
            await site.until(f"{LISTENERS} = 0")
            worker.send(signal.SIGINT)
            assert await worker.end() == 0
        assert await site.holds(is_waiting(document))
        assert b"Traceback" not in log.read_bytes()[before:]
