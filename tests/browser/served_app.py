"""The API and the dashboard over HTTP, in the event loop of the tests."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from carimbo.main.api import api_of, protocol_of
from carimbo.main.process import listen
from carimbo.service.services import Services
from carimbo.settings import Settings
from support import LOOPBACK


@dataclass(frozen=True)
class ServedApp:
    """A running app. Tests may use its services and its database while a browser shows its pages."""

    url: str
    app: FastAPI

    @property
    def services(self) -> Services:
        services: Services = self.app.state.services
        return services


class _Server(uvicorn.Server):
    """Leaves the signals to pytest: Ctrl-C must stop the tests, not only this server."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[ServedApp]:
    """Serves an app on a free port. Its address is a name, because passkeys need a domain."""
    listener = listen(LOOPBACK, 0)
    url = f"http://localhost:{listener.getsockname()[1]}"
    settings = settings.model_copy(update={"public_url": url})
    app = api_of(settings)
    config = uvicorn.Config(
        app,
        http=protocol_of(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
    )
    server = _Server(config)
    async with app.router.lifespan_context(app):
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield ServedApp(url, app)
        finally:
            server.should_exit = True
            await running
