"""Pools of connections to the authorities, one per company certificate; a connection serves one company."""

import asyncio
import socket
import ssl
from collections import defaultdict
from types import TracebackType
from typing import Self

from carimbo.authorities.request import AuthorityTimeouts, ParsedUrl, ServerAddress
from carimbo.authorities.tls import TrustStore, tls_context_for
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.http_client.connection import HttpConnection
from carimbo.http_client.dialing import SocketAddress, dial
from carimbo.http_client.idle_connections import IdleConnections, close_all
from carimbo.http_client.progress import RequestProgress, RequestStage
from carimbo.http_client.response_reader import HttpResponse, ResponseReader

# Requests at the same time to one service of one authority.
_MAX_REQUESTS = 20


def _slots() -> asyncio.Semaphore:
    return asyncio.Semaphore(_MAX_REQUESTS)


async def _resolve(server: ServerAddress) -> list[SocketAddress]:
    loop = asyncio.get_running_loop()
    answers = await loop.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    return [(str(address[0]), server.port) for *_, address in answers]


class ConnectionPool:
    """The connections of one certificate.

    Each URL has its own slots, so a service that hangs does not block the others.
    """

    def __init__(
        self, context: ssl.SSLContext, timeouts: AuthorityTimeouts, open_connections: set[HttpConnection]
    ) -> None:
        self.users = 0
        """Number of requests that are running or waiting for a slot."""
        self._context = context
        self._timeouts = timeouts
        self._idle = IdleConnections(open_connections)
        self._slots: defaultdict[ParsedUrl, asyncio.Semaphore] = defaultdict(_slots)

    async def send(self, url: ParsedUrl, request: bytes, reader: ResponseReader) -> HttpResponse:
        """Sends a request once, as soon as a slot is free, and returns the response."""
        self.users += 1
        try:
            slots = self._slots[url]
            # Usually a slot is free, and no timer is needed.
            async with asyncio.timeout(self._timeouts.slot_seconds if slots.locked() else None):
                await slots.acquire()
            try:
                return await self._send_now(url.server, request, reader)
            finally:
                slots.release()
        finally:
            self.users -= 1

    def close(self) -> None:
        """Closes the idle connections."""
        self._idle.close()

    async def _send_now(self, server: ServerAddress, request: bytes, reader: ResponseReader) -> HttpResponse:
        connection = self._idle.take(server) or await self._open(server, reader.progress)
        response = await connection.send(request, reader, self._timeouts.read_seconds)
        self._idle.keep(server, connection)
        return response

    async def _open(self, server: ServerAddress, progress: RequestProgress) -> HttpConnection:
        """Connects and performs the TLS handshake, each within its own time limit."""
        progress.stage = RequestStage.CONNECTING
        async with asyncio.timeout(self._timeouts.connect_seconds):
            connected = await dial(await _resolve(server))
        progress.stage = RequestStage.HANDSHAKE
        async with asyncio.timeout(self._timeouts.connect_seconds):
            connection = await HttpConnection.over_tls(connected, self._context, server.host)
        self._idle.add(server, connection)
        return connection


class ConnectionPools:
    """One pool per certificate. Above the limit, the pools unused for longest are closed."""

    def __init__(self, trust: TrustStore, timeouts: AuthorityTimeouts, max_certificates: int = 200) -> None:
        self.timeouts = timeouts
        self._trust = trust
        self._max_pools = max_certificates
        self._pools: dict[str, ConnectionPool] = {}
        self._open_connections: set[HttpConnection] = set()

    def of(self, certificate: A1Certificate) -> ConnectionPool:
        """Returns the pool of a certificate, to be used at once: a later call may close an unused pool."""
        pool = self._pools.pop(certificate.fingerprint, None)
        if pool is None:
            context = tls_context_for(certificate, self._trust)
            pool = ConnectionPool(context, self.timeouts, self._open_connections)
        self._close_surplus()
        self._pools[certificate.fingerprint] = pool
        return pool

    async def close(self) -> None:
        """Closes all connections and waits until they are closed."""
        self._pools.clear()
        await close_all(self._open_connections)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _close_surplus(self) -> None:
        """Makes room for one more pool; a pool in use is never closed."""
        surplus = len(self._pools) + 1 - self._max_pools
        if surplus <= 0:
            return
        unused = [fingerprint for fingerprint, pool in self._pools.items() if not pool.users]
        for fingerprint in unused[:surplus]:
            self._pools.pop(fingerprint).close()
