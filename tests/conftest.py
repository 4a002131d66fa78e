"""Real parts for tests: an embedded PostgreSQL, the API over it, and subscriptions of their own."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import hypothesis
import pytest
from fastapi import FastAPI
from xdist.remote import Producer  # type: ignore[import-untyped]

from carimbo.demo.embedded_postgres import embedded_postgres
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.logs import configure_logs
from carimbo.main.api import api_of
from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings, load_settings
from carimbo.storage.database import Database
from carimbo.storage.envelope import new_key
from carimbo.storage.migrate import migrate
from runs import FolderTimes, Shares
from support import BASE_URL, CNPJ, Caller, NewCaller

configure_logs("console", "warning")
# The same examples on every run: a failure on main must mean that main changed.
hypothesis.settings.register_profile("carimbo", max_examples=50, derandomize=True, deadline=None)
hypothesis.settings.load_profile("carimbo")


def pytest_configure(config: pytest.Config) -> None:
    """Prints the time spent in each folder at the end of a run."""
    config.pluginmanager.register(FolderTimes())


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Shares:
    """Distributes the tests over several processes."""
    return Shares(config, log)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Names bytes by their argument: zipped or signed bytes differ between processes."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="carimbo-"))
    try:
        with embedded_postgres(folder / "postgres") as server:
            # Every test session has its own pools. Data need not survive a crash: without
            # waiting for the disk a commit takes a third of the time.
            with (folder / "postgres" / "postgresql.conf").open("a") as configuration:
                configuration.write("max_connections = 300\nfsync = off\n")
            server.stop()
            server.start()
            yield server.url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def secret_keys() -> str:
    return new_key("test")


@pytest.fixture(scope="session")
async def settings(postgres_url: str, secret_keys: str) -> Settings:
    await migrate(postgres_url, lock_timeout_seconds=30)
    return load_settings(
        {
            "CARIMBO_DATABASE_URL": postgres_url,
            "CARIMBO_SECRET_KEYS": secret_keys,
            # Nothing listens there: no test calls a real authority.
            "CARIMBO_SIMULATOR_URL": "https://127.0.0.1:9",
            # Receivers of tests are on loopback; as an address, it is not looked up.
            "CARIMBO_WEBHOOK_ALLOWED_HOSTS": "127.0.0.1",
        }
    )


@pytest.fixture(scope="session")
async def app(settings: Settings) -> AsyncIterator[FastAPI]:
    application = api_of(settings)
    async with application.router.lifespan_context(application):
        yield application


@pytest.fixture(scope="session")
def database(app: FastAPI) -> Database:
    connected: Database = app.state.services.database
    return connected


@pytest.fixture(scope="session")
def authenticator(app: FastAPI) -> Authenticator:
    service: Authenticator = app.state.services.authenticator
    return service


@pytest.fixture
async def new_caller(app: FastAPI, authenticator: Authenticator) -> AsyncIterator[NewCaller]:
    clients: list[httpx2.AsyncClient] = []

    async def make(plan: str = "unlimited") -> Caller:
        created = await create_subscription(authenticator, "Teste", plan)
        headers = {"X-Api-Key": str(created.subscription_id), "X-Api-Secret": created.secret}
        http = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app, raise_app_exceptions=True),
            base_url=BASE_URL,
            headers=headers,
        )
        clients.append(http)
        return Caller(http, created.subscription_id, created.secret)

    yield make
    for client in clients:
        await client.aclose()


@pytest.fixture
async def caller(new_caller: NewCaller) -> Caller:
    return await new_caller()


@pytest.fixture
async def stranger(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """Returns a client without credentials."""
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=BASE_URL) as client:
        yield client


@pytest.fixture(scope="session")
def authority() -> SampleAuthority:
    return SampleAuthority.create(datetime.now(UTC) - timedelta(days=800))


@pytest.fixture(scope="session")
def company_certificate(authority: SampleAuthority) -> SampleCertificate:
    now = datetime.now(UTC)
    return authority.issue_company(
        CNPJ, "LOJA MODELO LTDA", now - timedelta(days=1), now + timedelta(days=300)
    )
