"""Fixtures with a simulator whose only family is that of the wagon bill."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.conftest import certificate, simulator, system
from integration.issuing.shop import NewShop, Shop, registered_shop, shop_maker
from integration.issuing.system import System
from support import Caller

BODY = {"receiver": "Ferrovia do Norte", "amount": 1500, "axles": 4}


__all__ = ["certificate", "simulator", "system"]


@pytest.fixture
async def new_shop(system: System, certificate: A1Certificate) -> AsyncIterator[NewShop]:
    async def wagon_shop(
        system: System, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
    ) -> Shop:
        shop = await registered_shop(system, caller, certificate, tax_id)
        return replace(shop, bodies={"wagon": BODY})

    async with shop_maker(system, certificate, wagon_shop) as make:
        yield make
