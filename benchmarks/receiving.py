"""A receiver of webhooks in a process of its own: what it does with a call should not be what is measured."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Never, TypeAlias, cast

import psutil  # type: ignore[import-untyped]
import uvloop

from installation import HOST, Program

HANGING = "/hangs"
"""The path on which nothing is ever answered."""
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length:"
_ID = b"webhook-id:"
_STOP_SECONDS = 10


Counts: TypeAlias = "Connection[Never, int]"
Batches: TypeAlias = "Connection[int | list[Arrival], Never]"


@dataclass(frozen=True, slots=True)
class Arrival:
    """A received call."""

    event_id: str
    at: float
    """Wall-clock time, as the database's events have it."""


@dataclass(frozen=True, slots=True)
class WebhookReceiver:
    """The running receiver."""

    url: str
    program: Program
    ask: "Connection[int, Never]"
    hear: "Connection[Never, list[Arrival]]"

    async def arrivals(self, many: int, timeout_seconds: float = 60) -> list[Arrival]:
        """Waits for so many new calls, and returns all of them."""
        self.ask.send(many)
        if not await asyncio.to_thread(self.hear.poll, timeout_seconds):
            raise TimeoutError(f"there are fewer than {many} calls after {timeout_seconds} seconds")
        return self.hear.recv()


@contextmanager
def running_receiver() -> Iterator[WebhookReceiver]:
    """Runs a receiver until the block ends."""
    context = get_context("spawn")
    # One for each way: a loop that watches a pipe makes it refuse what does not fit into it at once.
    (counts, ask), (hear, batches) = context.Pipe(duplex=False), context.Pipe(duplex=False)
    process = context.Process(target=_receive, args=(counts, batches), daemon=True)
    process.start()
    counts.close()
    batches.close()
    try:
        port: int = hear.recv()
        yield WebhookReceiver(
            f"http://{HOST}:{port}", Program("receiver", psutil.Process(process.pid)), ask, hear
        )
    finally:
        # The receiver ends when its pipe is closed.
        ask.close()
        process.join(_STOP_SECONDS)
        process.kill()


class _Arrivals:
    """Collects calls and sends them once there are as many as requested."""

    def __init__(self, counts: Counts, batches: Batches) -> None:
        self._counts = counts
        self._batches = batches
        self._arrivals: list[Arrival] = []
        self._wanted: int | None = None
        self.is_done = asyncio.Event()

    def listen(self) -> None:
        """Reads how many calls are requested."""
        try:
            self._wanted = self._counts.recv()
        except EOFError:
            self.is_done.set()
        self._send_if_enough()

    def add(self, arrival: Arrival) -> None:
        self._arrivals.append(arrival)
        self._send_if_enough()

    def _send_if_enough(self) -> None:
        if self._wanted is not None and len(self._arrivals) >= self._wanted:
            self._batches.send(self._arrivals)
            self._arrivals, self._wanted = [], None


class _Caller(asyncio.Protocol):
    """One connection, whose calls come one after another."""

    def __init__(self, arrivals: _Arrivals) -> None:
        self._arrivals = arrivals
        self._read = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, end, body = self._read.partition(_END_OF_HEAD)
        if not end or len(body) < int(_header(head, _LENGTH)):
            return
        self._read = b""
        if HANGING.encode() not in head.partition(b"\r\n")[0]:
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        self._arrivals.add(Arrival(_header(head, _ID).decode(), time.time()))
        if self._transport:
            self._transport.write(_ANSWER)


def _header(head: bytes, name: bytes) -> bytes:
    start = head.lower().index(name) + len(name)
    return head[start:].partition(b"\r\n")[0].strip()


def _receive(counts: Counts, batches: Batches) -> None:
    uvloop.run(_serve(counts, batches))


async def _serve(counts: Counts, batches: Batches) -> None:
    loop, arrivals = asyncio.get_running_loop(), _Arrivals(counts, batches)
    server = await loop.create_server(lambda: _Caller(arrivals), HOST, 0)
    loop.add_reader(counts.fileno(), arrivals.listen)
    batches.send(server.sockets[0].getsockname()[1])
    await arrivals.is_done.wait()
    loop.remove_reader(counts.fileno())
    server.close()
