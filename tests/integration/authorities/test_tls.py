"""The TLS context of a company: its certificate, and the authorities that it trusts."""

import ssl
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore, tls_context_for
from carimbo.authorities.transport import HttpsTransport
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority
from integration.authorities.conftest import DAY, NewTls
from integration.authorities.hosts import Host, host, responding
from support import LOOPBACK

ANSWER = b"<answer/>"


async def ask_once(trust: TrustStore, certificate: A1Certificate, server: Host) -> None:
    async with ConnectionPools(trust, AuthorityTimeouts(10, 10)) as connections:
        outcome = await HttpsTransport(connections).exchange(certificate, server.address, "urn:a", b"<a/>")
    assert outcome == ANSWER


class TestContext:
    def test_context_verifies_server_and_name(self, company: A1Certificate, trust: TrustStore) -> None:
        context = tls_context_for(company, trust)
        assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
        assert context.minimum_version is ssl.TLSVersion.TLSv1_2

    def test_context_leaves_no_file_with_the_key_behind(
        self, company: A1Certificate, trust: TrustStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        tls_context_for(company, trust)
        assert list(tmp_path.iterdir()) == []

    def test_context_never_writes_the_key_unencrypted(
        self, company: A1Certificate, trust: TrustStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written: list[str] = []

        def load(self: ssl.SSLContext, file: str, password: bytes) -> None:
            written.append(Path(file).read_text(encoding="ascii"))
            assert Path(file).stat().st_mode & 0o777 == 0o600

        monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", load)
        tls_context_for(company, trust)
        assert ["BEGIN ENCRYPTED PRIVATE KEY" in text for text in written] == [True]


class TestTrust:
    @pytest.mark.parametrize("name", ["AC  Ação de\tTESTE ", "Ⅷ ÜBER-AUTORIDADE"])
    async def test_authorities_of_any_name_are_trusted(
        self, company: A1Certificate, authority: SampleAuthority, tls: NewTls, tmp_path: Path, name: str
    ) -> None:
        """OpenSSL finds them by a hash of the name, which we compute too."""
        now = datetime.now(UTC)
        named = SampleAuthority.create(now - DAY, name=name)
        file = tmp_path / "ca.pem"
        file.write_bytes(named.certificate.public_bytes(Encoding.PEM))
        server_side = tls(named.issue_server([LOOPBACK], now - DAY, now + DAY))
        async with host(responding(ANSWER), server_side) as server:
            with TrustStore(file) as trust:
                await ask_once(trust, company, server)

    async def test_two_authorities_of_one_name_are_both_trusted(
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
        file.write_bytes(b"".join(each.certificate.public_bytes(Encoding.PEM) for each in both))
        with TrustStore(file) as trust:
            for each in both:
                server_side = tls(each.issue_server([LOOPBACK], now - DAY, now + DAY))
                async with host(responding(ANSWER), server_side) as server:
                    await ask_once(trust, company, server)
