"""The dashboard at a public address: by HTTPS, below a path of a proxy, and behind proxies."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.main.api import api_of
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import demo_sign_in_link
from carimbo.settings import Settings
from carimbo.storage.database import Database
from integration.dashboard.panel import Panel, strings_of
from support import Caller

ORIGIN = "https://painel.example.com"
_PROXY = ("2001:db8:0:0::1", 443)

Open = Callable[..., httpx2.AsyncClient]


def installation_at(app: FastAPI, settings: Settings, **changes: str) -> FastAPI:
    """Returns an app with other settings, and with the services of the running one."""
    other = api_of(Settings.model_validate({**settings.model_dump(exclude_unset=True), **changes}))
    other.state.services = app.state.services
    return other


@pytest.fixture
async def open_browser(app: FastAPI, settings: Settings) -> AsyncIterator[Open]:
    """Opens a browser that reaches an installation through a proxy, at its public address."""
    async with AsyncExitStack() as stack:

        def new(public_url: str = ORIGIN, **changes: str) -> httpx2.AsyncClient:
            other = installation_at(app, settings, public_url=public_url, **changes)
            transport = httpx2.ASGITransport(app=other, client=_PROXY)
            http = httpx2.AsyncClient(transport=transport, base_url=ORIGIN)
            stack.push_async_callback(http.aclose)
            return http

        yield new


async def sign_in(
    http: httpx2.AsyncClient, database: Database, caller: Caller, origin: str = ORIGIN, **headers: Any
) -> httpx2.Response:
    """Opens a link of the demonstration and presses its button."""
    token = await demo_sign_in_link(database, caller.subscription_id, datetime.now(UTC))
    path = link_address("", LinkPurpose.SIGN_IN, token)
    (form_token,) = strings_of((await http.get(path)).text, "//input[@name='form_token']/@value")
    return await http.post(path, data={"form_token": form_token}, headers={"Origin": origin, **headers})


class TestHttps:
    async def test_cookie_is_bound_to_the_host_and_sent_by_https_only(
        self, open_browser: Open, database: Database, caller: Caller
    ) -> None:
        answer = await sign_in(open_browser(), database, caller)
        cookies = {line.partition("=")[0]: line for line in answer.headers.get_list("set-cookie")}
        assert set(cookies) == {"__Host-carimbo", "__Host-carimbo-form"}
        for cookie in cookies.values():
            attributes = {attribute.strip().lower() for attribute in cookie.split(";")[1:]}
            assert {"secure", "httponly", "samesite=lax", "path=/"} < attributes
            assert not any(attribute.startswith("domain") for attribute in attributes)

    async def test_cookie_of_http_opens_nothing(self, open_browser: Open, panel: Panel) -> None:
        for name, status in (("carimbo-local", 303), ("__Host-carimbo", 200)):
            answer = await open_browser().get("/painel/conta", headers={"Cookie": f"{name}={panel.token}"})
            assert answer.status_code == status, name

    async def test_form_of_our_own_host_without_https_is_refused(
        self, open_browser: Open, database: Database, caller: Caller
    ) -> None:
        http = open_browser()
        refused = await sign_in(http, database, caller, "http://painel.example.com")
        assert (refused.status_code, "__Host-carimbo" in http.cookies) == (403, False)
        assert (await sign_in(http, database, caller)).status_code == 303

    @pytest.mark.parametrize(
        ("public_url", "origin"),
        [
            ("https://painel.example.com:443/", "https://painel.example.com"),
            ("https://época.com.br", "https://xn--poca-9oa.com.br"),
        ],
    )
    async def test_forms_pass_whatever_the_spelling_of_the_public_address(
        self, open_browser: Open, database: Database, caller: Caller, public_url: str, origin: str
    ) -> None:
        answer = await sign_in(open_browser(public_url), database, caller, origin)
        assert (answer.status_code, answer.headers["location"].startswith("/painel/")) == (303, True)


class TestPathOfAProxy:
    PATH = "/painel-fiscal"

    async def test_links_files_and_redirects_stay_below_it(self, open_browser: Open, panel: Panel) -> None:
        http = open_browser(f"{ORIGIN}{self.PATH}/")
        moved = await http.get(f"{panel.base}/pessoas?pagina=1")
        expected = f"{self.PATH}/painel/entrar?para=/{panel.subscription_id}/pessoas%3Fpagina%3D1"
        assert moved.headers["location"] == expected

        cookie = {"Cookie": f"__Host-carimbo={panel.token}"}
        for page in ("/pessoas", "/credenciais"):
            text = (await http.get(panel.base + page, headers=cookie)).text
            addresses = strings_of(text, "//@href | //@src | //@action")
            own = [address for address in addresses if address.startswith("/")]
            assert [address for address in own if not address.startswith(f"{self.PATH}/")] == []
            assert f"{self.PATH}/docs" in own
        (download,) = strings_of(
            (await http.get(f"{panel.base}/pessoas?pagina=1", headers=cookie)).text,
            "//a[.='Baixar CSV']/@href",
        )
        assert download == f"{self.PATH}{panel.base}/pessoas?formato=csv"

    async def test_sign_in_leads_back_to_the_page_whose_part_was_asked_for(self, open_browser: Open) -> None:
        http = open_browser(f"{ORIGIN}{self.PATH}")
        headers = {"HX-Request": "true", "Referer": f"{ORIGIN}{self.PATH}/painel/conta?x=1"}
        answer = await http.get("/painel/conta", headers=headers)
        assert answer.headers["hx-redirect"] == f"{self.PATH}/painel/entrar?para=/conta%3Fx%3D1"


class TestProxies:
    async def test_client_is_what_our_proxies_report_and_not_what_it_says_itself(
        self, open_browser: Open, database: Database, caller: Caller
    ) -> None:
        http = open_browser(proxy_addresses="2001:DB8:0::1, 10.0.0.2")
        lines = [("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-For", "203.0.113.7:50123, 10.0.0.2:4711")]
        token = await demo_sign_in_link(database, caller.subscription_id, datetime.now(UTC))
        path = link_address("", LinkPurpose.SIGN_IN, token)
        (form_token,) = strings_of((await http.get(path)).text, "//input[@name='form_token']/@value")
        await http.post(path, data={"form_token": form_token}, headers=[("Origin", ORIGIN), *lines])
        account = (await http.get("/painel/conta")).text
        assert strings_of(account, "//tr[.//span[.='Esta']]/td[2]/text()") == ["203.0.113.7"]

    async def test_installation_without_named_proxies_is_warned_when_it_is_public(
        self, app: FastAPI, settings: Settings, caplog: pytest.LogCaptureFixture
    ) -> None:
        for changes, is_warned in (
            ({"public_url": ORIGIN}, True),
            ({"public_url": ORIGIN, "proxy_addresses": "10.0.0.1"}, False),
            ({"public_url": "http://localhost:8000"}, False),
        ):
            caplog.clear()
            with caplog.at_level(logging.WARNING):
                installation_at(app, settings, **changes)
            events = [str(record.msg) for record in caplog.records]
            is_logged = any("clients_share_one_address" in event for event in events)
            assert is_logged == is_warned, changes
