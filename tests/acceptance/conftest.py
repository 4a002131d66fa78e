"""The installation that the tests of faults share."""

from collections.abc import AsyncIterator

import pytest

from acceptance.fault_company import Company
from acceptance.fault_site import Site, open_site


@pytest.fixture(scope="session")
async def site() -> AsyncIterator[Site]:
    async with open_site() as opened:
        yield opened


@pytest.fixture
async def company(site: Site) -> AsyncIterator[Company]:
    """A company of one test alone: its numbers begin with 1."""
    async with site.company() as registered:
        yield registered
