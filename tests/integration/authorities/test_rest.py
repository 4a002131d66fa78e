"""Questions to REST services over real TLS: any method, any status, on the connections of all others."""

import asyncio
import ssl
from collections.abc import AsyncIterator

import pytest

import nfse_answers as said
from carimbo.authorities import pool
from carimbo.authorities.connections import Connections
from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.http_answer import Answer
from carimbo.authorities.national_nfse import NationalNfse
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.patience import Patience
from carimbo.authorities.transport import Question, Transport
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.outcome import Authorized, Available, Cause, NotJudged, Unknown
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import Answerer, Host, hang_up, host, in_turn, raw, saying, silence
from nfse_answers import DIGEST, DPS_ID, KEY
from support import CNPJ, free_port

BODY = b'{"a":1}'
BOTH_VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
DOCUMENT = SignedDocument(b"<DPS/>", DPS_ID, DIGEST)


def telling_length_of_nothing(status: str) -> Answerer:
    """Answer as to HEAD: with the length of a body that does not come."""
    return saying(b"", status, length=123, hold=True)


@pytest.fixture
async def connections(trust: Trust) -> AsyncIterator[Connections]:
    async with Connections(trust, Patience(10, 10, room_seconds=0.1)) as connections:
        yield connections


@pytest.fixture
def transport(connections: Connections) -> Transport:
    return Transport(connections)


def national_at(server: Host, transport: Transport) -> NationalNfse:
    base = "/".join(server.address.split("/")[:3])
    return NationalNfse(transport.fetch, SimulatorEndpoints(base), Pacing())


@pytest.fixture
def sender(company: A1Certificate) -> Sender:
    return Sender(company, CNPJ, Environment.HOMOLOGATION)


class TestAQuestion:
    async def test_has_its_method_path_and_body(
        self, transport: Transport, company: A1Certificate, tls: NewTls
    ) -> None:
        question = Question("POST", "/nfse", "application/json", BODY)
        async with host(saying(b"{}", "201 Created"), tls()) as server:
            assert await transport.fetch(company, server.address, question) == Answer(201, b"{}")
            (seen,) = server.seen
        assert seen.head.startswith("POST /sp/nfe/NFeStatusServico4/nfse HTTP/1.1\r\n")
        assert "\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n" in seen.head
        assert (seen.body, seen.certificate) == (BODY, company.certificate_der)

    async def test_without_a_body_tells_none(
        self, transport: Transport, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(saying(BODY), tls()) as server:
            await transport.fetch(company, server.address, Question("GET", "/dps/1"))
            (seen,) = server.seen
        assert seen.head.startswith("GET /sp/nfe/NFeStatusServico4/dps/1 HTTP/1.1\r\n")
        assert "content-" not in seen.head.lower()
        assert seen.head.endswith("\r\n\r\n")

    @pytest.mark.parametrize(
        "status", ["200 OK", "307 Moved", "400 Bad Request", "403 Forbidden", "500 Error"]
    )
    async def test_has_an_answer_of_any_status(
        self, transport: Transport, company: A1Certificate, tls: NewTls, status: str
    ) -> None:
        async with host(saying(BODY, status), tls()) as server:
            answer = await transport.fetch(company, server.address, Question("GET"))
        assert answer == Answer(int(status[:3]), BODY)

    @BOTH_VERSIONS
    async def test_without_an_answer_may_have_arrived(
        self, transport: Transport, company: A1Certificate, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(hang_up, tls(version=version)) as server:
            outcome = await transport.fetch(company, server.address, Question("GET"))
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.CONNECTION, True)

    async def test_that_nobody_takes_has_not_arrived(
        self, transport: Transport, company: A1Certificate
    ) -> None:
        address = f"https://127.0.0.1:{free_port()}/SefinNacional"
        outcome = await transport.fetch(company, address, Question("GET", "/dps/1"))
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.CONNECTION, False)

    async def test_has_its_own_time(self, transport: Transport, company: A1Certificate, tls: NewTls) -> None:
        async with host(silence, tls()) as server:
            outcome = await transport.fetch(company, server.address, Question("GET"), most_seconds=0.2)
        assert isinstance(outcome, NotJudged)
        assert outcome.cause is Cause.TIMEOUT

    async def test_shares_the_room_of_its_service_whatever_its_path(
        self,
        transport: Transport,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(pool, "_MOST_REQUESTS", 1)
        arrived = asyncio.Event()

        async def hang(writer: asyncio.StreamWriter) -> None:
            arrived.set()
            await silence(writer)

        async with host(hang, tls()) as server:
            hanging = asyncio.create_task(transport.fetch(company, server.address, Question("GET", "/a")))
            await arrived.wait()
            outcome = await transport.fetch(company, server.address, Question("GET", "/b"))
            hanging.cancel()
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.NO_ROOM, False)


