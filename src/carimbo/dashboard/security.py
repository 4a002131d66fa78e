"""Protection of the dashboard in browsers: headers, cookies, and the check of every form."""

import hmac
import secrets
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from carimbo.dashboard.options import DashboardOptions
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.sessions import LIFETIME
from carimbo.web.forms import is_utf8_form

TOKEN_FIELD = "form_token"  # noqa: S105 - the name of a field


@dataclass(frozen=True)
class FormLimits:
    """How large a form may be. Parsing one blocks the event loop."""

    max_bytes: int
    max_fields: int
    max_files: int = 0


SHORT_FORM = FormLimits(128 * 1024, 100)
"""For most forms, also those that come before anybody has signed in. Ours are much smaller."""
LONG_FORM = FormLimits(1024 * 1024, 2500)
"""For forms of request bodies."""
FILE_FORM = FormLimits(6 * 1024 * 1024, 20, max_files=1)
"""For forms with a file."""
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "X-Frame-Options": "DENY",
}
_UNSAFE_HOST = (
    "O painel só abre por HTTPS ou nesta máquina. Ponha um proxy com HTTPS na frente do serviço e informe o"
    " endereço em CARIMBO_PUBLIC_URL."
)
_UNREADABLE_FORM = "O formulário não pôde ser lido: abra a página de novo e repita."
_FOREIGN_FORM = "O formulário não veio desta página: abra-a de novo e repita."


def protect(response: Response) -> Response:
    """Adds the headers of every page. Pages are never cached, unless a response says otherwise."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def require_safe_host(request: Request, options: DashboardOptions) -> None:
    """Refuses a host where the session could be read on the way."""
    if not options.is_safe_host(request.headers.get("host", "")):
        raise Refusal(ErrorCode.PERMISSION_DENIED, _UNSAFE_HOST)


def require_own_form(request: Request, options: DashboardOptions) -> None:
    """Refuses a form that a page of another site sends. Browsers send one of the two headers at least."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_own_site = site in (None, "same-origin")
    is_own_origin = origin is None or origin.lower() in options.origins(request.headers.get("host", ""))
    if (site is None and origin is None) or not is_own_site or not is_own_origin:
        raise Refusal(ErrorCode.PERMISSION_DENIED, _FOREIGN_FORM)


async def read_form(request: Request, limits: FormLimits = SHORT_FORM) -> Request:
    """Returns the request with its parsed form. Refuses a form that is too large or unreadable."""
    if not is_utf8_form(request.headers.get("content-type", "")):
        raise Refusal(ErrorCode.MALFORMED_FORM, _UNREADABLE_FORM)
    size = 0

    async def receive() -> Message:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > limits.max_bytes:
            raise Refusal(ErrorCode.PAYLOAD_TOO_LARGE, limitBytes=limits.max_bytes)
        return message

    limited = Request(request.scope, receive)
    try:
        form = await limited.form(max_files=limits.max_files, max_fields=limits.max_fields)
    except HTTPException:
        raise Refusal(ErrorCode.MALFORMED_FORM, _UNREADABLE_FORM) from None
    # PostgreSQL stores no text with a null character, and no person types one.
    if any("\0" in text for field in form.multi_items() for text in field if isinstance(text, str)):
        raise Refusal(ErrorCode.MALFORMED_FORM, _UNREADABLE_FORM)
    return limited


async def require_form_token(request: Request, expected: str) -> None:
    """Refuses a form without the token that its page had."""
    sent = (await request.form()).get(TOKEN_FIELD)
    if not isinstance(sent, str) or not hmac.compare_digest(sent.encode(), expected.encode()):
        raise Refusal(ErrorCode.PERMISSION_DENIED, _FOREIGN_FORM)


def session_token(request: Request, options: DashboardOptions) -> str | None:
    """Returns the token of the session cookie, or None."""
    return _cookie(request, options.session_cookie)


def set_session(response: Response, options: DashboardOptions, token: str) -> None:
    """Gives the browser the token of a new session."""
    _set_cookie(response, options, options.session_cookie, token)


def end_session(response: Response, options: DashboardOptions) -> None:
    """Makes the browser forget its session."""
    response.delete_cookie(options.session_cookie, secure=options.is_https, httponly=True, samesite="lax")


def open_form_token(request: Request, options: DashboardOptions) -> str:
    """Returns the form token of a browser without a session: that of its cookie, or a new one."""
    return _cookie(request, options.form_cookie) or secrets.token_urlsafe(32)


def keep_form_token(response: Response, options: DashboardOptions, token: str) -> None:
    """Gives the browser the form token of the pages without a session."""
    _set_cookie(response, options, options.form_cookie, token)


def _cookie(request: Request, name: str) -> str | None:
    """Returns the value of a cookie, or None.

    Our values need no unquoting, which older versions of Python do in quadratic time.
    """
    for header in request.headers.getlist("cookie"):
        for part in header.split(";"):
            sent, _, value = part.strip().partition("=")
            if sent == name and value:
                return value
    return None


def _set_cookie(response: Response, options: DashboardOptions, name: str, value: str) -> None:
    response.set_cookie(
        name,
        value,
        max_age=int(LIFETIME.total_seconds()),
        path="/",
        secure=options.is_https,
        httponly=True,
        samesite="lax",
    )
