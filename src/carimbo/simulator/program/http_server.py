"""HTTP/1.1 server of the simulator: listens on a port, with or without TLS."""

import asyncio
import socket
import ssl

import structlog

from carimbo.simulator.http import RequestHandler
from carimbo.simulator.program.http_connection import Connection, Limits

__all__ = ["HttpServer", "Limits", "serve"]

_log = structlog.get_logger("carimbo.simulator")
_BACKLOG = 1024
_ACCEPT_PAUSE_SECONDS = 0.1


async def serve(
    answer: RequestHandler, host: str, port: int, *, tls: ssl.SSLContext | None, limits: Limits | None = None
) -> "HttpServer":
    """Listens on an address; port 0 is any free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    listener.setblocking(False)
    return HttpServer(answer, listener, tls, limits or Limits())


class HttpServer:
    """A listening port."""

    def __init__(
        self, answer: RequestHandler, listener: socket.socket, tls: ssl.SSLContext | None, limits: Limits
    ) -> None:
        self.port: int = listener.getsockname()[1]
        self._answer = answer
        self._listener = listener
        self._tls = tls
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._connections: set[Connection] = set()
        self._handshakes: set[asyncio.Task[None]] = set()
        self._accepting = self._loop.create_task(self._accept())

    async def close(self) -> None:
        """Stops listening, and closes every connection."""
        for tasks in ({self._accepting}, self._handshakes):
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
                # Usually out of file descriptors: some will be free soon.
                await asyncio.sleep(_ACCEPT_PAUSE_SECONDS)
                continue
            if len(self._connections) < self._limits.connections:
                self._start_connection(client)
            else:
                client.close()
            # Accepting a long queue does not yield by itself, and other tasks would wait.
            await asyncio.sleep(0)

    def _start_connection(self, client: socket.socket) -> None:
        connection = Connection(self._answer, self._limits)
        self._connections.add(connection)
        connection.over.add_done_callback(lambda _: self._connections.discard(connection))
        task = self._loop.create_task(self._shake_hands(client, connection))
        self._handshakes.add(task)
        task.add_done_callback(self._handshakes.discard)

    async def _shake_hands(self, client: socket.socket, connection: Connection) -> None:
        """Hands a client over to its connection, after the TLS handshake if there is one."""
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
