"""The connections of one certificate, held open for the next request."""

import asyncio
import ssl
from collections import defaultdict

from carimbo.authorities.address import Address, Server
from carimbo.authorities.channel import Channel
from carimbo.authorities.http_answer import Answer
from carimbo.authorities.journey import Journey
from carimbo.authorities.patience import Patience

# A new connection is cheap, as its session is resumed; a request on one that the other side is just closing
# is not, for it leaves the fate of the document open.
_IDLE_SECONDS = 15
# At once, to one service of one authority.
_MOST_REQUESTS = 20


def _room() -> asyncio.Semaphore:
    return asyncio.Semaphore(_MOST_REQUESTS)


class Pool:
    """Puts requests on connections; the one that was used last is used first, so that few are kept.

    Each address has room of its own: a service that hangs fills its own and nobody else's.
    """

    def __init__(self, context: ssl.SSLContext, patience: Patience, living: set[Channel]) -> None:
        self.users = 0
        """Requests that are on their way or wait for their turn."""
        self._context = context
        self._patience = patience
        self._living = living
        self._idle: defaultdict[Server, dict[Channel, None]] = defaultdict(dict)
        self._rooms: defaultdict[Address, asyncio.Semaphore] = defaultdict(_room)

    async def ask(
        self, address: Address, request: bytes, journey: Journey, *, has_body: bool = True
    ) -> Answer:
        """Send a request when there is room for it, once, and wait for the answer, which may lack a body."""
        self.users += 1
        try:
            room = self._rooms[address]
            # Nearly all find room, and need no timer.
            async with asyncio.timeout(self._patience.room_seconds if room.locked() else None):
                await room.acquire()
            try:
                return await self._on_channel(address.server, request, journey, has_body)
            finally:
                room.release()
        finally:
            self.users -= 1

    def close(self) -> None:
        """Close the connections that no request is on."""
        for channels in self._idle.values():
            for channel in channels:
                channel.close()
        self._idle.clear()

    async def _on_channel(self, server: Server, request: bytes, journey: Journey, has_body: bool) -> Answer:
        channel = self._rested(server) or await self._opened(server, journey)
        answer = await channel.ask(request, journey, self._patience.read_seconds, has_body=has_body)
        if channel.is_open:
            channel.rest(_IDLE_SECONDS)
            self._idle[server][channel] = None
        return answer

    def _rested(self, server: Server) -> Channel | None:
        idle = self._idle[server]
        while idle:
            channel, _ = idle.popitem()
            if channel.is_open:
                return channel
        return None

    async def _opened(self, server: Server, journey: Journey) -> Channel:
        channel = await Channel.open(server, self._context, self._patience, journey)
        self._living.add(channel)

        def forget(_: asyncio.Future[None]) -> None:
            self._living.discard(channel)
            self._idle[server].pop(channel, None)

        channel.ended.add_done_callback(forget)
        return channel
