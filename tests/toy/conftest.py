"""Fixtures for tests of what document types share: a system with the toys, without a simulator."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase, new_database
from integration.issuing.conftest import (
    anybody,
    module_worker,
    printer,
    refused_shop,
    renderer,
    set_clock,
    shop,
    short_wait,
    work,
    worker,
)
from integration.issuing.shop import NewShop, Shop, bare_shop, shop_maker
from integration.issuing.system import System, open_system
from support import CNPJ
from toy.authority import REGISTER, Register
from toy.document_type import TOY
from toy.shop import BODIES, toy_shop

__all__ = [
    "anybody",
    "module_worker",
    "new_database",
    "printer",
    "refused_shop",
    "renderer",
    "set_clock",
    "shop",
    "short_wait",
    "work",
    "worker",
]

if TOY not in DOCUMENT_TYPES:
    raise pytest.UsageError(
        "tests/toy is a session of its own, in which the toys take the place of the real document types:"
        " pytest -p toy.registration tests/toy"
    )


@pytest.fixture(scope="session")
async def system(new_database: NewDatabase, secret_keys: str) -> AsyncIterator[System]:
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_system(url, secret_keys, None) as system:
            yield system


@pytest.fixture
def register() -> Iterator[Register]:
    """The authority of the toys; its switches are restored after the test."""
    yield REGISTER
    REGISTER.is_out = REGISTER.is_too_late = False
    REGISTER.losing.clear()
    REGISTER.unaccepted.clear()


@pytest.fixture(scope="session")
def certificate(company_certificate: SampleCertificate) -> A1Certificate:
    """The certificate of every shop's company; it is valid now."""
    return A1Certificate.from_bundle(company_certificate.to_pem())


@pytest.fixture(scope="session")
def expired(authority: SampleAuthority) -> A1Certificate:
    """A certificate that expired yesterday."""
    now = datetime.now(UTC)
    issued = authority.issue_company(
        CNPJ, "LOJA MODELO LTDA", now - timedelta(days=366), now - timedelta(days=1)
    )
    return A1Certificate.from_bundle(issued.to_pem())


@pytest.fixture
async def new_shop(system: System, certificate: A1Certificate) -> AsyncIterator[NewShop]:
    async with shop_maker(system, certificate, toy_shop) as make:
        yield make


@pytest.fixture
async def bare(system: System) -> Shop:
    """A company with nothing but its name."""
    return replace(await bare_shop(system, await system.new_caller()), bodies=BODIES)


@pytest.fixture(scope="session")
async def idle_shop(system: System, certificate: A1Certificate) -> Shop:
    """A ready shop without documents; tests must not create any."""
    return await toy_shop(system, await system.new_caller(), certificate)
