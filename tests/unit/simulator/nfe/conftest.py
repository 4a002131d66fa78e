"""Fixtures of the NF-e services: a client of the company, and one of its customer."""

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, signer_of
from unit.simulator.nfe.event_scenario import Scenario
from unit.simulator.nfe.sefaz_client import SefazClient, der


@pytest.fixture(scope="session")
def buyers_certificate(authority: SampleAuthority) -> SampleCertificate:
    return authority.issue_company(BUYER_CNPJ, "COMPRADORA LTDA", LONG_AGO, FAR_AWAY)


@pytest.fixture
def client(
    store: Store, trust: TrustedAuthorities, signer: Signer, lasting_certificate: SampleCertificate
) -> SefazClient:
    return SefazClient(store, trust, signer, der(lasting_certificate))


@pytest.fixture
def buyer(store: Store, trust: TrustedAuthorities, buyers_certificate: SampleCertificate) -> SefazClient:
    """The client of the customer, with the same store."""
    return SefazClient(store, trust, signer_of(buyers_certificate), der(buyers_certificate))


@pytest.fixture
def scenario(client: SefazClient, buyer: SefazClient, authority: SampleAuthority) -> Scenario:
    return Scenario(client, buyer, authority)
