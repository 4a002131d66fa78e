"""Questions to servers whose TLS is not as it should be: what is told, and that nothing can have arrived."""

import ssl
from datetime import UTC, datetime, timedelta

import pytest

from carimbo.authorities.patience import Patience
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause
from carimbo.fiscal.sample_certificate import SampleAuthority
from integration.authorities.conftest import DAY, NewTls
from integration.authorities.hosts import alerting_host, bare_host, host, one_byte, saying, silence
from integration.authorities.questions import ANSWER, BOTH_VERSIONS, Client
from support import LOOPBACK


@pytest.fixture
def client(trust: Trust, company: A1Certificate) -> Client:
    return Client(trust, company)


class TestHandshake:
    """Nothing of the request has left before it is over."""

    async def test_that_the_server_ends_is_a_failure_of_tls(self, client: Client) -> None:
        async with bare_host(one_byte) as address:
            told = await client.failure(address)
        assert told == (Cause.TLS, False, "a conexão foi encerrada durante a negociação TLS")

    async def test_that_takes_too_long_is_a_time_out(self, client: Client) -> None:
        async with bare_host(silence) as address:
            told = await client.failure(address, Patience(connect_seconds=0.2, read_seconds=10))
        assert told == (Cause.TIMEOUT, False, "a negociação TLS não terminou a tempo")

    async def test_with_a_server_without_tls_fails(self, client: Client) -> None:
        async with bare_host(one_byte, says=b"HTTP/1.1 400 Bad Request\r\n\r\n") as address:
            told = await client.failure(address)
        assert told == (Cause.TLS, False, "a negociação TLS falhou (WRONG_VERSION_NUMBER)")

    async def test_below_tls_1_2_fails(self, client: Client, tls: NewTls) -> None:
        context = tls()
        with pytest.warns(DeprecationWarning):
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        async with host(saying(ANSWER), context) as server:
            cause, may_have_arrived, _ = await client.failure(server.address)
        assert (cause, may_have_arrived, server.seen) == (Cause.TLS, False, [])

    @BOTH_VERSIONS
    async def test_with_a_server_of_another_name_fails(
        self, client: Client, tls: NewTls, authority: SampleAuthority, version: ssl.TLSVersion
    ) -> None:
        now = datetime.now(UTC)
        elsewhere = authority.issue_server(["127.0.0.2", "localhost"], now - DAY, now + DAY)
        async with host(saying(ANSWER), tls(elsewhere, version=version)) as server:
            told = await client.failure(server.address)
        assert told == (Cause.TLS, False, "o certificado do servidor é de outro endereço")
        assert server.seen == []

    @BOTH_VERSIONS
    async def test_with_a_server_that_no_known_authority_certified_fails(
        self, client: Client, tls: NewTls, stranger: SampleAuthority, version: ssl.TLSVersion
    ) -> None:
        now = datetime.now(UTC)
        certificate = stranger.issue_server([LOOPBACK], now - DAY, now + DAY)
        async with host(saying(ANSWER), tls(certificate, version=version)) as server:
            told = await client.failure(server.address)
        assert told == (Cause.TLS, False, "o certificado do servidor não é de uma autoridade confiável")
        assert server.seen == []

    @pytest.mark.parametrize(
        ("begins", "words"),
        [
            (-2 * DAY, "o certificado do servidor está vencido"),
            (DAY, "o certificado do servidor ainda não vale"),
        ],
    )
    async def test_with_a_server_whose_certificate_is_out_of_date_fails(
        self, client: Client, tls: NewTls, authority: SampleAuthority, begins: timedelta, words: str
    ) -> None:
        begin = datetime.now(UTC) + begins
        certificate = authority.issue_server([LOOPBACK], begin, begin + DAY)
        async with host(saying(ANSWER), tls(certificate)) as server:
            assert await client.failure(server.address) == (Cause.TLS, False, words)
        assert server.seen == []

    @pytest.mark.parametrize(
        ("version", "may_have_arrived"), [(ssl.TLSVersion.TLSv1_2, False), (ssl.TLSVersion.TLSv1_3, True)]
    )
    async def test_in_which_the_server_wants_another_certificate_fails(
        self,
        client: Client,
        tls: NewTls,
        stranger: SampleAuthority,
        version: ssl.TLSVersion,
        may_have_arrived: bool,
    ) -> None:
        """A server of TLS 1.3 says so only when we have begun to send."""
        async with alerting_host(tls(clients=stranger, version=version)) as address:
            cause, arrived, words = await client.failure(address)
        assert (cause, arrived) == (Cause.CERTIFICATE_NOT_ACCEPTED, may_have_arrived)
        assert words.startswith("o servidor recusou o certificado da empresa (")
