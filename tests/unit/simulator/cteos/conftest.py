"""Fixtures of the CT-e OS tests: the rule tester, and clients of the carrier and of the taker."""

from dataclasses import replace

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.cte.family import CTE_OS_FAMILY
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import signer_of
from unit.simulator.cte.cte_client import CteClient
from unit.simulator.cte.sample_cte import SENDER
from unit.simulator.cteos.breaking import CteOsRuleTester
from unit.simulator.nfe.sefaz_client import der


@pytest.fixture(scope="session")
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> CteOsRuleTester:
    return CteOsRuleTester(trust, authority, signer)


@pytest.fixture
def client(
    store: Store, trust: TrustedAuthorities, signer: Signer, lasting_certificate: SampleCertificate
) -> CteClient:
    return CteClient(store, trust, signer, der(lasting_certificate), family=CTE_OS_FAMILY)


@pytest.fixture
def taker(client: CteClient, authority: SampleAuthority) -> CteClient:
    """The client of the company that takes the service, with the same store."""
    certificate = authority.issue_company(SENDER, "TOMADORA LTDA", LONG_AGO, FAR_AWAY)
    return replace(client, signer=signer_of(certificate), certificate=der(certificate), tax_id=SENDER)
