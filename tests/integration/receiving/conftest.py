"""The fixtures of the issuing tests, and a company that buys from a supplier."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.service.receiving import decision, streams
from carimbo.simulator.program.run import Simulator
from integration.issuing.conftest import (
    ample_time_for_parameters,
    certificate,
    new_shop,
    rates,
    shop,
    short_wait,
    simulator,
    system,
    work,
)
from integration.issuing.shop import NewShop, ready_shop
from integration.issuing.system import System
from integration.receiving.inbox import SUPPLIER_CNPJ, Buyer, next_supplier_tax_id

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "new_shop",
    "rates",
    "shop",
    "short_wait",
    "simulator",
    "system",
    "work",
]


@pytest.fixture(scope="module", autouse=True)
def no_pauses_between_pages() -> Iterator[None]:
    """Asks for page after page; the authority allows it, and its test does not wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decision, "BETWEEN_PAGES", timedelta(seconds=0.01))
        patch.setattr(streams, "BETWEEN_PAGES", timedelta(seconds=0.01))
        yield


@pytest.fixture(scope="session")
def supplier_certificate(simulator: Simulator) -> A1Certificate:
    """The certificate of a company that is no establishment of the buyer."""
    issued = simulator.certificates.issue(SUPPLIER_CNPJ, "FORNECEDORA LTDA", datetime.now(UTC))
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
async def buyer(
    system: System, new_shop: NewShop, supplier_certificate: A1Certificate
) -> AsyncIterator[Buyer]:
    """A company that buys from a supplier; both issue and receive at the same authorities."""
    shop = await new_shop()
    supplier = await ready_shop(
        system, await system.new_caller(), supplier_certificate, next_supplier_tax_id()
    )
    buyer = Buyer(shop, supplier)
    yield buyer
    await buyer.leave()
    await system.switch(clockOffsetSeconds=None, distributionPage=None)
