"""Connections are kept while they are usable, and closed otherwise."""

import asyncio
import ssl
from collections.abc import AsyncIterator

import pytest

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause
from carimbo.http_client import idle_connections
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import Answerer, hang_up, host, in_turn, responding
from integration.authorities.questions import ANSWER, BOTH_VERSIONS, MAX_CERTIFICATES, ask, failure


@pytest.fixture
async def connections(trust: TrustStore) -> AsyncIterator[ConnectionPools]:
    async with ConnectionPools(trust, AuthorityTimeouts(10, 10), MAX_CERTIFICATES) as connections:
        yield connections


def answering_two_at_once() -> Answerer:
    """Answers only when two requests have arrived."""
    met = asyncio.Barrier(2)

    async def together(writer: asyncio.StreamWriter) -> None:
        await met.wait()
        await responding(ANSWER)(writer)

    return together


class TestKeepAlive:
    @BOTH_VERSIONS
    async def test_connection_is_reused_for_the_next_request(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async with host(responding(ANSWER), tls(version=version)) as server:
            for _ in range(3):
                await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 1, 1]

    async def test_simultaneous_requests_use_separate_connections(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        together = answering_two_at_once()
        async with host(together, tls()) as server:
            await asyncio.gather(*(ask(connections, company, server) for _ in range(2)))
            assert {seen.connection for seen in server.seen} == {1, 2}

    async def test_most_recently_used_connection_is_used_first(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        together = answering_two_at_once()
        async with host(in_turn(together, together, responding(ANSWER)), tls()) as server:
            await asyncio.gather(*(ask(connections, company, server) for _ in range(2)))
            for _ in range(3):
                await ask(connections, company, server)
            assert len({seen.connection for seen in server.seen[2:]}) == 1

    async def test_each_server_has_its_own_connections(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(responding(ANSWER), tls()) as first, host(responding(ANSWER), tls()) as second:
            for server in (first, second, first, second):
                await ask(connections, company, server)
            assert [len(server.seen) for server in (first, second)] == [2, 2]
            assert {seen.connection for seen in (*first.seen, *second.seen)} == {1}

    async def test_idle_connection_is_closed(
        self,
        connections: ConnectionPools,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(idle_connections, "_IDLE_SECONDS", 0)
        async with host(responding(ANSWER), tls()) as server:
            await ask(connections, company, server)
            await server.until_left()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]

    async def test_connection_that_the_server_will_close_is_closed(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(responding(ANSWER, headers="Connection: close\r\n", hold=True), tls()) as server:
            await ask(connections, company, server)
            await server.until_left()

    async def test_connection_closed_by_the_server_is_not_reused(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        closed = asyncio.Event()

        async def leave(writer: asyncio.StreamWriter) -> None:
            await responding(ANSWER)(writer)
            writer.close()
            await writer.wait_closed()
            closed.set()

        async with host(leave, tls()) as server:
            await ask(connections, company, server)
            await closed.wait()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]

    @pytest.mark.parametrize("stray", [b"\0", b"\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
    async def test_connection_with_unexpected_bytes_is_not_reused(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls, stray: bytes
    ) -> None:
        answered = asyncio.Event()

        async def spill(writer: asyncio.StreamWriter) -> None:
            await responding(ANSWER)(writer)
            await answered.wait()
            writer.write(stray)

        async with host(in_turn(spill, responding(ANSWER)), tls()) as server:
            await ask(connections, company, server)
            answered.set()
            await server.until_left()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]

    async def test_connection_of_a_cancelled_request_is_not_reused(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        arrived = asyncio.Event()

        async def arrive(writer: asyncio.StreamWriter) -> None:
            arrived.set()

        async with host(in_turn(arrive, responding(ANSWER)), tls()) as server:
            given_up = asyncio.create_task(ask(connections, company, server))
            await arrived.wait()
            given_up.cancel()
            await server.until_left()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]
            assert given_up.cancelled()

    async def test_request_on_a_closing_connection_is_not_sent_again(
        self, connections: ConnectionPools, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(in_turn(responding(ANSWER), hang_up, responding(ANSWER)), tls()) as server:
            await ask(connections, company, server)
            assert await failure(connections, company, server) == (Cause.CONNECTION, True)
            assert [seen.connection for seen in server.seen] == [1, 1]
            await ask(connections, company, server)
