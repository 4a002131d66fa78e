"""A TCP connection to a server that may have several addresses."""

import asyncio
import socket
from collections import deque
from collections.abc import Iterable
from typing import Any

from carimbo.authorities.address import Server

# RFC 8305: an address that leads nowhere must not cost the whole time-out, as IPv6 does in some networks.
_HEAD_START_SECONDS = 0.25

_Call = asyncio.Task[socket.socket]


async def dial(server: Server) -> socket.socket:
    """Connect to that address of a server which answers first; each has a head start on the next."""
    loop = asyncio.get_running_loop()
    found = deque(await loop.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM))
    calls: list[_Call] = []
    try:
        while True:
            if found:
                calls.append(loop.create_task(_call(*found.popleft())))
            answered = await _first(calls, _HEAD_START_SECONDS if found else None)
            if answered:
                calls.remove(answered)
                return answered.result()
            if not found and all(call.done() for call in calls):
                return calls[-1].result()
    finally:
        await _hang_up(calls)


async def _call(family: int, kind: int, protocol: int, _: str, address: tuple[Any, ...]) -> socket.socket:
    line = socket.socket(family, kind, protocol)
    try:
        line.setblocking(False)
        await asyncio.get_running_loop().sock_connect(line, address)
    except BaseException:
        line.close()
        raise
    return line


async def _first(calls: list[_Call], seconds: float | None) -> _Call | None:
    """Wait until one call more is answered or in vain, or time is up; give one that was answered."""
    await asyncio.wait(
        [call for call in calls if not call.done()], timeout=seconds, return_when=asyncio.FIRST_COMPLETED
    )
    return next((call for call in calls if call.done() and not call.exception()), None)


async def _hang_up(calls: Iterable[_Call]) -> None:
    for call in calls:
        call.cancel()
    for line in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(line, socket.socket):
            line.close()
