"""The control API: views and switches for the operator, over plain HTTP on the loopback interface."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from inspect import getdoc
from typing import Any

from carimbo.simulator.cities import City, IssRate
from carimbo.simulator.http import HTML, JSON, ConnectionClosed, Reply, Request
from carimbo.simulator.ledger import StoredEvent, StoredInutilization
from carimbo.simulator.program import panel
from carimbo.simulator.program.journal import DEFAULT_LIMIT, JournalEntry
from carimbo.simulator.program.panel import DOCUMENT_NAMES, MAX_ROWS, ControlApiError, Query, json_names
from carimbo.simulator.program.site import Site
from carimbo.simulator.registers import Contributor, SecurityCode

PEM = "application/x-pem-file"
_XML = "application/xml; charset=utf-8"
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
_DOCUMENT = re.compile(r"/documents/([0-9A-Z]{44}|[0-9A-Z]{50})\.xml")
_DOCUMENT_PATH = "/documents/{key}.xml"
_LIMIT = {"limit": f"maximum number of records, 1 to {MAX_ROWS}; by default {DEFAULT_LIMIT}"}
_Action = Callable[[Site, Request], Reply]


@lru_cache(maxsize=1)
def control_page() -> bytes:
    """Returns the page. It runs only its own style and script, and calls only this port."""
    page = (files(__package__) / "control.html").read_text(encoding="utf-8")
    for tag in ("style", "script"):
        contents = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashes = (b64encode(sha256(text.encode()).digest()).decode() for text in contents)
        page = page.replace(f"{{{tag}-hash}}", " ".join(f"'sha256-{value}'" for value in hashes))
    return page.encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRoute:
    """A method at an address."""

    method: str = "GET"
    path: str
    act: _Action
    about: str
    """What it does, in one line of the reference page."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Allowed query parameters, with their meaning."""
    body: str = ""
    """The JSON that it takes, in one line."""
    answers: Sequence[str] = ()
    """The field names of the records in its answer."""


def _json_view(
    path: str,
    view: Callable[[Site, Query], Any],
    parameters: Mapping[str, str] | None = None,
    answers: Sequence[str] = (),
) -> ControlRoute:
    """A route that answers with JSON."""
    parameters = parameters or {}

    def act(site: Site, request: Request) -> Reply:
        return _json(200, view(site, panel.query_of(request, parameters)))

    return ControlRoute(path=path, act=act, about=getdoc(view) or "", parameters=parameters, answers=answers)


def _json_change(method: str, path: str, change: Callable[[Site, Any], Any], body: str) -> ControlRoute:
    """A route that takes JSON, and answers with the new state."""

    def act(site: Site, request: Request) -> Reply:
        return _json(200, change(site, _body(request)))

    return ControlRoute(method=method, path=path, act=act, about=getdoc(change) or "", body=body)


def _list_of(record_type: type) -> str:
    names = json_names(record_type)
    required = ", ".join(f"`{name}`" for name, is_required in names.items() if is_required)
    optional = ", ".join(f"`{name}`" for name, is_required in names.items() if not is_required)
    return f"a list of objects with {required}" + (f", and optionally {optional}" if optional else "")


def _page(_: Site, __: Request) -> Reply:
    return Reply(200, control_page(), HTML)


def _document(site: Site, request: Request) -> Reply:
    match = _DOCUMENT.fullmatch(request.path)
    return Reply(200, panel.document(site, match.group(1) if match else ""), _XML)


def _authorities(site: Site, _: Request) -> Reply:
    return Reply(200, panel.authorities(site), PEM)


ROUTES: Sequence[ControlRoute] = (
    ControlRoute(path="/", act=_page, about="The panel, a page for people."),
    _json_view("/controls", panel.controls),
    _json_change(
        "PATCH", "/controls", panel.change_controls, 'an object with switches, `{"outages": {"SP": "109"}}`'
    ),
    _json_view(
        "/journal",
        panel.journal,
        {
            "key": "access key: every call about that document, alone or in a lot",
            "subject": "subject of a call: key, Id of DPS, event or range, receipt, `lote 77`, state, city",
            "service": "official name, such as `NFeAutorizacao4`; for NFS-e `POST /nfse`",
            "after": "id of an entry: the first entries after it, instead of the latest ones",
            **_LIMIT,
        },
        tuple(json_names(JournalEntry)),
    ),
    _json_view("/documents", panel.documents, _LIMIT, DOCUMENT_NAMES),
    ControlRoute(path=_DOCUMENT_PATH, act=_document, about=getdoc(panel.document) or ""),
    _json_view(
        "/events",
        panel.events,
        {"key": "access key of the document", **_LIMIT},
        tuple(json_names(StoredEvent)),
    ),
    _json_view("/voided-ranges", panel.inutilizations, _LIMIT, tuple(json_names(StoredInutilization))),
    _json_view("/triggers", panel.triggers),
    _json_view("/authorizers", panel.authorizers),
    _json_view("/contributors", panel.contributors, answers=tuple(json_names(Contributor))),
    _json_change("PUT", "/contributors", panel.put_contributors, _list_of(Contributor)),
    _json_view("/calendar", panel.calendar, answers=("name", "since", "builtIn", "about", "source")),
    _json_view("/cities", panel.cities, answers=tuple(json_names(City))),
    _json_view("/iss-rates", panel.rates, answers=tuple(json_names(IssRate))),
    _json_view("/security-codes", panel.security_codes, answers=tuple(json_names(SecurityCode))),
    _json_change("PUT", "/security-codes", panel.put_security_codes, _list_of(SecurityCode)),
    _json_change("POST", "/reset", panel.reset, '`{"what": "controls"}` or `{"what": "everything"}`'),
    ControlRoute(path="/ca.pem", act=_authorities, about=getdoc(panel.authorities) or ""),
)
"""Every address, in the order of the reference page."""


class ControlApi:
    """The control API of one site."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def answer(self, request: Request) -> Reply | ConnectionClosed:
        """Answers one request of the operator."""
        try:
            _require_loopback_host(request)
            return _action_for(request)(self._site, request)
        except ControlApiError as error:
            return _json(error.status, {"error": str(error)})


def _action_for(request: Request) -> _Action:
    path = _DOCUMENT_PATH if _DOCUMENT.fullmatch(request.path) else request.path
    acts = {route.method: route.act for route in ROUTES if route.path == path}
    if not acts:
        paths = dict.fromkeys(route.path for route in ROUTES)
        raise ControlApiError(404, f"Não há nada neste endereço. Há: {', '.join(paths)}.")
    method = "GET" if request.method == "HEAD" else request.method
    if method not in acts:
        raise ControlApiError(405, f"Este endereço aceita só {', '.join(acts)}.")
    return acts[method]


def _require_loopback_host(request: Request) -> None:
    """Raises for other host names, which a page elsewhere could point to this address (DNS rebinding)."""
    if not _LOOPBACK.fullmatch(request.headers.get("host", "")):
        raise ControlApiError(403, "Só se chega a este endereço por localhost, 127.0.0.1 ou [::1].")


def _body(request: Request) -> Any:
    """The JSON of a request. Browsers send this content type to other sites only with permission (CSRF)."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise ControlApiError(415, f"Envie o corpo como {JSON}.")
    try:
        value = json.loads(request.body)
        # A lone surrogate cannot be encoded, neither in the file nor in an answer.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ControlApiError(400, "O corpo não é um JSON.") from None
    return value


def _json(status: int, value: Any) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False).encode(), JSON)
