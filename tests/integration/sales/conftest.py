"""The fixtures of the issuing tests, and stores: companies with a catalog."""

import pytest

from integration.issuing.conftest import (
    ample_time_for_parameters,
    certificate,
    new_shop,
    shop,
    short_wait,
    simulator,
    system,
    work,
)
from integration.issuing.shop import NewShop
from integration.sales.store import NewStore, Store, open_store

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "new_shop",
    "shop",
    "short_wait",
    "simulator",
    "system",
    "work",
]


@pytest.fixture
def new_store(new_shop: NewShop) -> NewStore:
    async def make(*arguments: object, **named: object) -> Store:
        return await open_store(await new_shop(*arguments, **named))

    return make


@pytest.fixture
async def store(new_store: NewStore) -> Store:
    return await new_store()
