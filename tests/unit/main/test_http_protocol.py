"""The limits on the head and the time of a request, over real connections."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from carimbo.main.server import RequestLimits
from http_server import serving
from support import LOOPBACK, TIMEOUT_SECONDS

LIMIT = 4096
SECONDS = 0.3
GET = b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n"

Connect = Callable[[], Any]


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers 200 with the path, `/early` without reading the body; `/headers` with the headers' names."""
    while scope["path"] != "/early" and (await receive()).get("more_body"):
        pass
    names = b" ".join(name for name, _ in scope["headers"])
    body = names if scope["path"] == "/headers" else scope["path"].encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Connection:
    """A client that writes bytes as it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def write(self, *pieces: bytes, pause: float = 0) -> None:
        for piece in pieces:
            self._writer.write(piece)
            await asyncio.sleep(pause)

    async def ended(self) -> bytes:
        """Everything that arrives until the server closes or resets the connection."""
        pieces: list[bytes] = []
        async with asyncio.timeout(TIMEOUT_SECONDS):
            # What is written after the server has closed makes it reset the connection.
            with suppress(ConnectionResetError):
                while piece := await self._reader.read(LIMIT):
                    pieces.append(piece)
        return b"".join(pieces)

    async def answer(self) -> bytes:
        """One answer of `echo`."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = int(head.partition(b"content-length: ")[2].split(b"\r\n")[0])
            return head.split(b"\r\n")[0] + b" " + await self._reader.readexactly(length)


@pytest.fixture
async def connect(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Connect]:
    monkeypatch.setattr("carimbo.main.server._GRACE_SECONDS", 0.0)
    writers: list[asyncio.StreamWriter] = []

    async with serving(echo, RequestLimits(LIMIT, head_seconds=SECONDS, body_seconds=SECONDS)) as port:

        async def make() -> Connection:
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            writers.append(writer)
            return Connection(reader, writer)

        yield make
        for writer in writers:
            writer.close()


