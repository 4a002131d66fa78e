"""Servers with several addresses, some of them unreachable."""

import asyncio
import socket
from collections.abc import Iterator

import pytest

from carimbo.authorities.connection import dial
from carimbo.authorities.request import ServerAddress
from support import LOOPBACK, free_port


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server((LOOPBACK, 0)) as listener:
        yield listener


def port_of(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port


def serve_at(monkeypatch: pytest.MonkeyPatch, *ports: int) -> ServerAddress:
    """Returns a server whose name resolves to these ports, in this order."""

    async def resolve(*_: object, **__: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (LOOPBACK, port)) for port in ports]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    return ServerAddress("several.example", 443)


class TestDialing:
    async def test_dial_connects_to_the_first_address(
        self, listener: socket.socket, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve_at(monkeypatch, port_of(listener), full_port)
        with await dial(server) as connection:
            assert connection.getpeername() == listener.getsockname()

    async def test_dial_skips_addresses_that_refuse_or_do_not_answer(
        self, listener: socket.socket, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve_at(monkeypatch, free_port(), full_port, free_port(), port_of(listener))
        with await dial(server) as connection:
            assert connection.getpeername() == listener.getsockname()

    async def test_dial_waits_for_an_early_address_while_it_tries_later_ones(
        self, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = serve_at(monkeypatch, full_port, free_port(), free_port())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await dial(server)

    async def test_dial_fails_with_the_error_of_the_last_address(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first is usually IPv6, which is unreachable on IPv4-only machines."""
        server = serve_at(monkeypatch, 0, free_port())
        with pytest.raises(ConnectionRefusedError):
            await dial(server)

    async def test_cancelled_dial_leaves_no_tasks_behind(
        self, full_port: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tasks = asyncio.all_tasks()
        calling = asyncio.create_task(dial(serve_at(monkeypatch, full_port, full_port)))
        await asyncio.sleep(0)
        calling.cancel()
        await asyncio.wait([calling])
        assert (calling.cancelled(), asyncio.all_tasks() - tasks) == (True, set())
