"""HTTP client of webhooks: one POST, within limits, only to addresses that the guard allows."""

import asyncio
import codecs
import re
import ssl
from collections.abc import Callable, Iterable
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import certifi
import httpcore2

from carimbo.outbound.call_progress import CALL_ERRORS, CallProgress, call_failure_text
from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import Target
from carimbo.service.ports import WebhookAnswer, WebhookCall

# An unreachable address must not use up the whole timeout while another one would answer.
_SECONDS_PER_ADDRESS = 4.0


class GuardedNetwork(httpcore2.AsyncNetworkBackend):
    """Connects only to addresses that the guard has checked; TLS still verifies the host name."""

    def __init__(self, guard: WebhookGuard) -> None:
        self._guard = guard
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the backend's interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Tries one address after another until one accepts. Raises UrlRefused if one is not allowed."""
        seconds = _SECONDS_PER_ADDRESS if timeout is None else min(timeout, _SECONDS_PER_ADDRESS)
        *others, last = await self._guard.addresses_for(host, port)
        for address in others:
            try:
                return await self._network.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._network.connect_tcp(last, port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the backend's interface
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuses: a Unix socket is local to this machine."""
        raise httpcore2.UnsupportedProtocol(path)

    async def sleep(self, seconds: float) -> None:
        """Sleeps, as the pool does between attempts to connect."""
        await self._network.sleep(seconds)


_READ_BYTES = 20_000
_IDLE_SECONDS = 15
_MAX_IDLE = 200


class HttpWebhookClient:
    """Sends webhook calls over connections that stay open, because connecting costs more than a call.

    A server may close a connection just when a call is sent on it. Whether that call arrived is unknown, so
    it is repeated once on a new connection; receivers recognize repeated calls by `webhook-id`.
    """

    def __init__(
        self, guard: WebhookGuard, seconds: float, clock: Callable[[], datetime], ca_file: Path | None = None
    ) -> None:
        self._guard = guard
        self._seconds = seconds
        self._clock = clock
        tls, network = _tls(ca_file), GuardedNetwork(guard)
        self._kept_connections = _pool(tls, network, _MAX_IDLE)
        self._new_connections = _pool(tls, network, 0)

    async def post(self, call: WebhookCall) -> WebhookAnswer:
        """Sends a call, and returns the response or the failure."""
        progress = CallProgress()
        try:
            async with asyncio.timeout(self._seconds):
                return await self._post(call, progress)
        except CALL_ERRORS as error:
            text = call_failure_text(error, progress.stage, self._seconds)
            return WebhookAnswer(None, _text(progress.body), error=text)

    async def close(self) -> None:
        """Closes all connections."""
        await self._kept_connections.aclose()
        await self._new_connections.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _post(self, call: WebhookCall, progress: CallProgress) -> WebhookAnswer:
        target = self._guard.admit(call.url)
        try:
            return await self._send(self._kept_connections, target, call, progress)
        except (httpcore2.NetworkError, httpcore2.RemoteProtocolError, ssl.SSLError):
            if not progress.may_have_met_a_close:
                raise
        return await self._send(self._new_connections, target, call, progress)

    async def _send(
        self, pool: httpcore2.AsyncConnectionPool, target: Target, call: WebhookCall, progress: CallProgress
    ) -> WebhookAnswer:
        request = pool.stream(
            "POST",
            _url(target),
            headers=_headers(target, call),
            content=call.body,
            extensions={"trace": progress.trace},
        )
        async with request as response:
            await _read(response, progress.body)
        return WebhookAnswer(response.status, _text(progress.body), self._retry_after(response))

    def _retry_after(self, response: httpcore2.Response) -> timedelta | None:
        header = next((value for name, value in response.headers if name.lower() == b"retry-after"), b"")
        return parse_retry_after(header.decode("latin-1"), self._clock())


def _tls(ca_file: Path | None) -> ssl.SSLContext:
    """Returns a context that trusts the public authorities and those of the operator's file."""
    context = ssl.create_default_context(cafile=certifi.where())
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


def _pool(tls: ssl.SSLContext, network: GuardedNetwork, max_idle: int) -> httpcore2.AsyncConnectionPool:
    """Returns a pool without a limit of connections, which slow receivers would use up for all others."""
    return httpcore2.AsyncConnectionPool(
        ssl_context=tls,
        max_connections=None,
        max_keepalive_connections=max_idle,
        keepalive_expiry=_IDLE_SECONDS,
        network_backend=network,
    )


def _url(target: Target) -> httpcore2.URL:
    return httpcore2.URL(
        scheme=target.scheme, host=target.host_port.host, port=target.host_port.port, target=target.path
    )


def _headers(target: Target, call: WebhookCall) -> list[tuple[bytes, bytes]]:
    # A compressed response could expand to any size.
    own = (("Host", target.host_header), ("Accept", "*/*"), ("Accept-Encoding", "identity"))
    return [(name.encode(), value.encode()) for name, value in own + call.headers]


async def _read(response: httpcore2.Response, body: bytearray) -> None:
    """Reads the whole body, so that the connection can be reused; stops if it is too long."""
    async with aclosing(response.aiter_stream()) as parts:
        async for part in parts:
            body += part
            if len(body) > _READ_BYTES:
                break


def _text(body: bytearray) -> str:
    """Returns the start of a body as text, with no half letter at the cut and no NUL (PostgreSQL)."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(bytes(body[:_READ_BYTES]), final=len(body) <= _READ_BYTES)
    return text.replace("\0", "")


# Up to thirty years.
_SECONDS = re.compile(r"[0-9]{1,9}")


def parse_retry_after(header: str, now: datetime) -> timedelta | None:
    """Parses a Retry-After header (RFC 9110, 10.2.3): seconds or a date; None for anything else."""
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return timedelta(seconds=int(text))
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    # A date without a zone has the old asctime format, which is in UTC too.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(moment - now, timedelta())
