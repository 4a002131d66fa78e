"""Requests to servers with faulty TLS: the reported failure, and that the request cannot have arrived."""

import ssl
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause
from carimbo.fiscal.sample_certificate import SampleAuthority
from integration.authorities.conftest import DAY, NewTls
from integration.authorities.hosts import alerting_host, bare_host, host, one_byte, responding, silence
from integration.authorities.questions import ANSWER, BOTH_VERSIONS, Client
from support import LOOPBACK


@pytest.fixture
def client(trust: TrustStore, company: A1Certificate) -> Client:
    return Client(trust, company)


class TestHandshake:
    """No part of the request is sent before it is complete."""

    async def test_handshake_ended_by_the_server_is_a_tls_failure(self, client: Client) -> None:
        async with bare_host(one_byte) as address:
            failure = await client.failure(address)
        assert failure == (Cause.TLS, False, "a conexão foi encerrada durante a negociação TLS")

    async def test_slow_handshake_is_a_timeout(self, client: Client) -> None:
        async with bare_host(silence) as address:
            failure = await client.failure(address, AuthorityTimeouts(connect_seconds=0.2, read_seconds=10))
        assert failure == (Cause.TIMEOUT, False, "a negociação TLS não terminou a tempo")

    async def test_handshake_with_a_server_without_tls_fails(self, client: Client) -> None:
        async with bare_host(one_byte, says=b"HTTP/1.1 400 Bad Request\r\n\r\n") as address:
            failure = await client.failure(address)
        assert failure == (Cause.TLS, False, "a negociação TLS falhou (WRONG_VERSION_NUMBER)")

    async def test_handshake_below_tls_1_2_fails(self, client: Client, tls: NewTls) -> None:
        context = tls()
        with pytest.warns(DeprecationWarning):
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        async with host(responding(ANSWER), context) as server:
            cause, may_have_arrived, _ = await client.failure(server.address)
        assert (cause, may_have_arrived, server.seen) == (Cause.TLS, False, [])

    @BOTH_VERSIONS
    async def test_server_certificate_of_another_name_is_refused(
        self, client: Client, tls: NewTls, authority: SampleAuthority, version: ssl.TLSVersion
    ) -> None:
        now = datetime.now(UTC)
        elsewhere = authority.issue_server(["127.0.0.2", "localhost"], now - DAY, now + DAY)
        async with host(responding(ANSWER), tls(elsewhere, version=version)) as server:
            failure = await client.failure(server.address)
        assert failure == (Cause.TLS, False, "o certificado do servidor é de outro endereço")
        assert server.seen == []

    @BOTH_VERSIONS
    async def test_server_certificate_of_an_untrusted_authority_is_refused(
        self, client: Client, tls: NewTls, stranger: SampleAuthority, version: ssl.TLSVersion
    ) -> None:
        now = datetime.now(UTC)
        certificate = stranger.issue_server([LOOPBACK], now - DAY, now + DAY)
        async with host(responding(ANSWER), tls(certificate, version=version)) as server:
            failure = await client.failure(server.address)
        assert failure == (Cause.TLS, False, "o certificado do servidor não é de uma autoridade confiável")
        assert server.seen == []

    @pytest.mark.parametrize(
        ("begins", "words"),
        [
            (-2 * DAY, "o certificado do servidor está vencido"),
            (DAY, "o certificado do servidor ainda não vale"),
        ],
    )
    async def test_server_certificate_outside_its_validity_is_refused(
        self, client: Client, tls: NewTls, authority: SampleAuthority, begins: timedelta, words: str
    ) -> None:
        begin = datetime.now(UTC) + begins
        certificate = authority.issue_server([LOOPBACK], begin, begin + DAY)
        async with host(responding(ANSWER), tls(certificate)) as server:
            assert await client.failure(server.address) == (Cause.TLS, False, words)
        assert server.seen == []

    @pytest.mark.parametrize(
        ("version", "may_have_arrived"), [(ssl.TLSVersion.TLSv1_2, False), (ssl.TLSVersion.TLSv1_3, True)]
    )
    async def test_server_that_refuses_our_certificate_is_reported(
        self,
        client: Client,
        tls: NewTls,
        stranger: SampleAuthority,
        version: ssl.TLSVersion,
        may_have_arrived: bool,
    ) -> None:
        """A TLS 1.3 server refuses only after we have begun to send."""
        async with alerting_host(tls(clients=stranger, version=version)) as address:
            cause, arrived, words = await client.failure(address)
        assert (cause, arrived) == (Cause.CERTIFICATE_NOT_ACCEPTED, may_have_arrived)
        assert words.startswith("o servidor recusou o certificado da empresa (")
