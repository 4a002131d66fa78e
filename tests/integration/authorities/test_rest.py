"""Requests to REST services over real TLS: any method, any status, on the shared connections."""

import asyncio
import ssl
from collections.abc import AsyncIterator

import pytest

import nfse_answers
from carimbo.authorities import connection_pool
from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.authorities.transport import HttpRequest, HttpsTransport
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.outcome import Authorized, Available, Cause, NotJudged, Unknown
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.http_client.response_reader import HttpResponse
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import Answerer, Host, hang_up, host, in_turn, raw, responding, silence
from nfse_answers import DIGEST, DPS_ID, KEY
from support import CNPJ, free_port

BODY = b'{"a":1}'
BOTH_VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
DOCUMENT = SignedDocument(b"<DPS/>", DPS_ID, DIGEST)


def responding_without_its_body(status: str) -> Answerer:
    """Answers as to HEAD: with the length of a body that is not sent."""
    return responding(b"", status, length=123, hold=True)


@pytest.fixture
async def connections(trust: TrustStore) -> AsyncIterator[ConnectionPools]:
    async with ConnectionPools(trust, AuthorityTimeouts(10, 10, slot_seconds=0.1)) as connections:
        yield connections


@pytest.fixture
def transport(connections: ConnectionPools) -> HttpsTransport:
    return HttpsTransport(connections)


def national_at(server: Host, transport: HttpsTransport) -> NationalNfse:
    base = "/".join(server.address.split("/")[:3])
    return NationalNfse(transport.fetch, SimulatorEndpoints(base), Pacing())


@pytest.fixture
def sender(company: A1Certificate) -> AuthorityCredentials:
    return AuthorityCredentials(company, CNPJ, Environment.HOMOLOGATION)


