"""One floor for all tests of issuing, and shops on it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.simulator.run import Simulator, running
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase
from integration.issuing.floor import Floor, open_floor
from integration.issuing.shop import NewShop, Shop, ready_shop
from support import CNPJ, Caller


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
async def work(floor: Floor) -> AsyncIterator[None]:
    """A worker for the tests of a file, and for no longer: tests of other folders have none beside them."""
    floor.begin_work()
    yield
    await floor.end_work()


@pytest.fixture(scope="session")
def certificate(simulator: Simulator) -> A1Certificate:
    """The certificate of every shop's company, in force."""
    issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
def new_shop(floor: Floor, certificate: A1Certificate) -> NewShop:
    async def make(caller: Caller | None = None, plan: str = "unlimited") -> Shop:
        return await ready_shop(floor, caller or await floor.new_caller(plan), certificate)

    return make


@pytest.fixture
async def shop(new_shop: NewShop) -> Shop:
    return await new_shop()


@pytest.fixture(scope="session")
async def idle_shop(floor: Floor, certificate: A1Certificate) -> Shop:
    """A shop that is ready and has no documents, for tests that leave it so."""
    return await ready_shop(floor, await floor.new_caller(), certificate)
