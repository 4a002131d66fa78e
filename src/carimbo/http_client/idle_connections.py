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
        self._servers: dict[HttpConnection, Hashable] = {}
        """The server of each idle connection."""
        self._by_server: dict[Hashable, dict[HttpConnection, None]] = {}

    def __len__(self) -> int:
        return len(self._servers)

    def add(self, connection: HttpConnection) -> None:
        """Follows a new connection until it is closed."""
        self._open.add(connection)

        def forget(_: asyncio.Future[None]) -> None:
            self._open.discard(connection)
            self._remove(connection)

        connection.closed.add_done_callback(forget)

    def take(self, server: Hashable) -> HttpConnection | None:
        """Returns an open connection to a server that nobody uses, if there is one."""
        while connections := self._by_server.get(server):
            connection = next(reversed(connections))
            self._remove(connection)
            if connection.is_open:
                return connection
        return None

    def keep(self, server: Hashable, connection: HttpConnection) -> None:
        """Keeps a connection for the next request, if it is still open."""
        if connection.is_open:
            connection.stay_idle(_IDLE_SECONDS)
            self._servers[connection] = server
            self._by_server.setdefault(server, {})[connection] = None

    def close(self) -> None:
        """Closes the idle connections."""
        for connection in self._servers:
            connection.close()
        self._servers.clear()
        self._by_server.clear()

    def _remove(self, connection: HttpConnection) -> None:
        if connection in self._servers:
            server = self._servers.pop(connection)
            connections = self._by_server[server]
            del connections[connection]
            if not connections:
                del self._by_server[server]


async def close_all(connections: set[HttpConnection]) -> None:
    """Closes connections, even during a request, and waits until they are closed."""
    for connection in connections:
        connection.close()
    if connections:
        await asyncio.wait([connection.closed for connection in connections])
