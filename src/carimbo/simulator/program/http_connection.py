"""One HTTP connection of the simulator: parses requests within limits, and can break replies on purpose."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast
from urllib.parse import unquote

import structlog
from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser, parse_url

from carimbo.simulator.http import HTML, ConnectionClosed, Reply, Request, RequestHandler

_CONTINUE = "100-continue"
_BAD_REQUEST = Reply(400, "A requisição não segue o HTTP/1.1.".encode())
_TOO_LARGE = Reply(413, "O corpo da requisição é grande demais.".encode())
_HEADERS_TOO_LARGE = Reply(431, "Os cabeçalhos da requisição são grandes demais.".encode())
_NO_UPGRADE = Reply(501, "Aqui não se passa a outro protocolo no meio de uma requisição.".encode())
_log = structlog.get_logger("carimbo.simulator")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_CONTINUE_REPLY = b"HTTP/1.1 100 Continue\r\n\r\n"
_FAILED = Reply(500, b"O simulador falhou ao responder: veja o registro dele.")
# The policy in the page's <meta> cannot restrict frames (Content Security Policy 3, 3.3).
_PAGE_POLICY = "Content-Security-Policy: frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_LATE = Reply(408, "A requisição demorou demais a chegar.".encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a client's use of memory and time."""

    body_bytes: int = 10_000_000
    header_bytes: int = 64_000
    """Of a request's head, and of everything between two parts of its body."""
    idle_seconds: float = 60
    """Between two requests."""
    request_seconds: float = 30
    """From the first to the last byte of a request."""
    handshake_seconds: float = 10
    linger_seconds: float = 1
    """How long the client can take to close a finished connection."""
    connections: int = 1000


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A complete request, and whether its connection stays open."""

    request: Request
    keep_alive: bool


class _RequestRefused(Exception):
    """Stops the parser; the reader's `refusal` has the reason."""


