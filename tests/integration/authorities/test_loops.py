"""Connections on uvloop, used in production, and on asyncio's loop: each has its own TLS code."""

import asyncio
import ssl
from collections.abc import Callable, Coroutine

import pytest
import uvloop

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.authorities.transport import HttpsTransport
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.outcome import Cause, NotJudged
from integration.authorities.conftest import NewTls
from integration.authorities.hosts import (
    Answerer,
    bare_host,
    hang_up,
    host,
    in_turn,
    raw,
    responding,
    silence,
)

ANSWER = b"<answer/>"
CLOSING = responding(ANSWER, headers="Connection: close\r\n")
UNTIL_CLOSE = raw(b"HTTP/1.1 200 OK\r\n\r\n" + ANSWER)
PATIENT = AuthorityTimeouts(10, 10)
HASTY = AuthorityTimeouts(connect_seconds=0.3, read_seconds=0.3)
BOTH_VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])

RunOn = Callable[[Coroutine[None, None, object]], Coroutine[None, None, None]]


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> RunOn:
    """Runs a scenario on a new loop in a thread, because this thread already has a loop."""

    def run_there(scenario: Coroutine[None, None, object]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(scenario)

    async def run(scenario: Coroutine[None, None, object]) -> None:
        await asyncio.to_thread(run_there, scenario)

    return run


class Asking:
    """Sends requests of a company to a server."""

    def __init__(self, trust: TrustStore, company: A1Certificate) -> None:
        self._trust = trust
        self._company = company

    async def __call__(
        self, address: str, times: int = 1, timeouts: AuthorityTimeouts = PATIENT
    ) -> list[bytes | NotJudged]:
        async with ConnectionPools(self._trust, timeouts) as connections:
            exchange = HttpsTransport(connections).exchange
            return [await exchange(self._company, address, "urn:a", b"<a/>") for _ in range(times)]


@pytest.fixture
def ask(trust: TrustStore, company: A1Certificate) -> Asking:
    return Asking(trust, company)


def failure_of(outcome: bytes | NotJudged) -> tuple[Cause, bool, str]:
    assert isinstance(outcome, NotJudged), outcome
    return outcome.cause, outcome.may_have_arrived, outcome.detail.partition(": ")[2]


class TestLoop:
    @BOTH_VERSIONS
    async def test_loop_keeps_a_connection(
        self, run: RunOn, ask: Asking, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async def scenario() -> None:
            async with host(responding(ANSWER), tls(version=version)) as server:
                assert await ask(server.address, 3) == [ANSWER] * 3
                assert [seen.connection for seen in server.seen] == [1, 1, 1]
                await server.until_left()

        await run(scenario())

    @pytest.mark.parametrize("answer", [CLOSING, UNTIL_CLOSE], ids=["closing", "until the end"])
    @BOTH_VERSIONS
    async def test_loop_resumes_a_session(
        self, run: RunOn, ask: Asking, tls: NewTls, answer: Answerer, version: ssl.TLSVersion
    ) -> None:
        async def scenario() -> None:
            async with host(answer, tls(version=version)) as server:
                assert await ask(server.address, 3) == [ANSWER] * 3
                assert [seen.was_resumed for seen in server.seen] == [False, True, True]

        await run(scenario())

    @BOTH_VERSIONS
    async def test_loop_reports_a_connection_that_ends_without_an_answer(
        self, run: RunOn, ask: Asking, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async def scenario() -> None:
            async with host(in_turn(responding(ANSWER), hang_up), tls(version=version)) as server:
                first, second = await ask(server.address, 2)
            assert first == ANSWER
            assert failure_of(second) == (Cause.CONNECTION, True, "a conexão foi encerrada sem resposta")
            assert len(server.seen) == 2

        await run(scenario())

    @BOTH_VERSIONS
    async def test_loop_reports_a_truncated_answer(
        self, run: RunOn, ask: Asking, tls: NewTls, version: ssl.TLSVersion
    ) -> None:
        async def scenario() -> None:
            async with host(responding(ANSWER, length=99), tls(version=version)) as server:
                (outcome,) = await ask(server.address)
            assert failure_of(outcome) == (Cause.UNREADABLE, True, "a resposta foi cortada")

        await run(scenario())

    async def test_loop_reports_a_silent_server(self, run: RunOn, ask: Asking, tls: NewTls) -> None:
        async def scenario() -> None:
            async with host(silence, tls()) as server:
                (outcome,) = await ask(server.address, timeouts=AuthorityTimeouts(10, 0.3))
            assert failure_of(outcome) == (Cause.TIMEOUT, True, "a resposta não veio a tempo")

        await run(scenario())

    async def test_loop_reports_an_endless_handshake(self, run: RunOn, ask: Asking) -> None:
        async def scenario() -> None:
            async with bare_host(silence) as address:
                (outcome,) = await ask(address, timeouts=HASTY)
            assert failure_of(outcome) == (Cause.TIMEOUT, False, "a negociação TLS não terminou a tempo")

        await run(scenario())
