"""What tests of NFS-e share: the judge, and clients of the Sefin Nacional."""

import pytest

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.signature import Signer
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from unit.fiscal.goods.support import signer_of
from unit.simulator.nfe.counter import der
from unit.simulator.nfse.declaring import OTHER_CNPJ, TAKER_CNPJ
from unit.simulator.nfse.sefin import Sefin, ServiceCourt
from unit.simulator.rules.certificates import of_company


@pytest.fixture(scope="session")
def service_court(trust: Trust, authority: SampleAuthority, signer: Signer) -> ServiceCourt:
    return ServiceCourt(trust, authority, signer)


@pytest.fixture
def sefin(store: Store, trust: Trust, signer: Signer, lasting_certificate: SampleCertificate) -> Sefin:
    """The company's own client."""
    return Sefin(store, trust, signer, der(lasting_certificate))


@pytest.fixture
def taker(sefin: Sefin, authority: SampleAuthority) -> Sefin:
    """The client of who takes the services, over the same store."""
    return _of(sefin, of_company(authority, TAKER_CNPJ))


@pytest.fixture
def stranger(sefin: Sefin, authority: SampleAuthority) -> Sefin:
    """The client of somebody else, over the same store."""
    return _of(sefin, of_company(authority, OTHER_CNPJ))


def _of(sefin: Sefin, certificate: SampleCertificate) -> Sefin:
    return Sefin(sefin.store, sefin.trust, signer_of(certificate), der(certificate))
