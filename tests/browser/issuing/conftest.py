"""The dashboard over HTTP, beside a worker and simulated authorities: what people issue is authorized."""

from collections.abc import AsyncIterator

import pytest

from browser.served_app import ServedApp, serving
from integration.conftest import new_database
from integration.issuing.system import System
from integration.sales.conftest import (
    ample_time_for_parameters,
    certificate,
    new_shop,
    new_store,
    shop,
    simulator,
    store,
    system,
    work,
)

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "new_database",
    "new_shop",
    "new_store",
    "shop",
    "simulator",
    "store",
    "system",
    "work",
]


@pytest.fixture(scope="session")
async def issuing_site(system: System) -> AsyncIterator[ServedApp]:
    """An app with the database of the worker. `page.goto` needs its whole address."""
    async with serving(system.settings) as served:
        yield served
