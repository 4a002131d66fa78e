"""Fixtures of the CT-e tests: the rule tester, and clients of the carrier and of the taker."""

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import signer_of
from unit.simulator.cte.breaking import CteRuleTester
from unit.simulator.cte.cte_client import CteClient
from unit.simulator.cte.event_scenario import Scenario
from unit.simulator.cte.sample_cte import SENDER
from unit.simulator.nfe.sefaz_client import der


@pytest.fixture(scope="session")
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> CteRuleTester:
    return CteRuleTester(trust, authority, signer)


@pytest.fixture(scope="session")
def takers_certificate(authority: SampleAuthority) -> SampleCertificate:
    return authority.issue_company(SENDER, "REMETENTE LTDA", LONG_AGO, FAR_AWAY)


@pytest.fixture
def client(
    store: Store, trust: TrustedAuthorities, signer: Signer, lasting_certificate: SampleCertificate
) -> CteClient:
    return CteClient(store, trust, signer, der(lasting_certificate))


@pytest.fixture
def taker(store: Store, trust: TrustedAuthorities, takers_certificate: SampleCertificate) -> CteClient:
    """The client of the sender, who takes the service, with the same store."""
    return CteClient(store, trust, signer_of(takers_certificate), der(takers_certificate), SENDER)


@pytest.fixture
def scenario(client: CteClient, taker: CteClient, authority: SampleAuthority) -> Scenario:
    return Scenario(client, taker, authority)
