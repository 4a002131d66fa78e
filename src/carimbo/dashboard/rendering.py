"""Turns templates into pages, and serves the files that pages load."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from carimbo import __version__
from carimbo.dashboard.navigation import menu_of
from carimbo.dashboard.notices import NOTICE, NOTICES
from carimbo.dashboard.options import PREFIX, DashboardOptions
from carimbo.dashboard.shown import FILTERS
from carimbo.dashboard.visit import PersonVisit, Visit
from carimbo.service.errors import Refusal, RefusalKind
from carimbo.service.printouts import PdfDownload
from carimbo.web.connections import abort
from carimbo.web.head_requests import is_head
from carimbo.web.status import STATUS_OF_KIND, retry_after

_STATIC_PREFIX = f"{PREFIX}/estatico/"
_MEDIA_TYPES = {
    "carimbo.svg": "image/svg+xml",
    "htmx.min.js": "text/javascript",
    "painel.css": "text/css",
    "painel.js": "text/javascript",
    "passkeys.js": "text/javascript",
}
# The address has a hash of the content, so that a copy never becomes outdated.
_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
_SEE_OTHER, _NOT_FOUND, _UNPROCESSABLE = 303, 404, 422
_SEND_SECONDS = 60.0
"""How long a receiver of a streamed file may take for each part."""


class ClosableStream(Protocol):
    """The parts of a file that is made while it is sent."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None:
        """Ends the making, also if it never started."""


class _StreamedFile(StreamingResponse):
    """A file that is made while it is sent. However the answer ends, the making ends with it."""

    def __init__(
        self, content: ClosableStream, media_type: str, headers: dict[str, str], send_seconds: float
    ) -> None:
        super().__init__(content, media_type=media_type, headers=headers)
        self._content = content
        self._send_seconds = send_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            try:
                async with asyncio.timeout(self._send_seconds):
                    await send(message)
            except TimeoutError:
                await abort(scope)
                raise ClientDisconnect from None

        try:
            if is_head(scope):
                start = {"type": "http.response.start", "status": self.status_code}
                await send({**start, "headers": self.raw_headers})
                await send({"type": "http.response.body", "body": b""})
            else:
                await super().__call__(scope, receive, send_in_time)
        finally:
            await self._content.aclose()


def page(visit: Visit, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Renders a page."""
    frame: dict[str, Any] = {}
    if isinstance(visit, PersonVisit):
        frame = {"menu": menu_of(visit), "notice": NOTICES.get(visit.filter(NOTICE) or "")}
    return _html(visit.options, template, status, visit=visit, **frame, **values)


def refused_page(visit: Visit, template: str, refusal: Refusal, **values: Any) -> HTMLResponse:
    """Renders a page with a form that was refused, and the reason."""
    kind = refusal.code.kind
    # The other kinds are about what was typed. The status of some would mean something else to a browser: an
    # answer with 401 must name a scheme of HTTP authentication.
    is_about_form = kind not in (RefusalKind.THROTTLED, RefusalKind.UNAVAILABLE)
    status = _UNPROCESSABLE if is_about_form else STATUS_OF_KIND[kind]
    response = page(visit, template, status, problem=refusal, **values)
    response.headers.update(retry_after(refusal))
    return response


def fragment(visit: Visit, template: str, **values: Any) -> HTMLResponse:
    """Renders a part of a page, for htmx."""
    return _html(visit.options, template, 200, visit=visit, **values)


def redirect(address: str) -> RedirectResponse:
    """Redirects after a form, so that a reload does not send it again."""
    return RedirectResponse(address, _SEE_OTHER)


def error_page(request: Request, options: DashboardOptions, refusal: Refusal) -> HTMLResponse:
    """Renders the page about a request that can't be answered."""
    status = STATUS_OF_KIND[refusal.code.kind]
    response = _html(
        options, "error.html", status, refusal=refusal, is_missing=status == _NOT_FOUND, root=options.root
    )
    response.headers.update(retry_after(refusal))
    return response


def attachment(content: bytes, media_type: str, name: str) -> Response:
    """Returns a file that a browser stores and never shows as a page of ours."""
    return Response(content, media_type=media_type, headers=_attachment_headers(name))


def streamed_attachment(
    content: ClosableStream, media_type: str, name: str, send_seconds: float = _SEND_SECONDS
) -> Response:
    """Returns a file that is made while it is sent. A receiver that stops reading is disconnected."""
    return _StreamedFile(content, media_type, _attachment_headers(name), send_seconds)


def _attachment_headers(name: str) -> dict[str, str]:
    return {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }


def pdf_response(file: PdfDownload) -> Response:
    """Returns a PDF file for the browser to show."""
    headers = {"Content-Disposition": f'inline; filename="{file.name}"'}
    return Response(file.pdf, media_type="application/pdf", headers=headers)


def static_file(path: str) -> Response | None:
    """Returns a file that pages load; None if the path names none."""
    name = path.removeprefix(_STATIC_PREFIX).rpartition("/")[2]
    if not path.startswith(_STATIC_PREFIX) or name not in _MEDIA_TYPES:
        return None
    return Response(_content(name), media_type=_MEDIA_TYPES[name], headers=_FOREVER)


def _html(options: DashboardOptions, template: str, status: int, **values: Any) -> HTMLResponse:
    text = _TEMPLATES.get_template(template).render(
        asset=lambda name: f"{options.root}/estatico/{_digest(name)}/{name}", version=__version__, **values
    )
    return HTMLResponse(text, status)


@cache
def _content(name: str) -> bytes:
    return files("carimbo.dashboard").joinpath("static", name).read_bytes()


@cache
def _digest(name: str) -> str:
    return hashlib.sha256(_content(name)).hexdigest()[:12]


_TEMPLATES = Environment(
    loader=PackageLoader("carimbo.dashboard", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(FILTERS)
