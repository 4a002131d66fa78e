"""A company's TLS: what it shows, and whom it believes."""

import ssl
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.authorities.connections import Connections
from carimbo.authorities.patience import Patience
from carimbo.authorities.tls import context_of
from carimbo.authorities.transport import Transport
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority
from integration.authorities.conftest import DAY, NewTls
from integration.authorities.hosts import Host, host, saying
from support import LOOPBACK

ANSWER = b"<answer/>"


async def ask_once(trust: Trust, certificate: A1Certificate, server: Host) -> None:
    async with Connections(trust, Patience(10, 10)) as connections:
        outcome = await Transport(connections).exchange(certificate, server.address, "urn:a", b"<a/>")
    assert outcome == ANSWER


class TestContext:
    def test_verifies_server_and_name(self, company: A1Certificate, trust: Trust) -> None:
        context = context_of(company, trust)
        assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
        assert context.minimum_version is ssl.TLSVersion.TLSv1_2

    def test_leaves_no_file_with_the_key_behind(
        self, company: A1Certificate, trust: Trust, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        context_of(company, trust)
        assert list(tmp_path.iterdir()) == []

    def test_never_writes_the_key_in_the_clear(
        self, company: A1Certificate, trust: Trust, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written: list[str] = []

        def load(self: ssl.SSLContext, file: str, password: bytes) -> None:
            written.append(Path(file).read_text(encoding="ascii"))
            assert Path(file).stat().st_mode & 0o777 == 0o600

        monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", load)
        context_of(company, trust)
        assert ["BEGIN ENCRYPTED PRIVATE KEY" in text for text in written] == [True]


class TestTrust:
    @pytest.mark.parametrize("name", ["AC  Ação de\tTESTE ", "Ⅷ ÜBER-AUTORIDADE"])
    async def test_is_in_authorities_of_any_name(
        self, company: A1Certificate, authority: SampleAuthority, tls: NewTls, tmp_path: Path, name: str
    ) -> None:
        """OpenSSL itself looks for them by a hash of the name, which we compute too."""
        now = datetime.now(UTC)
        named = SampleAuthority.create(now - DAY, name=name)
        file = tmp_path / "ca.pem"
        file.write_bytes(named.certificate.public_bytes(Encoding.PEM))
        server_side = tls(named.issue_server([LOOPBACK], now - DAY, now + DAY))
        async with host(saying(ANSWER), server_side) as server:
            with Trust(file) as trust:
                await ask_once(trust, company, server)

    async def test_is_in_each_of_two_authorities_of_one_name(
        self,
        company: A1Certificate,
        authority: SampleAuthority,
        stranger: SampleAuthority,
        tls: NewTls,
        tmp_path: Path,
    ) -> None:
        now = datetime.now(UTC)
        file = tmp_path / "ca.pem"
        both = (authority, stranger)
        file.write_bytes(b"".join(one.certificate.public_bytes(Encoding.PEM) for one in both))
        with Trust(file) as trust:
            for one in both:
                server_side = tls(one.issue_server([LOOPBACK], now - DAY, now + DAY))
                async with host(saying(ANSWER), server_side) as server:
                    await ask_once(trust, company, server)
