"""PostgreSQL stops and comes back: the API reports it as 503 and recovers by itself."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import httpx2
import psutil  # type: ignore[import-untyped]
import pytest
from fastapi import FastAPI

from carimbo.demo.embedded_postgres import EmbeddedPostgres
from carimbo.main.api import api_of
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import load_settings
from carimbo.storage.database import Database
from carimbo.storage.migrate import migrate
from support import BASE_URL, TIMEOUT_SECONDS, code_of, data_of


@pytest.fixture(scope="module")
async def postgres() -> AsyncIterator[EmbeddedPostgres]:
    folder = Path(tempfile.mkdtemp(prefix="carimbo-"))
    server = EmbeddedPostgres(folder / "postgres")
    server.start()
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def frozen(postgres: EmbeddedPostgres) -> Iterator[None]:
    """Suspends every process of the server for the length of a block."""
    postmaster = psutil.Process(postgres.pid)
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()


@asynccontextmanager
async def running(
    postgres: EmbeddedPostgres, secret_keys: str, timeout_seconds: int = 3
) -> AsyncIterator[tuple[FastAPI, httpx2.AsyncClient]]:
    """Runs the API on the server, with this timeout for the database."""
    await migrate(postgres.url, lock_timeout_seconds=30)
    environment = {
        "CARIMBO_DATABASE_URL": postgres.url,
        "CARIMBO_SECRET_KEYS": secret_keys,
        "CARIMBO_DATABASE_CONNECT_SECONDS": str(timeout_seconds),
        "CARIMBO_DATABASE_COMMAND_SECONDS": str(timeout_seconds),
    }
    app = api_of(load_settings(environment))
    transport = httpx2.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url=BASE_URL, timeout=None) as http,
    ):
        yield app, http


class TestAnOutage:
    async def test_requests_get_503_during_an_outage_and_succeed_after_it(
        self, postgres: EmbeddedPostgres, secret_keys: str
    ) -> None:
        async with running(postgres, secret_keys) as (app, http):
            credentials = await create_subscription(app.state.services.authenticator, "Teste", "unlimited")
            headers = {"X-Api-Key": str(credentials.subscription_id), "X-Api-Secret": credentials.secret}
            data_of(await http.get("/v1/companies", headers=headers))

            postgres.stop()
            try:
                answer = await http.get("/v1/companies", headers=headers)
                others = [(await http.get(path)).status_code for path in ("/readyz", "/healthz")]
            finally:
                postgres.start()
            assert (answer.status_code, code_of(answer)) == (503, "SERVICE_UNAVAILABLE")
            assert int(answer.headers["Retry-After"]) > 0
            assert others == [503, 200]
            data_of(await http.get("/v1/companies", headers=headers))
            assert (await http.get("/readyz")).status_code == 200

    async def test_requests_get_503_while_the_database_hangs(
        self, postgres: EmbeddedPostgres, secret_keys: str
    ) -> None:
        async with running(postgres, secret_keys) as (app, http):
            credentials = await create_subscription(app.state.services.authenticator, "Teste", "unlimited")
            headers = {"X-Api-Key": str(credentials.subscription_id), "X-Api-Secret": credentials.secret}
            with frozen(postgres):
                answer = await http.get("/v1/companies", headers=headers)
                assert (answer.status_code, code_of(answer)) == (503, "SERVICE_UNAVAILABLE")
            data_of(await http.get("/v1/companies", headers=headers))

    async def test_readiness_is_answered_soon_whatever_the_database_timeout_is(
        self, postgres: EmbeddedPostgres, secret_keys: str
    ) -> None:
        async with running(postgres, secret_keys, timeout_seconds=600) as (_, http):
            with frozen(postgres):
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    answer = await http.get("/readyz")
            assert (answer.status_code, answer.json()) == (503, {"status": "database unavailable"})
            assert (await http.get("/readyz")).status_code == 200

    async def test_a_database_without_our_schema_is_not_ready(
        self, postgres: EmbeddedPostgres, secret_keys: str
    ) -> None:
        async with running(postgres, secret_keys) as (app, http):
            database: Database = app.state.services.database
            async with database.transaction() as connection:
                await connection.execute("update schema_migrations set version = -version where version > 1")
            try:
                answer = await http.get("/readyz")
            finally:
                negated = "update schema_migrations set version = -version where version < 0"
                async with database.transaction() as connection:
                    await connection.execute(negated)
            assert (answer.status_code, answer.json()) == (503, {"status": "migrations pending"})
