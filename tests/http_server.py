"""A server on loopback with our HTTP protocol, for the application of a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from carimbo.main.server import RequestLimits, protocol_within
from support import LOOPBACK


@asynccontextmanager
async def serving(app: ASGIApp, limits: RequestLimits) -> AsyncIterator[int]:
    """Serves an application and gives its port."""
    config = uvicorn.Config(app, http=protocol_within(limits), log_config=None, lifespan="off")
    config.load()
    server = uvicorn.Server(config)
    listener = await asyncio.get_running_loop().create_server(
        lambda: config.http_protocol_class(config=config, server_state=server.server_state, app_state={}),  # type: ignore[call-arg]
        LOOPBACK,
        0,
    )
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
