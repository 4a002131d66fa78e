"""Connections of many at once are resumed and let go, and never serve two companies."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from carimbo.authorities import pool
from carimbo.authorities.connections import Connections
from carimbo.authorities.patience import Patience
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause
from carimbo.fiscal.sample_certificate import SampleAuthority
from integration.authorities.conftest import DAY, NewTls
from integration.authorities.hosts import Host, host, in_turn, saying, silence
from integration.authorities.questions import ANSWER, BOTH_VERSIONS, MOST_CERTIFICATES, ask, failure
from support import OTHER_CNPJ

CLOSING = saying(ANSWER, headers="Connection: close\r\n")


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


@asynccontextmanager
async def hanging(context: ssl.SSLContext) -> AsyncIterator[tuple[Host, asyncio.Event]]:
    """A server that never answers the first request, and whether that one has arrived."""
    arrived = asyncio.Event()

    async def hang(writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await silence(writer)

    async with host(in_turn(hang, saying(ANSWER)), context) as server:
        yield server, arrived


@asynccontextmanager
async def given_up(question: Coroutine[None, None, object]) -> AsyncIterator[None]:
    """A question that goes on for the length of a block."""
    asking = asyncio.create_task(question)
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.wait([asking])


class TestCrowd:
    async def test_waits_for_room(
        self,
        connections: Connections,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(pool, "_MOST_REQUESTS", 1)
        async with host(saying(ANSWER), tls()) as server:
            await asyncio.gather(*(ask(connections, company, server) for _ in range(3)))
            assert [seen.connection for seen in server.seen] == [1, 1, 1]

    async def test_does_not_wait_for_long(
        self, trust: Trust, company: A1Certificate, tls: NewTls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pool, "_MOST_REQUESTS", 1)
        async with (
            hanging(tls()) as (server, arrived),
            Connections(trust, Patience(connect_seconds=10, room_seconds=0.1)) as connections,
        ):
            async with given_up(failure(connections, company, server)):
                await arrived.wait()
                assert await failure(connections, company, server) == (Cause.NO_ROOM, False)
            assert len(server.seen) == 1

    async def test_of_one_service_does_not_keep_others_waiting(
        self,
        connections: Connections,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A server may serve NF-e and NFC-e: that one of them hangs tells nothing of the other."""
        monkeypatch.setattr(pool, "_MOST_REQUESTS", 1)
        async with hanging(tls()) as (server, arrived):
            async with given_up(failure(connections, company, server)):
                await arrived.wait()
                other = replace(server, address=server.address.replace("/nfe/", "/nfce/"))
                await ask(connections, company, other)
            assert [seen.connection for seen in server.seen] == [1, 2]

    async def test_of_one_company_does_not_keep_others_waiting(
        self,
        connections: Connections,
        companies: list[A1Certificate],
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(pool, "_MOST_REQUESTS", 1)
        async with (
            hanging(tls()) as (server, arrived),
            given_up(failure(connections, companies[0], server)),
        ):
            await arrived.wait()
            await ask(connections, companies[1], server)


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

        async with host(in_turn(together, together, together, saying(ANSWER)), tls()) as server:
            async with asyncio.TaskGroup() as asking:
                for certificate in companies:
                    asking.create_task(ask(connections, certificate, server))
                    await arrival.wait()
            await ask(connections, companies[0], server)
            assert [seen.connection for seen in server.seen] == [1, 2, 3, 1]
