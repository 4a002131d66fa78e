"""The simulator's HTTP server on a plain port, with clients of every kind."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from carimbo.simulator.http import Reply, Request
from carimbo.simulator.program.http_server import HttpServer
from support import TIMEOUT_SECONDS
from unit.simulator.wire import CHUNKED, OVER, get, listening, post, status_of, understood, wire


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[HttpServer]:
    async with listening() as server:
        yield server


class TestReading:
    async def test_path_is_decoded_and_query_is_not(self, server: HttpServer) -> None:
        echoed = await understood(server, get("/svrs/nf%65/Servi%C3%A7o?wsdl&a=%20"))
        assert (echoed["method"], echoed["path"], echoed["query"]) == (
            "GET",
            "/svrs/nfe/Serviço",
            "wsdl&a=%20",
        )

    async def test_absolute_address_is_reduced_to_its_path(self, server: HttpServer) -> None:
        assert (await understood(server, get("http://localhost/a?b")))["path"] == "/a"

    async def test_header_names_are_lower_case_and_repeated_headers_are_joined(
        self, server: HttpServer
    ) -> None:
        echoed = await understood(server, get("/", "SOAPAction: x", "Accept: a", "ACCEPT: b"))
        assert echoed["headers"] == {"host": "localhost", "soapaction": "x", "accept": "a, b"}

    async def test_body_with_content_length_is_read(self, server: HttpServer) -> None:
        assert (await understood(server, post("/", b"<a/>")))["body"] == "<a/>"

    async def test_request_may_arrive_byte_by_byte(self, server: HttpServer) -> None:
        whole = post("/x", b"<a/>", "Accept: */*")
        echoed = await understood(server, *(bytes([byte]) for byte in whole))
        assert (echoed["path"], echoed["body"]) == ("/x", "<a/>")

    async def test_chunked_body_may_have_extensions_and_trailers(self, server: HttpServer) -> None:
        body = b"3;x=y\r\n<a>\r\n4\r\n</a>\r\n0\r\nHost: evil\r\n\r\n"
        echoed = await understood(server, get("/", CHUNKED, method="POST"), body)
        assert (echoed["body"], echoed["headers"]) == (
            "<a></a>",
            {"host": "localhost", "transfer-encoding": "chunked"},
        )

    async def test_large_body_is_read(self, server: HttpServer) -> None:
        body = b"x" * 5_000_000
        assert len(str((await understood(server, post("/", body)))["body"])) == len(body)

    async def test_plain_port_has_no_client_certificate(self, server: HttpServer) -> None:
        assert (await understood(server, get("/")))["certificate"] is None


class TestConnection:
    async def test_connection_stays_open_for_more_requests(self, server: HttpServer) -> None:
        async with wire(server.port) as client:
            for number in range(3):
                answer = await client.ask(post(f"/{number}", b"x" * number))
                assert answer.headers["connection"] == "keep-alive"
                assert json.loads(answer.body)["path"] == f"/{number}"

    @pytest.mark.parametrize("last", [get("/", "Connection: close"), get("/", version="1.0")])
    async def test_connection_ends_when_the_client_wants_it(self, server: HttpServer, last: bytes) -> None:
        assert await status_of(server, last) == 200

    async def test_connection_of_an_http_1_0_client_stays_open_if_requested(self, server: HttpServer) -> None:
        async with wire(server.port) as client:
            for _ in range(2):
                answer = await client.ask(get("/", "Connection: keep-alive", version="1.0"))
                assert answer.headers["connection"] == "keep-alive"

    async def test_connection_ends_after_an_upgrade_request(self, server: HttpServer) -> None:
        """Java offers HTTP/2 in this way, and accepts HTTP/1.1."""
        assert await status_of(server, get("/", "Connection: Upgrade", "Upgrade: h2c")) == 200

    async def test_idle_connection_is_closed(self) -> None:
        async with listening(idle_seconds=0.05) as server, wire(server.port) as client:
            assert (await client.ask(get("/"))).status == 200
            assert await client.rest() == b""

    async def test_slow_answer_does_not_delay_other_clients(self) -> None:
        received, may_answer = asyncio.Event(), asyncio.Event()

        async def answer(request: Request) -> Reply:
            if request.path == "/slow":
                received.set()
                await may_answer.wait()
            return Reply(200, request.path.encode())

        async with listening(answer) as server, wire(server.port) as slow, wire(server.port) as quick:
            await slow.send(get("/slow"))
            await received.wait()
            assert (await quick.ask(get("/quick"))).body == b"/quick"
            may_answer.set()
            assert (await slow.answer()).body == b"/slow"

    async def test_connection_beyond_the_limit_is_closed_at_once(self) -> None:
        async with listening(connections=2) as server:
            async with wire(server.port) as first, wire(server.port) as second:
                assert {(await client.ask(get("/"))).status for client in (first, second)} == {200}
                async with wire(server.port) as third:
                    assert await third.rest() == b""
                assert (await first.ask(get("/"))).status == 200
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while not await is_served(server):  # noqa: ASYNC110 - the server does not report closed connections
                    await asyncio.sleep(0.01)


async def is_served(server: HttpServer) -> bool:
    async with wire(server.port) as client:
        with suppress(*OVER):
            await client.send(get("/", "Connection: close"))
        return b" 200 OK" in await client.rest()


class TestPipelining:
    async def test_pipelined_answers_are_in_the_order_of_the_requests(self) -> None:
        received, may_answer = asyncio.Event(), asyncio.Event()

        async def answer(request: Request) -> Reply:
            if request.path == "/0":
                received.set()
                await may_answer.wait()
            return Reply(200, request.path.encode())

        paths = [f"/{number}" for number in range(50)]
        async with listening(answer) as server, wire(server.port) as client:
            await client.send(get(paths[0]))
            await received.wait()
            await client.send(*map(get, paths[1:]))
            await asyncio.sleep(0.05)
            may_answer.set()
            assert [(await client.answer()).body.decode() for _ in paths] == paths
            assert (await client.ask(get("/later"))).body == b"/later"

    async def test_data_after_the_last_request_is_ignored(self, server: HttpServer) -> None:
        async with wire(server.port) as client:
            await client.send(get("/", "Connection: close") + get("/never"))
            assert (await client.answer()).status == 200
            assert await client.rest() == b""

    async def test_invalid_data_after_a_request_does_not_prevent_its_answer(self, server: HttpServer) -> None:
        async with wire(server.port) as client:
            await client.send(get("/") + b"nonsense\r\n\r\n")
            assert [(await client.answer()).status for _ in range(2)] == [200, 400]

    @pytest.mark.parametrize(
        ("last", "status"),
        [
            (get("/", "Content-Length: 11", method="POST"), 413),
            (get("/", CHUNKED, method="POST") + b"b\r\n0123456789x\r\n", 413),
            (get("/", CHUNKED, method="POST") + b"zz\r\n", 400),
            (post("/", b"0123456789")[:-1], 408),
        ],
        ids=["announced size", "size", "chunk", "incomplete"],
    )
    async def test_refusal_of_a_request_is_sent_after_the_answers_to_those_before(
        self, last: bytes, status: int
    ) -> None:
        received, may_answer = asyncio.Event(), asyncio.Event()

        async def answer(request: Request) -> Reply:
            received.set()
            await may_answer.wait()
            return Reply(200, request.path.encode())

        limited = listening(answer, body_bytes=10, request_seconds=0.05)
        async with limited as server, wire(server.port) as client:
            await client.send(get("/0") + get("/1") + last)
            await received.wait()
            await asyncio.sleep(0.1)
            may_answer.set()
            assert [(await client.answer()).status for _ in range(3)] == [200, 200, status]

    async def test_requests_ahead_of_a_slow_answer_are_not_read(self) -> None:
        async def never(_: Request) -> Reply:
            await asyncio.Event().wait()
            return Reply(200)

        async with listening(never) as server, wire(server.port) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await client.send(*[post("/", b"x" * 1_000_000)] * 30)

    async def test_answers_stop_while_the_client_does_not_read(self) -> None:
        answered = 0

        async def answer(_: Request) -> Reply:
            nonlocal answered
            answered += 1
            return Reply(200, b"x" * 1_000_000)

        async with listening(answer, idle_seconds=TIMEOUT_SECONDS) as server, wire(server.port) as client:
            await client.send(get("/") * 500)
            for _ in range(500):
                await asyncio.sleep(0)
            unread = answered
            for _ in range(500):
                assert len((await client.answer()).body) == 1_000_000
            assert unread < 100 and answered == 500

    async def test_client_that_never_reads_is_disconnected(self) -> None:
        async def answer(_: Request) -> Reply:
            return Reply(200, b"x" * 1_000_000)

        async with listening(answer, idle_seconds=0.1) as server, wire(server.port) as client:
            await client.send(get("/") * 100)
            await asyncio.sleep(0.5)
            assert len(await client.rest()) < 100_000_000


class TestContinue:
    HEAD = get("/", "Content-Length: 4", "Expect: 100-continue", method="POST")

    async def test_continue_is_sent_before_the_body(self, server: HttpServer) -> None:
        async with wire(server.port) as client:
            assert (await client.ask(self.HEAD)).status == 100
            assert json.loads((await client.ask(b"<a/>")).body)["body"] == "<a/>"

    async def test_continue_is_not_sent_if_the_body_is_already_there(self, server: HttpServer) -> None:
        async with wire(server.port) as client:
            assert (await client.ask(self.HEAD + b"<a/>")).status == 200

    async def test_continue_is_not_sent_if_the_body_is_too_large(self) -> None:
        async with listening(body_bytes=3) as server:
            assert await status_of(server, self.HEAD) == 413


class TestHead:
    async def test_head_answer_has_the_length_of_the_body_and_no_body(self, server: HttpServer) -> None:
        async with wire(server.port) as client:
            await client.send(get("/", method="HEAD"))
            answer = await client.answer(has_body=False)
            assert (answer.status, int(answer.headers["content-length"]) > 0) == (200, True)
            assert (await client.ask(get("/"))).status == 200
