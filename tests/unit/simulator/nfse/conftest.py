"""Fixtures of the NFS-e tests: the rule tester, and clients of the Sefin Nacional."""

import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.goods.support import signer_of
from unit.simulator.nfe.sefaz_client import der
from unit.simulator.nfse.declaring import OTHER_CNPJ, TAKER_CNPJ
from unit.simulator.nfse.sefin import Sefin, ServiceRuleTester
from unit.simulator.rules.certificates import of_company


@pytest.fixture(scope="session")
def service_tester(
    trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer
) -> ServiceRuleTester:
    return ServiceRuleTester(trust, authority, signer)


@pytest.fixture
def sefin(
    store: Store, trust: TrustedAuthorities, signer: Signer, lasting_certificate: SampleCertificate
) -> Sefin:
    """The company's client."""
    return Sefin(store, trust, signer, der(lasting_certificate))


@pytest.fixture
def taker(sefin: Sefin, authority: SampleAuthority) -> Sefin:
    """The client of the service taker, with the same store."""
    return _client_with(sefin, of_company(authority, TAKER_CNPJ))


@pytest.fixture
def stranger(sefin: Sefin, authority: SampleAuthority) -> Sefin:
    """The client of an uninvolved company, with the same store."""
    return _client_with(sefin, of_company(authority, OTHER_CNPJ))


def _client_with(sefin: Sefin, certificate: SampleCertificate) -> Sefin:
    return Sefin(sefin.store, sefin.trust, signer_of(certificate), der(certificate))
