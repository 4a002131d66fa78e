"""What tests of the client share: a company, the authorities that it believes, and servers for it to meet."""

import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from integration.authorities.hosts import server_context
from support import LOOPBACK

NewTls = Callable[..., ssl.SSLContext]
DAY = timedelta(days=1)


@pytest.fixture(scope="session")
def ca_file(authority: SampleAuthority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The operator's bundle, which has the authority of the tests."""
    file = tmp_path_factory.mktemp("trust") / "ca.pem"
    file.write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    return file


@pytest.fixture(scope="session")
def trust(ca_file: Path) -> Iterator[Trust]:
    with Trust(ca_file) as trust:
        yield trust


@pytest.fixture(scope="session")
def company(company_certificate: SampleCertificate) -> A1Certificate:
    return A1Certificate.from_bundle(company_certificate.to_pem())


@pytest.fixture(scope="session")
def stranger(authority: SampleAuthority) -> SampleAuthority:
    """An authority that nobody here believes, of the same name as the one that everybody does."""
    return SampleAuthority.create(datetime.now(UTC) - DAY)


@pytest.fixture(scope="session")
def server_certificate(authority: SampleAuthority) -> SampleCertificate:
    now = datetime.now(UTC)
    return authority.issue_server([LOOPBACK], now - DAY, now + DAY)


@pytest.fixture
def tls(server_certificate: SampleCertificate, authority: SampleAuthority, tmp_path: Path) -> NewTls:
    """The TLS of a server that is in order, or of one that is not."""

    def make(
        certificate: SampleCertificate = server_certificate,
        clients: SampleAuthority = authority,
        version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
    ) -> ssl.SSLContext:
        return server_context(certificate, clients, tmp_path, version)

    return make


@pytest.fixture
def full_port() -> Iterator[int]:
    """Where a server takes no more connections."""
    with socket.create_server((LOOPBACK, 0), backlog=0) as listener:
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]
        for one in waiting:
            one.close()
