"""The fixtures of the issuing tests, with webhooks and their receivers."""

from collections.abc import Awaitable, Callable

import pytest

from integration.issuing.conftest import (
    ample_time_for_parameters,
    anybody,
    certificate,
    new_shop,
    shop,
    simulator,
    system,
    work,
)
from integration.issuing.shop import Shop
from integration.webhooks.listener import EVERYTHING, Listener, listening
from receiver import Receiver

__all__ = [
    "ample_time_for_parameters",
    "anybody",
    "certificate",
    "new_shop",
    "shop",
    "simulator",
    "system",
    "work",
]


NewListener = Callable[..., Awaitable[Listener]]


@pytest.fixture
def new_listener(shop: Shop) -> NewListener:
    async def make(receiver: Receiver, **fields: object) -> Listener:
        return await listening(shop, receiver, **({"events": EVERYTHING} | fields))

    return make


@pytest.fixture
async def listener(new_listener: NewListener, receiver: Receiver) -> Listener:
    return await new_listener(receiver)
