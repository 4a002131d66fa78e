"""HTTP client of webhooks: one POST, within limits, only to addresses that the guard allows."""

import asyncio
import codecs
import re
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import certifi

from carimbo.http_client.connection import HttpConnection
from carimbo.http_client.dialing import dial
from carimbo.http_client.idle_connections import IdleConnections, close_all
from carimbo.http_client.progress import RequestProgress, RequestStage
from carimbo.http_client.response_reader import ResponseLimits, ResponseReader, UnreadableResponse
from carimbo.outbound.call_failures import CALL_ERRORS, UnwritableCall, call_failure_text
from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import Target
from carimbo.service.ports import WebhookAnswer, WebhookCall

_LIMITS = ResponseLimits(body_bytes=20_000, framing_bytes=100_000)
_MAX_IDLE = 200
# RFC 9112, 5: a token, a colon, and a value of one line without spaces around it.
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: (?:[^\s\0](?:[^\r\n\0]*[^\s\0])?)?")


class HttpWebhookClient:
    """Sends webhook calls over connections that stay open, because connecting costs more than a call.

    A server may close a connection just when a call is sent on it. Whether that call arrived is unknown, so
    it is repeated once on a new connection; receivers recognize repeated calls by `webhook-id`. There is no
    limit of connections, which slow receivers would use up for all others.
    """

    def __init__(
        self, guard: WebhookGuard, seconds: float, clock: Callable[[], datetime], ca_file: Path | None = None
    ) -> None:
        self._guard = guard
        self._seconds = seconds
        self._clock = clock
        self._tls = _tls(ca_file)
        self._open_connections: set[HttpConnection] = set()
        self._idle = IdleConnections(self._open_connections)

    async def post(self, call: WebhookCall) -> WebhookAnswer:
        """Sends a call, and returns the response or the failure."""
        progress = RequestProgress()
        try:
            async with asyncio.timeout(self._seconds):
                return await self._post(call, progress)
        except CALL_ERRORS as error:
            text = call_failure_text(error, progress.stage, self._seconds)
            return WebhookAnswer(None, _text(bytes(progress.body)), error=text)

    async def close(self) -> None:
        """Closes all connections and waits until they are closed."""
        await close_all(self._open_connections)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _post(self, call: WebhookCall, progress: RequestProgress) -> WebhookAnswer:
        target = self._guard.admit(call.url)
        request = _encode(target, call)
        if connection := self._idle.take(target.server):
            try:
                return await self._send(connection, target, request, progress)
            except (OSError, UnreadableResponse):
                # Without an answer, the server may have been closing the connection.
                if progress.stage is not RequestStage.SENDING:
                    raise
        connection = await self._open(target, progress)
        return await self._send(connection, target, request, progress)

    async def _open(self, target: Target, progress: RequestProgress) -> HttpConnection:
        """Connects only to addresses that the guard has checked; TLS still verifies the host name."""
        progress.stage = RequestStage.CONNECTING
        host, port = target.host_port
        connected = await dial([(address, port) for address in await self._guard.addresses_for(host, port)])
        if target.scheme == "https":
            progress.stage = RequestStage.HANDSHAKE
            connection = await HttpConnection.over_tls(connected, self._tls, host)
        else:
            connection = await HttpConnection.over(connected)
        self._idle.add(target.server, connection)
        return connection

    async def _send(
        self, connection: HttpConnection, target: Target, request: bytes, progress: RequestProgress
    ) -> WebhookAnswer:
        response = await connection.send(request, ResponseReader(progress, _LIMITS), read_seconds=None)
        if len(self._idle) < _MAX_IDLE:
            self._idle.keep(target.server, connection)
        else:
            connection.close()
        retry_after = parse_retry_after(response.retry_after.decode("latin-1"), self._clock())
        return WebhookAnswer(response.status, _text(response.body, is_cut=response.is_cut), retry_after)


def _tls(ca_file: Path | None) -> ssl.SSLContext:
    """Returns a context that trusts the public authorities and those of the operator's file."""
    context = ssl.create_default_context(cafile=certifi.where())
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


def _encode(target: Target, call: WebhookCall) -> bytes:
    """Returns the bytes of a request. Raises UnwritableCall."""
    headers = [f"{name}: {value}" for name, value in call.headers]
    for (name, _), header in zip(call.headers, headers, strict=True):
        if not _HEADER.fullmatch(header):
            raise UnwritableCall(f"cabeçalho {name!r}")
    head = (
        f"POST {target.path} HTTP/1.1",
        f"Host: {target.host_header}",
        "Accept: */*",
        # A compressed response could expand to any size.
        "Accept-Encoding: identity",
        *headers,
        f"Content-Length: {len(call.body)}\r\n\r\n",
    )
    return "\r\n".join(head).encode() + call.body


def _text(body: bytes, *, is_cut: bool = False) -> str:
    """Returns a body as text, with no half letter at the cut and no NUL (PostgreSQL)."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(body, final=not is_cut).replace("\0", "")


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
