"""One connection to a server, which carries one request after another."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import NamedTuple, Self, cast

from carimbo.http_client.progress import RequestStage
from carimbo.http_client.response_reader import HttpResponse, ResponseReader, UnreadableResponse

# Longer than any caller waits: callers have their own limits.
_TLS_HANDSHAKE_SECONDS = 3600
# How long the server may take to close its side of TLS.
_TLS_SHUTDOWN_SECONDS = 1


class _PendingRequest(NamedTuple):
    """A request that waits for its response."""

    reader: ResponseReader
    read_seconds: float | None
    """Limit between two reads."""
    response: asyncio.Future[HttpResponse]


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
    async def over(cls, connected: socket.socket) -> Self:
        """Returns a connection without TLS over a connected socket."""
        _, connection = await asyncio.get_running_loop().create_connection(cls, sock=connected)
        return connection

    @classmethod
    async def over_tls(cls, connected: socket.socket, context: ssl.SSLContext, host: str) -> Self:
        """Performs the TLS handshake over a connected socket; the certificate must be of this host."""
        _, connection = await asyncio.get_running_loop().create_connection(
            cls,
            sock=connected,
            ssl=context,
            server_hostname=host,
            ssl_handshake_timeout=_TLS_HANDSHAKE_SECONDS,
            ssl_shutdown_timeout=_TLS_SHUTDOWN_SECONDS,
        )
        return connection

    @property
    def is_open(self) -> bool:
        """Whether the connection can carry another request."""
        return not self._is_closing and not self._transport.is_closing()

    async def send(self, request: bytes, reader: ResponseReader, read_seconds: float | None) -> HttpResponse:
        """Sends a request and returns its response; `read_seconds` limits the wait for the next bytes."""
        if not self.is_open:
            await asyncio.wait([self.closed])
            raise self._error or ConnectionResetError
        response: asyncio.Future[HttpResponse] = self._loop.create_future()
        self._pending = _PendingRequest(reader, read_seconds, response)
        reader.progress.stage = RequestStage.SENDING
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
        """Closes the connection, with a proper TLS shutdown."""
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

    def _start_timer(self, seconds: float | None, action: Callable[[], None]) -> None:
        self._stop_timer()
        if seconds is not None:
            self._timer = self._loop.call_later(seconds, action)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
