"""The start of the API server."""

import asyncio
import threading

import pytest
import uvicorn
from fastapi import FastAPI

from carimbo.main import server as server_module
from carimbo.main.server import GracefulServer
from support import LOOPBACK


class TestStart:
    async def test_server_builds_the_published_contract_after_it_listens(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app, built = FastAPI(), threading.Event()

        def publish(published: FastAPI) -> None:
            if published is app:
                built.set()

        monkeypatch.setattr(server_module, "publish", publish)
        monkeypatch.setattr(server_module, "_PUBLISH_AFTER_SECONDS", 0.0)
        config = uvicorn.Config(app, host=LOOPBACK, port=0, log_config=None, lifespan="off")
        server = GracefulServer(app, config, drain_seconds=0)
        serving = asyncio.create_task(server.serve())
        try:
            assert await asyncio.to_thread(built.wait, 60)
        finally:
            server.should_exit = True
            await serving
