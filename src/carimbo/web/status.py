"""The HTTP status of a refusal."""

from carimbo.service.errors import RefusalKind

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
