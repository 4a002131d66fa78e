"""Fixtures of the MDF-e tests: the rule tester, and clients of the carrier and of another company."""

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import signer_of
from unit.simulator.mdfe.breaking import MdfeRuleTester
from unit.simulator.mdfe.event_scenario import Scenario
from unit.simulator.mdfe.mdfe_client import MdfeClient
from unit.simulator.mdfe.sample_mdfe import CONTRACTOR
from unit.simulator.nfe.sefaz_client import der


@pytest.fixture(scope="session")
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> MdfeRuleTester:
    return MdfeRuleTester(trust, authority, signer)


@pytest.fixture(scope="session")
def others_certificate(authority: SampleAuthority) -> SampleCertificate:
    return authority.issue_company(CONTRACTOR, "CONTRATANTE LTDA", LONG_AGO, FAR_AWAY)


@pytest.fixture
def client(
    store: Store, trust: TrustedAuthorities, signer: Signer, lasting_certificate: SampleCertificate
) -> MdfeClient:
    return MdfeClient(store, trust, signer, der(lasting_certificate))


@pytest.fixture
def other(store: Store, trust: TrustedAuthorities, others_certificate: SampleCertificate) -> MdfeClient:
    """The client of another company, with the same store."""
    return MdfeClient(store, trust, signer_of(others_certificate), der(others_certificate), CONTRACTOR)


@pytest.fixture
def scenario(client: MdfeClient, other: MdfeClient, authority: SampleAuthority) -> Scenario:
    return Scenario(client, other, authority)
