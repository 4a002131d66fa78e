"""The simulator's HTTP server with broken replies, excessive requests, and its shutdown."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import uvloop

from carimbo.simulator.http import ConnectionClosed, Reply, Request
from carimbo.simulator.program.http_server import HttpServer, serve
from support import TIMEOUT_SECONDS
from unit.simulator.wire import CHUNKED, echo, get, listening, post, status_of, understood, wire


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[HttpServer]:
    async with listening() as server:
        yield server


class TestBrokenReplies:
    @pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
    def test_cut_reply_has_its_whole_length_and_half_of_its_body(
        self, run: Callable[[Coroutine[None, None, None]], None]
    ) -> None:
        """The simulator command runs uvloop, the tests asyncio."""

        async def answer(_: Request) -> Reply:
            return Reply(200, b"0123456789", cut=True)

        async def ask() -> None:
            async with listening(answer) as server, wire(server.port) as client:
                await client.send(get("/"))
                answered = await client.answer(has_body=False)
                assert (answered.status, answered.headers["content-length"]) == (200, "10")
                assert await client.rest() == b"01234"

        with ThreadPoolExecutor(1) as thread:
            thread.submit(run, ask()).result(TIMEOUT_SECONDS)

    async def test_closed_connection_has_no_reply(self) -> None:
        async def answer(_: Request) -> ConnectionClosed:
            return ConnectionClosed()

        async with listening(answer) as server, wire(server.port) as client:
            await client.send(get("/"))
            assert await client.rest() == b""

    async def test_internal_error_is_500_and_the_connection_stays_open(self) -> None:
        async def answer(request: Request) -> Reply:
            if request.path == "/fails":
                raise RuntimeError("broken")
            return Reply(200)

        async with listening(answer) as server, wire(server.port) as client:
            assert (await client.ask(get("/fails"))).status == 500
            assert (await client.ask(get("/"))).status == 200

    async def test_status_without_a_name_is_sent(self) -> None:
        async def answer(_: Request) -> Reply:
            return Reply(599, b"x")

        async with listening(answer) as server, wire(server.port) as client:
            assert (await client.ask(get("/"))).status == 599


class TestLimits:
    async def test_declared_body_that_is_too_large_is_refused_before_it_arrives(self) -> None:
        async with listening(body_bytes=10) as server:
            assert await status_of(server, get("/", "Content-Length: 11", method="POST")) == 413
            assert (await understood(server, post("/", b"x" * 10)))["body"] == "x" * 10

    async def test_chunked_body_that_grows_too_large_is_refused(self) -> None:
        async with listening(body_bytes=10) as server:
            chunks = b"6\r\n123456\r\n" * 2
            assert await status_of(server, get("/", CHUNKED, method="POST"), chunks) == 413

    @pytest.mark.parametrize(
        "request_parts",
        [
            [get("/" + "x" * 2000)],
            [get("/", "X: " + "x" * 2000)],
            [get("/", *(f"X-{number}: x" for number in range(500)))],
            [b"GET / HTTP/1.1\r\nX: ", *[b"x" * 500] * 4],
            [b"GET / HTTP/1.1\r\n" + b"x" * 500, *[b"x" * 500] * 4],
        ],
        ids=["address", "one header", "many headers", "header without end", "name without end"],
    )
    async def test_headers_that_are_too_large_are_refused(self, request_parts: list[bytes]) -> None:
        async with listening(header_bytes=1000) as server:
            async with wire(server.port) as client:
                for part in request_parts:
                    await client.send(part)
                    await asyncio.sleep(0.01)
                assert (await client.answer()).status == 431
            assert await understood(server, get("/", "X: " + "x" * 900))

    @pytest.mark.parametrize(
        "start", [b"0\r\nX: ", b"0\r\n", b"1;"], ids=["trailer", "its name", "extension"]
    )
    async def test_chunked_body_with_an_endless_trailer_or_extension_is_refused(self, start: bytes) -> None:
        async with listening(header_bytes=1000) as server:
            parts = [get("/", CHUNKED, method="POST"), start, *[b"x" * 500] * 4]
            assert await status_of(server, *parts) == 431

    async def test_chunked_body_may_have_more_framing_than_headers_may_have_bytes(self) -> None:
        async with listening(header_bytes=1000) as server:
            chunks = b"1\r\nx\r\n" * 1000 + b"0\r\n\r\n"
            assert (await understood(server, get("/", CHUNKED, method="POST") + chunks))["body"] == "x" * 1000

    async def test_large_headers_in_several_pieces_are_read(self, server: HttpServer) -> None:
        headers = [f"X-{number}: {'x' * 1000}" for number in range(55)]
        whole = get("/", *headers)
        pieces = [whole[start : start + 1000] for start in range(0, len(whole), 1000)]
        async with wire(server.port) as client:
            for piece in pieces:
                await client.send(piece)
                await asyncio.sleep(0)
            assert (await client.answer()).status == 200

    @pytest.mark.parametrize("part", [b"GET / HTTP/1.1\r\nHost: loc", post("/", b"x" * 9)[:-1], b"P"])
    async def test_incomplete_request_times_out(self, part: bytes) -> None:
        async with listening(request_seconds=0.05) as server:
            assert await status_of(server, part) == 408

    async def test_slow_request_gets_no_additional_time(self) -> None:
        async with listening(request_seconds=0.3) as server, wire(server.port) as client:
            await client.send(b"GET / HTTP/1.1\r\n")

            async def drip() -> None:
                while True:
                    await client.send(b"X: y\r\n")
                    await asyncio.sleep(0.02)

            dripping = asyncio.create_task(drip())
            assert (await client.answer()).status == 408
            dripping.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await dripping

    async def test_blank_lines_do_not_keep_an_idle_connection(self) -> None:
        async with listening(idle_seconds=0.1) as server, wire(server.port) as client:
            with pytest.raises(ConnectionError):
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    while True:
                        await client.send(b"\r\n")
                        await asyncio.sleep(0.01)

    async def test_refused_client_that_reads_late_gets_the_answer(self) -> None:
        def send_then_read(port: int) -> bytes:
            with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS) as client:
                client.sendall(post("/", b"x" * 20_000_000))
                return client.recv(65536)

        async with listening(body_bytes=10, linger_seconds=TIMEOUT_SECONDS) as server:
            assert b" 413 " in await asyncio.to_thread(send_then_read, server.port)

    async def test_refused_client_that_goes_on_sending_is_disconnected(self) -> None:
        async with listening(body_bytes=10, linger_seconds=0.1) as server, wire(server.port) as client:
            assert (await client.ask(get("/", "Content-Length: 11", method="POST"))).status == 413
            with pytest.raises(ConnectionError):
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    while True:
                        await client.send(b"x" * 65536)
                        await asyncio.sleep(0)


class TestMalformed:
    @pytest.mark.parametrize(
        "garbage",
        [
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"nonsense\r\n\r\n",
            b"GET / HTTP/3.7\r\n\r\n",
            b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"CONNECT localhost:443 HTTP/1.1\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ],
    )
    async def test_malformed_request_is_refused_and_the_next_client_served(
        self, server: HttpServer, garbage: bytes
    ) -> None:
        assert await status_of(server, garbage) == 400
        assert (await understood(server, get("/")))["path"] == "/"

    async def test_upgrade_request_with_a_body_is_refused(self, server: HttpServer) -> None:
        request = post("/", b"<a/>", "Connection: Upgrade", "Upgrade: h2c")
        assert await status_of(server, request) == 501


class Endless:
    """An answer that never ends by itself."""

    def __init__(self) -> None:
        self.received, self.ended = asyncio.Event(), asyncio.Event()

    async def answer(self, _: Request) -> Reply:
        self.received.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return Reply(200)


class TestClosing:
    async def test_close_ends_connections_and_running_answers_and_frees_the_port(self) -> None:
        endless = Endless()
        async with listening(endless.answer) as server, wire(server.port) as busy, wire(server.port) as idle:
            await busy.send(get("/"))
            await endless.received.wait()
            await server.close()
            assert endless.ended.is_set()
            assert (await busy.rest(), await idle.rest()) == (b"", b"")
            again = await serve(echo, "127.0.0.1", server.port, tls=None)
            await again.close()

    async def test_close_ends_an_answer_whose_client_has_gone(self) -> None:
        endless = Endless()
        async with listening(endless.answer) as server:
            async with wire(server.port) as client:
                await client.send(get("/"))
                await endless.received.wait()
            await asyncio.sleep(0.05)
            assert not endless.ended.is_set()
        assert endless.ended.is_set()
