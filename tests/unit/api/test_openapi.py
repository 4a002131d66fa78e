"""Requests for the contract and its pages while they are built, which takes seconds."""

import asyncio
import zlib
from dataclasses import dataclass, field

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.api import docs_routes
from carimbo.api.docs_page import render_docs
from unit.api.docs_contracts import our_app, our_contract


@dataclass
class Builds:
    """Counts started builds of the files; a build blocks until it may end."""

    begun: int = 0
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    async def build(self) -> dict[str, bytes]:
        self.begun += 1
        await self.may_end.wait()
        return dict.fromkeys(("openapi.json", "openapi.yaml", "docs/"), zlib.compress(b"built"))


@pytest.fixture
def app() -> FastAPI:
    return our_app()


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Builds:
    builds = Builds()
    monkeypatch.setattr(docs_routes, "build_files", builds.build)
    return builds


@pytest.fixture
def reader(app: FastAPI) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://carimbo")


class TestFirstReading:
    @pytest.mark.parametrize("path", ["/docs", "/openapi.json", "/openapi.yaml"])
    async def test_first_request_for_the_contract_does_not_delay_others(
        self, reader: httpx2.AsyncClient, builds: Builds, path: str
    ) -> None:
        reading = asyncio.create_task(reader.get(path))
        while not builds.begun:  # noqa: ASYNC110 - the build is counted, not announced
            await asyncio.sleep(0.01)
        assert (await reader.get("/healthz")).status_code == 200
        assert not reading.done()
        builds.may_end.set()
        assert (await reading).text == "built"

    async def test_concurrent_first_requests_build_the_contract_once(
        self, reader: httpx2.AsyncClient, builds: Builds
    ) -> None:
        addresses = ["/docs", "/docs", "/openapi.json", "/openapi.yaml"]
        reading = [asyncio.create_task(reader.get(address)) for address in addresses]
        while not builds.begun:  # noqa: ASYNC110 - the build is counted, not announced
            await asyncio.sleep(0.01)
        builds.may_end.set()
        await asyncio.gather(*reading)
        assert builds.begun == 1


class TestBuiltFiles:
    async def test_served_files_are_built_from_our_contract(self, reader: httpx2.AsyncClient) -> None:
        assert (await reader.get("/openapi.json")).json() == our_contract()
        pages = render_docs(our_contract())
        assert {page: (await reader.get(f"/docs/{page}".rstrip("/"))).text for page in pages} == pages
