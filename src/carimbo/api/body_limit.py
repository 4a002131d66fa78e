"""Limits on the size of a request body and on the time that it takes to arrive."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from carimbo.service.errors import Code, Refusal


class BodyLimit:
    """Refuses a body over the limit, by its announced length or as it arrives, and one that is too slow."""

    def __init__(self, app: ASGIApp, limit: int, seconds: float) -> None:
        self._app = app
        self._limit = limit
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdigit() or int(announced) > self._limit:
            raise self._too_large()
        await self._app(scope, _LimitedReceive(receive, self._limit, self._seconds), send)

    def _too_large(self) -> Refusal:
        return Refusal(Code.PAYLOAD_TOO_LARGE, limitBytes=self._limit)


class _LimitedReceive:
    """Passes the parts of one body on until it is whole; what comes after it is not limited."""

    def __init__(self, receive: Receive, limit: int, seconds: float) -> None:
        self._receive = receive
        self._limit = limit
        self._seconds = seconds
        self._deadline: float | None = None
        self._received = 0
        self._is_whole = False

    async def __call__(self) -> Message:
        if self._is_whole:
            # The next message is the caller's disconnection, which may take as long as the answer.
            return await self._receive()
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Refusal(Code.REQUEST_TIMEOUT, limitSeconds=self._seconds) from None
        self._received += len(message.get("body", b""))
        if self._received > self._limit:
            raise Refusal(Code.PAYLOAD_TOO_LARGE, limitBytes=self._limit)
        self._is_whole = not message.get("more_body", False)
        return message