class TestHead:
    async def test_is_answered_without_a_body_on_a_connection_that_goes_on(
        self, transport: Transport, company: A1Certificate, tls: NewTls
    ) -> None:
        answers = in_turn(telling_length_of_nothing("404 Not Found"), saying(BODY))
        async with host(answers, tls()) as server:
            head = await transport.fetch(company, server.address, Question("HEAD", "/dps/1"))
            answer = await transport.fetch(company, server.address, Question("GET", "/dps/1"))
            connections = [seen.connection for seen in server.seen]
        assert (head, answer) == (Answer(404, b""), Answer(200, BODY))
        assert connections == [1, 1]

    async def test_with_a_body_after_all_ends_the_connection(
        self, transport: Transport, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(saying(BODY), tls()) as server:
            assert await transport.fetch(company, server.address, Question("HEAD")) == Answer(200, b"")
            assert await transport.fetch(company, server.address, Question("GET")) == Answer(200, BODY)
            connections = [seen.connection for seen in server.seen]
        assert connections == [1, 2]


class TestNationalNfse:
    async def test_takes_a_document_from_the_way_there_to_the_note(
        self, transport: Transport, sender: Sender, tls: NewTls
    ) -> None:
        async with host(saying(said.issued(), "201 Created"), tls()) as server:
            outcome = await national_at(server, transport).send(sender, DOCUMENT)
            (seen,) = server.seen
        assert isinstance(outcome, Authorized)
        assert outcome.access_key == KEY
        assert seen.head.startswith("POST /sefin/nfse/SefinNacional/nfse HTTP/1.1\r\n")

    async def test_finds_a_note_whose_answer_was_lost(
        self, transport: Transport, sender: Sender, tls: NewTls
    ) -> None:
        none = saying(said.NO_EVENT, "404 Not Found")
        answers = in_turn(hang_up, saying(said.of_dps()), saying(said.stored()), none)
        async with host(answers, tls()) as server:
            national = national_at(server, transport)
            lost = await national.send(sender, DOCUMENT)
            found = await national.consult(sender, DPS_ID)
            lines = [
                seen.head.split(" HTTP")[0].replace("/sefin/nfse/SefinNacional", "") for seen in server.seen
            ]
        assert isinstance(lost, NotJudged)
        assert lost.may_have_arrived
        assert isinstance(found, Authorized)
        assert lines == [
            "POST /nfse",
            f"GET /dps/{DPS_ID}",
            f"GET /nfse/{KEY}",
            *(f"GET /nfse/{KEY}/eventos/{type_}/1" for type_ in ("101101", "105102", "305101", "105104")),
        ]

    async def test_does_not_take_a_cut_answer_for_one(
        self, transport: Transport, sender: Sender, tls: NewTls
    ) -> None:
        text = said.issued()
        head = f"HTTP/1.1 201 Created\r\nContent-Length: {len(text)}\r\n\r\n".encode()
        async with host(raw(head + text[:-100]), tls()) as server:
            outcome = await national_at(server, transport).send(sender, DOCUMENT)
        assert isinstance(outcome, NotJudged)
        assert (outcome.cause, outcome.may_have_arrived) == (Cause.UNREADABLE, True)

    async def test_does_not_take_a_page_for_the_word_of_the_authority(
        self, transport: Transport, sender: Sender, tls: NewTls
    ) -> None:
        page, no_note = (saying(told, "404 Not Found") for told in (said.PAGE, said.NO_NOTE))
        answers = in_turn(page, page, no_note)
        async with host(answers, tls()) as server:
            national = national_at(server, transport)
            assert isinstance(await national.consult(sender, DPS_ID), NotJudged)
            assert isinstance(await national.consult(sender, DPS_ID), Unknown)

    async def test_learns_from_a_head_that_the_service_answers(
        self, transport: Transport, sender: Sender, tls: NewTls
    ) -> None:
        async with host(telling_length_of_nothing("404 Not Found"), tls()) as server:
            condition = await national_at(server, transport).status(sender, "", "SP")
        assert isinstance(condition, Available)
