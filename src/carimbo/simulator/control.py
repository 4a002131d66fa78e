"""The control API: what the operator of the simulator sees and switches, over plain HTTP on loopback."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from carimbo.simulator import panel
from carimbo.simulator.control_page import control_page
from carimbo.simulator.http import HTML, JSON, HungUp, Reply, Request
from carimbo.simulator.panel import Refused
from carimbo.simulator.site import Site

PEM = "application/x-pem-file"
_XML = "application/xml; charset=utf-8"
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
_DOCUMENT = re.compile(r"/documents/([0-9A-Z]{44})\.xml")

_Handler = Callable[[Request], Reply]


class ControlApi:
    """Everything about one site that an operator may see and change."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._routes: Mapping[str, Mapping[str, _Handler]] = {
            "/": {"GET": lambda _: Reply(200, control_page(), HTML)},
            "/controls": {"GET": self._see(panel.controls), "PATCH": self._write(panel.change_controls)},
            "/journal": {"GET": self._see(panel.journal)},
            "/documents": {"GET": self._see(panel.documents)},
            "/events": {"GET": self._see(panel.events)},
            "/triggers": {"GET": self._see(panel.triggers)},
            "/authorizers": {"GET": self._see(panel.authorizers)},
            "/contributors": {
                "GET": self._see(panel.contributors),
                "PUT": self._write(panel.put_contributors),
            },
            "/security-codes": {
                "GET": self._see(panel.security_codes),
                "PUT": self._write(panel.put_security_codes),
            },
            "/reset": {"POST": self._write(panel.reset)},
            "/ca.pem": {"GET": lambda _: Reply(200, panel.authorities(site), PEM)},
        }

    async def answer(self, request: Request) -> Reply | HungUp:
        """Answer one request of the operator."""
        try:
            _refuse_strangers(request)
            return self._handler(request)(request)
        except Refused as refused:
            return _json(refused.status, {"error": str(refused)})

    def _handler(self, request: Request) -> _Handler:
        if _DOCUMENT.fullmatch(request.path):
            methods: Mapping[str, _Handler] = {"GET": self._document}
        elif request.path in self._routes:
            methods = self._routes[request.path]
        else:
            raise Refused(404, f"Não há nada neste endereço. Há: {', '.join(self._routes)}.")
        method = "GET" if request.method == "HEAD" else request.method
        if method not in methods:
            raise Refused(405, f"Este endereço aceita só {', '.join(methods)}.")
        return methods[method]

    def _see(self, look: Callable[[Site, Mapping[str, str]], Any]) -> _Handler:
        return lambda request: _json(200, look(self._site, panel.query_of(request)))

    def _write(self, act: Callable[[Site, Any], Any]) -> _Handler:
        return lambda request: _json(200, act(self._site, _body(request)))

    def _document(self, request: Request) -> Reply:
        found = _DOCUMENT.fullmatch(request.path)
        return Reply(200, panel.document(self._site, found.group(1) if found else ""), _XML)


def _refuse_strangers(request: Request) -> None:
    """A page of somewhere else that gave its own name our address would send its own name (DNS rebinding)."""
    if not _LOOPBACK.fullmatch(request.headers.get("host", "")):
        raise Refused(403, "Só se chega a este endereço por localhost, 127.0.0.1 ou [::1].")


def _body(request: Request) -> Any:
    """The JSON of a request; browsers let no other site send this type without asking first (CSRF)."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Refused(415, f"Envie o corpo como {JSON}.")
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError):
        raise Refused(400, "O corpo não é um JSON.") from None


def _json(status: int, value: Any) -> Reply:
    return Reply(status, json.dumps(value, ensure_ascii=False).encode(), JSON)
