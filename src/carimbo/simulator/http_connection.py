"""One connection of the simulator's HTTP server: requests in, replies out, some of them broken on purpose."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import cast

import structlog

from carimbo.simulator.http import HTML, Answerer, HungUp, Reply
from carimbo.simulator.http_reading import Arrived, Limits, RequestReader

_log = structlog.get_logger("carimbo.simulator")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_ENCOURAGEMENT = b"HTTP/1.1 100 Continue\r\n\r\n"
_FAILED = Reply(500, b"O simulador falhou ao responder: veja o registro dele.")
# A page's own policy, in its <meta>, can't speak of frames (Content Security Policy 3, 3.3).
_PAGE_POLICY = "Content-Security-Policy: frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_LATE = Reply(408, "A requisição demorou demais a chegar.".encode())


class Connection(asyncio.Protocol):
    """Answers the requests of one client one after another, however many of them it sends ahead."""

    _transport: asyncio.Transport
    _reader: RequestReader

    def __init__(self, answer: Answerer, limits: Limits) -> None:
        self._answer = answer
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self.has_begun = False
        self.over: asyncio.Future[None] = self._loop.create_future()
        """Done when nothing is left of the connection, nor of the answer that it waited for."""
        self._answering: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timed_is_request = False
        self._is_paused = False
        self._is_clogged = False
        self._is_ending = False
        self._is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        tls = transport.get_extra_info("ssl_object")
        self._reader = RequestReader(self._limits, tls.getpeercert(True) if tls else None)
        self._transport = cast(asyncio.Transport, transport)
        self.has_begun = True
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take the next bytes; of a connection that is ending they are thrown away."""
        if not self._is_ending:
            self._reader.feed(data)
            self._advance()

    def pause_writing(self) -> None:
        """Begin no other answer while the client does not read."""
        self._is_clogged = True

    def resume_writing(self) -> None:
        """Go on."""
        self._is_clogged = False
        self._advance()

    def connection_lost(self, error: Exception | None) -> None:
        """An answer under way goes on: an authority that got a request judges it."""
        self._is_ending = self._is_lost = True
        self._stop_timer()
        self._settle()

    def end(self) -> None:
        """End at once, whatever is under way."""
        if self._answering:
            self._answering.cancel()
        self._abort()

    def _advance(self) -> None:
        """Take the next step: answer what arrived, refuse what cannot be read, or wait for more."""
        if self._is_ending:
            return
        if self._answering:
            self._pause_if_ahead()
        elif self._is_clogged:
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
            self._encourage()
            self._wait()

    def _pause_if_ahead(self) -> None:
        """What a client sends ahead waits in its own buffers rather than in ours."""
        if self._reader.arrived and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()

    def _encourage(self) -> None:
        if self._reader.must_encourage:
            self._reader.must_encourage = False
            self._transport.write(_ENCOURAGEMENT)

    async def _reply_to(self, arrived: Arrived) -> None:
        request = arrived.request
        try:
            reply = await self._answer(request)
        except Exception:
            _log.exception("answer_failed", method=request.method, path=request.path)
            reply = _FAILED
        if self._is_ending:
            return
        if isinstance(reply, HungUp):
            self._abort()
        elif reply.cut:
            self._send_half(reply)
        else:
            self._send(reply, is_head=request.method == "HEAD", keep_alive=arrived.keep_alive)

    def _answered(self, _: asyncio.Task[None]) -> None:
        self._answering = None
        self._settle()
        self._advance()

    def _settle(self) -> None:
        if self._is_lost and not self._answering:
            self.over.set_result(None)

    def _send(self, reply: Reply, *, is_head: bool, keep_alive: bool) -> None:
        self._transport.write(_head(reply, keep_alive) + (b"" if is_head else reply.body))
        if not keep_alive:
            self._close()

    def _send_half(self, reply: Reply) -> None:
        self._transport.write(_head(reply, keep_alive=True) + reply.body[: len(reply.body) // 2])
        self._abort()

    def _refuse(self, reply: Reply) -> None:
        """Answer, then let the client finish: a close with bytes unread would take the answer from it."""
        self._is_ending = True
        self._transport.write(_head(reply, keep_alive=False) + reply.body)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._resume()
        self._start_timer(self._limits.linger_seconds, self._abort)

    def _close(self) -> None:
        """Close after what is written is read; who never reads it is cut off."""
        self._is_ending = True
        self._transport.close()
        self._start_timer(self._limits.idle_seconds, self._abort)

    def _abort(self) -> None:
        self._is_ending = True
        self._transport.abort()

    def _wait(self) -> None:
        """Keep one clock going: for the rest of a request, or until the next one."""
        is_request = self._reader.is_amid
        if self._timer and is_request == self._timed_is_request:
            return
        self._timed_is_request = is_request
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
