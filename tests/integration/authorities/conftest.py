"""Fixtures for tests of the client: a company, its trusted authorities, and TLS for servers."""

import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.authorities.tls import TrustStore
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from integration.authorities.hosts import server_context
from support import LOOPBACK

NewTls = Callable[..., ssl.SSLContext]
DAY = timedelta(days=1)


@pytest.fixture(scope="session")
def ca_file(authority: SampleAuthority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The operator's CA bundle, with the certificate authority of the tests."""
    file = tmp_path_factory.mktemp("trust") / "ca.pem"
    file.write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    return file


@pytest.fixture(scope="session")
def trust(ca_file: Path) -> Iterator[TrustStore]:
    with TrustStore(ca_file) as trust:
        yield trust


@pytest.fixture(scope="session")
def company(company_certificate: SampleCertificate) -> A1Certificate:
    return A1Certificate.from_bundle(company_certificate.to_pem())


@pytest.fixture(scope="session")
def stranger(authority: SampleAuthority) -> SampleAuthority:
    """An untrusted certificate authority with the same name as the trusted one."""
    return SampleAuthority.create(datetime.now(UTC) - DAY)


@pytest.fixture(scope="session")
def server_certificate(authority: SampleAuthority) -> SampleCertificate:
    now = datetime.now(UTC)
    return authority.issue_server([LOOPBACK], now - DAY, now + DAY)


@pytest.fixture
def tls(server_certificate: SampleCertificate, authority: SampleAuthority, tmp_path: Path) -> NewTls:
    """Creates the TLS context of a server, valid unless the arguments say otherwise."""

    def make(
        certificate: SampleCertificate = server_certificate,
        clients: SampleAuthority = authority,
        version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
    ) -> ssl.SSLContext:
        return server_context(certificate, clients, tmp_path, version)

    return make
