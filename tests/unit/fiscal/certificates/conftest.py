"""A company's certificate, its A1 file, and the opened certificate."""

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from carimbo.fiscal.identity.certificate import A1Certificate, open_a1
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate, new_key
from support import CNPJ
from unit.fiscal.certificates.certificate_files import END, PASSWORD, START


@pytest.fixture(scope="session")
def key() -> rsa.RSAPrivateKey:
    return new_key()


@pytest.fixture(scope="session")
def authority() -> SampleAuthority:
    return SampleAuthority.create(START)


@pytest.fixture(scope="session")
def company(authority: SampleAuthority, key: rsa.RSAPrivateKey) -> SampleCertificate:
    return authority.issue_company(CNPJ, "PADARIA SÃO JOÃO LTDA", START, END, private_key=key)


@pytest.fixture(scope="session")
def pfx(company: SampleCertificate) -> bytes:
    return company.to_pfx(PASSWORD)


@pytest.fixture(scope="session")
def opened(pfx: bytes) -> A1Certificate:
    return open_a1(pfx, PASSWORD)
