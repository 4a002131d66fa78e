"""An HTTP client that writes raw bytes, for requests that no library sends, and a server that echoes."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from carimbo.simulator.http import JSON, Reply, Request, RequestHandler
from carimbo.simulator.program.http_server import HttpServer, Limits, serve
from support import TIMEOUT_SECONDS

OVER = (EOFError, ConnectionError, ssl.SSLError)
CHUNKED = "Transfer-Encoding: chunked"


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Wire:
    """The client side of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()

    async def answer(self, *, has_body: bool = True) -> Answer:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            length = int(headers.get("content-length", 0)) if has_body else 0
            return Answer(int(head[0].split()[1]), headers, await self.reader.readexactly(length))

    async def ask(self, *parts: bytes) -> Answer:
        await self.send(*parts)
        return await self.answer()

    async def rest(self) -> bytes:
        """Returns everything that arrives until the connection ends, cleanly or not."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            received = b""
            with suppress(*OVER):
                while part := await self.reader.read(65536):
                    received += part
            return received


@asynccontextmanager
async def wire(port: int, tls: ssl.SSLContext | None = None) -> AsyncIterator[Wire]:
    """Connects, with TLS if a context is given."""
    name = "localhost" if tls else None
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname=name)
    try:
        yield Wire(reader, writer)
    finally:
        writer.transport.abort()
        with suppress(*OVER):
            await writer.wait_closed()


def get(path: str, *headers: str, version: str = "1.1", method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/{version}", "Host: localhost", *headers, "", "")).encode()


def post(path: str, body: bytes, *headers: str) -> bytes:
    return get(path, f"Content-Length: {len(body)}", *headers, method="POST") + body


async def echo(request: Request) -> Reply:
    """Answers with the request as it was parsed."""
    content = {
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": dict(request.headers),
        "body": request.body.decode("latin-1"),
        "certificate": request.certificate,
    }
    return Reply(200, json.dumps(content).encode(), JSON)


@asynccontextmanager
async def listening(answer: RequestHandler = echo, **limits: float) -> AsyncIterator[HttpServer]:
    server = await serve(answer, "127.0.0.1", 0, tls=None, limits=Limits(**limits))  # type: ignore[arg-type]
    try:
        yield server
    finally:
        await server.close()


async def understood(server: HttpServer, *parts: bytes) -> dict[str, object]:
    async with wire(server.port) as client:
        answer = await client.ask(*parts)
    assert (answer.status, answer.headers["content-type"]) == (200, JSON)
    return dict(json.loads(answer.body))


async def status_of(server: HttpServer, *parts: bytes) -> int:
    """Returns the status of the only answer, which ends the connection."""
    async with wire(server.port) as client:
        answer = await client.ask(*parts)
        assert answer.headers["connection"] == "close"
        assert await client.rest() == b""
    return answer.status
