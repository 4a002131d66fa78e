"""Turns refusals and framework errors into HTTP responses."""

from collections.abc import Callable, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from carimbo.service.errors import ErrorCode, Refusal, RefusalKind, invalid_fields
from carimbo.storage.database import DatabaseUnavailable

_log = structlog.get_logger("carimbo.api")

STATUS_OF_KIND = {
    RefusalKind.MALFORMED: 400,
    RefusalKind.UNAUTHENTICATED: 401,
    RefusalKind.PAYMENT_REQUIRED: 402,
    RefusalKind.FORBIDDEN: 403,
    RefusalKind.NOT_FOUND: 404,
    RefusalKind.WRONG_METHOD: 405,
    RefusalKind.TOO_SLOW: 408,
    RefusalKind.CONFLICT: 409,
    RefusalKind.TOO_LARGE: 413,
    RefusalKind.UNSUPPORTED_MEDIA: 415,
    RefusalKind.INVALID: 422,
    RefusalKind.THROTTLED: 429,
    RefusalKind.HEAD_TOO_LARGE: 431,
    RefusalKind.BROKEN: 500,
    RefusalKind.UNAVAILABLE: 503,
}
_RETRY_AFTER_OUTAGE = "5"
_NO_ROUTE = "Este endereço não existe na API: confira o caminho em /docs."


def refusal_response(refusal: Refusal) -> JSONResponse:
    """Returns the response to a refusal, in envelope form A."""
    error = {"code": refusal.code.name, "message": refusal.message, "details": refusal.details}
    response = JSONResponse({"success": False, "error": error}, STATUS_OF_KIND[refusal.code.kind])
    if refusal.code.kind is RefusalKind.THROTTLED and refusal.details:
        response.headers["Retry-After"] = str(refusal.details["retryAfter"])
    if refusal.code.kind is RefusalKind.UNAVAILABLE:
        response.headers["Retry-After"] = _RETRY_AFTER_OUTAGE
    if refusal.code.kind is RefusalKind.TOO_SLOW:
        # The rest of the body may still arrive and must not be read as another request.
        response.headers["Connection"] = "close"
    return response


def response_to(error: Exception) -> JSONResponse | None:
    """Returns the response to an expected error, or None for any other."""
    if isinstance(error, Refusal):
        return refusal_response(error)
    if isinstance(error, DatabaseUnavailable):
        return _outage_response(error)
    return None


def validation_refusal(errors: Sequence[Any], body: Any = None) -> Refusal:
    """Returns a refusal with every wrong field by its path in the request; `body` is the type of the body."""
    return invalid_fields([{**error, "loc": _without_source(error["loc"])} for error in errors], body)


def install_error_handlers(app: FastAPI, methods_of: Callable[[str], set[str]]) -> None:
    """Answers the framework's errors in our envelope; `methods_of` a path are the value of `Allow`."""

    @app.exception_handler(Refusal)
    async def refused(_: Request, error: Refusal) -> Response:
        return refusal_response(error)

    @app.exception_handler(DatabaseUnavailable)
    async def unavailable(_: Request, error: DatabaseUnavailable) -> Response:
        return _outage_response(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        body_field = request.scope["route"].body_field
        return refusal_response(
            validation_refusal(error.errors(), body_field and body_field.field_info.annotation)
        )

    @app.exception_handler(HTTPException)
    async def framework_error(request: Request, error: HTTPException) -> Response:
        # The only 400 that the framework raises itself: a multipart body that it cannot read.
        if error.status_code == STATUS_OF_KIND[RefusalKind.MALFORMED]:
            return refusal_response(Refusal(ErrorCode.MALFORMED_FORM))
        if error.status_code != STATUS_OF_KIND[RefusalKind.WRONG_METHOD]:
            return refusal_response(Refusal(ErrorCode.NOT_FOUND, _NO_ROUTE))
        # The framework names only the methods of the first route that matches.
        allowed = ", ".join(sorted(methods_of(request.scope["path"])))
        sentence = f"Este endereço não aceita {request.method}: use {allowed}."
        response = refusal_response(Refusal(ErrorCode.METHOD_NOT_ALLOWED, sentence))
        response.headers["Allow"] = allowed
        return response


def _outage_response(error: DatabaseUnavailable) -> JSONResponse:
    """Asks the caller to retry; the reason goes to the log only."""
    _log.warning("database_unavailable", reason=str(error))
    return refusal_response(Refusal(ErrorCode.SERVICE_UNAVAILABLE))


def _without_source(location: Sequence[int | str]) -> Sequence[int | str]:
    """Removes `body`, `query`, `path` or `header` from a location."""
    return location[1:] if location and location[0] in ("body", "query", "path", "header") else location
