"""What happens to a request before and after its route: identity, log, headers, path, credentials, rate."""

import asyncio
import re
import time
from uuid import uuid4

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from carimbo.api.context import services_of
from carimbo.api.errors import refusal_response, response_to
from carimbo.api.metrics import REQUEST_SECONDS, REQUESTS
from carimbo.service.errors import Code, Refusal

_log = structlog.get_logger("carimbo.api")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PROXY_PREFIX = "/api"
_PRIVATE_PREFIX = "/v1/"
_FILES_PREFIX = "/files/"
_ROOT = "/"
_DOCS_PREFIX = "/docs/"
_NO_ANSWER = "none"
_MONITORED = ("/healthz", "/readyz")


class RequestIdentity:
    """Gives each request an id, logs and counts it, and answers for errors that nobody foresaw."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send, _request_id(Headers(scope=scope)))
        structlog.contextvars.bind_contextvars(request_id=answer.request_id)
        started = time.perf_counter()
        try:
            await self._app(scope, receive, answer)
        except ClientDisconnect:
            _log.info("client_left")
        except asyncio.CancelledError:
            # We are being stopped, and it did not finish in time: whoever asked is told to ask again.
            await self._answer_for(Refusal(Code.SERVICE_UNAVAILABLE), scope, receive, answer)
        except Exception as error:
            await self._answer_for(error, scope, receive, answer)
        finally:
            _record(scope, answer.status, time.perf_counter() - started)
            structlog.contextvars.clear_contextvars()

    async def _answer_for(self, error: Exception, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        response = response_to(error)
        if response is None:
            _log.error("request_failed", exc_info=error)
            response = refusal_response(Refusal(Code.INTERNAL_ERROR, requestId=answer.request_id))
        if answer.status is None:
            await response(scope, receive, answer)


class _Answer:
    """Passes an answer on with the headers that every answer has, and remembers its status."""

    def __init__(self, scope: Scope, send: Send, request_id: str) -> None:
        self._scope = scope
        self._send = send
        self.request_id = request_id
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.request_id
            headers["X-Content-Type-Options"] = "nosniff"
            if self._scope["path"].startswith((_PRIVATE_PREFIX, _FILES_PREFIX)):
                # PDF answers have their own: a caller may keep them, and asks by ETag whether they changed.
                headers.setdefault("Cache-Control", "no-store")
        await self._send(message)


class HeadRequests:
    """Answers HEAD wherever GET is answered: the same headers without the body.

    It is the outermost, because everything within must see the whole answer to a GET.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            # The server reads the method here, and counts no body against the announced length.
            scope["method"] = "HEAD"
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        scope["method"] = "GET"
        await self._app(scope, receive, send_without_body)


class PathVariants:
    """Makes `/api/v1/...` the same as `/v1/...`, and a path with a trailing slash the same as without.

    Pages of the documentation redirect instead, because their relative links count on the exact path.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            if scope["path"].startswith(_DOCS_PREFIX) and scope["path"].endswith(_ROOT):
                await _redirect_without_slash(scope)(scope, receive, send)
                return
            if scope["path"].startswith(f"{_PROXY_PREFIX}{_PRIVATE_PREFIX}"):
                scope["path"] = scope["path"].removeprefix(_PROXY_PREFIX)
                scope["raw_path"] = scope["raw_path"].removeprefix(_PROXY_PREFIX.encode())
            if scope["path"] not in (_ROOT, _PRIVATE_PREFIX):
                scope["path"] = scope["path"].removesuffix(_ROOT)
                scope["raw_path"] = scope["raw_path"].removesuffix(_ROOT.encode())
        await self._app(scope, receive, send)


class Gate:
    """Lets a private request in: credentials, then rate, both before its body is read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(_PRIVATE_PREFIX):
            await self._admit(HTTPConnection(scope))
        await self._app(scope, receive, send)

    async def _admit(self, connection: HTTPConnection) -> None:
        gatekeeper = services_of(connection).gatekeeper
        key, secret = connection.headers.get("x-api-key"), connection.headers.get("x-api-secret")
        if not key or not secret:
            raise Refusal(Code.INVALID_API_CREDENTIALS)
        subscription = await gatekeeper.authenticate(key, secret)
        connection.state.subscription = subscription
        structlog.contextvars.bind_contextvars(subscription_id=str(subscription.id))
        await gatekeeper.take_turn(subscription)


def _redirect_without_slash(scope: Scope) -> Response:
    """Redirects to the same path without its last slash, relatively: a proxy may serve us under a path."""
    page = scope["raw_path"].decode("latin-1").removesuffix(_ROOT).rpartition(_ROOT)[2]
    query = scope["query_string"].decode("latin-1")
    return Response(status_code=308, headers={"Location": f"../{page}{f'?{query}' if query else ''}"})


def _request_id(headers: Headers) -> str:
    """Keep a well-formed id that the caller sent, so that both logs can be joined; else make one."""
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else str(uuid4())


def _record(scope: Scope, status: int | None, seconds: float) -> None:
    route = scope.get("route")
    operation = getattr(route, "operation_id", None) or getattr(route, "name", "unmatched")
    REQUESTS.labels(operation=operation, status=str(status or _NO_ANSWER)).inc()
    REQUEST_SECONDS.labels(operation=operation).observe(seconds)
    # Monitors ask every few seconds, and their questions tell nothing.
    tell = _log.debug if scope["path"] in _MONITORED else _log.info
    tell(
        "request",
        method=scope["method"],
        path=scope["path"],
        status=status,
        milliseconds=round(seconds * 1000, 2),
    )
