"""What tests of the simulator share: the authority that it believes, and a company's signer."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.signature import Signer
from carimbo.simulator.site import Site
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Credential, Trust
from support import CNPJ
from unit.fiscal.desk import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import signer_of
from unit.simulator.front_desk import site_of


@pytest.fixture(scope="session")
def trust(authority: SampleAuthority) -> Trust:
    return Trust((Credential.of(authority.certificate),))


@pytest.fixture(scope="session")
def lasting_certificate(authority: SampleAuthority) -> SampleCertificate:
    """The company's certificate, valid on every date that tests name."""
    return authority.issue_company(CNPJ, "LOJA MODELO LTDA", LONG_AGO, FAR_AWAY)


@pytest.fixture(scope="session")
def signer(lasting_certificate: SampleCertificate) -> Signer:
    return signer_of(lasting_certificate)


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(Store(sqlite3.connect(":memory:", isolation_level=None))) as store:
        yield store


@pytest.fixture
def site(store: Store, trust: Trust) -> Site:
    """A site that knows only the little family of these tests."""
    return site_of(store, trust)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was waited for; nobody waits."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return pauses
