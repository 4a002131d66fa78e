"""Calls receivers of webhooks over HTTP: one POST, within limits, to where the guard lets it go."""

import asyncio
import codecs
import ssl
from collections.abc import Callable
from contextlib import aclosing
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

import certifi
import httpcore2

from carimbo.outbound.call_journey import FAILURES, Journey, failure
from carimbo.outbound.guard import Guard
from carimbo.outbound.network import GuardedNetwork
from carimbo.outbound.retry_after import wait_asked
from carimbo.outbound.target import Target
from carimbo.service.ports import WebhookAnswer, WebhookCall

_READ_BYTES = 20_000
_IDLE_SECONDS = 15
_MOST_IDLE = 200


class HttpWebhookClient:
    """Keeps connections open between calls: to connect costs several times what a call does.

    A server may close one just as a call goes out on it. Nobody can tell whether that call arrived, so it is
    made once more on a connection of its own: receivers know by `webhook-id` what they have already seen.
    """

    def __init__(
        self, guard: Guard, seconds: float, clock: Callable[[], datetime], ca_file: Path | None = None
    ) -> None:
        self._guard = guard
        self._seconds = seconds
        self._clock = clock
        tls, network = _tls(ca_file), GuardedNetwork(guard)
        self._kept = _pool(tls, network, _MOST_IDLE)
        self._new = _pool(tls, network, 0)

    async def post(self, call: WebhookCall) -> WebhookAnswer:
        """Send a body, once, and read what comes back."""
        journey = Journey()
        try:
            async with asyncio.timeout(self._seconds):
                return await self._answer(call, journey)
        except FAILURES as error:
            words = failure(error, journey.stage, self._seconds)
            return WebhookAnswer(None, _text(journey.body), error=words)

    async def close(self) -> None:
        """Close every connection."""
        await self._kept.aclose()
        await self._new.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _answer(self, call: WebhookCall, journey: Journey) -> WebhookAnswer:
        target = self._guard.admit(call.url)
        try:
            return await self._ask(self._kept, target, call, journey)
        except (httpcore2.NetworkError, httpcore2.RemoteProtocolError, ssl.SSLError):
            if not journey.may_have_met_its_end:
                raise
        return await self._ask(self._new, target, call, journey)

    async def _ask(
        self, pool: httpcore2.AsyncConnectionPool, target: Target, call: WebhookCall, journey: Journey
    ) -> WebhookAnswer:
        asking = pool.stream(
            "POST",
            _url(target),
            headers=_headers(target, call),
            content=call.body,
            extensions={"trace": journey.trace},
        )
        async with asking as response:
            await _read(response, journey.body)
        return WebhookAnswer(response.status, _text(journey.body), self._wait_asked(response))

    def _wait_asked(self, response: httpcore2.Response) -> timedelta | None:
        asked = next((value for name, value in response.headers if name.lower() == b"retry-after"), b"")
        return wait_asked(asked.decode("latin-1"), self._clock())


def _tls(ca_file: Path | None) -> ssl.SSLContext:
    """Believe whom web browsers believe, and the authorities of the operator's own network."""
    context = ssl.create_default_context(cafile=certifi.where())
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


def _pool(tls: ssl.SSLContext, network: GuardedNetwork, most_idle: int) -> httpcore2.AsyncConnectionPool:
    """Connections without a limit of their own: those of slow receivers would use it up for all."""
    return httpcore2.AsyncConnectionPool(
        ssl_context=tls,
        max_connections=None,
        max_keepalive_connections=most_idle,
        keepalive_expiry=_IDLE_SECONDS,
        network_backend=network,
    )


def _url(target: Target) -> httpcore2.URL:
    return httpcore2.URL(
        scheme=target.scheme, host=target.place.host, port=target.place.port, target=target.path
    )


def _headers(target: Target, call: WebhookCall) -> list[tuple[bytes, bytes]]:
    # What is compressed may be of any size once it is opened.
    own = (("Host", target.host_header), ("Accept", "*/*"), ("Accept-Encoding", "identity"))
    return [(name.encode(), value.encode()) for name, value in own + call.headers]


async def _read(response: httpcore2.Response, body: bytearray) -> None:
    """Read to the end, for the connection to be of use again, unless there is more than anybody wants."""
    async with aclosing(response.aiter_stream()) as parts:
        async for part in parts:
            body += part
            if len(body) > _READ_BYTES:
                break


def _text(body: bytearray) -> str:
    """The beginning as text, without half a letter at a cut, nor NUL, which PostgreSQL can't keep."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(bytes(body[:_READ_BYTES]), final=len(body) <= _READ_BYTES)
    return text.replace("\0", "")
