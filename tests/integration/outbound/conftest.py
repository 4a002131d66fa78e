"""Fixtures of the client tests: certificates for servers that the guard allows."""

import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.fiscal.sample_certificate import SampleAuthority

DAY = timedelta(days=1)

NewTls = Callable[..., ssl.SSLContext]


@pytest.fixture(scope="session")
def ca_file(authority: SampleAuthority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("receivers") / "ca.pem"
    file.write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    return file


@pytest.fixture
def tls_for(authority: SampleAuthority, tmp_path: Path) -> NewTls:
    """Returns a function that creates the TLS context of a server by its name and certificate lifetime."""

    def make(name: str, ends_in: timedelta = DAY) -> ssl.SSLContext:
        now = datetime.now(UTC)
        file = tmp_path / "server.pem"
        file.write_bytes(authority.issue_server([name], now - 2 * DAY, now + ends_in).to_pem())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    return make
