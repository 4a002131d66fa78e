"""What tests of the services share: a counter of the company's own, and one of its customer's."""

import pytest

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.signature import Signer
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from unit.fiscal.desk import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, signer_of
from unit.simulator.nfe.counter import Counter, der
from unit.simulator.nfe.registrar import Registrar


@pytest.fixture(scope="session")
def buyers_certificate(authority: SampleAuthority) -> SampleCertificate:
    return authority.issue_company(BUYER_CNPJ, "COMPRADORA LTDA", LONG_AGO, FAR_AWAY)


@pytest.fixture
def counter(store: Store, trust: Trust, signer: Signer, lasting_certificate: SampleCertificate) -> Counter:
    return Counter(store, trust, signer, der(lasting_certificate))


@pytest.fixture
def buyer(store: Store, trust: Trust, buyers_certificate: SampleCertificate) -> Counter:
    """Of the customer, over the same store."""
    return Counter(store, trust, signer_of(buyers_certificate), der(buyers_certificate))


@pytest.fixture
def registrar(counter: Counter, buyer: Counter, authority: SampleAuthority) -> Registrar:
    return Registrar(counter, buyer, authority)
