"""Pools of connections to the authorities, one per company certificate; a connection serves one company."""

import asyncio
import ssl
from collections import defaultdict
from types import TracebackType
from typing import Self

from carimbo.authorities.connection import HttpConnection
from carimbo.authorities.http_response import HttpResponse
from carimbo.authorities.request import AuthorityTimeouts, ParsedUrl, RequestProgress, ServerAddress
from carimbo.authorities.tls import TrustStore, tls_context_for
from carimbo.fiscal.identity.certificate import A1Certificate

# A new connection is cheap, because TLS sessions are resumed. A request on a connection that the server is
# closing is expensive: nobody knows whether the document arrived.
_IDLE_SECONDS = 15
# Requests at the same time to one service of one authority.
_MAX_REQUESTS = 20


def _slots() -> asyncio.Semaphore:
    return asyncio.Semaphore(_MAX_REQUESTS)


class ConnectionPool:
    """The connections of one certificate. The last used is used first, so that few stay open.

    Each URL has its own slots, so a service that hangs does not block the others.
    """

    def __init__(
        self, context: ssl.SSLContext, timeouts: AuthorityTimeouts, all_connections: set[HttpConnection]
    ) -> None:
        self.users = 0
        """Number of requests that are running or waiting for a slot."""
        self._context = context
        self._timeouts = timeouts
        self._all_connections = all_connections
        self._idle: defaultdict[ServerAddress, dict[HttpConnection, None]] = defaultdict(dict)
        self._slots: defaultdict[ParsedUrl, asyncio.Semaphore] = defaultdict(_slots)

    async def send(
        self, url: ParsedUrl, request: bytes, progress: RequestProgress, *, has_body: bool = True
    ) -> HttpResponse:
        """Sends a request once, as soon as a slot is free, and returns the response.

        `has_body` is false for HEAD, whose response has no body.
        """
        self.users += 1
        try:
            slots = self._slots[url]
            # Usually a slot is free, and no timer is needed.
            async with asyncio.timeout(self._timeouts.slot_seconds if slots.locked() else None):
                await slots.acquire()
            try:
                return await self._send_now(url.server, request, progress, has_body)
            finally:
                slots.release()
        finally:
            self.users -= 1

    def close(self) -> None:
        """Closes the idle connections."""
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    async def _send_now(
        self, server: ServerAddress, request: bytes, progress: RequestProgress, has_body: bool
    ) -> HttpResponse:
        connection = self._take_idle(server) or await self._open(server, progress)
        response = await connection.send(request, progress, self._timeouts.read_seconds, has_body=has_body)
        if connection.is_open:
            connection.stay_idle(_IDLE_SECONDS)
            self._idle[server][connection] = None
        return response

    def _take_idle(self, server: ServerAddress) -> HttpConnection | None:
        idle = self._idle[server]
        while idle:
            connection, _ = idle.popitem()
            if connection.is_open:
                return connection
        return None

    async def _open(self, server: ServerAddress, progress: RequestProgress) -> HttpConnection:
        connection = await HttpConnection.open(server, self._context, self._timeouts, progress)
        self._all_connections.add(connection)

        def forget(_: asyncio.Future[None]) -> None:
            self._all_connections.discard(connection)
            self._idle[server].pop(connection, None)

        connection.closed.add_done_callback(forget)
        return connection


class ConnectionPools:
    """One pool per certificate. Above the limit, the pools unused for longest are closed."""

    def __init__(self, trust: TrustStore, timeouts: AuthorityTimeouts, max_certificates: int = 200) -> None:
        self.timeouts = timeouts
        self._trust = trust
        self._max_pools = max_certificates
        self._pools: dict[str, ConnectionPool] = {}
        self._all_connections: set[HttpConnection] = set()

    def of(self, certificate: A1Certificate) -> ConnectionPool:
        """Returns the pool of a certificate, to be used at once: a later call may close an unused pool."""
        pool = self._pools.pop(certificate.fingerprint, None)
        if pool is None:
            context = tls_context_for(certificate, self._trust)
            pool = ConnectionPool(context, self.timeouts, self._all_connections)
        self._close_surplus()
        self._pools[certificate.fingerprint] = pool
        return pool

    async def close(self) -> None:
        """Closes all connections and waits until they are closed."""
        self._pools.clear()
        for connection in self._all_connections:
            connection.close()
        if self._all_connections:
            await asyncio.wait([connection.closed for connection in self._all_connections])

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
