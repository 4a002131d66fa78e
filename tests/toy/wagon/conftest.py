"""A floor with a simulator whose only family is that of the wagon bill."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.simulator.run import Simulator, running
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase
from integration.issuing.floor import Floor, open_floor
from integration.issuing.shop import NewShop, Shop, registered_shop, shop_maker
from support import CNPJ, Caller

BODY = {"receiver": "Ferrovia do Norte", "amount": 1500, "axles": 4}


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


@pytest.fixture(scope="session")
def certificate(simulator: Simulator) -> A1Certificate:
    issued = simulator.certificates.issue(CNPJ, "LOJA MODELO LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
async def new_shop(floor: Floor, certificate: A1Certificate) -> AsyncIterator[NewShop]:
    async def wagon_shop(
        floor: Floor, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
    ) -> Shop:
        shop = await registered_shop(floor, caller, certificate, tax_id)
        return replace(shop, bodies={"wagon": BODY})

    async with shop_maker(floor, certificate, wagon_shop) as make:
        yield make
