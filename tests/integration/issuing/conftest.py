"""One floor for all tests of issuing, and shops on it."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
from golden import example_rates

from carimbo.api.context import Services
from carimbo.authorities import national_nfse
from carimbo.fiscal.certificate import A1Certificate
from carimbo.printing.press import Press
from carimbo.service import outage_board
from carimbo.simulator.run import Simulator, running
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase
from integration.issuing.floor import Floor, open_floor
from integration.issuing.printer import CACHE_BYTES, Recorder, services_with
from integration.issuing.scripted import Play, playing
from integration.issuing.shop import NewShop, Shop, bare_shop, ready_shop, shop_maker
from integration.issuing.till import Till, till_of
from support import CNPJ

SetClock = Callable[[datetime], None]


@pytest.fixture(scope="session")
async def simulator(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Simulator]:
    async with running(tmp_path_factory.mktemp("authorities")) as simulator:
        yield simulator


@pytest.fixture(scope="session")
async def floor(new_database: NewDatabase, secret_keys: str, simulator: Simulator) -> AsyncIterator[Floor]:
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_floor(url, secret_keys, simulator) as floor:
            yield floor


@pytest.fixture(scope="module", autouse=True)
def rates(floor: Floor) -> Iterator[None]:
    """Uses the rates of the examples: documents of the normal regime need the CBS, unknown for 2027.

    After the floor, because whoever starts a service reads its tables anew.
    """
    with example_rates():
        yield


@pytest.fixture(scope="module", autouse=True)
async def work(floor: Floor) -> AsyncIterator[None]:
    """A worker for the tests of a file, and for no longer: tests of other folders have none beside them."""
    floor.begin_work()
    yield
    await floor.end_work()


@pytest.fixture(scope="module", autouse=True)
def ample_time_for_parameters() -> Iterator[None]:
    """Municipalities are heard however late: one that is given up on counts as active for minutes.

    A loop that does everything at once may well keep their answer for longer than people would wait.
    """
    with pytest.MonkeyPatch.context() as patch:
        unhurried = replace(national_nfse._PARAMETERS, most_seconds=None)
        patch.setattr(national_nfse, "_PARAMETERS", unhurried)
        yield


@pytest.fixture
def short_wait(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers who cancel, correct or give numbers up are soon answered 202, for tests that want just that."""
    services: Services = floor.app.state.services
    desk = replace(services.desk, patience=timedelta(seconds=0.5))
    monkeypatch.setattr(floor.app.state, "services", replace(services, desk=desk))


@pytest.fixture
def set_clock(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Sets the clock by which the API tells what a company lacks and accepts documents; not the worker's."""

    def set_to(now: datetime) -> None:
        services: Services = floor.app.state.services
        watch = replace(services.watch, clock=lambda: now)
        workshop = replace(services.counter.workshop, clock=lambda: now)
        counter = replace(services.counter, workshop=workshop)
        changed = replace(services, watch=watch, counter=counter)
        monkeypatch.setattr(floor.app.state, "services", changed)

    return set_to


@pytest.fixture
async def anybody(floor: Floor) -> AsyncIterator[httpx2.AsyncClient]:
    """Whoever got hold of a link, and has no credentials."""
    async with floor.client({}) as client:
        yield client


@pytest.fixture(scope="session")
def certificate(simulator: Simulator) -> A1Certificate:
    """The certificate of every shop's company, in force."""
    issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture(scope="session")
def certificate_of_2026(simulator: Simulator) -> A1Certificate:
    """A certificate that is in force from November 2026 to October 2027, whatever day it is."""
    issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime(2026, 11, 2, tzinfo=UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
async def new_shop(floor: Floor, certificate: A1Certificate) -> AsyncIterator[NewShop]:
    async with shop_maker(floor, certificate, ready_shop) as make:
        yield make


@pytest.fixture
async def shop(new_shop: NewShop) -> Shop:
    return await new_shop()


@pytest.fixture
async def bare(floor: Floor) -> Shop:
    """A company with nothing but its name."""
    return await bare_shop(floor, await floor.new_caller())


@pytest.fixture
async def till(shop: Shop) -> Till:
    """A point of sale of the shop."""
    return await till_of(shop)


@pytest.fixture
async def refused_shop(shop: Shop, foreign_certificate: A1Certificate) -> Shop:
    """A shop whose certificate no authority accepts."""
    await shop.certify(foreign_certificate)
    return shop


@pytest.fixture(scope="session")
async def idle_shop(floor: Floor, certificate: A1Certificate) -> Shop:
    """A shop that is ready and has no documents, for tests that leave it so."""
    return await ready_shop(floor, await floor.new_caller(), certificate)


@pytest.fixture(scope="module")
async def stage(floor: Floor, idle_shop: Shop) -> AsyncIterator[Play]:
    """Authorities that answer by a script; the worker rests."""
    async with playing(floor, idle_shop) as play:
        yield play


@pytest.fixture
async def play(stage: Play, shop: Shop, floor: Floor, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Play]:
    """The stage for a shop of this test alone, where breaks of authorities are known at once."""
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
    yield stage.elsewhere(shop)
    await floor.fetch("delete from outages")


@pytest.fixture(scope="module")
def press() -> Press:
    return Press(None)


@pytest.fixture
def printer(floor: Floor, press: Press, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """The printer of the floor for one test, with a cache of its own."""
    recorder = Recorder(press)
    monkeypatch.setattr(floor.app.state, "services", services_with(floor, recorder, CACHE_BYTES))
    return recorder
