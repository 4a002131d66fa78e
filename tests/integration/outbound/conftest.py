"""What tests of the client share: servers that its guard lets it reach, and certificates for them."""

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
    """The TLS of a server of this name, whose certificate ends so long from now."""

    def make(name: str, ends_in: timedelta = DAY) -> ssl.SSLContext:
        now = datetime.now(UTC)
        file = tmp_path / "server.pem"
        file.write_bytes(authority.issue_server([name], now - 2 * DAY, now + ends_in).to_pem())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    return make
