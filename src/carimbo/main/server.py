"""The HTTP server of the API: uvicorn with request limits and a graceful stop.

uvicorn keeps a connection open for as long as a request is incomplete, and collects its headers without a
limit. Here a request that arrives too slowly, or whose head is too large, is answered in the error envelope
and the connection is closed. Trailers after a chunked body are dropped, and have the same limit as a head.
"""

import asyncio
import socket
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar
from uuid import uuid4

import structlog
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from carimbo.api.errors import refusal_response
from carimbo.main.tables import TableReloader
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.web.connections import make_abortable

_log = structlog.get_logger("carimbo.api")
# The API itself answers a slow body (api/middleware.py). This only closes connections that continue after
# that answer.
_GRACE_SECONDS = 5.0
_NOT_ASCII = (
    "O endereço da requisição tem caracteres que precisam ser codificados, como acentos e espaços: escreva"
    " cer%C3%A2mica em vez de cerâmica. Com curl, use -G --data-urlencode 'search=cerâmica'."
)
_NOT_HTTPS = "Esta porta fala HTTP, e não HTTPS."
# A record of type 22 and version 3.x (RFC 8446, 5.1).
_TLS_HANDSHAKE = b"\x16\x03"
_TICK_SECONDS = 0.1


@dataclass(frozen=True)
class RequestLimits:
    """Limits of the size of a request's head, and of the time that head and body take to arrive."""

    head_bytes: int
    head_seconds: float
    body_seconds: float


class _State(Enum):
    """The part of a request that is being received."""

    BETWEEN = "no byte of the next request has arrived"
    HEAD = "request line and headers"
    BODY = "body"


class LimitedProtocol(HttpToolsProtocol):
    """Receives requests within the limits of the class."""

    limits: ClassVar[RequestLimits]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._state = _State.BETWEEN
        self._head_bytes = 0
        # Bytes of trailers, chunk sizes and chunk extensions since the last byte of the body.
        self._framing_bytes = 0
        self._has_url = False
        self._piece_is_ascii = True
        self._piece_is_tls = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parses bytes; a head in pieces, so that no more than the limit is collected."""
        while data:
            piece, data = self._next_piece(data)
            self._piece_is_ascii = piece.isascii()
            self._piece_is_tls = piece.startswith(_TLS_HANDSHAKE)
            super().data_received(piece)
            if self.transport.is_closing():
                return
            if self._state is _State.HEAD and self._head_bytes >= self.limits.head_bytes:
                self._refuse(Refusal(ErrorCode.HEAD_TOO_LARGE, limitBytes=self.limits.head_bytes))
                return
            if self._state is _State.BODY and self._framing_bytes > self.limits.head_bytes:
                # The application has the request already, and may have answered it.
                self.transport.close()
                return
        if self._timer is None and self._waits_for_data():
            self._start_timer()

    def on_message_begin(self) -> None:
        self._state, self._has_url = _State.HEAD, False
        super().on_message_begin()
        make_abortable(self.scope, self.transport.abort)

    def on_url(self, url: bytes) -> None:
        self._has_url = True
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Collects a header; uvicorn would add trailers to the headers of a running request."""
        if self._state is _State.HEAD:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._framing_bytes = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        self._state, self._framing_bytes = _State.BODY, 0
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._state, self._head_bytes = _State.BETWEEN, 0
        self._stop_timer()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answers a request that can't be parsed; an accent in the URL is the most frequent reason."""
        is_target = self._state is _State.HEAD and not self._has_url
        has_accents = is_target and not self._piece_is_ascii
        sentence = _NOT_HTTPS if self._piece_is_tls else _NOT_ASCII if has_accents else None
        self._refuse(Refusal(ErrorCode.MALFORMED_REQUEST, sentence))

    def _next_piece(self, data: bytes) -> tuple[bytes, bytes]:
        if self._state is _State.BODY:
            # The parser sets this to 0 when the piece has a byte of the body.
            self._framing_bytes += len(data)
            return data, b""
        room = self.limits.head_bytes - self._head_bytes
        self._head_bytes += min(len(data), room)
        return data[:room], data[room:]

    def _waits_for_data(self) -> bool:
        """Returns whether the caller must send next; between requests uvicorn's keep-alive timer may run."""
        if self._state is not _State.BETWEEN:
            return True
        return self.timeout_keep_alive_task is None and not self._is_answering()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _start_timer(self) -> None:
        limits = self.limits
        seconds = limits.body_seconds + _GRACE_SECONDS if self._state is _State.BODY else limits.head_seconds
        self._timer = self.loop.call_later(seconds, self._give_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        """Closes the connection, unless a response is still being written."""
        self._timer = None
        if self.transport.is_closing():
            return
        if self._is_answering():
            self._start_timer()
        elif self._state is _State.HEAD:
            self._refuse(Refusal(ErrorCode.REQUEST_TIMEOUT, limitSeconds=self.limits.head_seconds))
        else:
            self.transport.close()

    def _refuse(self, refusal: Refusal) -> None:
        """Answers without the application, which never sees a request that has no complete head."""
        _log.info("request_refused", code=refusal.code.name, client=self.client and self.client[0])
        if self._is_answering():
            # A pipelined request can't be answered before the previous one.
            self.transport.close()
            return
        response = refusal_response(refusal)
        response.headers["X-Request-Id"] = str(uuid4())
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Connection"] = "close"
        lines = [name + b": " + value + b"\r\n" for name, value in response.raw_headers]
        self.transport.write(
            b"".join((STATUS_LINE[response.status_code], *lines, b"\r\n", bytes(response.body)))
        )
        self.transport.close()


def protocol_within(limits: RequestLimits) -> type[LimitedProtocol]:
    """Returns the protocol class with these limits, of which uvicorn creates an instance per connection."""
    return type("ConfiguredProtocol", (LimitedProtocol,), {"limits": limits})


class GracefulServer(uvicorn.Server):
    """Continues to answer for a while after a stop signal, but reports that it is not ready.

    So a load balancer notices before the first connection is refused.
    """

    def __init__(
        self,
        app: FastAPI,
        config: uvicorn.Config,
        drain_seconds: float,
        reloader: TableReloader | None = None,
    ) -> None:
        super().__init__(config)
        self._reloader = reloader
        self._app = app
        self._drain_seconds = drain_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts, and reloads tables at SIGHUP from now on."""
        if self._reloader:
            self._reloader.start()
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Waits until load balancers have noticed, then stops; a second Ctrl-C skips the wait."""
        self._app.state.is_stopping = True
        now = asyncio.get_running_loop().time
        over = now() + self._drain_seconds
        while now() < over and not self.force_exit:  # noqa: ASYNC110 - uvicorn sets a flag
            await asyncio.sleep(_TICK_SECONDS)
        await super().shutdown(sockets)
        if self.force_exit:
            await self._cancel_requests()

    async def _cancel_requests(self) -> None:
        """Cancels running requests and ends the lifespan.

        Otherwise the end of the event loop would cancel the lifespan, and log a failure with a traceback.
        """
        for task in self.server_state.tasks:
            task.cancel()
        await self.lifespan.shutdown()
