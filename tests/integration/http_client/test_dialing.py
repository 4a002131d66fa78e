"""Servers with several addresses, some of them unreachable."""

import asyncio
import socket
from collections.abc import Iterator

import pytest

from carimbo.http_client.dialing import SocketAddress, dial
from support import LOOPBACK, free_port


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server((LOOPBACK, 0)) as listener:
        yield listener


def port_of(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port


def addresses_of(*ports: int) -> list[SocketAddress]:
    return [(LOOPBACK, port) for port in ports]


class TestDialing:
    async def test_dial_connects_to_the_first_address(self, listener: socket.socket, full_port: int) -> None:
        addresses = addresses_of(port_of(listener), full_port)
        with await dial(addresses) as connection:
            assert connection.getpeername() == listener.getsockname()

    async def test_dial_skips_addresses_that_refuse_or_do_not_answer(
        self, listener: socket.socket, full_port: int
    ) -> None:
        addresses = addresses_of(free_port(), full_port, free_port(), port_of(listener))
        with await dial(addresses) as connection:
            assert connection.getpeername() == listener.getsockname()

    async def test_dial_waits_for_an_early_address_while_it_tries_later_ones(self, full_port: int) -> None:
        addresses = addresses_of(full_port, free_port(), free_port())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await dial(addresses)

    async def test_dial_fails_with_the_error_of_the_last_address(self) -> None:
        """The first is usually IPv6, which is unreachable on IPv4-only machines."""
        addresses = addresses_of(0, free_port())
        with pytest.raises(ConnectionRefusedError):
            await dial(addresses)

    async def test_cancelled_dial_leaves_no_tasks_behind(self, full_port: int) -> None:
        tasks = asyncio.all_tasks()
        calling = asyncio.create_task(dial(addresses_of(full_port, full_port)))
        await asyncio.sleep(0)
        calling.cancel()
        await asyncio.wait([calling])
        assert (calling.cancelled(), asyncio.all_tasks() - tasks) == (True, set())
