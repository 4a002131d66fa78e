"""Questions to servers that fail in every way: what is told, and whether the request can have arrived."""

import ssl

import pytest

from carimbo.authorities.connections import Connections
from carimbo.authorities.http_answer import LARGEST_ANSWER
from carimbo.authorities.patience import Patience
from carimbo.authorities.transport import Transport
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import Answerer, dripping, hang_up, host, raw, saying, silence
from integration.authorities.questions import ACTION, ANSWER, BOTH_VERSIONS, PATIENT, QUESTION, Client
from support import LOOPBACK, free_port

FAULT = (
    b'<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><s:Fault><s:Reason>'
    b"<s:Text>Servidor ocupado</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>"
)
PAGE = b"<!DOCTYPE html><html><body>Em manuten\xc3\xa7\xc3\xa3o</body></html>"
HASTY = Patience(connect_seconds=10, read_seconds=1)


@pytest.fixture
def client(trust: Trust, company: A1Certificate) -> Client:
    return Client(trust, company)


class TestAnAnswer:
    @BOTH_VERSIONS
    async def test_comes_back_as_it_was_sent(
        self, client: Client, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(saying(ANSWER), tls(version=version)) as server:
            assert await client.ask(server.address) == ANSWER

    async def test_was_asked_for_by_soap_with_the_certificate_of_the_company(
        self, client: Client, tls: NewTls, company: A1Certificate
    ) -> None:
        async with host(saying(ANSWER), tls()) as server:
            await client.ask(server.address)
            (seen,) = server.seen
        head = seen.head.lower()
        assert seen.head.startswith("POST /sp/nfe/NFeStatusServico4 HTTP/1.1\r\n")
        assert f'content-type: application/soap+xml; charset=utf-8; action="{ACTION.lower()}"\r\n' in head
        assert "accept-encoding: identity\r\n" in head
        assert (seen.body, seen.certificate) == (QUESTION, company.certificate_der)

    async def test_may_take_longer_than_each_of_its_parts(self, client: Client, tls: NewTls) -> None:
        patience = Patience(connect_seconds=10, read_seconds=1.5)
        async with host(dripping(b"<answer/>", pause=0.2), tls()) as server:
            assert await client.ask(server.address, patience) == b"<answer/>"

    async def test_may_have_a_status_of_failure(self, client: Client, tls: NewTls) -> None:
        async with host(saying(ANSWER, "500 Internal Server Error"), tls()) as server:
            assert await client.ask(server.address) == ANSWER

    @pytest.mark.parametrize("body", [b"", PAGE, FAULT, b"\0garbage", ANSWER[:100]])
    async def test_with_status_200_is_left_to_its_reader(
        self, client: Client, tls: NewTls, body: bytes
    ) -> None:
        async with host(saying(body), tls()) as server:
            assert await client.ask(server.address) == body

    async def test_is_not_looked_for_elsewhere(self, client: Client, tls: NewTls) -> None:
        async with host(saying(ANSWER), tls()) as other:
            moved = saying(b"", "307 Temporary Redirect", headers=f"Location: {other.address}\r\n")
            async with host(moved, tls()) as server:
                told = await client.failure(server.address)
            assert told == (Cause.HTTP_STATUS, True, "HTTP 307: resposta vazia")
            assert other.seen == []

    async def test_is_not_looked_for_through_a_proxy_of_the_environment(
        self, client: Client, tls: NewTls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{LOOPBACK}:{free_port()}")
        async with host(saying(ANSWER), tls()) as server:
            assert await client.ask(server.address) == ANSWER


class TestNoConnection:
    """Nothing of the request has left: it may be sent again at once."""

    async def test_is_told_when_nobody_listens(self, client: Client) -> None:
        told = await client.failure(f"https://{LOOPBACK}:{free_port()}/")
        assert told == (Cause.CONNECTION, False, "conexão recusada")

    async def test_is_told_when_the_name_leads_nowhere(self, client: Client) -> None:
        told = await client.failure("https://nowhere.invalid/")
        assert told == (Cause.CONNECTION, False, "endereço não encontrado")

    @pytest.mark.parametrize("address", ["https://[::1/", "https://host:port/", "https:///"])
    async def test_is_told_when_the_address_is_none(self, client: Client, address: str) -> None:
        cause, may_have_arrived, _ = await client.failure(address)
        assert (cause, may_have_arrived) == (Cause.CONNECTION, False)

    async def test_is_told_when_it_is_not_taken_in_time(self, client: Client, full_port: int) -> None:
        told = await client.failure(f"https://{LOOPBACK}:{full_port}/", Patience(0.2, read_seconds=10))
        assert told == (Cause.TIMEOUT, False, "a conexão não foi aceita a tempo")

    async def test_is_told_apart_from_what_the_caller_was_dealing_with(self, client: Client) -> None:
        """Python chains errors: the time-out of the first question is no reason of the second's failure."""
        try:
            raise TimeoutError
        except TimeoutError:
            told = await client.failure(f"https://{LOOPBACK}:{free_port()}/")
        assert told[0] is Cause.CONNECTION


class TestNoAnswer:
    """The request has left: nobody knows whether it was judged."""

    @pytest.mark.parametrize(
        ("answer", "cause", "words"),
        [
            (hang_up, Cause.CONNECTION, "a conexão foi encerrada sem resposta"),
            (raw(b""), Cause.CONNECTION, "a conexão foi encerrada sem resposta"),
            (raw(b"\0\1nonsense\r\n\r\n"), Cause.UNREADABLE, "a resposta não é HTTP"),
            (saying(ANSWER[:99], length=len(ANSWER)), Cause.UNREADABLE, "a resposta foi cortada"),
            (saying(bytes(LARGEST_ANSWER + 1)), Cause.UNREADABLE, "a resposta é grande demais"),
        ],
        ids=["hangs up", "closes", "no HTTP", "cut", "huge"],
    )
    @BOTH_VERSIONS
    async def test_is_told_with_its_cause(
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
            (saying(ANSWER[:99], length=len(ANSWER), hold=True), "a resposta não chegou inteira a tempo"),
        ],
        ids=["silent", "stops"],
    )
    async def test_in_time_is_a_time_out(
        self, client: Client, tls: NewTls, answer: Answerer, words: str
    ) -> None:
        async with host(answer, tls()) as server:
            assert await client.failure(server.address, HASTY) == (Cause.TIMEOUT, True, words)

    async def test_that_drips_has_a_last_moment_too(self, client: Client, tls: NewTls) -> None:
        """Every pause is shorter than the time-out between two reads."""
        patience = Patience(connect_seconds=1, read_seconds=1, room_seconds=0)
        async with host(dripping(bytes(1000), pause=0.02), tls()) as server:
            told = await client.failure(server.address, patience)
        assert told == (Cause.TIMEOUT, True, "a resposta não chegou inteira a tempo")

    async def test_in_the_time_that_a_question_has_is_a_time_out(
        self, trust: Trust, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(silence, tls()) as server, Connections(trust, PATIENT) as connections:
            exchange = Transport(connections).exchange
            outcome = await exchange(company, server.address, ACTION, QUESTION, most_seconds=2)
            assert isinstance(outcome, NotJudged)
            assert (outcome.cause, outcome.may_have_arrived) == (Cause.TIMEOUT, True)

    @pytest.mark.parametrize(
        ("status_line", "body", "words"),
        [
            ("503 Service Unavailable", PAGE, "HTTP 503: Em manutenção"),
            ("502 Bad Gateway", b"", "HTTP 502: resposta vazia"),
        ],
    )
    async def test_but_a_status_is_told_with_it(
        self, client: Client, tls: NewTls, status_line: str, body: bytes, words: str
    ) -> None:
        async with host(saying(body, status_line), tls()) as server:
            assert await client.failure(server.address) == (Cause.HTTP_STATUS, True, words)

    @pytest.mark.parametrize("body", [b"", PAGE, FAULT])
    @pytest.mark.parametrize(
        "status_line", ["403 Forbidden", "495 SSL Certificate Error", "496 SSL Certificate Required"]
    )
    async def test_but_a_status_may_be_about_the_certificate(
        self, client: Client, tls: NewTls, status_line: str, body: bytes
    ) -> None:
        async with host(saying(body, status_line), tls()) as server:
            told = await client.failure(server.address)
        words = f"HTTP {status_line[:3]}: o servidor recusou o certificado da empresa"
        assert told == (Cause.CERTIFICATE_NOT_ACCEPTED, True, words)

    async def test_but_a_soap_fault_stays_one(self, client: Client, tls: NewTls) -> None:
        async with host(saying(FAULT, "500 Internal Server Error"), tls()) as server:
            told = await client.failure(server.address)
        assert told == (Cause.FAULT, True, "HTTP 500: Servidor ocupado")
