"""The simulator's HTTP/1.1 server: a port, plain or with TLS, and what its clients may do to it."""

import asyncio
import socket
import ssl

import structlog

from carimbo.simulator.http import Answerer
from carimbo.simulator.http_connection import Connection
from carimbo.simulator.http_reading import Limits

__all__ = ["Limits", "Server", "serve"]

_log = structlog.get_logger("carimbo.simulator")
_BACKLOG = 1024
_BREATH_SECONDS = 0.1


async def serve(
    answer: Answerer, host: str, port: int, *, tls: ssl.SSLContext | None, limits: Limits | None = None
) -> "Server":
    """Listen on an address, at once; port 0 is any that is free. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    listener.setblocking(False)
    return Server(answer, listener, tls, limits or Limits())


class Server:
    """A port that is listened on until it is closed."""

    def __init__(
        self, answer: Answerer, listener: socket.socket, tls: ssl.SSLContext | None, limits: Limits
    ) -> None:
        self.port: int = listener.getsockname()[1]
        self._answer = answer
        self._listener = listener
        self._tls = tls
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._connections: set[Connection] = set()
        self._welcomes: set[asyncio.Task[None]] = set()
        self._accepting = self._loop.create_task(self._accept())

    async def close(self) -> None:
        """Stop listening, and end every connection."""
        for tasks in ({self._accepting}, self._welcomes):
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._listener.close()
        connections = tuple(self._connections)
        for connection in connections:
            connection.end()
        await asyncio.gather(*(connection.over for connection in connections))

    async def _accept(self) -> None:
        while True:
            try:
                client, _ = await self._loop.sock_accept(self._listener)
            except OSError:
                # Out of file descriptors, as a rule: some will be free soon.
                await asyncio.sleep(_BREATH_SECONDS)
                continue
            if len(self._connections) < self._limits.connections:
                self._begin(client)
            else:
                client.close()
            # A queue of clients is accepted without a pause, and others would wait for its end.
            await asyncio.sleep(0)

    def _begin(self, client: socket.socket) -> None:
        connection = Connection(self._answer, self._limits)
        self._connections.add(connection)
        connection.over.add_done_callback(lambda _: self._connections.discard(connection))
        task = self._loop.create_task(self._welcome(client, connection))
        self._welcomes.add(task)
        task.add_done_callback(self._welcomes.discard)

    async def _welcome(self, client: socket.socket, connection: Connection) -> None:
        """Hand a client over to its connection, after the TLS handshake if there is one."""
        seconds = self._limits.handshake_seconds if self._tls else None
        try:
            await self._loop.connect_accepted_socket(
                lambda: connection, client, ssl=self._tls, ssl_handshake_timeout=seconds
            )
        except OSError as error:
            _log.info("handshake_refused", reason=str(error) or type(error).__name__)
        finally:
            if not connection.has_begun:
                self._connections.discard(connection)
