"""Everything around the routes: request ids, logs, metrics, headers, path variants, credentials, limits."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from uuid import uuid4

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from carimbo.api.context import services_of
from carimbo.api.envelope import in_chosen_envelope
from carimbo.api.errors import WrongMethod, refusal_response, response_to, wrong_method_response
from carimbo.api.route import ApiRequest, company_id_in
from carimbo.api.route_table import RouteTable
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.services import Services
from carimbo.storage.actors import Actor, ActorKind
from carimbo.web.head_requests import mark_head

REGISTRY = CollectorRegistry()
"""The metrics that the API process exposes."""
REQUESTS = Counter(
    "carimbo_http_requests_total",
    "Answered requests. The operation is unmatched if the request was refused before its route was known, "
    "for example because of its credentials; the status is none if the caller did not wait for the answer.",
    ["operation", "status"],
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "carimbo_http_request_seconds", "Time to answer a request.", ["operation"], registry=REGISTRY
)

_log = structlog.get_logger("carimbo.api")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PROXY_PREFIX = "/api"
_PRIVATE_PREFIX = "/v1/"
_FILES_PREFIX = "/files/"
_DASHBOARD_PREFIX = "/painel/"
_ROOT = "/"
_DOCS_PREFIX = "/docs/"
_NO_ANSWER = "none"
_MONITORED = ("/healthz", "/readyz")
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_CACHE_CONTROL = b"cache-control"
_NO_STORE = (_CACHE_CONTROL, b"no-store")


Dashboard = Callable[[Request, Services], Awaitable[Response]]
"""Answers the requests of the dashboard, which has checks and error pages of its own."""


class RequestPipeline:
    """Takes a request from the server to its route and sends the answer, in a fixed order of checks.

    One ASGI application instead of a stack of them, because each layer costs several calls for each message.
    """

    def __init__(
        self, routes: RouteTable, body_limit: int, body_seconds: float, dashboard: Dashboard | None = None
    ) -> None:
        self._routes = routes
        self._dashboard = dashboard
        self._body_limit = body_limit
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            send = _without_body(scope, send)
        request = ApiRequest(scope, LimitedReceive(receive, self._body_limit, self._body_seconds))
        # A well-formed id of the caller is kept, so that both logs can be joined.
        given = request.headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else str(uuid4())
        answer = _Answer(scope, in_chosen_envelope(scope, send), request_id)
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = time.perf_counter()
        try:
            response = await self._respond(request, scope)
            await response(scope, receive, answer)
        except ClientDisconnect:
            _log.info("client_left")
        except asyncio.CancelledError:
            # The process is stopping and the request did not finish in time: the caller should retry.
            await self._answer_for(Refusal(ErrorCode.SERVICE_UNAVAILABLE), scope, receive, answer)
        except Exception as error:
            await self._answer_for(error, scope, receive, answer)
        finally:
            _record(scope, answer.status, time.perf_counter() - started)
            structlog.contextvars.clear_contextvars()

    async def _respond(self, request: ApiRequest, scope: Scope) -> Response:
        if self._dashboard and f"{scope['path']}/".startswith(_DASHBOARD_PREFIX):
            _require_small(request, self._body_limit)
            return await self._dashboard(request, services_of(request))
        if scope["path"].startswith(_DOCS_PREFIX) and scope["path"].endswith(_ROOT):
            return _redirect_without_slash(scope)
        _use_plain_path(scope)
        if scope["path"].startswith(_PRIVATE_PREFIX):
            await _admit(request)
        _require_small(request, self._body_limit)
        return await self._routes.select(scope).respond(request)

    async def _answer_for(self, error: Exception, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        if isinstance(error, WrongMethod):
            response = wrong_method_response(scope["method"], self._routes.methods(scope["path"]))
        elif (expected := response_to(error)) is not None:
            response = expected
        else:
            _log.error("request_failed", exc_info=error)
            response = refusal_response(Refusal(ErrorCode.INTERNAL_ERROR, requestId=answer.request_id))
        if answer.status is None:
            await response(scope, receive, answer)


def _require_small(request: ApiRequest, limit: int) -> None:
    """Refuses a request that announces a larger body, before it is read."""
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > limit:
        raise Refusal(ErrorCode.PAYLOAD_TOO_LARGE, limitBytes=limit)


class _Answer:
    """Sends an answer with the headers that every answer has, and keeps its status."""

    def __init__(self, scope: Scope, send: Send, request_id: str) -> None:
        self._scope = scope
        self._send = send
        self.request_id = request_id
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message["headers"]
            headers += ((b"x-request-id", self.request_id.encode()), _NO_SNIFFING)
            is_private = self._scope["path"].startswith((_PRIVATE_PREFIX, _FILES_PREFIX))
            # PDF answers set their own: callers may cache them and revalidate by ETag.
            if is_private and not any(name == _CACHE_CONTROL for name, _ in headers):
                headers.append(_NO_STORE)
        await self._send(message)


def _without_body(scope: Scope, send: Send) -> Send:
    """Makes a HEAD request a GET, and returns a `send` that drops the body of its answer.

    Nothing else may change an answer after that `send`: it must see the whole answer to a GET.
    """

    async def send_without_body(message: Message) -> None:
        # The server reads the method here, and then does not compare the body with its announced length.
        scope["method"] = "HEAD"
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    mark_head(scope)
    scope["method"] = "GET"
    return send_without_body


def _use_plain_path(scope: Scope) -> None:
    """Treats `/api/v1/...` like `/v1/...`, and a path with a trailing slash like the one without.

    Documentation pages redirect instead, because their relative links depend on the exact path.
    """
    if scope["path"].startswith(f"{_PROXY_PREFIX}{_PRIVATE_PREFIX}"):
        scope["path"] = scope["path"].removeprefix(_PROXY_PREFIX)
        scope["raw_path"] = scope["raw_path"].removeprefix(_PROXY_PREFIX.encode())
    if scope["path"] not in (_ROOT, _PRIVATE_PREFIX):
        scope["path"] = scope["path"].removesuffix(_ROOT)
        scope["raw_path"] = scope["raw_path"].removesuffix(_ROOT.encode())


async def _admit(request: ApiRequest) -> None:
    """Checks the credentials and then the rate of a private request, both before its body is read."""
    services = services_of(request)
    authenticator = services.authenticator
    key, secret = request.headers.get("x-api-key"), request.headers.get("x-api-secret")
    if not key or not secret:
        raise Refusal(ErrorCode.INVALID_API_CREDENTIALS)
    caller = await authenticator.authenticate(key, secret, company_id_in(request.scope["path"]))
    request.state.caller = caller
    request.scope["services"] = services.acting_as(Actor(ActorKind.CREDENTIAL, caller.subscription.id))
    structlog.contextvars.bind_contextvars(subscription_id=str(caller.subscription.id))
    await authenticator.check_rate_limit(caller.subscription)


def _redirect_without_slash(scope: Scope) -> Response:
    """Redirects to the path without its last slash; relatively, as a proxy may serve us under a prefix."""
    page = scope["raw_path"].decode("latin-1").removesuffix(_ROOT).rpartition(_ROOT)[2]
    query = scope["query_string"].decode("latin-1")
    return Response(status_code=308, headers={"Location": f"../{page}{f'?{query}' if query else ''}"})


def _record(scope: Scope, status: int | None, seconds: float) -> None:
    route = scope.get("route")
    operation = getattr(route, "operation_id", None) or getattr(route, "name", "unmatched")
    REQUESTS.labels(operation, status or _NO_ANSWER).inc()
    REQUEST_SECONDS.labels(operation).observe(seconds)
    # Monitors ask every few seconds; their requests would flood the log.
    log = _log.debug if scope["path"] in _MONITORED else _log.info
    log(
        "request",
        method=scope["method"],
        path=logged_path(scope),
        status=status,
        milliseconds=round(seconds * 1000, 2),
    )


def logged_path(scope: Scope) -> str:
    """Returns the path of a request without the token of a link, which would open an account."""
    path: str = scope["path"]
    if not path.startswith(_DASHBOARD_PREFIX):
        return path
    pattern = scope.get("dashboard_path")
    if pattern is None:
        return f"{_DASHBOARD_PREFIX}…"
    return pattern if "{token}" in pattern else path


class LimitedReceive:
    """Receives one body within its limits of size and time; messages after the body are not limited."""

    def __init__(self, receive: Receive, limit: int, seconds: float) -> None:
        self._receive = receive
        self._limit = limit
        self._seconds = seconds
        self._deadline: float | None = None
        self._received = 0
        self._is_whole = False

    async def __call__(self) -> Message:
        if self._is_whole:
            # The next message is the caller's disconnect, which may come as late as the answer ends.
            return await self._receive()
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Refusal(ErrorCode.REQUEST_TIMEOUT, limitSeconds=self._seconds) from None
        self._received += len(message.get("body", b""))
        if self._received > self._limit:
            raise Refusal(ErrorCode.PAYLOAD_TOO_LARGE, limitBytes=self._limit)
        self._is_whole = not message.get("more_body", False)
        return message
