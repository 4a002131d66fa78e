"""Connections are kept as long as they serve, and closed when they do not."""

import asyncio
import ssl
from collections.abc import AsyncIterator

import pytest

from carimbo.authorities import pool
from carimbo.authorities.connections import Connections
from carimbo.authorities.patience import Patience
from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import Answerer, hang_up, host, in_turn, saying
from integration.authorities.questions import ANSWER, BOTH_VERSIONS, MOST_CERTIFICATES, ask, failure


@pytest.fixture
async def connections(trust: Trust) -> AsyncIterator[Connections]:
    async with Connections(trust, Patience(10, 10), MOST_CERTIFICATES) as connections:
        yield connections


def answering_two_at_once() -> Answerer:
    """A server that answers nobody before two have asked."""
    met = asyncio.Barrier(2)

    async def together(writer: asyncio.StreamWriter) -> None:
        await met.wait()
        await saying(ANSWER)(writer)

    return together


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
        together = answering_two_at_once()
        async with host(together, tls()) as server:
            await asyncio.gather(*(ask(connections, company, server) for _ in range(2)))
            assert {seen.connection for seen in server.seen} == {1, 2}

    async def test_the_connection_that_was_used_last_is_used_first(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        together = answering_two_at_once()
        async with host(in_turn(together, together, saying(ANSWER)), tls()) as server:
            await asyncio.gather(*(ask(connections, company, server) for _ in range(2)))
            for _ in range(3):
                await ask(connections, company, server)
            assert len({seen.connection for seen in server.seen[2:]}) == 1

    async def test_servers_have_connections_of_their_own(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(saying(ANSWER), tls()) as first, host(saying(ANSWER), tls()) as second:
            for server in (first, second, first, second):
                await ask(connections, company, server)
            assert [len(server.seen) for server in (first, second)] == [2, 2]
            assert {seen.connection for seen in (*first.seen, *second.seen)} == {1}

    async def test_a_connection_that_nobody_uses_is_closed(
        self,
        connections: Connections,
        company: A1Certificate,
        tls: NewTls,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(pool, "_IDLE_SECONDS", 0)
        async with host(saying(ANSWER), tls()) as server:
            await ask(connections, company, server)
            await server.until_left()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]

    async def test_a_connection_that_the_server_will_close_is_left(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(saying(ANSWER, headers="Connection: close\r\n", hold=True), tls()) as server:
            await ask(connections, company, server)
            await server.until_left()

    async def test_a_connection_that_the_server_closed_is_not_used(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        closed = asyncio.Event()

        async def leave(writer: asyncio.StreamWriter) -> None:
            await saying(ANSWER)(writer)
            writer.close()
            await writer.wait_closed()
            closed.set()

        async with host(leave, tls()) as server:
            await ask(connections, company, server)
            await closed.wait()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]

    @pytest.mark.parametrize("stray", [b"\0", b"\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])
    async def test_a_connection_with_stray_bytes_is_not_used(
        self, connections: Connections, company: A1Certificate, tls: NewTls, stray: bytes
    ) -> None:
        answered = asyncio.Event()

        async def spill(writer: asyncio.StreamWriter) -> None:
            await saying(ANSWER)(writer)
            await answered.wait()
            writer.write(stray)

        async with host(in_turn(spill, saying(ANSWER)), tls()) as server:
            await ask(connections, company, server)
            answered.set()
            await server.until_left()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]

    async def test_a_connection_whose_request_was_given_up_is_not_used(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        arrived = asyncio.Event()

        async def arrive(writer: asyncio.StreamWriter) -> None:
            arrived.set()

        async with host(in_turn(arrive, saying(ANSWER)), tls()) as server:
            given_up = asyncio.create_task(ask(connections, company, server))
            await arrived.wait()
            given_up.cancel()
            await server.until_left()
            await ask(connections, company, server)
            assert [seen.connection for seen in server.seen] == [1, 2]
            assert given_up.cancelled()

    async def test_a_request_that_meets_a_closing_connection_is_not_sent_again(
        self, connections: Connections, company: A1Certificate, tls: NewTls
    ) -> None:
        async with host(in_turn(saying(ANSWER), hang_up, saying(ANSWER)), tls()) as server:
            await ask(connections, company, server)
            assert await failure(connections, company, server) == (Cause.CONNECTION, True)
            assert [seen.connection for seen in server.seen] == [1, 1]
            await ask(connections, company, server)
