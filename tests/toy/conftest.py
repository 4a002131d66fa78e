"""One floor for all tests of what document types share, with the toys on it and no simulator."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase, new_database
from integration.issuing.conftest import (
    anybody,
    play,
    press,
    printer,
    refused_shop,
    set_clock,
    shop,
    short_wait,
    stage,
    work,
)
from integration.issuing.floor import Floor, open_floor
from integration.issuing.shop import NewShop, Shop, bare_shop, shop_maker
from support import CNPJ
from toy.authority import REGISTER, Register
from toy.document_type import TOY
from toy.shop import BODIES, toy_shop

__all__ = [
    "anybody",
    "new_database",
    "play",
    "press",
    "printer",
    "refused_shop",
    "set_clock",
    "shop",
    "short_wait",
    "stage",
    "work",
]

if TOY not in DOCUMENT_TYPES:
    raise pytest.UsageError(
        "tests/toy is a session of its own, in which the toys take the place of the real document types:"
        " pytest -p toy.registration tests/toy"
    )


@pytest.fixture(scope="session")
async def floor(new_database: NewDatabase, secret_keys: str) -> AsyncIterator[Floor]:
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_floor(url, secret_keys, None) as floor:
            yield floor


@pytest.fixture
def register() -> Iterator[Register]:
    """The authority of the toys, with its switches put back after the test."""
    yield REGISTER
    REGISTER.is_out = REGISTER.is_too_late = False
    REGISTER.losing.clear()
    REGISTER.unaccepted.clear()


@pytest.fixture(scope="session")
def certificate(company_certificate: SampleCertificate) -> A1Certificate:
    """The certificate of every shop's company, in force."""
    return A1Certificate.from_bundle(company_certificate.to_pem())


@pytest.fixture(scope="session")
def expired(authority: SampleAuthority) -> A1Certificate:
    """A certificate that was in force until yesterday."""
    now = datetime.now(UTC)
    issued = authority.issue_company(
        CNPJ, "LOJA MODELO LTDA", now - timedelta(days=366), now - timedelta(days=1)
    )
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
async def new_shop(floor: Floor, certificate: A1Certificate) -> AsyncIterator[NewShop]:
    async with shop_maker(floor, certificate, toy_shop) as make:
        yield make


@pytest.fixture
async def bare(floor: Floor) -> Shop:
    """A company with nothing but its name."""
    return replace(await bare_shop(floor, await floor.new_caller()), bodies=BODIES)


@pytest.fixture(scope="session")
async def idle_shop(floor: Floor, certificate: A1Certificate) -> Shop:
    """A shop that is ready and has no documents, for tests that leave it so."""
    return await toy_shop(floor, await floor.new_caller(), certificate)
