"""Every refusal of an operation, documented with an example."""

from collections import defaultdict
from typing import Any

from carimbo.api.envelope import Failure
from carimbo.api.errors import STATUS_OF_KIND
from carimbo.service.errors import Code, Kind

Answers = dict[int | str, dict[str, Any]]
"""What an operation may answer, by HTTP status."""

UNREADY = (
    Code.COMPANY_NOT_READY,
    Code.CERTIFICATE_MISSING,
    Code.CERTIFICATE_EXPIRED,
    Code.CERTIFICATE_INVALID,
)
"""The refusals of what is said to an authority in the name of a company that it would not know."""
# What any private operation may answer.
_EVERYWHERE = (
    Code.INVALID_API_CREDENTIALS,
    Code.PAYLOAD_TOO_LARGE,
    Code.VALIDATION_ERROR,
    Code.RATE_LIMIT_EXCEEDED,
    Code.INTERNAL_ERROR,
    Code.SERVICE_UNAVAILABLE,
)
_RETRY_AFTER = {
    "Retry-After": {"description": "Segundos a aguardar.", "schema": {"type": "integer", "minimum": 1}}
}


def gives_file(media_type: str, headers: dict[str, Any] | None = None) -> Answers:
    """Document a success that is a file of bytes, which the framework would call a text."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"content": content, "headers": headers or {}}}


def refuses(*codes: Code) -> Answers:
    """Document an operation's refusals, grouped by HTTP status, each with an example."""
    by_status: dict[int, list[Code]] = defaultdict(list)
    for code in sorted({*_EVERYWHERE, *codes}, key=lambda code: code.name):
        by_status[STATUS_OF_KIND[code.kind]].append(code)
    return {status: _response(by_status[status]) for status in sorted(by_status)}


def body_refusals(media_type: str) -> Answers:
    """Document what an operation with a body may answer on top."""
    malformed = Code.MALFORMED_JSON if media_type.endswith("json") else Code.MALFORMED_FORM
    codes = (malformed, Code.REQUEST_TIMEOUT, Code.UNSUPPORTED_MEDIA_TYPE)
    return {STATUS_OF_KIND[code.kind]: _response([code]) for code in codes}


def example_of(code: Code) -> dict[str, Any]:
    """Show a refusal as it is answered."""
    details = dict(code.example_details) or None
    return {"success": False, "error": {"code": code.name, "message": code.message, "details": details}}


def _response(codes: list[Code]) -> dict[str, Any]:
    response: dict[str, Any] = {
        "model": Failure,
        "description": ", ".join(f"`{code.name}`" for code in codes),
        "content": {"application/json": {"examples": {c.name: {"value": example_of(c)} for c in codes}}},
    }
    if codes[0].kind in (Kind.THROTTLED, Kind.UNAVAILABLE):
        response["headers"] = _RETRY_AFTER
    return response
