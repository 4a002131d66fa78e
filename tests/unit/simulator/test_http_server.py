"""The simulator's HTTP server, as clients of every kind meet it on a plain port."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from carimbo.simulator.http import Reply, Request
from carimbo.simulator.http_server import Server
from support import PATIENCE
from unit.simulator.wire import CHUNKED, OVER, get, listening, post, status_of, understood, wire


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Server]:
    async with listening() as server:
        yield server


class TestReading:
    async def test_the_path_is_decoded_and_the_query_left_alone(self, server: Server) -> None:
        told = await understood(server, get("/svrs/nf%65/Servi%C3%A7o?wsdl&a=%20"))
        assert (told["method"], told["path"], told["query"]) == ("GET", "/svrs/nfe/Serviço", "wsdl&a=%20")

    async def test_a_whole_address_is_read_as_its_path(self, server: Server) -> None:
        assert (await understood(server, get("http://localhost/a?b")))["path"] == "/a"

    async def test_names_of_headers_are_in_small_letters_and_repeated_ones_joined(
        self, server: Server
    ) -> None:
        told = await understood(server, get("/", "SOAPAction: x", "Accept: a", "ACCEPT: b"))
        assert told["headers"] == {"host": "localhost", "soapaction": "x", "accept": "a, b"}

    async def test_a_body_of_known_length(self, server: Server) -> None:
        assert (await understood(server, post("/", b"<a/>")))["body"] == "<a/>"

    async def test_a_request_that_comes_byte_by_byte(self, server: Server) -> None:
        whole = post("/x", b"<a/>", "Accept: */*")
        told = await understood(server, *(bytes([byte]) for byte in whole))
        assert (told["path"], told["body"]) == ("/x", "<a/>")

    async def test_a_body_in_chunks_with_extensions_and_trailers(self, server: Server) -> None:
        body = b"3;x=y\r\n<a>\r\n4\r\n</a>\r\n0\r\nHost: evil\r\n\r\n"
        told = await understood(server, get("/", CHUNKED, method="POST"), body)
        assert (told["body"], told["headers"]) == (
            "<a></a>",
            {"host": "localhost", "transfer-encoding": "chunked"},
        )

    async def test_a_large_body(self, server: Server) -> None:
        body = b"x" * 5_000_000
        assert len(str((await understood(server, post("/", body)))["body"])) == len(body)

    async def test_nobody_shows_a_certificate_on_a_plain_port(self, server: Server) -> None:
        assert (await understood(server, get("/")))["certificate"] is None


class TestConnection:
    async def test_stays_for_more_requests(self, server: Server) -> None:
        async with wire(server.port) as client:
            for number in range(3):
                answer = await client.ask(post(f"/{number}", b"x" * number))
                assert answer.headers["connection"] == "keep-alive"
                assert json.loads(answer.body)["path"] == f"/{number}"

    @pytest.mark.parametrize("last", [get("/", "Connection: close"), get("/", version="1.0")])
    async def test_ends_when_the_client_wants_it(self, server: Server, last: bytes) -> None:
        assert await status_of(server, last) == 200

    async def test_stays_for_an_old_client_that_asks_for_it(self, server: Server) -> None:
        async with wire(server.port) as client:
            for _ in range(2):
                answer = await client.ask(get("/", "Connection: keep-alive", version="1.0"))
                assert answer.headers["connection"] == "keep-alive"

    async def test_ends_after_a_request_that_wished_for_another_protocol(self, server: Server) -> None:
        """Java asks for HTTP/2 in this way, and is content with HTTP/1.1."""
        assert await status_of(server, get("/", "Connection: Upgrade", "Upgrade: h2c")) == 200

    async def test_closes_after_a_while_without_requests(self) -> None:
        async with listening(idle_seconds=0.05) as server, wire(server.port) as client:
            assert (await client.ask(get("/"))).status == 200
            assert await client.rest() == b""

    async def test_of_one_client_does_not_wait_for_the_answer_to_another(self) -> None:
        asked, may_answer = asyncio.Event(), asyncio.Event()

        async def answer(request: Request) -> Reply:
            if request.path == "/slow":
                asked.set()
                await may_answer.wait()
            return Reply(200, request.path.encode())

        async with listening(answer) as server, wire(server.port) as slow, wire(server.port) as quick:
            await slow.send(get("/slow"))
            await asked.wait()
            assert (await quick.ask(get("/quick"))).body == b"/quick"
            may_answer.set()
            assert (await slow.answer()).body == b"/slow"

    async def test_beyond_the_limit_is_closed_at_once(self) -> None:
        async with listening(connections=2) as server:
            async with wire(server.port) as first, wire(server.port) as second:
                assert {(await one.ask(get("/"))).status for one in (first, second)} == {200}
                async with wire(server.port) as third:
                    assert await third.rest() == b""
                assert (await first.ask(get("/"))).status == 200
            async with asyncio.timeout(PATIENCE):
                while not await is_served(server):  # noqa: ASYNC110 - the server tells nobody who left
                    await asyncio.sleep(0.01)


async def is_served(server: Server) -> bool:
    async with wire(server.port) as client:
        with suppress(*OVER):
            await client.send(get("/", "Connection: close"))
        return b" 200 OK" in await client.rest()


class TestPipelining:
    async def test_answers_come_in_the_order_of_the_requests(self) -> None:
        asked, may_answer = asyncio.Event(), asyncio.Event()

        async def answer(request: Request) -> Reply:
            if request.path == "/0":
                asked.set()
                await may_answer.wait()
            return Reply(200, request.path.encode())

        paths = [f"/{number}" for number in range(50)]
        async with listening(answer) as server, wire(server.port) as client:
            await client.send(get(paths[0]))
            await asked.wait()
            await client.send(*map(get, paths[1:]))
            await asyncio.sleep(0.05)
            may_answer.set()
            assert [(await client.answer()).body.decode() for _ in paths] == paths
            assert (await client.ask(get("/later"))).body == b"/later"

    async def test_what_follows_the_last_request_is_not_read(self, server: Server) -> None:
        async with wire(server.port) as client:
            await client.send(get("/", "Connection: close") + get("/never"))
            assert (await client.answer()).status == 200
            assert await client.rest() == b""

    async def test_nonsense_after_a_request_does_not_take_its_answer(self, server: Server) -> None:
        async with wire(server.port) as client:
            await client.send(get("/") + b"nonsense\r\n\r\n")
            assert [(await client.answer()).status for _ in range(2)] == [200, 400]

    async def test_what_is_sent_ahead_of_a_slow_answer_stays_with_the_client(self) -> None:
        async def never(_: Request) -> Reply:
            await asyncio.Event().wait()
            return Reply(200)

        async with listening(never) as server, wire(server.port) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await client.send(*[post("/", b"x" * 1_000_000)] * 30)

    async def test_a_client_that_does_not_read_is_not_answered_on_and_on(self) -> None:
        answered = 0

        async def answer(_: Request) -> Reply:
            nonlocal answered
            answered += 1
            return Reply(200, b"x" * 1_000_000)

        async with listening(answer, idle_seconds=PATIENCE) as server, wire(server.port) as client:
            await client.send(get("/") * 500)
            for _ in range(500):
                await asyncio.sleep(0)
            unread = answered
            for _ in range(500):
                assert len((await client.answer()).body) == 1_000_000
            assert unread < 100 and answered == 500

    async def test_a_client_that_never_reads_is_cut_off(self) -> None:
        async def answer(_: Request) -> Reply:
            return Reply(200, b"x" * 1_000_000)

        async with listening(answer, idle_seconds=0.1) as server, wire(server.port) as client:
            await client.send(get("/") * 100)
            await asyncio.sleep(0.5)
            assert len(await client.rest()) < 100_000_000


class TestContinue:
    HEAD = get("/", "Content-Length: 4", "Expect: 100-continue", method="POST")

    async def test_the_body_is_asked_for(self, server: Server) -> None:
        async with wire(server.port) as client:
            assert (await client.ask(self.HEAD)).status == 100
            assert json.loads((await client.ask(b"<a/>")).body)["body"] == "<a/>"

    async def test_not_when_it_is_there_already(self, server: Server) -> None:
        async with wire(server.port) as client:
            assert (await client.ask(self.HEAD + b"<a/>")).status == 200

    async def test_not_when_it_would_be_too_large(self) -> None:
        async with listening(body_bytes=3) as server:
            assert await status_of(server, self.HEAD) == 413


class TestHead:
    async def test_has_the_length_of_the_body_and_no_body(self, server: Server) -> None:
        async with wire(server.port) as client:
            await client.send(get("/", method="HEAD"))
            answer = await client.answer(has_body=False)
            assert (answer.status, int(answer.headers["content-length"]) > 0) == (200, True)
            assert (await client.ask(get("/"))).status == 200