class RequestReader:
    """Parses the bytes of a connection into requests, in their order."""

    def __init__(self, limits: Limits, certificate: bytes | None = None) -> None:
        self._limits = limits
        self._certificate = certificate
        self._parser = HttpRequestParser(self)
        self._overhead_bytes = 0
        """Bytes since the last part of a body, or since the last request."""
        self.arrived: deque[ParsedRequest] = deque()
        self.refusal: Reply | None = None
        """What to answer after all that arrived; no byte after it is read."""
        self.is_mid_request = False
        """A request has begun and is not whole."""
        self.must_send_continue = False
        """The sender waits for leave to send the body (`Expect: 100-continue`)."""
        self._reset_request()

    def feed(self, data: bytes) -> None:
        """Parses the next bytes, in pieces: the parser collects a header or a trailer until it ends."""
        while data and not self.refusal:
            room = self._limits.header_bytes - self._overhead_bytes
            piece, data = data[:room], data[room:]
            self._overhead_bytes += len(piece)
            try:
                self._parser.feed_data(piece)
            except HttpParserUpgrade:
                # The connection closes after this request, so the client does not wait for another protocol.
                return
            except HttpParserError:
                self.refusal = self.refusal or _BAD_REQUEST
                return
            if self._overhead_bytes == self._limits.header_bytes:
                self.refusal = _HEADERS_TOO_LARGE

    def on_message_begin(self) -> None:
        """Begins a request."""
        self._reset_request()
        self.is_mid_request = True

    def on_url(self, part: bytes) -> None:
        """Stores a part of the target."""
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Stores a header; ignores trailers of a chunked body."""
        if self._has_headers:
            return
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        """Refuses a body that is announced as too large."""
        self._has_headers = True
        self._overhead_bytes = 0
        length = int(self._headers.get("content-length") or 0)
        if length > self._limits.body_bytes:
            self._refuse(_TOO_LARGE)
        if self._parser.should_upgrade() and (length or "transfer-encoding" in self._headers):
            self._refuse(_NO_UPGRADE)
        self.must_send_continue = self._headers.get("expect", "").lower() == _CONTINUE

    def on_body(self, part: bytes) -> None:
        """Stores a part of the body."""
        self._overhead_bytes = 0
        if len(self._body) + len(part) > self._limits.body_bytes:
            self._refuse(_TOO_LARGE)
        self._body += part

    def on_message_complete(self) -> None:
        """Adds the request to `arrived`."""
        target = parse_url(self._target)
        request = Request(
            method=self._parser.get_method().decode(),
            path=unquote(target.path.decode("latin-1")) if target.path else "/",
            query=target.query.decode("latin-1") if target.query else "",
            headers=self._headers,
            body=bytes(self._body),
            certificate=self._certificate,
        )
        keep_alive = self._parser.should_keep_alive() and not self._parser.should_upgrade()
        self.arrived.append(ParsedRequest(request, keep_alive))
        self.is_mid_request = self.must_send_continue = False
        self._overhead_bytes = 0

    def _reset_request(self) -> None:
        self._target = b""
        self._headers: dict[str, str] = {}
        self._has_headers = False
        self._body = bytearray()

    def _refuse(self, reply: Reply) -> None:
        self.refusal = reply
        raise _RequestRefused


class Connection(asyncio.Protocol):
    """Answers the requests of one client one after another, even if it sends several ahead."""

    _transport: asyncio.Transport
    _reader: RequestReader

    def __init__(self, answer: RequestHandler, limits: Limits) -> None:
        self._answer = answer
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self.has_begun = False
        self.over: asyncio.Future[None] = self._loop.create_future()
        """Done when the connection is closed and its running answer has ended."""
        self._answering: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_is_for_request = False
        self._is_paused = False
        self._is_write_paused = False
        self._is_ending = False
        self._is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Waits for the first request."""
        tls = transport.get_extra_info("ssl_object")
        self._reader = RequestReader(self._limits, tls.getpeercert(True) if tls else None)
        self._transport = cast(asyncio.Transport, transport)
        self.has_begun = True
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Parses the next bytes; ignores them if the connection is closing."""
        if not self._is_ending:
            self._reader.feed(data)
            self._advance()

    def pause_writing(self) -> None:
        """Starts no further answer while the client does not read."""
        self._is_write_paused = True

    def resume_writing(self) -> None:
        """Continues answering."""
        self._is_write_paused = False
        self._advance()

    def connection_lost(self, error: Exception | None) -> None:
        """Lets a running answer finish: an authority judges every request that it has received."""
        self._is_ending = self._is_lost = True
        self._stop_timer()
        self._resolve_over()

    def end(self) -> None:
        """Closes at once, and cancels a running answer."""
        if self._answering:
            self._answering.cancel()
        self._abort()

    def _advance(self) -> None:
        """Takes the next step: answers a request, refuses an unreadable one, or waits for more bytes."""
        if self._is_ending:
            return
        if self._answering:
            self._pause_if_ahead()
        elif self._is_write_paused:
            self._pause_if_ahead()
            self._wait()
        elif self._reader.arrived:
            self._stop_timer()
            self._answering = self._loop.create_task(self._reply_to(self._reader.arrived.popleft()))
            self._answering.add_done_callback(self._answered)
        elif self._reader.refusal:
            self._refuse(self._reader.refusal)
        else:
            self._resume()
            if self._reader.must_send_continue:
                self._reader.must_send_continue = False
                self._transport.write(_CONTINUE_REPLY)
            self._wait()

    def _pause_if_ahead(self) -> None:
        """Leaves requests that the client sends ahead in its own buffers."""
        if self._reader.arrived and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()

    async def _reply_to(self, arrived: ParsedRequest) -> None:
        request = arrived.request
        try:
            reply = await self._answer(request)
        except Exception:
            _log.exception("answer_failed", method=request.method, path=request.path)
            reply = _FAILED
        if self._is_ending:
            return
        if isinstance(reply, ConnectionClosed):
            self._abort()
        elif reply.cut:
            self._transport.write(_head(reply, keep_alive=True) + reply.body[: len(reply.body) // 2])
            self._abort()
        else:
            body = b"" if request.method == "HEAD" else reply.body
            self._transport.write(_head(reply, arrived.keep_alive) + body)
            if not arrived.keep_alive:
                self._close()

    def _answered(self, _: asyncio.Task[None]) -> None:
        self._answering = None
        self._resolve_over()
        self._advance()

    def _resolve_over(self) -> None:
        if self._is_lost and not self._answering:
            self.over.set_result(None)

    def _refuse(self, reply: Reply) -> None:
        """Answers, then lets the client finish: closing with unread bytes would discard the answer."""
        self._is_ending = True
        self._transport.write(_head(reply, keep_alive=False) + reply.body)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._resume()
        self._start_timer(self._limits.linger_seconds, self._abort)

    def _close(self) -> None:
        """Closes after the client has read the answer, or after a timeout."""
        self._is_ending = True
        self._transport.close()
        self._start_timer(self._limits.idle_seconds, self._abort)

    def _abort(self) -> None:
        self._is_ending = True
        self._transport.abort()

    def _wait(self) -> None:
        """Keeps one timer: for the rest of a request, or until the next one."""
        is_request = self._reader.is_mid_request
        if self._timer and is_request == self._timer_is_for_request:
            return
        self._timer_is_for_request = is_request
        if is_request:
            self._start_timer(self._limits.request_seconds, self._refuse, _LATE)
        else:
            self._start_timer(self._limits.idle_seconds, self._close)

    def _start_timer(self, seconds: float, action: Callable[..., None], *arguments: Reply) -> None:
        self._stop_timer()
        self._timer = self._loop.call_later(seconds, action, *arguments)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


def _head(reply: Reply, keep_alive: bool) -> bytes:
    policy = (_PAGE_POLICY,) if reply.media_type == HTML else ()
    lines = (
        f"HTTP/1.1 {reply.status} {_PHRASES.get(reply.status, '')}",
        f"Content-Type: {reply.media_type}",
        f"Content-Length: {len(reply.body)}",
        "X-Content-Type-Options: nosniff",
        *policy,
        f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n\r\n",
    )
    return "\r\n".join(lines).encode("latin-1")
