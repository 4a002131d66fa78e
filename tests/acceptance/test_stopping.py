"""Programs that are asked to stop: what is under way is finished or given back, and told in time."""

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
from acceptance.fault_site import Site, local, until_answered
from support import LOOPBACK, PATIENCE, free_port

# Nobody but who is woken would take a row up in the time that a test has.
ONLY_WAKEUPS = {"lease_seconds": "600", "sweep_seconds": "600", "worker_heartbeat_seconds": "600"}


@dataclass(frozen=True)
class Request:
    """A request of which half of the body has been sent."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    rest: bytes

    async def answer(self) -> httpx2.Response:
        """What comes back until the connection is closed."""
        async with asyncio.timeout(PATIENCE):
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

    async def half_ordered(self, company: Company) -> Request:
        """Begin to order an NF-e, and have the API wait for the rest."""
        body = json.dumps(order("nfe")).encode()
        headers = {"Host": LOOPBACK, "Content-Type": "application/json", "Content-Length": str(len(body))}
        for name in ("X-Api-Key", "X-Api-Secret"):
            headers[name] = company.http.headers[name]
        lines = (f"{name}: {value}" for name, value in headers.items())
        head = "\r\n".join((f"POST /v1/companies/{company.id}/nfe HTTP/1.1", *lines, "\r\n"))
        reader, writer = await asyncio.open_connection(LOOPBACK, self.port)
        writer.write(head.encode() + body[:20])
        await writer.drain()
        # What answers later was asked later: by now the order is in hand.
        await until_answered(local(self.port), "/readyz")
        return Request(reader, writer, body[20:])

    async def until_closed(self) -> None:
        """Wait until it takes no more connections."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    _, writer = await asyncio.open_connection(LOOPBACK, self.port)
                except ConnectionError:
                    return
                await _close(writer)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@asynccontextmanager
async def api_of(site: Site, **settings: str) -> AsyncIterator[Api]:
    """An API of one test alone."""
    port = free_port()
    with carimbo(["serve"], {**site.settings, **settings, "port": str(port)}, site.folder / "log") as program:
        await until_answered(local(port), "/readyz")
        yield Api(program, port)


@pytest.fixture(scope="module")
async def orderer(site: Site) -> AsyncIterator[Company]:
    """A company of all tests of the API: no worker runs that would take up what it orders."""
    async with site.company() as registered:
        yield registered


@pytest.fixture
async def accepted(site: Site, orderer: Company) -> str:
    """An SQL expression: how many documents were accepted since the test began."""
    (row,) = await site.fetch(f"select {orderer.count('processing')} as before")
    return f"({orderer.count('processing')} - {row['before']})"


class TestApi:
    async def test_finishes_the_request_that_it_has_and_takes_no_other(
        self, site: Site, orderer: Company, accepted: str
    ) -> None:
        async with api_of(site) as api:
            request = await api.half_ordered(orderer)
            api.program.send(signal.SIGTERM)
            await api.until_closed()
            # Told again, it goes on finishing.
            api.program.send(signal.SIGTERM)
            request.writer.write(request.rest)
            answer = await request.answer()
            assert await api.program.end() == 0
        assert (answer.status_code, answer.headers["connection"]) == (202, "close")
        assert await site.holds(f"{accepted} = 1")

    async def test_tells_whoever_does_not_come_to_an_end_to_ask_again(
        self, site: Site, orderer: Company, accepted: str
    ) -> None:
        async with api_of(site, shutdown_seconds="1") as api:
            request = await api.half_ordered(orderer)
            api.program.send(signal.SIGTERM)
            answer = await request.answer()
            assert await api.program.end() == 0
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
        assert answer.headers["retry-after"] and answer.headers["x-request-id"]
        assert await site.holds(f"{accepted} = 0")

    async def test_says_that_it_is_not_ready_while_it_still_answers(
        self, site: Site, orderer: Company
    ) -> None:
        async with api_of(site, drain_seconds="600") as api:
            api.program.send(signal.SIGTERM)
            async with asyncio.timeout(PATIENCE), httpx2.AsyncClient(base_url=local(api.port)) as http:
                while (ready := await http.get("/readyz")).status_code == 200:  # noqa: ASYNC110 - a status tells nobody
                    await asyncio.sleep(0.02)
            order_at_the_last_moment = await orderer.create("nfe", at=local(api.port))
            # Whoever sits at a terminal does not wait.
            api.program.send(signal.SIGINT)
            assert await api.program.end() == 0
        assert (ready.status_code, ready.json()) == (503, {"status": "stopping"})
        assert order_at_the_last_moment.status_code == 202

    async def test_a_second_ctrl_c_spares_the_wait_and_makes_no_noise(
        self, site: Site, orderer: Company
    ) -> None:
        log = site.folder / "log"
        before = log.stat().st_size
        async with api_of(site, shutdown_seconds="600") as api:
            request = await api.half_ordered(orderer)
            api.program.send(signal.SIGINT)
            await api.until_closed()
            api.program.send(signal.SIGINT)
            answer = await request.answer()
            assert await api.program.end() == 0
        assert answer.status_code == 503
        assert b"Traceback" not in log.read_bytes()[before:]


class TestWorker:
    @pytest.mark.parametrize("place", ["in its place", "aside"])
    async def test_gives_back_what_it_cannot_finish(self, site: Site, company: Company, place: str) -> None:
        """Another one takes it up at once: nobody waits for the end of a lease, nor for the sweeper."""
        slow_seconds = "0.1" if place == "aside" else "600"
        document = await company.issue("nfe", notes="SIMULA:DEMORA:60s")
        job = f"(select from pgqueuer where dedupe_key like 'document:%:{document}:%')"
        with site.worker(
            None, **ONLY_WAKEUPS, shutdown_seconds="1", worker_slow_seconds=slow_seconds
        ) as worker:
            await site.until_sent(company)
            await site.until(f"not exists {job}" if place == "aside" else f"exists {job}")
            worker.send(signal.SIGTERM)
            assert await worker.terminate() == 0
        assert await site.holds(f"exists {job} and 1 = {company.count('processing')}")
        with site.worker(None, **ONLY_WAKEUPS):
            await site.until_settled(company)
        assert await contradictions(site, company) == []

    async def test_a_second_ctrl_c_spares_the_wait_and_makes_no_noise(
        self, site: Site, company: Company
    ) -> None:
        log, listens = (
            site.folder / "log",
            "(select from pg_stat_activity where query ilike 'listen %outbound%')",
        )
        before = log.stat().st_size
        document = await company.issue("nfe", notes="SIMULA:DEMORA:60s")
        with site.worker(None, **ONLY_WAKEUPS, shutdown_seconds="600", authority_read_seconds="60") as worker:
            await site.until_sent(company)
            await site.until(f"exists {listens}")
            worker.send(signal.SIGINT)
            # Sent together, two signals may arrive as one.
            await site.until(f"not exists {listens}")
            worker.send(signal.SIGINT)
            assert await worker.end() == 0
        job = f"(select from pgqueuer where dedupe_key like 'document:%:{document}:%')"
        assert await site.holds(f"exists {job} and 1 = {company.count('processing')}")
        assert b"Traceback" not in log.read_bytes()[before:]
