"""How a refusal looks over HTTP."""

from collections.abc import Callable, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from carimbo.service.errors import Code, Kind, Refusal, invalid_fields
from carimbo.storage.database import DatabaseUnavailable

_log = structlog.get_logger("carimbo.api")

STATUS_OF_KIND = {
    Kind.MALFORMED: 400,
    Kind.UNAUTHENTICATED: 401,
    Kind.PAYMENT_REQUIRED: 402,
    Kind.FORBIDDEN: 403,
    Kind.NOT_FOUND: 404,
    Kind.WRONG_METHOD: 405,
    Kind.TOO_SLOW: 408,
    Kind.CONFLICT: 409,
    Kind.TOO_LARGE: 413,
    Kind.UNSUPPORTED_MEDIA: 415,
    Kind.INVALID: 422,
    Kind.THROTTLED: 429,
    Kind.HEAD_TOO_LARGE: 431,
    Kind.BROKEN: 500,
    Kind.UNAVAILABLE: 503,
}
_RETRY_AFTER_OUTAGE = "5"
_NO_ROUTE = "Este endereço não existe na API: confira o caminho em /docs."


def refusal_response(refusal: Refusal) -> JSONResponse:
    """Write a refusal in envelope form A."""
    error = {"code": refusal.code.name, "message": refusal.message, "details": refusal.details}
    response = JSONResponse({"success": False, "error": error}, STATUS_OF_KIND[refusal.code.kind])
    if refusal.code.kind is Kind.THROTTLED and refusal.details:
        response.headers["Retry-After"] = str(refusal.details["retryAfter"])
    if refusal.code.kind is Kind.UNAVAILABLE:
        response.headers["Retry-After"] = _RETRY_AFTER_OUTAGE
    if refusal.code.kind is Kind.TOO_SLOW:
        # The rest of the request may still come, and is not to be read as another one.
        response.headers["Connection"] = "close"
    return response


def response_to(error: Exception) -> JSONResponse | None:
    """Write the errors that we foresee; None for one that we don't."""
    if isinstance(error, Refusal):
        return refusal_response(error)
    if isinstance(error, DatabaseUnavailable):
        return _outage_response(error)
    return None


def validation_refusal(errors: Sequence[Any], body: Any = None) -> Refusal:
    """List every wrong field by its path in the request's own names; `body` is the type of the body."""
    return invalid_fields([{**error, "loc": _inside(error["loc"])} for error in errors], body)


def install_error_handlers(app: FastAPI, methods_of: Callable[[str], set[str]]) -> None:
    """Put every error that the framework raises into our envelope; `methods_of` a path fills `Allow`."""

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
        if error.status_code != STATUS_OF_KIND[Kind.WRONG_METHOD]:
            return _framework_response(error)
        # The framework names only the methods of the first route that matches.
        allowed = ", ".join(sorted(methods_of(request.scope["path"])))
        sentence = f"Este endereço não aceita {request.method}: use {allowed}."
        response = refusal_response(Refusal(Code.METHOD_NOT_ALLOWED, sentence))
        response.headers["Allow"] = allowed
        return response


def _outage_response(error: DatabaseUnavailable) -> JSONResponse:
    """Have the caller ask again; what became of the database is the operator's to read."""
    _log.warning("database_unavailable", reason=str(error))
    return refusal_response(Refusal(Code.SERVICE_UNAVAILABLE))


def _framework_response(error: HTTPException) -> Response:
    # The only 400 that the framework raises by itself: a multipart body that it can't read.
    if error.status_code == STATUS_OF_KIND[Kind.MALFORMED]:
        return refusal_response(Refusal(Code.MALFORMED_FORM))
    return refusal_response(Refusal(Code.NOT_FOUND, _NO_ROUTE))


def _inside(location: Sequence[int | str]) -> Sequence[int | str]:
    """Drop `body`, `query` or `path` from a location."""
    return location[1:] if location and location[0] in ("body", "query", "path", "header") else location
