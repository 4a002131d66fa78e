"""Turns refusals and errors into HTTP responses."""

from collections.abc import Iterable, Sequence
from typing import Any

import structlog
from starlette.responses import JSONResponse

from carimbo.service.errors import ErrorCode, Refusal, RefusalKind, invalid_fields
from carimbo.storage.database import DatabaseUnavailable
from carimbo.web.status import STATUS_OF_KIND, retry_after

_log = structlog.get_logger("carimbo.api")


class WrongMethod(Exception):
    """The path exists, but not with the method of the request."""


def refusal_response(refusal: Refusal) -> JSONResponse:
    """Returns the response to a refusal, in envelope form A."""
    error = {"code": refusal.code.name, "message": refusal.message, "details": refusal.details}
    status = STATUS_OF_KIND[refusal.code.kind]
    response = JSONResponse({"success": False, "error": error}, status, retry_after(refusal))
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


def wrong_method_response(method: str, allowed: Iterable[str]) -> JSONResponse:
    """Returns the response to a method that a path does not have."""
    methods = ", ".join(sorted(allowed))
    sentence = f"Este endereço não aceita {method}: use {methods}."
    response = refusal_response(Refusal(ErrorCode.METHOD_NOT_ALLOWED, sentence))
    response.headers["Allow"] = methods
    return response


def _outage_response(error: DatabaseUnavailable) -> JSONResponse:
    """Asks the caller to retry; the reason goes to the log only."""
    _log.warning("database_unavailable", reason=str(error))
    return refusal_response(Refusal(ErrorCode.SERVICE_UNAVAILABLE))


def _without_source(location: Sequence[int | str]) -> Sequence[int | str]:
    """Removes `body`, `query`, `path` or `header` from a location."""
    return location[1:] if location and location[0] in ("body", "query", "path", "header") else location
