"""Requests for the contract and its pages while they are built, which takes seconds."""

import asyncio
from dataclasses import dataclass, field
from threading import Event

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.api import openapi
from support import TIMEOUT_SECONDS
from unit.api.docs_contracts import our_app


@dataclass
class Builds:
    """Counts started builds of the contract; a build blocks until it may end."""

    begun: int = 0
    may_end: Event = field(default_factory=Event)

    def build(self, **_: object) -> dict[str, object]:
        self.begun += 1
        assert self.may_end.wait(TIMEOUT_SECONDS)
        return {"info": {"title": "t", "version": "1"}, "paths": {}, "components": {"schemas": {}}}


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return our_app()


@pytest.fixture
def builds(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Builds:
    """Clears the caches of the contract."""
    builds = Builds()
    monkeypatch.setattr(app, "openapi_schema", None)
    for cached in (openapi._json, openapi._yaml, openapi._pages):
        cached.cache_clear()
    monkeypatch.setattr(openapi, "get_openapi", builds.build)
    monkeypatch.setattr(openapi, "published_events", dict)
    return builds


@pytest.fixture
def reader(app: FastAPI) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://carimbo")


class TestFirstReading:
    @pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/openapi.yaml"])
    async def test_first_request_for_the_contract_does_not_delay_others(
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

    async def test_concurrent_first_requests_build_the_contract_once(
        self, reader: httpx2.AsyncClient, builds: Builds
    ) -> None:
        addresses = ["/docs", "/docs", "/openapi.json", "/openapi.yaml"]
        reading = [asyncio.create_task(reader.get(address)) for address in addresses]
        while not builds.begun:  # noqa: ASYNC110 - a thread can't set an event
            await asyncio.sleep(0.01)
        builds.may_end.set()
        await asyncio.gather(*reading)
        assert builds.begun == 1
