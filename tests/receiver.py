"""A real webhook receiver on loopback: it keeps the requests and gives the configured answers."""

import asyncio
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx2

from support import LOOPBACK, TIMEOUT_SECONDS

_MAX_HEAD_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Received:
    """A received request."""

    method: str
    path: str
    headers: httpx2.Headers
    """Names are case-insensitive."""
    body: bytes
    at: float
    """When it had arrived completely, by time.monotonic()."""


@dataclass(frozen=True)
class Reply:
    """An answer, and how it is sent."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay: float = 0
    """Seconds between the request and the answer."""
    hangs: bool = False
    """Never answers."""
    gate: asyncio.Event | None = None
    """Answers once this is set."""
    drops: bool = False
    """Closes the connection instead."""
    write: Callable[[asyncio.StreamWriter], Awaitable[None]] | None = None
    """Writes a malformed answer itself; the connection is closed after it."""

    @property
    def is_last(self) -> bool:
        return bool(self.drops or self.write)

    async def send(self, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(self.delay)
        if self.gate:
            await self.gate.wait()
        if self.hangs:
            await asyncio.Event().wait()
        elif self.write:
            await self.write(writer)
        elif not self.drops:
            writer.write(self._head() + self.body)
        await writer.drain()

    def _head(self) -> bytes:
        named = {"Content-Length": str(len(self.body)), **self.headers}
        is_standard = self.status in HTTPStatus._value2member_map_
        phrase = HTTPStatus(self.status).phrase if is_standard else ""
        lines = (f"HTTP/1.1 {self.status} {phrase}", *(f"{name}: {value}" for name, value in named.items()))
        return "\r\n".join((*lines, "\r\n")).encode("latin-1")


class Receiver:
    """Answers with the queued replies in turn, and then always with the default reply."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[Received] = []
        self.connections = 0
        """The number of accepted connections."""
        self.replies: deque[Reply] = deque()
        self.default = Reply()
        self._arrived = asyncio.Condition()
        self._open: set[asyncio.Task[None]] = set()

    async def until(self, count: int, timeout_seconds: float = TIMEOUT_SECONDS) -> list[Received]:
        """Waits until so many requests have arrived in all; raises TimeoutError."""
        async with asyncio.timeout(timeout_seconds), self._arrived:
            await self._arrived.wait_for(lambda: len(self.calls) >= count)
        return self.calls

    async def wait_until_closed(self, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        """Waits until every connection has ended; raises TimeoutError."""
        async with asyncio.timeout(timeout_seconds):
            if self._open:
                await asyncio.wait(self._open)

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection until either side closes it."""
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        self.connections += 1
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                while await self._serve(reader, writer):
                    pass
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._open.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def hang_up(self) -> None:
        """Closes every connection, even during a request."""
        open_ = list(self._open)
        for task in open_:
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        received = await _read(reader)
        reply = self.replies.popleft() if self.replies else self.default
        async with self._arrived:
            self.calls.append(received)
            self._arrived.notify_all()
        await reply.send(writer)
        return not reply.is_last and received.headers.get("connection", "").lower() != "close"


@asynccontextmanager
async def receiving(tls: ssl.SSLContext | None = None, port: int = 0) -> AsyncIterator[Receiver]:
    """Runs a receiver, with TLS if a context is given."""
    receiver = Receiver()
    server = await asyncio.start_server(receiver.meet, LOOPBACK, port, ssl=tls, limit=_MAX_HEAD_BYTES)
    receiver.url = f"{'https' if tls else 'http'}://{LOOPBACK}:{server.sockets[0].getsockname()[1]}"
    try:
        yield receiver
    finally:
        server.close()
        await receiver.hang_up()
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Received:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, path, _ = first.decode("ascii").split(" ")
    parts = (line.partition(b":") for line in lines)
    headers = httpx2.Headers([(name, value.strip()) for name, _, value in parts])
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body, time.monotonic())
