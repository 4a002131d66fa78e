"""Connections that wait for their next request."""

import asyncio
from collections.abc import Hashable

from carimbo.http_client.connection import HttpConnection

# A new connection is cheap. A request on a connection that the server is closing is expensive: nobody knows
# whether it arrived.
_IDLE_SECONDS = 15


class IdleConnections:
    """Keeps connections by their server. The last used is used first, so that few stay open."""

    def __init__(self, open_connections: set[HttpConnection]) -> None:
        self._open = open_connections
        self._idle: dict[Hashable, dict[HttpConnection, None]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, server: Hashable, connection: HttpConnection) -> None:
        """Follows a new connection until it is closed."""
        self._open.add(connection)

        def forget(_: asyncio.Future[None]) -> None:
            self._open.discard(connection)
            idle = self._idle.get(server, {})
            if connection in idle:
                del idle[connection]
                self._count -= 1
            if not idle:
                self._idle.pop(server, None)

        connection.closed.add_done_callback(forget)

    def take(self, server: Hashable) -> HttpConnection | None:
        """Returns an open connection to a server that nobody uses, if there is one."""
        idle = self._idle.get(server)
        while idle:
            connection, _ = idle.popitem()
            self._count -= 1
            if connection.is_open:
                return connection
        return None

    def keep(self, server: Hashable, connection: HttpConnection) -> None:
        """Keeps a connection for the next request, if it is still open."""
        if connection.is_open:
            connection.stay_idle(_IDLE_SECONDS)
            self._idle.setdefault(server, {})[connection] = None
            self._count += 1

    def close(self) -> None:
        """Closes the idle connections."""
        for idle in self._idle.values():
            for connection in idle:
                connection.close()


async def close_all(connections: set[HttpConnection]) -> None:
    """Closes connections, even during a request, and waits until they are closed."""
    for connection in connections:
        connection.close()
    if connections:
        await asyncio.wait([connection.closed for connection in connections])
