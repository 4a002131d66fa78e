"""The contract and its page while they are made, which takes seconds."""

import asyncio
from dataclasses import dataclass, field
from threading import Event

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.api import openapi
from support import PATIENCE
from unit.api.docs_contracts import our_app


@dataclass
class Builds:
    """How often a contract was begun; whoever builds it is busy until he may end."""

    begun: int = 0
    may_end: Event = field(default_factory=Event)

    def build(self, **_: object) -> dict[str, object]:
        self.begun += 1
        assert self.may_end.wait(PATIENCE)
        return {"info": {"title": "t", "version": "1"}, "paths": {}, "components": {"schemas": {}}}


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return our_app()


@pytest.fixture
def builds(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Builds:
    """Lets nothing of the contract be built yet."""
    builds = Builds()
    monkeypatch.setattr(app, "openapi_schema", None)
    for made in (openapi._json, openapi._yaml, openapi._pages):
        made.cache_clear()
    monkeypatch.setattr(openapi, "get_openapi", builds.build)
    monkeypatch.setattr(openapi, "published_events", dict)
    return builds


@pytest.fixture
def reader(app: FastAPI) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://carimbo")


class TestFirstReading:
    @pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/openapi.yaml"])
    async def test_keeps_nobody_else_waiting(
        self, reader: httpx2.AsyncClient, builds: Builds, path: str
    ) -> None:
        await reader.get("/healthz")
        reading = asyncio.create_task(reader.get(path))
        while not builds.begun:  # noqa: ASYNC110 - a thread can't set an event
            await asyncio.sleep(0.01)
        assert (await reader.get("/healthz")).status_code == 200
        assert not reading.done()
        builds.may_end.set()
        assert (await reading).status_code == 200

    async def test_is_made_once_for_all_who_come_meanwhile(
        self, reader: httpx2.AsyncClient, builds: Builds
    ) -> None:
        addresses = ["/docs", "/docs", "/openapi.json", "/openapi.yaml"]
        reading = [asyncio.create_task(reader.get(address)) for address in addresses]
        while not builds.begun:  # noqa: ASYNC110 - a thread can't set an event
            await asyncio.sleep(0.01)
        builds.may_end.set()
        await asyncio.gather(*reading)
        assert builds.begun == 1
