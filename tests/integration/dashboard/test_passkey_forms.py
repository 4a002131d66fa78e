"""The forms of passkeys, and the password form beside them."""

import json
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from integration.dashboard.panel import COOKIE, ORIGIN, Panel, new_browser, strings_of
from integration.people.authenticator import SoftwareAuthenticator

PASSWORD = "um cavalo de bateria correto"


async def _token(http: httpx2.AsyncClient, page: str) -> str:
    return strings_of((await http.get(page)).text, "//input[@name='form_token']/@value")[0]


async def _post(http: httpx2.AsyncClient, address: str, token: str, **fields: str) -> httpx2.Response:
    return await http.post(address, data={"form_token": token, **fields}, headers={"Origin": ORIGIN})


async def _answer_with_passkey(
    http: httpx2.AsyncClient, page: str, address: str, credential: Any, **fields: str
) -> httpx2.Response:
    """Asks for the options and sends what the device answers to them, as the script of the page does."""
    token = await _token(http, page)
    request = (await _post(http, f"{address}/opcoes", token)).json()
    answer = json.dumps(credential(request["options"]))
    query = page.partition("?")[2]
    target = f"{address}?{query}" if query else address
    return await _post(http, target, token, challenge=request["challenge"], credential=answer, **fields)


async def _send_password(http: httpx2.AsyncClient, shown: httpx2.Response, **fields: str) -> httpx2.Response:
    """Sends the password form of a page to where a browser would send it."""
    form = "//form[.//input[@name='password']]"
    actions = strings_of(shown.text, f"{form}/@action")
    (token,) = strings_of(shown.text, f"{form}//input[@name='form_token']/@value")
    return await _post(http, actions[0] if actions else str(shown.url), token, **fields)


def _alert(answer: httpx2.Response) -> str:
    return " ".join(strings_of(answer.text, "//div[@role='alert']//text()"))


def _session_of(answer: httpx2.Response) -> str:
    """Returns the token of the session cookie that an answer sets."""
    cookies = [line.partition(";")[0] for line in answer.headers.get_list("set-cookie")]
    (value,) = (cookie.partition("=")[2] for cookie in cookies if cookie.startswith(f"{COOKIE}="))
    return value


async def _opens(app: FastAPI, token: str) -> bool:
    async with new_browser(app) as http:
        http.cookies.set(COOKIE, token)
        return (await http.get("/painel/conta")).status_code == 200


@pytest.fixture
async def person(panel: Panel, app: FastAPI) -> httpx2.AsyncClient:
    """The browser of a person who has just signed in with their password."""
    await panel.send("/painel/conta", "/painel/conta/senha", password=PASSWORD)
    http = new_browser(app)
    token = await _token(http, "/painel/entrar")
    answer = await _post(http, "/painel/entrar", token, email=panel.person.email, password=PASSWORD)
    assert answer.status_code == 303
    return http


@pytest.fixture
async def device(person: httpx2.AsyncClient) -> SoftwareAuthenticator:
    """A device with a passkey of the person."""
    device = SoftwareAuthenticator(origin=ORIGIN, party_id="localhost")
    page, address = "/painel/conta", "/painel/conta/passkeys"
    answer = await _answer_with_passkey(person, page, address, device.register, name="Celular")
    assert answer.status_code == 303, _alert(answer)
    return device


class TestSignIn:
    async def test_passkey_leads_to_the_page_that_was_asked_for(
        self, device: SoftwareAuthenticator, app: FastAPI
    ) -> None:
        http, page = new_browser(app), "/painel/entrar?para=/conta"
        answer = await _answer_with_passkey(http, page, "/painel/entrar/passkey", device.sign)
        assert (answer.status_code, answer.headers["location"]) == (303, "/painel/conta")
        assert (await http.get("/painel/conta")).status_code == 200

    @pytest.mark.parametrize("credential", ["", "nonsense", "[]", "{}", '{"rawId": 5}', '{"rawId": "AAAA"}'])
    async def test_refused_passkey_says_why_and_the_password_still_works(
        self, person: httpx2.AsyncClient, panel: Panel, app: FastAPI, credential: str
    ) -> None:
        http, page = new_browser(app), "/painel/entrar?para=/conta"
        token = await _token(http, page)
        request = (await _post(http, "/painel/entrar/passkey/opcoes", token)).json()
        refused = await _post(
            http,
            "/painel/entrar/passkey?para=/conta",
            token,
            challenge=request["challenge"],
            credential=credential,
        )
        assert (refused.status_code, "A chave de acesso não" in _alert(refused)) == (422, True)
        answer = await _send_password(http, refused, email=panel.person.email, password=PASSWORD)
        assert (answer.status_code, answer.headers.get("location")) == (303, "/painel/conta")


class TestConfirmation:
    async def test_passkey_renews_the_session_and_the_old_token_opens_nothing(
        self, device: SoftwareAuthenticator, person: httpx2.AsyncClient, app: FastAPI
    ) -> None:
        old, page = person.cookies[COOKIE], "/painel/confirmar?para=/conta"
        answer = await _answer_with_passkey(person, page, "/painel/confirmar/passkey", device.sign)
        assert (answer.status_code, answer.headers["location"]) == (303, "/painel/conta")
        assert (await _opens(app, _session_of(answer)), await _opens(app, old)) == (True, False)

    async def test_password_beside_a_refused_passkey_renews_the_session_too(
        self, person: httpx2.AsyncClient, app: FastAPI
    ) -> None:
        old, page = person.cookies[COOKIE], "/painel/confirmar?para=/conta"
        refused = await _answer_with_passkey(person, page, "/painel/confirmar/passkey", lambda _: {})
        assert (refused.status_code, "A chave de acesso não" in _alert(refused)) == (422, True)
        answer = await _send_password(person, refused, password=PASSWORD)
        assert (answer.status_code, answer.headers.get("location")) == (303, "/painel/conta")
        assert (await _opens(app, _session_of(answer)), await _opens(app, old)) == (True, False)
