"""Protection of the dashboard in browsers: headers, cookies, and the check of every form."""

import hmac
import secrets

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from carimbo.dashboard.options import DashboardOptions
from carimbo.service.errors import ErrorCode, Refusal

SESSION_SECONDS = 14 * 24 * 3600
TOKEN_FIELD = "form_token"  # noqa: S105 - the name of a field
_HTTPS_COOKIE, _LOCAL_COOKIE = "__Host-carimbo", "carimbo-local"
_HTTPS_FORM_COOKIE, _LOCAL_FORM_COOKIE = "__Host-carimbo-form", "carimbo-local-form"
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


async def require_form_token(request: Request, expected: str) -> None:
    """Refuses a form without the token that its page had."""
    try:
        sent = (await request.form()).get(TOKEN_FIELD)
    except HTTPException:
        raise Refusal(ErrorCode.MALFORMED_FORM, _UNREADABLE_FORM) from None
    if not isinstance(sent, str) or not hmac.compare_digest(sent.encode(), expected.encode()):
        raise Refusal(ErrorCode.PERMISSION_DENIED, _FOREIGN_FORM)


def session_token(request: Request, options: DashboardOptions) -> str | None:
    """Returns the token of the session cookie, or None."""
    return request.cookies.get(_HTTPS_COOKIE if options.is_https else _LOCAL_COOKIE)


def set_session(response: Response, options: DashboardOptions, token: str) -> None:
    """Gives the browser the token of a new session."""
    _set_cookie(response, options, _HTTPS_COOKIE if options.is_https else _LOCAL_COOKIE, token)


def end_session(response: Response, options: DashboardOptions) -> None:
    """Makes the browser forget its session."""
    name = _HTTPS_COOKIE if options.is_https else _LOCAL_COOKIE
    response.delete_cookie(name, secure=options.is_https, httponly=True, samesite="lax")


def open_form_token(request: Request, options: DashboardOptions) -> str:
    """Returns the form token of a browser without a session: that of its cookie, or a new one."""
    name = _HTTPS_FORM_COOKIE if options.is_https else _LOCAL_FORM_COOKIE
    return request.cookies.get(name) or secrets.token_urlsafe(32)


def keep_form_token(response: Response, options: DashboardOptions, token: str) -> None:
    """Gives the browser the form token of the pages without a session."""
    _set_cookie(response, options, _HTTPS_FORM_COOKIE if options.is_https else _LOCAL_FORM_COOKIE, token)


def _set_cookie(response: Response, options: DashboardOptions, name: str, value: str) -> None:
    response.set_cookie(
        name, value, max_age=SESSION_SECONDS, path="/", secure=options.is_https, httponly=True, samesite="lax"
    )