def refusal(answer: bytes) -> tuple[int, str]:
    """Status and code of an answer in the envelope, after which the connection was closed."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.count(b"connection: close") == 1
    assert b"x-request-id: " in head
    assert b"x-content-type-options: nosniff" in head
    error = json.loads(body)["error"]
    return int(head.split()[1]), error["code"]


class TestHeadSize:
    @pytest.mark.parametrize(
        "line",
        [b"GET /" + b"x" * LIMIT, b"X-Long: " + b"x" * LIMIT, b"X-A: b\r\n" * LIMIT],
        ids=["target", "one header", "many headers"],
    )
    async def test_head_beyond_the_limit_is_refused(self, connect: Connect, line: bytes) -> None:
        client = await connect()
        await client.write((b"" if line.startswith(b"GET") else GET[:-2]) + line)
        assert refusal(await client.ended()) == (431, "HEAD_TOO_LARGE")

    async def test_head_up_to_the_limit_is_read(self, connect: Connect) -> None:
        client = await connect()
        fill = b"X-Long: " + b"x" * (LIMIT - len(GET) - len(b"X-Long: \r\n")) + b"\r\n"
        await client.write(GET[:-2] + fill + b"\r\n", GET)
        assert await client.answer() == b"HTTP/1.1 200 OK /x"
        assert await client.answer() == b"HTTP/1.1 200 OK /x"

    async def test_head_size_does_not_count_the_body(self, connect: Connect) -> None:
        client = await connect()
        head = b"POST /x HTTP/1.1\r\nContent-Length: 20000\r\n\r\n"
        await client.write(head + b"x" * 20_000, GET)
        assert await client.answer() == b"HTTP/1.1 200 OK /x"
        assert await client.answer() == b"HTTP/1.1 200 OK /x"


class TestTrailers:
    CHUNKED = b" HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"

    @pytest.mark.parametrize("is_answered", [False, True], ids=["before the answer", "after the answer"])
    @pytest.mark.parametrize(
        "trailers", [b"a:\r\n" * LIMIT, b"a" * 3 * LIMIT], ids=["many lines", "one endless line"]
    )
    async def test_trailers_beyond_the_limit_close_the_connection(
        self, connect: Connect, is_answered: bool, trailers: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Not by the time that the body may take.
        monkeypatch.setattr("carimbo.main.server._GRACE_SECONDS", 2.0 * TIMEOUT_SECONDS)
        client = await connect()
        await client.write((b"POST /early" if is_answered else b"POST /x") + self.CHUNKED)
        if is_answered:
            assert await client.answer() == b"HTTP/1.1 200 OK /early"
        await client.write(b"0\r\n", trailers, pause=0.02)
        assert await client.ended() == b""

    async def test_trailers_are_not_headers_of_the_request(self, connect: Connect) -> None:
        client = await connect()
        await client.write(b"POST /headers" + self.CHUNKED, b"0\r\nX-Api-Key: x\r\n\r\n", GET, pause=0.02)
        assert await client.answer() == b"HTTP/1.1 200 OK transfer-encoding"
        assert await client.answer() == b"HTTP/1.1 200 OK /x"

    async def test_chunk_sizes_do_not_count_against_the_limit(self, connect: Connect) -> None:
        client = await connect()
        await client.write(b"POST /x" + self.CHUNKED)
        for _ in range(4):
            await client.write(b"1\r\na\r\n" * (LIMIT // 4), pause=0.01)
        await client.write(b"0\r\n\r\n")
        assert await client.answer() == b"HTTP/1.1 200 OK /x"


class TestTime:
    async def test_a_head_that_does_not_end_is_refused(self, connect: Connect) -> None:
        clients = [await connect() for _ in range(50)]
        for client in clients:
            await client.write(GET[:-2])
        answers = await asyncio.gather(*(client.ended() for client in clients))
        assert {refusal(answer) for answer in answers} == {(408, "REQUEST_TIMEOUT")}

    async def test_a_head_byte_by_byte_is_refused(self, connect: Connect) -> None:
        client = await connect()
        dripping = asyncio.create_task(client.write(*(bytes([byte]) for byte in GET * 9), pause=0.02))
        assert refusal(await client.ended()) == (408, "REQUEST_TIMEOUT")
        dripping.cancel()

    async def test_a_silent_connection_is_closed(self, connect: Connect) -> None:
        client = await connect()
        assert await client.ended() == b""

    async def test_a_second_head_that_does_not_end_is_refused(self, connect: Connect) -> None:
        client = await connect()
        await client.write(GET)
        await client.answer()
        await client.write(GET[:-2])
        assert refusal(await client.ended()) == (408, "REQUEST_TIMEOUT")

    async def test_blank_lines_between_requests_do_not_keep_the_connection(self, connect: Connect) -> None:
        client = await connect()
        await client.write(GET)
        await client.answer()
        blank = asyncio.create_task(client.write(*[b"\r\n"] * 100, pause=0.02))
        assert await client.ended() == b""
        blank.cancel()

    async def test_a_body_that_goes_on_after_the_answer_does_not_keep_the_connection(
        self, connect: Connect
    ) -> None:
        client = await connect()
        await client.write(b"POST /early HTTP/1.1\r\nContent-Length: 20000\r\n\r\n")
        assert await client.answer() == b"HTTP/1.1 200 OK /early"
        dripping = asyncio.create_task(client.write(*[b"x"] * 100, pause=0.02))
        assert await client.ended() == b""
        dripping.cancel()


class TestMalformed:
    @pytest.mark.parametrize("target", ["/x?search=cerâmica", "/cerâmica"])
    async def test_letters_beyond_ascii_are_explained(self, connect: Connect, target: str) -> None:
        client = await connect()
        await client.write(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        answer = await client.ended()
        assert refusal(answer) == (400, "MALFORMED_REQUEST")
        assert "-G --data-urlencode" in answer.decode()

    async def test_tls_handshake_is_answered_that_the_port_speaks_http(self, connect: Connect) -> None:
        client = await connect()
        # The beginning of a ClientHello (RFC 8446, 4.1.2).
        await client.write(bytes.fromhex("16030102000100 01fc0303") + bytes(32))
        answer = await client.ended()
        assert refusal(answer) == (400, "MALFORMED_REQUEST")
        assert "Esta porta fala HTTP, e não HTTPS." in answer.decode()

    @pytest.mark.parametrize(
        "head",
        [b"GET /x HTTP/1.1\r\nBad Header\r\n\r\n", b"GARBAGE\r\n\r\n"],
        ids=["header", "request line"],
    )
    async def test_other_malformed_requests_are_refused_in_the_envelope(
        self, connect: Connect, head: bytes
    ) -> None:
        client = await connect()
        await client.write(head)
        answer = await client.ended()
        assert refusal(answer) == (400, "MALFORMED_REQUEST")
        assert "-G" not in answer.decode()
