"""Fixtures for tests of issuing: the system under test, and shops that issue with it."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from golden import example_rates

from carimbo.authorities import national_nfse, pacing
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.printing.registry import PdfRenderer
from carimbo.service import outage_board
from carimbo.service.services import Services
from carimbo.simulator.program.run import Simulator, running
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase
from integration.issuing.point_of_sale import PointOfSale, point_of_sale_of
from integration.issuing.printer import CACHE_BYTES, Recorder, services_with
from integration.issuing.scripted import ScriptedWorker, scripted_authorities
from integration.issuing.shop import NewShop, Shop, bare_shop, ready_shop, shop_maker
from integration.issuing.system import System, open_system
from support import CNPJ

SetClock = Callable[[datetime], None]
_SHORT_TIMES = {
    "CONTINGENCY_AFTER_SECONDS": "1",
    "LEASE_SECONDS": "2",
    "AUTHORITY_CONNECT_SECONDS": "0.5",
    "AUTHORITY_READ_SECONDS": "1",
}


@pytest.fixture(scope="session")
async def simulator(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Simulator]:
    async with running(tmp_path_factory.mktemp("authorities")) as simulator:
        yield simulator


@pytest.fixture(scope="session")
async def system(new_database: NewDatabase, secret_keys: str, simulator: Simulator) -> AsyncIterator[System]:
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_system(url, secret_keys, simulator) as system:
            yield system


@pytest.fixture(scope="module", autouse=True)
def rates(system: System) -> Iterator[None]:
    """Uses the rates of the examples: documents of the normal regime need the CBS, which is unknown for 2027.

    Depends on the system, because starting a service reloads the tables.
    """
    with example_rates():
        yield


@pytest.fixture(scope="module", autouse=True)
async def work(system: System) -> AsyncIterator[None]:
    """Runs a worker for the tests of a module only, so that tests of other folders run without one."""
    system.start_worker()
    yield
    await system.stop_worker()


@pytest.fixture(scope="module", autouse=True)
def ample_time_for_parameters() -> Iterator[None]:
    """Removes the time limit of municipal parameters: after a timeout, a city counts as active for minutes.

    API, worker and simulator share one event loop here, so an answer may take longer than the limit.
    """
    with pytest.MonkeyPatch.context() as patch:
        unhurried = replace(national_nfse._PARAMETERS, max_seconds=None)
        patch.setattr(national_nfse, "_PARAMETERS", unhurried)
        yield


@pytest.fixture
def short_wait(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes requests to cancel, correct or void answer 202 soon, instead of waiting for the outcome."""
    services: Services = system.app.state.services
    context = replace(services.filing, max_wait=timedelta(seconds=0.5))
    monkeypatch.setattr(system.app.state, "services", replace(services, filing=context))


@pytest.fixture
def set_clock(system: System, monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Sets the API's clock for company status and new documents; the worker's clock does not change."""

    def set_to(now: datetime) -> None:
        services: Services = system.app.state.services
        status_reader = replace(services.status_reader, clock=lambda: now)
        builder = replace(services.issuing.builder, clock=lambda: now)
        context = replace(services.issuing, builder=builder)
        changed = replace(services, status_reader=status_reader, issuing=context)
        monkeypatch.setattr(system.app.state, "services", changed)

    return set_to


@pytest.fixture(scope="module")
def uncached_outages() -> Iterator[None]:
    """Shortens the caches of authority status and outages, which otherwise last some seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pacing, "_FRESH_SECONDS", 0.1)
        patch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        yield


@pytest.fixture(scope="module")
async def fast_contingency(
    uncached_outages: None, new_database: NewDatabase, secret_keys: str, simulator: Simulator
) -> AsyncIterator[System]:
    """A system where contingency begins after a second."""
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_system(url, secret_keys, simulator, **_SHORT_TIMES) as system:
            system.start_worker()
            yield system
            await system.stop_worker()


@pytest.fixture
async def anybody(system: System) -> AsyncIterator[httpx2.AsyncClient]:
    """A client without credentials, as somebody who got hold of a link."""
    async with system.client({}) as client:
        yield client


@pytest.fixture(scope="session")
def certificate(simulator: Simulator) -> A1Certificate:
    """The certificate of every shop's company; it is valid now."""
    issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture(scope="session")
def certificate_of_2026(simulator: Simulator) -> A1Certificate:
    """A certificate that is valid from November 2026 to October 2027, independent of today's date."""
    issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime(2026, 11, 2, tzinfo=UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
async def new_shop(system: System, certificate: A1Certificate) -> AsyncIterator[NewShop]:
    async with shop_maker(system, certificate, ready_shop) as make:
        yield make


@pytest.fixture
async def shop(new_shop: NewShop) -> Shop:
    return await new_shop()


@pytest.fixture
async def bare(system: System) -> Shop:
    """A company with nothing but its name."""
    return await bare_shop(system, await system.new_caller())


@pytest.fixture
async def point_of_sale(shop: Shop) -> PointOfSale:
    """A point of sale of the shop."""
    return await point_of_sale_of(shop)


@pytest.fixture
async def refused_shop(shop: Shop, foreign_certificate: A1Certificate) -> Shop:
    """A shop whose certificate no authority accepts."""
    await shop.set_certificate(foreign_certificate)
    return shop


@pytest.fixture(scope="session")
async def idle_shop(system: System, certificate: A1Certificate) -> Shop:
    """A ready shop without documents; tests must not create any."""
    return await ready_shop(system, await system.new_caller(), certificate)


@pytest.fixture(scope="module")
async def module_worker(system: System, idle_shop: Shop) -> AsyncIterator[ScriptedWorker]:
    """A worker with scripted authorities; the real worker is stopped."""
    async with scripted_authorities(system, idle_shop) as worker:
        yield worker


@pytest.fixture
async def worker(
    module_worker: ScriptedWorker, shop: Shop, system: System, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[ScriptedWorker]:
    """The scripted worker for a new shop; outages are read from the database without a cache."""
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
    yield module_worker.for_shop(shop)
    await system.fetch("delete from outages")


@pytest.fixture(scope="module")
def renderer() -> PdfRenderer:
    return PdfRenderer(None)


@pytest.fixture
def printer(system: System, renderer: PdfRenderer, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Records the printouts of one test, with a cache of its own."""
    recorder = Recorder(renderer)
    monkeypatch.setattr(system.app.state, "services", services_with(system, recorder, CACHE_BYTES))
    return recorder
