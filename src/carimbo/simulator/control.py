"""The control API: what the operator of the simulator sees and switches, over plain HTTP on loopback."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from typing import Any

from carimbo.simulator import panel
from carimbo.simulator.cities import City, IssRate
from carimbo.simulator.contributors import Contributor
from carimbo.simulator.control_page import control_page
from carimbo.simulator.http import HTML, JSON, HungUp, Reply, Request
from carimbo.simulator.journal import DEFAULT_LIMIT, Entry
from carimbo.simulator.ledger import StoredEvent, VoidedRange
from carimbo.simulator.panel import DOCUMENT_NAMES, MOST_ROWS, Query, Refused
from carimbo.simulator.records import names_of
from carimbo.simulator.security_codes import SecurityCode
from carimbo.simulator.site import Site

PEM = "application/x-pem-file"
_XML = "application/xml; charset=utf-8"
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
_DOCUMENT = re.compile(r"/documents/([0-9A-Z]{44}|[0-9A-Z]{50})\.xml")
_DOCUMENT_PATH = "/documents/{key}.xml"
_LIMIT = {"limit": f"how many at most, 1 to {MOST_ROWS}; {DEFAULT_LIMIT} unless told"}

_Act = Callable[[Site, Request], Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What one method does at one address."""

    method: str = "GET"
    path: str
    act: _Act
    about: str
    """What it does, on one line."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """The names that the query may have, with their meaning."""
    body: str = ""
    """The JSON that it takes, on one line."""
    answers: Sequence[str] = ()
    """The names in each record of the list that it answers with."""


def _shows(
    path: str,
    look: Callable[[Site, Query], Any],
    parameters: Mapping[str, str] | None = None,
    answers: Sequence[str] = (),
) -> Route:
    """A route that answers with JSON."""
    known = parameters or {}

    def act(site: Site, request: Request) -> Reply:
        return _json(200, look(site, panel.query_of(request, known)))

    return Route(path=path, act=act, about=getdoc(look) or "", parameters=known, answers=answers)


def _takes(method: str, path: str, change: Callable[[Site, Any], Any], body: str) -> Route:
    """A route that takes JSON, and answers with what there is then."""

    def act(site: Site, request: Request) -> Reply:
        return _json(200, change(site, _body(request)))

    return Route(method=method, path=path, act=act, about=getdoc(change) or "", body=body)


def _list_of(kind: type) -> str:
    names = names_of(kind)
    needed = ", ".join(f"`{name}`" for name, is_needed in names.items() if is_needed)
    others = ", ".join(f"`{name}`" for name, is_needed in names.items() if not is_needed)
    return f"a list of objects with {needed}" + (f", and where known {others}" if others else "")


def _page(_: Site, __: Request) -> Reply:
    return Reply(200, control_page(), HTML)


def _document(site: Site, request: Request) -> Reply:
    found = _DOCUMENT.fullmatch(request.path)
    return Reply(200, panel.document(site, found.group(1) if found else ""), _XML)


def _authorities(site: Site, _: Request) -> Reply:
    return Reply(200, panel.authorities(site), PEM)


ROUTES: Sequence[Route] = (
    Route(path="/", act=_page, about="The panel, a page for people."),
    _shows("/controls", panel.controls),
    _takes(
        "PATCH", "/controls", panel.change_controls, 'an object with switches, `{"outages": {"SP": "109"}}`'
    ),
    _shows(
        "/journal",
        panel.journal,
        {
            "key": "access key: what was sent, asked or told of that document, alone or in a lot",
            "subject": "what a call is about: key, Id of DPS, event, range, receipt, `lote 77`, state, city",
            "service": "official name, such as `NFeAutorizacao4`, or of NFS-e `POST /nfse`",
            "after": "id of an entry: the first ones after it, not the last ones of all",
            **_LIMIT,
        },
        tuple(names_of(Entry)),
    ),
    _shows("/documents", panel.documents, _LIMIT, DOCUMENT_NAMES),
    Route(path=_DOCUMENT_PATH, act=_document, about=getdoc(panel.document) or ""),
    _shows(
        "/events", panel.events, {"key": "access key of the document", **_LIMIT}, tuple(names_of(StoredEvent))
    ),
    _shows("/voided-ranges", panel.voided_ranges, _LIMIT, tuple(names_of(VoidedRange))),
    _shows("/triggers", panel.triggers),
    _shows("/authorizers", panel.authorizers),
    _shows("/contributors", panel.contributors, answers=tuple(names_of(Contributor))),
    _takes("PUT", "/contributors", panel.put_contributors, _list_of(Contributor)),
    _shows("/calendar", panel.calendar, answers=("name", "since", "builtIn", "about", "source")),
    _shows("/cities", panel.cities, answers=tuple(names_of(City))),
    _shows("/iss-rates", panel.rates, answers=tuple(names_of(IssRate))),
    _shows("/security-codes", panel.security_codes, answers=tuple(names_of(SecurityCode))),
    _takes("PUT", "/security-codes", panel.put_security_codes, _list_of(SecurityCode)),
    _takes("POST", "/reset", panel.reset, '`{"what": "controls"}` or `{"what": "everything"}`'),
    Route(path="/ca.pem", act=_authorities, about=getdoc(panel.authorities) or ""),
)
"""Every address, in the order in which people are told of them."""


class ControlApi:
    """Everything about one site that an operator may see and change."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def answer(self, request: Request) -> Reply | HungUp:
        """Answer one request of the operator."""
        try:
            _refuse_strangers(request)
            return _act_of(request)(self._site, request)
        except Refused as refused:
            return _json(refused.status, {"error": str(refused)})


def _act_of(request: Request) -> _Act:
    path = _DOCUMENT_PATH if _DOCUMENT.fullmatch(request.path) else request.path
    acts = {route.method: route.act for route in ROUTES if route.path == path}
    if not acts:
        paths = dict.fromkeys(route.path for route in ROUTES)
        raise Refused(404, f"Não há nada neste endereço. Há: {', '.join(paths)}.")
    method = "GET" if request.method == "HEAD" else request.method
    if method not in acts:
        raise Refused(405, f"Este endereço aceita só {', '.join(acts)}.")
    return acts[method]


def _refuse_strangers(request: Request) -> None:
    """A page of somewhere else that gave its own name our address would send its own name (DNS rebinding)."""
    if not _LOOPBACK.fullmatch(request.headers.get("host", "")):
        raise Refused(403, "Só se chega a este endereço por localhost, 127.0.0.1 ou [::1].")


def _body(request: Request) -> Any:
    """The JSON of a request; browsers let no other site send this type without asking first (CSRF)."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Refused(415, f"Envie o corpo como {JSON}.")
    try:
        value = json.loads(request.body)
        # Half of a surrogate pair is no character: neither the file nor an answer can hold it.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Refused(400, "O corpo não é um JSON.") from None
    return value


def _json(status: int, value: Any) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False).encode(), JSON)
