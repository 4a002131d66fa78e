"""The load: HTTP requests over connections that are kept open.

It is made in a process of its own, with as little CPU as can be, so that the client is not what is measured.
"""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from multiprocessing import get_context
from statistics import quantiles
from typing import Any
from uuid import uuid4

import uvloop

from carimbo.service import json_values
from installation import HOST, Installation
from invoices import prepared_requests

ACCEPTED = 202
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length: "


class Refused(Exception):
    """An answer that a benchmark can't go on with."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and when it was asked for."""

    status: int
    body: bytes
    sent_at: float
    """As the clock on the wall shows it, which the database's events have too."""
    seconds: float

    @property
    def data(self) -> Any:
        """The data of a success."""
        return json.loads(self.body)["data"]


@dataclass(frozen=True, slots=True)
class Load:
    """All answers, and what the client itself used."""

    replies: list[Reply]
    seconds: float
    cpu_seconds: float


class Line:
    """A connection that is kept open."""

    def __init__(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._port = port
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int) -> "Line":
        return cls(port, *await asyncio.open_connection(HOST, port))

    async def exchange(self, request: bytes) -> Reply:
        """Send one request and read its answer."""
        if self._reader.at_eof():
            # The API closes a connection that has been idle for some seconds.
            self.close()
            self._reader, self._writer = await asyncio.open_connection(HOST, self._port)
        sent_at, start = time.time(), time.perf_counter()
        self._writer.write(request)
        head = await self._reader.readuntil(_END_OF_HEAD)
        length = head.partition(_LENGTH)[2].partition(b"\r\n")[0]
        body = await self._reader.readexactly(int(length))
        return Reply(int(head[9:12]), body, sent_at, time.perf_counter() - start)

    def close(self) -> None:
        self._writer.close()


def request_text(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """A request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "Content-Type: application/json"]
    return "\r\n".join(lines).encode() + _END_OF_HEAD + body


def creations(installation: Installation) -> Iterator[bytes]:
    """Requests that create NF-e of one item, no two of them under one key."""
    bodies = [
        json_values.write_json(request.model_dump(by_alias=True, exclude_unset=True)).encode()
        for request in prepared_requests(1)
    ]
    path, headers = installation.documents_path, installation.headers
    return (
        request_text("POST", path, {**headers, "Idempotency-Key": str(uuid4())}, body)
        for body in cycle(bodies)
    )


def new_client() -> ProcessPoolExecutor:
    """A process that makes load, one at a time."""
    return ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))


def send_all(port: int, requests: Sequence[bytes], lines: int, a_second: float | None = None) -> Load:
    """Send requests over so many connections: as fast as answers come, or so many a second."""
    return uvloop.run(send(port, requests, lines, a_second))


async def send(port: int, requests: Sequence[bytes], lines: int, a_second: float | None = None) -> Load:
    """The same, in a process that has more to do."""
    replies: list[Reply] = []
    queue = iter(enumerate(requests))
    opened = [await Line.open(port) for _ in range(lines)]
    start, cpu = time.perf_counter(), time.process_time()

    async def use(line: Line) -> None:
        for position, request in queue:
            if a_second:
                await asyncio.sleep(start + position / a_second - time.perf_counter())
            replies.append(await line.exchange(request))

    await asyncio.gather(*map(use, opened))
    load = Load(replies, time.perf_counter() - start, time.process_time() - cpu)
    for line in opened:
        line.close()
    return load


def require_status(load: Load, expected: int) -> Load:
    """The load, all of whose answers have the status that was hoped for."""
    for reply in load.replies:
        if reply.status != expected:
            raise Refused(f"{reply.status} instead of {expected}: {reply.body.decode()}")
    return load


def take(requests: Iterator[bytes], many: int) -> list[bytes]:
    """The next so many."""
    return list(islice(requests, many))


def middle_and_slowest(seconds: Sequence[float]) -> tuple[float, float]:
    """What half of them took at most, and what all but a hundredth took at most."""
    if len(seconds) == 1:
        return seconds[0], seconds[0]
    hundredths = quantiles(seconds, n=100, method="inclusive")
    return hundredths[49], hundredths[98]
