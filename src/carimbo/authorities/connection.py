"""One TLS connection to a server, which carries one request after another."""

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, cast

from carimbo.authorities.http_response import HttpResponse, ResponseReader, UnreadableResponse
from carimbo.authorities.request import AuthorityTimeouts, RequestProgress, RequestStage, ServerAddress

# RFC 8305: an unreachable address must not use up the whole timeout, as IPv6 does in some networks.
_HEAD_START_SECONDS = 0.25
# How long the server may take to close its side of TLS.
_TLS_SHUTDOWN_SECONDS = 1

_ConnectTask = asyncio.Task[socket.socket]


async def dial(server: ServerAddress) -> socket.socket:
    """Connects to the first address of a server that accepts; each address has a head start on the next."""
    loop = asyncio.get_running_loop()
    addresses = deque(await loop.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM))
    attempts: list[_ConnectTask] = []
    try:
        while True:
            if addresses:
                attempts.append(loop.create_task(_connect(*addresses.popleft())))
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


async def _connect(family: int, kind: int, protocol: int, _: str, address: tuple[Any, ...]) -> socket.socket:
    connected = socket.socket(family, kind, protocol)
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


@dataclass(frozen=True, slots=True)
class _PendingRequest:
    """A request that waits for its response."""

    progress: RequestProgress
    read_seconds: float
    """Limit between two reads."""
    response: asyncio.Future[HttpResponse]
    reader: ResponseReader


class HttpConnection(asyncio.Protocol):
    """Sends requests and reads responses. It never sends a request twice, and notices a close at once."""

    _transport: asyncio.Transport

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.closed: asyncio.Future[None] = self._loop.create_future()
        """Done when the connection is fully closed."""
        self._is_closing = False
        self._error: Exception | None = None
        self._pending: _PendingRequest | None = None
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    async def open(
        cls,
        server: ServerAddress,
        context: ssl.SSLContext,
        timeouts: AuthorityTimeouts,
        progress: RequestProgress,
    ) -> Self:
        """Connects and performs the TLS handshake, each within its own time limit."""
        progress.stage = RequestStage.CONNECTING
        async with asyncio.timeout(timeouts.connect_seconds):
            connected = await dial(server)
        progress.stage = RequestStage.HANDSHAKE
        async with asyncio.timeout(timeouts.connect_seconds):
            _, connection = await asyncio.get_running_loop().create_connection(
                cls,
                sock=connected,
                ssl=context,
                server_hostname=server.host,
                ssl_handshake_timeout=timeouts.whole_seconds,
                ssl_shutdown_timeout=_TLS_SHUTDOWN_SECONDS,
            )
        return connection

    @property
    def is_open(self) -> bool:
        """Whether the connection can carry another request."""
        return not self._is_closing and not self._transport.is_closing()

    async def send(
        self, request: bytes, progress: RequestProgress, read_seconds: float, *, has_body: bool = True
    ) -> HttpResponse:
        """Sends a request and returns its response; `read_seconds` limits the wait for the next bytes."""
        if not self.is_open:
            await asyncio.wait([self.closed])
            raise self._error or ConnectionResetError
        response: asyncio.Future[HttpResponse] = self._loop.create_future()
        self._pending = _PendingRequest(progress, read_seconds, response, ResponseReader(has_body=has_body))
        progress.stage = RequestStage.SENDING
        self._transport.write(request)
        self._start_timer(read_seconds, self._time_out)
        try:
            return await response
        except BaseException:
            self.abort()
            raise
        finally:
            self._pending = None

    def stay_idle(self, seconds: float) -> None:
        """Keeps the connection open for the next request, for a limited time."""
        self._start_timer(seconds, self.close)

    def close(self) -> None:
        """Closes the connection with a proper TLS shutdown."""
        self._is_closing = True
        self._stop_timer()
        self._transport.close()

    def abort(self) -> None:
        """Closes the connection at once, even during a request."""
        self._is_closing = True
        self._stop_timer()
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport; called after the TLS handshake."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Reads bytes of the response.

        Bytes without a request would be mistaken for the next response, so they end the connection.
        """
        pending = self._pending
        if pending is None or pending.response.done():
            self.abort()
            return
        try:
            pending.reader.feed(data)
        except UnreadableResponse as error:
            pending.response.set_exception(error)
            return
        if pending.reader.has_head:
            pending.progress.stage = RequestStage.ANSWERING
        if pending.reader.answer is None:
            self._start_timer(pending.read_seconds, self._time_out)
            return
        self._stop_timer()
        pending.response.set_result(pending.reader.answer)
        if pending.reader.is_last:
            self.close()

    def eof_received(self) -> None:
        """Accepts no further request."""
        self._is_closing = True

    def connection_lost(self, error: Exception | None) -> None:
        """Ends the pending request: with its response if the close completes one, with an error otherwise."""
        self._is_closing = True
        self._error = error
        self._stop_timer()
        pending = self._pending
        if pending and not pending.response.done():
            response = None if error else pending.reader.end()
            if response:
                pending.response.set_result(response)
            else:
                pending.response.set_exception(error or ConnectionResetError())
        self.closed.set_result(None)

    def _time_out(self) -> None:
        if self._pending and not self._pending.response.done():
            self._pending.response.set_exception(TimeoutError())

    def _start_timer(self, seconds: float, action: Callable[[], None]) -> None:
        self._stop_timer()
        self._timer = self._loop.call_later(seconds, action)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
