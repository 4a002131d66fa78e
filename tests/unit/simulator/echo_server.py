"""The simulator's HTTP server, answering with what it understood."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from carimbo.simulator.http import JSON, Answerer, Reply, Request
from carimbo.simulator.http_server import Limits, Server, serve
from unit.simulator.wire import wire

CHUNKED = "Transfer-Encoding: chunked"


async def echo(request: Request) -> Reply:
    """Say what was understood."""
    told = {
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": dict(request.headers),
        "body": request.body.decode("latin-1"),
        "certificate": request.certificate,
    }
    return Reply(200, json.dumps(told).encode(), JSON)


@asynccontextmanager
async def listening(answer: Answerer = echo, **limits: float) -> AsyncIterator[Server]:
    server = await serve(answer, "127.0.0.1", 0, tls=None, limits=Limits(**limits))  # type: ignore[arg-type]
    try:
        yield server
    finally:
        await server.close()


async def understood(server: Server, *parts: bytes) -> dict[str, object]:
    async with wire(server.port) as client:
        answer = await client.ask(*parts)
    assert (answer.status, answer.headers["content-type"]) == (200, JSON)
    return dict(json.loads(answer.body))


async def status_of(server: Server, *parts: bytes) -> int:
    """The status of the one answer that ends the connection."""
    async with wire(server.port) as client:
        answer = await client.ask(*parts)
        assert answer.headers["connection"] == "close"
        assert await client.rest() == b""
    return answer.status
