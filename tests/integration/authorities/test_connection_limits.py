"""Connection limits, TLS resumption, and the separation of companies."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from carimbo.authorities import connection_pool
from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause
from carimbo.fiscal.sample_certificate import SampleAuthority
from integration.authorities.conftest import DAY, NewTls
from integration.authorities.hosts import Host, host, in_turn, responding, silence
from integration.authorities.questions import ANSWER, BOTH_VERSIONS, MAX_CERTIFICATES, ask, failure
from support import OTHER_CNPJ

CLOSING = responding(ANSWER, headers="Connection: close\r\n")


@pytest.fixture(scope="session")
def companies(company: A1Certificate, authority: SampleAuthority) -> list[A1Certificate]:
    now = datetime.now(UTC)
    key = company.private_key
    issued = [
        authority.issue_company(OTHER_CNPJ, name, now - DAY, now + DAY, private_key=key) for name in "AB"
    ]
    return [company, *(A1Certificate.from_bundle(certificate.to_pem()) for certificate in issued)]


@pytest.fixture
async def connections(trust: TrustStore) -> AsyncIterator[ConnectionPools]:
    async with ConnectionPools(trust, AuthorityTimeouts(10, 10), MAX_CERTIFICATES) as connections:
        yield connections


@asynccontextmanager
async def hanging(context: ssl.SSLContext) -> AsyncIterator[tuple[Host, asyncio.Event]]:
    """Runs a server that never answers the first request; the event is set when it has arrived."""
    arrived = asyncio.Event()

    async def hang(writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await silence(writer)

    async with host(in_turn(hang, responding(ANSWER)), context) as server:
        yield server, arrived


@asynccontextmanager
async def cancelled_at_the_end(question: Coroutine[None, None, object]) -> AsyncIterator[None]:
    """Runs a request for the length of a block, then cancels it."""
    asking = asyncio.create_task(question)
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.wait([asking])


class TestRequestLimit:
    async def test_requests_over_the_limit_wait_for_a_slot(
        self,
        connections: ConnectionPools,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(connection_pool, "_MAX_REQUESTS", 1)
        async with host(responding(ANSWER), tls()) as server:
            await asyncio.gather(*(ask(connections, company, server) for _ in range(3)))
            assert [seen.connection for seen in server.seen] == [1, 1, 1]

    async def test_wait_for_a_slot_times_out(
        self, trust: TrustStore, company: A1Certificate, tls: NewTls, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection_pool, "_MAX_REQUESTS", 1)
        async with (
            hanging(tls()) as (server, arrived),
            ConnectionPools(trust, AuthorityTimeouts(connect_seconds=10, slot_seconds=0.1)) as connections,
        ):
            async with cancelled_at_the_end(failure(connections, company, server)):
                await arrived.wait()
                assert await failure(connections, company, server) == (Cause.NO_ROOM, False)
            assert len(server.seen) == 1

    async def test_hanging_service_does_not_block_another_service(
        self,
        connections: ConnectionPools,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A server may serve NF-e and NFC-e: one of them may hang while the other works."""
        monkeypatch.setattr(connection_pool, "_MAX_REQUESTS", 1)
        async with hanging(tls()) as (server, arrived):
            async with cancelled_at_the_end(failure(connections, company, server)):
                await arrived.wait()
                other = replace(server, address=server.address.replace("/nfe/", "/nfce/"))
                await ask(connections, company, other)
            assert [seen.connection for seen in server.seen] == [1, 2]

    async def test_hanging_request_of_one_company_does_not_block_another(
        self,
        connections: ConnectionPools,
        companies: list[A1Certificate],
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(connection_pool, "_MAX_REQUESTS", 1)
        async with (
            hanging(tls()) as (server, arrived),
            cancelled_at_the_end(failure(connections, companies[0], server)),
        ):
            await arrived.wait()
            await ask(connections, companies[1], server)


class TestResumption:
    @BOTH_VERSIONS
    async def test_new_connection_resumes_the_last_session(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(CLOSING, tls(version=version)) as server:
            for _ in range(3):
                await ask(connections, company, server)
            sessions = [(seen.connection, seen.was_resumed) for seen in server.seen]
        assert sessions == [(1, False), (2, True), (3, True)]
        assert {seen.certificate for seen in server.seen} == {company.certificate_der}

    async def test_unknown_session_leads_to_a_full_handshake(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        for _ in range(2):
            async with host(responding(ANSWER), tls()) as server:
                await ask(connections, company, server)
                assert [seen.was_resumed for seen in server.seen] == [False]

    @BOTH_VERSIONS
    async def test_session_is_not_shared_between_certificates(
        self,
        connections: ConnectionPools,
        companies: list[A1Certificate],
        tls: NewTls,
        version: ssl.TLSVersion,
    ) -> None:
        async with host(CLOSING, tls(version=version)) as server:
            for certificate in (*companies[:2], *companies[:2]):
                await ask(connections, certificate, server)
            sessions = [(seen.certificate, seen.was_resumed) for seen in server.seen]
        first, second = (certificate.certificate_der for certificate in companies[:2])
        assert sessions == [(first, False), (second, False), (first, True), (second, True)]


class TestCertificates:
    async def test_certificates_never_share_a_connection(
        self, connections: ConnectionPools, companies: list[A1Certificate], tls: NewTls
    ) -> None:
        async with host(responding(ANSWER), tls()) as server:
            for certificate in (*companies[:2], *companies[:2]):
                await ask(connections, certificate, server)
            by_connection = {(seen.connection, seen.certificate) for seen in server.seen}
        assert by_connection == {(1, companies[0].certificate_der), (2, companies[1].certificate_der)}

    async def test_least_recently_used_certificate_is_dropped_over_the_limit(
        self, connections: ConnectionPools, companies: list[A1Certificate], tls: NewTls
    ) -> None:
        first, second, third = companies
        async with host(responding(ANSWER), tls()) as server:
            for certificate in (first, second, first, third, first, second):
                await ask(connections, certificate, server)
            assert [seen.connection for seen in server.seen] == [1, 2, 1, 3, 1, 4]

    async def test_certificates_in_use_are_never_dropped(
        self, connections: ConnectionPools, companies: list[A1Certificate], tls: NewTls
    ) -> None:
        arrival, everybody_is_here = asyncio.Barrier(2), asyncio.Barrier(len(companies))

        async def together(writer: asyncio.StreamWriter) -> None:
            await arrival.wait()
            await everybody_is_here.wait()
            await responding(ANSWER)(writer)

        async with host(in_turn(together, together, together, responding(ANSWER)), tls()) as server:
            async with asyncio.TaskGroup() as asking:
                for certificate in companies:
                    asking.create_task(ask(connections, certificate, server))
                    await arrival.wait()
            await ask(connections, companies[0], server)
            assert [seen.connection for seen in server.seen] == [1, 2, 3, 1]
