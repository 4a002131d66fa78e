"""Connects to a server that has several addresses."""

import asyncio
import socket
from collections import deque
from collections.abc import Sequence

# RFC 8305: an unreachable address must not use up the whole timeout, as IPv6 does in some networks.
_HEAD_START_SECONDS = 0.25

SocketAddress = tuple[str, int]
"""An IP address and a port."""

_ConnectTask = asyncio.Task[socket.socket]


async def dial(candidates: Sequence[SocketAddress]) -> socket.socket:
    """Connects to the first address that accepts; each address has a head start on the next."""
    loop = asyncio.get_running_loop()
    addresses = deque(candidates)
    attempts: list[_ConnectTask] = []
    try:
        while True:
            if addresses:
                attempts.append(loop.create_task(_connect(addresses.popleft())))
            connected = await _first_connected(attempts, _HEAD_START_SECONDS if addresses else None)
            if connected:
                attempts.remove(connected)
                return connected.result()
            if not addresses and all(attempt.done() for attempt in attempts):
                return attempts[-1].result()
    finally:
        for attempt in attempts:
            attempt.cancel()
        for unused in await asyncio.gather(*attempts, return_exceptions=True):
            if isinstance(unused, socket.socket):
                unused.close()


async def _connect(address: SocketAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    connected = socket.socket(family, socket.SOCK_STREAM)
    try:
        connected.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connected, address)
    except BaseException:
        connected.close()
        raise
    return connected


async def _first_connected(attempts: list[_ConnectTask], seconds: float | None) -> _ConnectTask | None:
    """Waits until one more attempt ends or the time is over; returns a successful attempt, if any."""
    await asyncio.wait(
        [attempt for attempt in attempts if not attempt.done()],
        timeout=seconds,
        return_when=asyncio.FIRST_COMPLETED,
    )
    return next((attempt for attempt in attempts if attempt.done() and not attempt.exception()), None)
