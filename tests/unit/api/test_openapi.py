"""The contract and its page while they are made, which takes seconds."""

import asyncio
import time

import httpx2
import pytest

from carimbo.api import openapi
from unit.api.docs_contracts import our_app

LONG_SECONDS = 0.5


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When a contract was begun; it then keeps whoever builds it busy for long."""
    begun: list[float] = []

    def build(**_: object) -> dict[str, object]:
        begun.append(time.monotonic())
        time.sleep(LONG_SECONDS)
        return {"info": {"title": "t", "version": "1"}, "paths": {}, "components": {"schemas": {}}}

    monkeypatch.setattr(openapi, "get_openapi", build)
    monkeypatch.setattr(openapi, "published_events", dict)
    return begun


@pytest.fixture
def reader() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=our_app()), base_url="http://carimbo")


class TestFirstReading:
    @pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/openapi.yaml"])
    async def test_keeps_nobody_else_waiting(
        self, reader: httpx2.AsyncClient, builds: list[float], path: str
    ) -> None:
        await reader.get("/healthz")
        reading = asyncio.create_task(reader.get(path))
        while not builds:  # noqa: ASYNC110 - a thread can't set an event
            await asyncio.sleep(0.01)
        assert (await reader.get("/healthz")).status_code == 200
        assert not reading.done()
        assert (await reading).status_code == 200

    async def test_is_made_once_for_all_who_come_meanwhile(
        self, reader: httpx2.AsyncClient, builds: list[float]
    ) -> None:
        await asyncio.gather(*map(reader.get, ["/docs", "/docs", "/openapi.json", "/openapi.yaml"]))
        assert len(builds) == 1
