"""The documented responses of operations: files, and every error with an example."""

from collections import defaultdict
from functools import cache
from typing import Any

from carimbo.service.errors import ErrorCode, RefusalKind
from carimbo.web.status import STATUS_OF_KIND

Responses = dict[int | str, dict[str, Any]]
"""Documented responses by HTTP status."""

UNREADY = (
    ErrorCode.COMPANY_NOT_READY,
    ErrorCode.CERTIFICATE_MISSING,
    ErrorCode.CERTIFICATE_EXPIRED,
    ErrorCode.CERTIFICATE_INVALID,
)
"""Errors of operations that call an authority for a company that is not ready for it."""
# Errors of every private operation.
_EVERYWHERE = (
    ErrorCode.INVALID_API_CREDENTIALS,
    ErrorCode.PAYLOAD_TOO_LARGE,
    ErrorCode.VALIDATION_ERROR,
    ErrorCode.RATE_LIMIT_EXCEEDED,
    ErrorCode.INTERNAL_ERROR,
    ErrorCode.SERVICE_UNAVAILABLE,
)
_RETRY_AFTER = {
    "Retry-After": {"description": "Segundos a aguardar.", "schema": {"type": "integer", "minimum": 1}}
}


def file_responses(media_type: str, headers: dict[str, Any] | None = None) -> Responses:
    """Documents a successful response with a binary file, which the framework would document as text."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"content": content, "headers": headers or {}}}


def error_responses(*codes: ErrorCode) -> Responses:
    """Documents an operation's refusals, grouped by HTTP status, each with an example."""
    by_status: dict[int, list[ErrorCode]] = defaultdict(list)
    for code in sorted({*_EVERYWHERE, *codes}, key=lambda code: code.name):
        by_status[STATUS_OF_KIND[code.kind]].append(code)
    return {status: _response(by_status[status]) for status in sorted(by_status)}


def body_refusals(media_type: str) -> Responses:
    """Documents the additional errors of an operation with a body."""
    malformed = ErrorCode.MALFORMED_JSON if media_type.endswith("json") else ErrorCode.MALFORMED_FORM
    codes = (malformed, ErrorCode.REQUEST_TIMEOUT, ErrorCode.UNSUPPORTED_MEDIA_TYPE)
    return {STATUS_OF_KIND[code.kind]: _response([code]) for code in codes}


@cache
def example_of(code: ErrorCode) -> dict[str, Any]:
    """Shows a refusal as it is answered."""
    details = dict(code.example_details) or None
    return {"success": False, "error": {"code": code.name, "message": code.message, "details": details}}


def _response(codes: list[ErrorCode]) -> dict[str, Any]:
    response: dict[str, Any] = {
        "description": ", ".join(f"`{code.name}`" for code in codes),
        "content": {"application/json": {"examples": {c.name: {"value": example_of(c)} for c in codes}}},
    }
    if codes[0].kind in (RefusalKind.THROTTLED, RefusalKind.UNAVAILABLE):
        response["headers"] = _RETRY_AFTER
    return response
