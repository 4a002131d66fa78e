"""Requests to failing servers: the reported failure, and whether the request may have arrived."""

import ssl

import pytest

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.authorities.transport import LIMITS, HttpsTransport
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import Answerer, dripping, hang_up, host, raw, responding, silence
from integration.authorities.questions import ACTION, ANSWER, BOTH_VERSIONS, PATIENT, QUESTION, Client
from support import LOOPBACK, free_port

FAULT = (
    b'<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><s:Fault><s:Reason>'
    b"<s:Text>Servidor ocupado</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>"
)
PAGE = b"<!DOCTYPE html><html><body>Em manuten\xc3\xa7\xc3\xa3o</body></html>"
HASTY = AuthorityTimeouts(connect_seconds=10, read_seconds=1)


@pytest.fixture
def client(trust: TrustStore, company: A1Certificate) -> Client:
    return Client(trust, company)


class TestAnswer:
    @BOTH_VERSIONS
    async def test_answer_is_returned_as_it_was_sent(
        self, client: Client, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(responding(ANSWER), tls(version=version)) as server:
            assert await client.ask(server.address) == ANSWER

    async def test_request_is_soap_with_the_certificate_of_the_company(
        self, client: Client, tls: NewTls, company: A1Certificate
    ) -> None:
        async with host(responding(ANSWER), tls()) as server:
            await client.ask(server.address)
            (seen,) = server.seen
        head = seen.head.lower()
        assert seen.head.startswith("POST /sp/nfe/NFeStatusServico4 HTTP/1.1\r\n")
        assert f'content-type: application/soap+xml; charset=utf-8; action="{ACTION.lower()}"\r\n' in head
        assert "accept-encoding: identity\r\n" in head
        assert (seen.body, seen.certificate) == (QUESTION, company.certificate_der)

    async def test_answer_may_arrive_slowly_within_the_timeout(self, client: Client, tls: NewTls) -> None:
        timeouts = AuthorityTimeouts(connect_seconds=10, read_seconds=1.5)
        async with host(dripping(b"<answer/>", pause=0.2), tls()) as server:
            assert await client.ask(server.address, timeouts) == b"<answer/>"

    async def test_answer_with_status_500_is_returned(self, client: Client, tls: NewTls) -> None:
        async with host(responding(ANSWER, "500 Internal Server Error"), tls()) as server:
            assert await client.ask(server.address) == ANSWER

    @pytest.mark.parametrize("body", [b"", PAGE, FAULT, b"\0garbage", ANSWER[:100]])
    async def test_any_body_with_status_200_is_returned(
        self, client: Client, tls: NewTls, body: bytes
    ) -> None:
        async with host(responding(body), tls()) as server:
            assert await client.ask(server.address) == body

    async def test_redirect_is_not_followed(self, client: Client, tls: NewTls) -> None:
        async with host(responding(ANSWER), tls()) as other:
            moved = responding(b"", "307 Temporary Redirect", headers=f"Location: {other.address}\r\n")
            async with host(moved, tls()) as server:
                failure = await client.failure(server.address)
            assert failure == (Cause.HTTP_STATUS, True, "HTTP 307: resposta vazia")
            assert other.seen == []

    async def test_proxy_of_the_environment_is_not_used(
        self, client: Client, tls: NewTls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{LOOPBACK}:{free_port()}")
        async with host(responding(ANSWER), tls()) as server:
            assert await client.ask(server.address) == ANSWER


class TestNoConnection:
    """No part of the request was sent: it may be sent again at once."""

    async def test_refused_connection_is_reported(self, client: Client) -> None:
        failure = await client.failure(f"https://{LOOPBACK}:{free_port()}/")
        assert failure == (Cause.CONNECTION, False, "conexão recusada")

    async def test_unknown_host_is_reported(self, client: Client) -> None:
        failure = await client.failure("https://nowhere.invalid/")
        assert failure == (Cause.CONNECTION, False, "endereço não encontrado")

    @pytest.mark.parametrize("address", ["https://[::1/", "https://host:port/", "https:///"])
    async def test_malformed_address_is_reported(self, client: Client, address: str) -> None:
        cause, may_have_arrived, _ = await client.failure(address)
        assert (cause, may_have_arrived) == (Cause.CONNECTION, False)

    async def test_connection_timeout_is_reported(self, client: Client, full_port: int) -> None:
        failure = await client.failure(
            f"https://{LOOPBACK}:{full_port}/", AuthorityTimeouts(0.2, read_seconds=10)
        )
        assert failure == (Cause.TIMEOUT, False, "a conexão não foi aceita a tempo")

    async def test_failure_is_not_confused_with_an_error_the_caller_handles(self, client: Client) -> None:
        """Python chains errors: the timeout that the caller handles is not the cause of this failure."""
        try:
            raise TimeoutError
        except TimeoutError:
            failure = await client.failure(f"https://{LOOPBACK}:{free_port()}/")
        assert failure[0] is Cause.CONNECTION


class TestNoAnswer:
    """The request was sent: it is unknown whether it was judged."""

    @pytest.mark.parametrize(
        ("answer", "cause", "words"),
        [
            (hang_up, Cause.CONNECTION, "a conexão foi encerrada sem resposta"),
            (raw(b""), Cause.CONNECTION, "a conexão foi encerrada sem resposta"),
            (raw(b"\0\1nonsense\r\n\r\n"), Cause.UNREADABLE, "a resposta não é HTTP"),
            (responding(ANSWER[:99], length=len(ANSWER)), Cause.UNREADABLE, "a resposta foi cortada"),
            (responding(bytes(LIMITS.body_bytes + 1)), Cause.UNREADABLE, "a resposta é grande demais"),
        ],
        ids=["hangs up", "closes", "no HTTP", "cut", "huge"],
    )
    @BOTH_VERSIONS
    async def test_missing_answer_is_reported_with_its_cause(
        self,
        client: Client,
        tls: NewTls,
        version: ssl.TLSVersion,
        answer: Answerer,
        cause: Cause,
        words: str,
    ) -> None:
        async with host(answer, tls(version=version)) as server:
            assert await client.failure(server.address) == (cause, True, words)
            assert [seen.body for seen in server.seen] == [QUESTION]

    @pytest.mark.parametrize(
        ("answer", "words"),
        [
            (silence, "a resposta não veio a tempo"),
            (responding(ANSWER[:99], length=len(ANSWER), hold=True), "a resposta não chegou inteira a tempo"),
        ],
        ids=["silent", "stops"],
    )
    async def test_late_answer_is_a_timeout(
        self, client: Client, tls: NewTls, answer: Answerer, words: str
    ) -> None:
        async with host(answer, tls()) as server:
            assert await client.failure(server.address, HASTY) == (Cause.TIMEOUT, True, words)

    async def test_answer_that_drips_times_out(self, client: Client, tls: NewTls) -> None:
        """Every pause is shorter than the timeout between two reads."""
        timeouts = AuthorityTimeouts(connect_seconds=1, read_seconds=1, slot_seconds=0)
        async with host(dripping(bytes(1000), pause=0.02), tls()) as server:
            failure = await client.failure(server.address, timeouts)
        assert failure == (Cause.TIMEOUT, True, "a resposta não chegou inteira a tempo")

    async def test_request_with_its_own_limit_times_out(
        self, trust: TrustStore, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(silence, tls()) as server, ConnectionPools(trust, PATIENT) as connections:
            exchange = HttpsTransport(connections).exchange
            outcome = await exchange(company, server.address, ACTION, QUESTION, max_seconds=2)
            assert isinstance(outcome, NotJudged)
            assert (outcome.cause, outcome.may_have_arrived) == (Cause.TIMEOUT, True)

    @pytest.mark.parametrize(
        ("status_line", "body", "words"),
        [
            ("503 Service Unavailable", PAGE, "HTTP 503: Em manutenção"),
            ("502 Bad Gateway", b"", "HTTP 502: resposta vazia"),
        ],
    )
    async def test_http_status_is_reported_with_the_page_text(
        self, client: Client, tls: NewTls, status_line: str, body: bytes, words: str
    ) -> None:
        async with host(responding(body, status_line), tls()) as server:
            assert await client.failure(server.address) == (Cause.HTTP_STATUS, True, words)

    @pytest.mark.parametrize("body", [b"", PAGE, FAULT])
    @pytest.mark.parametrize(
        "status_line", ["403 Forbidden", "495 SSL Certificate Error", "496 SSL Certificate Required"]
    )
    async def test_http_status_may_mean_that_the_certificate_was_refused(
        self, client: Client, tls: NewTls, status_line: str, body: bytes
    ) -> None:
        async with host(responding(body, status_line), tls()) as server:
            failure = await client.failure(server.address)
        words = f"HTTP {status_line[:3]}: o servidor recusou o certificado da empresa"
        assert failure == (Cause.CERTIFICATE_NOT_ACCEPTED, True, words)

    async def test_soap_fault_is_reported_as_a_fault(self, client: Client, tls: NewTls) -> None:
        async with host(responding(FAULT, "500 Internal Server Error"), tls()) as server:
            failure = await client.failure(server.address)
        assert failure == (Cause.FAULT, True, "HTTP 500: Servidor ocupado")
