"""Connections are kept, resumed and closed, and never serve two companies."""

import asyncio
import ssl
import tempfile
from collections.abc import AsyncIterator
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
from integration.authorities.hosts import LOOPBACK, Host, host, saying
from nfe_answers import dressed, status
from support import OTHER_CNPJ

ANSWER = dressed(status("107", "Serviço em Operação"))[1]
CLOSING = saying(ANSWER, headers="Connection: close\r\n")
BOTH_VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
MOST_CERTIFICATES = 2


@pytest.fixture(scope="session")
def companies(company: A1Certificate, authority: SampleAuthority) -> list[A1Certificate]:
    now = datetime.now(UTC)
    key = company.private_key
    issued = [
        authority.issue_company(OTHER_CNPJ, name, now - DAY, now + DAY, private_key=key) for name in "AB"
    ]
    return [company, *(A1Certificate.from_bundle(one.to_pem()) for one in issued)]


@pytest.fixture
async def connections(trust: Trust) -> AsyncIterator[Connections]:
    async with Connections(trust, Patience(10, 10), MOST_CERTIFICATES) as connections:
        yield connections


async def ask(connections: Connections, certificate: A1Certificate, server: Host) -> None:
    assert await Transport(connections).exchange(certificate, server.address, "urn:a", b"<a/>") == ANSWER


async def ask_once(trust: Trust, certificate: A1Certificate, server: Host) -> None:
    async with Connections(trust, Patience(10, 10)) as connections:
        await ask(connections, certificate, server)


class TestKeepAlive:
    @BOTH_VERSIONS
    async def test_a_connection_serves_one_request_after_the_other(
        self, connections: Connections, company: A1Certificate, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(saying(ANSWER), tls(version=version)) as server:
            for _ in range(3):
                await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 1, 1]

    async def test_requests_at_the_same_time_have_connections_of_their_own(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        met = asyncio.Barrier(2)

        async def together(writer: asyncio.StreamWriter) -> None:
            await met.wait()
            await saying(ANSWER)(writer)

        async with host(together, tls()) as server:
            await asyncio.gather(*(ask(connections, company, server) for _ in range(2)))
            assert {seen.connection for seen in server.seen} == {1, 2}


class TestResumption:
    @BOTH_VERSIONS
    async def test_a_new_connection_goes_on_with_the_session_of_the_last(
        self, connections: Connections, company: A1Certificate, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(CLOSING, tls(version=version)) as server:
            for _ in range(3):
                await ask(connections, company, server)
            told = [(seen.connection, seen.was_resumed) for seen in server.seen]
        assert told == [(1, False), (2, True), (3, True)]
        assert {seen.certificate for seen in server.seen} == {company.certificate_der}

    async def test_a_server_that_has_forgotten_the_session_is_met_anew(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        for _ in range(2):
            async with host(saying(ANSWER), tls()) as server:
                await ask(connections, company, server)
                assert [seen.was_resumed for seen in server.seen] == [False]

    @BOTH_VERSIONS
    async def test_a_session_is_not_shared_between_certificates(
        self,
        connections: Connections,
        companies: list[A1Certificate],
        tls: NewTls,
        version: ssl.TLSVersion,
    ) -> None:
        async with host(CLOSING, tls(version=version)) as server:
            for certificate in (*companies[:2], *companies[:2]):
                await ask(connections, certificate, server)
            told = [(seen.certificate, seen.was_resumed) for seen in server.seen]
        first, second = (certificate.certificate_der for certificate in companies[:2])
        assert told == [(first, False), (second, False), (first, True), (second, True)]


class TestCertificates:
    async def test_never_share_a_connection(
        self, connections: Connections, companies: list[A1Certificate], tls: NewTls
    ) -> None:
        async with host(saying(ANSWER), tls()) as server:
            for certificate in (*companies[:2], *companies[:2]):
                await ask(connections, certificate, server)
            by_connection = {(seen.connection, seen.certificate) for seen in server.seen}
        assert by_connection == {(1, companies[0].certificate_der), (2, companies[1].certificate_der)}

    async def test_unused_for_longest_give_way_when_there_are_too_many(
        self, connections: Connections, companies: list[A1Certificate], tls: NewTls
    ) -> None:
        first, second, third = companies
        async with host(saying(ANSWER), tls()) as server:
            for certificate in (first, second, first, third, first, second):
                await ask(connections, certificate, server)
            assert [seen.connection for seen in server.seen] == [1, 2, 1, 3, 1, 4]

    async def test_in_use_never_give_way(
        self, connections: Connections, companies: list[A1Certificate], tls: NewTls
    ) -> None:
        arrival, everybody_is_here = asyncio.Barrier(2), asyncio.Barrier(len(companies))

        async def together(writer: asyncio.StreamWriter) -> None:
            await arrival.wait()
            await everybody_is_here.wait()
            await saying(ANSWER)(writer)

        async with host(together, tls()) as server, asyncio.TaskGroup() as asking:
            for certificate in companies:
                asking.create_task(ask(connections, certificate, server))
                await arrival.wait()


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
