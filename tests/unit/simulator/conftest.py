"""Fixtures of the simulator tests: its trusted authority, and a company's certificate and signer."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.program.site import Site
from carimbo.simulator.store import Store
from carimbo.simulator.trust import JudgedCertificate, TrustedAuthorities
from support import CNPJ
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import signer_of
from unit.simulator.sample_family import site_of


@pytest.fixture(scope="session")
def trust(authority: SampleAuthority) -> TrustedAuthorities:
    return TrustedAuthorities((JudgedCertificate.of(authority.certificate),))


@pytest.fixture(scope="session")
def lasting_certificate(authority: SampleAuthority) -> SampleCertificate:
    """The company's certificate, valid on every date of the tests."""
    return authority.issue_company(CNPJ, "LOJA MODELO LTDA", LONG_AGO, FAR_AWAY)


@pytest.fixture(scope="session")
def signer(lasting_certificate: SampleCertificate) -> Signer:
    return signer_of(lasting_certificate)


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(Store(sqlite3.connect(":memory:", isolation_level=None))) as store:
        yield store


@pytest.fixture
def site(store: Store, trust: TrustedAuthorities) -> Site:
    """A site with only the sample family."""
    return site_of(store, trust)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Records the seconds of every `asyncio.sleep`, without waiting."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return pauses
