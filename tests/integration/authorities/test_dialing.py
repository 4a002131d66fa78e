"""Servers with several addresses, some of which lead nowhere."""

import asyncio
import socket
from collections.abc import Iterator

import pytest

from carimbo.authorities.address import Server
from carimbo.authorities.dialing import dial
from support import LOOPBACK, free_port


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server((LOOPBACK, 0)) as listener:
        yield listener


def port_of(one: socket.socket) -> int:
    port: int = one.getsockname()[1]
    return port


def serve_at(monkeypatch: pytest.MonkeyPatch, *ports: int) -> Server:
    """A server whose name leads to these ports, one after the other."""

    async def found(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (LOOPBACK, port)) for port in ports]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", found)
    return Server("several.example", 443)


class TestDialing:
    async def test_reaches_the_first_address(
        self, listener: socket.socket, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve_at(monkeypatch, port_of(listener), full_port)
        with await dial(server) as line:
            assert line.getpeername() == listener.getsockname()

    async def test_passes_over_addresses_that_refuse_or_do_not_answer(
        self, listener: socket.socket, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve_at(monkeypatch, free_port(), full_port, free_port(), port_of(listener))
        with await dial(server) as line:
            assert line.getpeername() == listener.getsockname()

    async def test_waits_for_an_early_address_while_it_tries_later_ones(
        self, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve_at(monkeypatch, full_port, free_port(), free_port())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await dial(server)

    async def test_fails_as_the_last_address_did(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first is of IPv6 as a rule, which is out of reach where only IPv4 is."""
        server = serve_at(monkeypatch, 0, free_port())
        with pytest.raises(ConnectionRefusedError):
            await dial(server)

    async def test_leaves_nothing_behind_when_it_is_given_up(
        self, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tasks = asyncio.all_tasks()
        calling = asyncio.create_task(dial(serve_at(monkeypatch, full_port, full_port)))
        await asyncio.sleep(0)
        calling.cancel()
        await asyncio.wait([calling])
        assert (calling.cancelled(), asyncio.all_tasks() - tasks) == (True, set())
