"""A floor with a simulator whose only family is that of the wagon bill."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.conftest import certificate, floor, simulator
from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop, registered_shop, shop_maker
from support import Caller

BODY = {"receiver": "Ferrovia do Norte", "amount": 1500, "axles": 4}


__all__ = ["certificate", "floor", "simulator"]


@pytest.fixture
async def new_shop(floor: Floor, certificate: A1Certificate) -> AsyncIterator[NewShop]:
    async def wagon_shop(
        floor: Floor, caller: Caller, certificate: A1Certificate, tax_id: str | None = None
    ) -> Shop:
        shop = await registered_shop(floor, caller, certificate, tax_id)
        return replace(shop, bodies={"wagon": BODY})

    async with shop_maker(floor, certificate, wagon_shop) as make:
        yield make