class TestRequest:
    async def test_request_has_its_method_path_and_body(
        self, transport: HttpsTransport, company: A1Certificate, tls: NewTls
    ) -> None:
        question = HttpRequest("POST", "/nfse", "application/json", BODY)
        async with host(responding(b"{}", "201 Created"), tls()) as server:
            assert await transport.fetch(company, server.address, question) == HttpResponse(201, b"{}")
            (seen,) = server.seen
        assert seen.head.startswith("POST /sp/nfe/NFeStatusServico4/nfse HTTP/1.1\r\n")
        assert "\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n" in seen.head
        assert (seen.body, seen.certificate) == (BODY, company.certificate_der)

    async def test_request_without_a_body_has_no_content_headers(
        self, transport: HttpsTransport, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(responding(BODY), tls()) as server:
            await transport.fetch(company, server.address, HttpRequest("GET", "/dps/1"))
            (seen,) = server.seen
        assert seen.head.startswith("GET /sp/nfe/NFeStatusServico4/dps/1 HTTP/1.1\r\n")
        assert "content-" not in seen.head.lower()
        assert seen.head.endswith("\r\n\r\n")

    @pytest.mark.parametrize(
        "status", ["200 OK", "307 Moved", "400 Bad Request", "403 Forbidden", "500 Error"]
    )
    async def test_answer_of_any_status_is_returned(
        self, transport: HttpsTransport, company: A1Certificate, tls: NewTls, status: str
    ) -> None:
        async with host(responding(BODY, status), tls()) as server:
            answer = await transport.fetch(company, server.address, HttpRequest("GET"))
        assert answer == HttpResponse(int(status[:3]), BODY)

    @BOTH_VERSIONS
    async def test_request_without_an_answer_may_have_arrived(
        self, transport: HttpsTransport, company: A1Certificate, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(hang_up, tls(version=version)) as server:
            outcome = await transport.fetch(company, server.address, HttpRequest("GET"))
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.CONNECTION, True)

    async def test_refused_connection_means_that_nothing_arrived(
        self, transport: HttpsTransport, company: A1Certificate
    ) -> None:
        address = f"https://127.0.0.1:{free_port()}/SefinNacional"
        outcome = await transport.fetch(company, address, HttpRequest("GET", "/dps/1"))
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.CONNECTION, False)

    async def test_request_has_its_own_timeout(
        self, transport: HttpsTransport, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(silence, tls()) as server:
            outcome = await transport.fetch(company, server.address, HttpRequest("GET"), max_seconds=0.2)
        assert isinstance(outcome, NotJudged)
        assert outcome.cause is Cause.TIMEOUT

    async def test_paths_of_one_service_share_its_limit(
        self,
        transport: HttpsTransport,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(connection_pool, "_MAX_REQUESTS", 1)
        arrived = asyncio.Event()

        async def hang(writer: asyncio.StreamWriter) -> None:
            arrived.set()
            await silence(writer)

        async with host(hang, tls()) as server:
            hanging = asyncio.create_task(transport.fetch(company, server.address, HttpRequest("GET", "/a")))
            await arrived.wait()
            outcome = await transport.fetch(company, server.address, HttpRequest("GET", "/b"))
            hanging.cancel()
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.NO_ROOM, False)


class TestHead:
    async def test_head_is_answered_without_a_body_and_keeps_the_connection(
        self, transport: HttpsTransport, company: A1Certificate, tls: NewTls
    ) -> None:
        answers = in_turn(responding_without_its_body("404 Not Found"), responding(BODY))
        async with host(answers, tls()) as server:
            head = await transport.fetch(company, server.address, HttpRequest("HEAD", "/dps/1"))
            answer = await transport.fetch(company, server.address, HttpRequest("GET", "/dps/1"))
            connections = [seen.connection for seen in server.seen]
        assert (head, answer) == (HttpResponse(404, b""), HttpResponse(200, BODY))
        assert connections == [1, 1]

    async def test_head_answered_with_a_body_closes_the_connection(
        self, transport: HttpsTransport, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(responding(BODY), tls()) as server:
            assert await transport.fetch(company, server.address, HttpRequest("HEAD")) == HttpResponse(
                200, b""
            )
            assert await transport.fetch(company, server.address, HttpRequest("GET")) == HttpResponse(
                200, BODY
            )
            connections = [seen.connection for seen in server.seen]
        assert connections == [1, 2]


class TestNationalNfse:
    async def test_sent_document_becomes_an_authorized_note(
        self, transport: HttpsTransport, sender: AuthorityCredentials, tls: NewTls
    ) -> None:
        async with host(responding(nfse_answers.issued(), "201 Created"), tls()) as server:
            outcome = await national_at(server, transport).send(sender, DOCUMENT)
            (seen,) = server.seen
        assert isinstance(outcome, Authorized)
        assert outcome.access_key == KEY
        assert seen.head.startswith("POST /sefin/nfse/SefinNacional/nfse HTTP/1.1\r\n")

    async def test_consult_finds_a_note_with_a_lost_answer(
        self, transport: HttpsTransport, sender: AuthorityCredentials, tls: NewTls
    ) -> None:
        none = responding(nfse_answers.NO_EVENT, "404 Not Found")
        answers = in_turn(hang_up, responding(nfse_answers.of_dps()), responding(nfse_answers.stored()), none)
        async with host(answers, tls()) as server:
            national = national_at(server, transport)
            lost = await national.send(sender, DOCUMENT)
            consulted = await national.consult(sender, DPS_ID)
            lines = [
                seen.head.split(" HTTP")[0].replace("/sefin/nfse/SefinNacional", "") for seen in server.seen
            ]
        assert isinstance(lost, NotJudged)
        assert lost.may_have_arrived
        assert isinstance(consulted, Authorized)
        assert lines == [
            "POST /nfse",
            f"GET /dps/{DPS_ID}",
            f"GET /nfse/{KEY}",
            *(f"GET /nfse/{KEY}/eventos/{type_}/1" for type_ in ("101101", "105102", "305101", "105104")),
        ]

    async def test_truncated_answer_is_unreadable(
        self, transport: HttpsTransport, sender: AuthorityCredentials, tls: NewTls
    ) -> None:
        text = nfse_answers.issued()
        head = f"HTTP/1.1 201 Created\r\nContent-Length: {len(text)}\r\n\r\n".encode()
        async with host(raw(head + text[:-100]), tls()) as server:
            outcome = await national_at(server, transport).send(sender, DOCUMENT)
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.UNREADABLE, True)

    async def test_html_page_is_not_taken_for_an_answer(
        self, transport: HttpsTransport, sender: AuthorityCredentials, tls: NewTls
    ) -> None:
        page, no_note = (
            responding(body, "404 Not Found") for body in (nfse_answers.PAGE, nfse_answers.NO_NOTE)
        )
        answers = in_turn(page, page, no_note)
        async with host(answers, tls()) as server:
            national = national_at(server, transport)
            assert isinstance(await national.consult(sender, DPS_ID), NotJudged)
            assert isinstance(await national.consult(sender, DPS_ID), Unknown)

    async def test_head_shows_that_the_service_is_available(
        self, transport: HttpsTransport, sender: AuthorityCredentials, tls: NewTls
    ) -> None:
        async with host(responding_without_its_body("404 Not Found"), tls()) as server:
            condition = await national_at(server, transport).status(sender, "", "SP")
        assert isinstance(condition, Available)
