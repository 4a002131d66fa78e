"""The HTTP status of a refusal, and when the request may be repeated."""

from carimbo.service.errors import Refusal, RefusalKind

_OUTAGE_SECONDS = 5

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


def retry_after(refusal: Refusal) -> dict[str, str]:
    """Returns the header with the seconds after which a request may be repeated; none if that is no help."""
    if refusal.code.kind is RefusalKind.THROTTLED and refusal.details:
        return {"Retry-After": str(refusal.details["retryAfter"])}
    if refusal.code.kind is RefusalKind.UNAVAILABLE:
        return {"Retry-After": str(_OUTAGE_SECONDS)}
    return {}
