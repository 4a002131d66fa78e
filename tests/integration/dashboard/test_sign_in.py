"""The pages of sign-in as a browser without scripts uses them."""

import asyncio
from datetime import UTC, datetime

import httpx2
import pyotp
import pytest
from fastapi import FastAPI
from lxml import html

from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import create_reset_link, demo_sign_in_link
from carimbo.service.people.people import invite
from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from carimbo.storage.people import People
from carimbo.storage.sessions import Sessions
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import COOKIE, ORIGIN, Panel, new_browser, strings_of, text_of
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, Caller, wait_until_true

PASSWORD = "um cavalo de bateria correto"


async def send(http: httpx2.AsyncClient, page: str, action: str = "", **fields: str) -> httpx2.Response:
    """Opens a page and sends its form, as a browser without scripts does."""
    opened = await http.get(page)
    token = strings_of(opened.text, "//input[@name='form_token']/@value")[0]
    return await http.post(action or page, data={"form_token": token, **fields}, headers={"Origin": ORIGIN})


async def enable_second_factor(http: httpx2.AsyncClient) -> str:
    """Turns the second factor of an account on, and returns the code that did it."""
    started = await send(http, "/painel/conta", "/painel/conta/segundo-fator")
    secret = strings_of(started.text, "//code[@class='copyable']/text()")[0]
    code = pyotp.TOTP(secret).now()
    token = strings_of(started.text, "//input[@name='form_token']/@value")[0]
    enabled = await http.post(
        "/painel/conta/segundo-fator/ligar",
        data={"form_token": token, "code": code},
        headers={"Origin": ORIGIN},
    )
    assert enabled.status_code == 303
    return code


async def post_without_session(http: httpx2.AsyncClient, **fields: str) -> httpx2.Response:
    """Signs in at a page that was opened before the browser had its session."""
    session = http.cookies[COOKIE]
    del http.cookies[COOKIE]
    page = await http.get("/painel/entrar")
    http.cookies.set(COOKIE, session, domain="localhost.local")
    token = strings_of(page.text, "//input[@name='form_token']/@value")[0]
    return await http.post("/painel/entrar", data={"form_token": token, **fields}, headers={"Origin": ORIGIN})


async def is_refused(app: FastAPI, token: str) -> bool:
    """Returns whether the token of a session opens nothing any more."""
    http = new_browser(app)
    http.cookies.set(COOKIE, token)
    return (await http.get("/painel/conta")).headers.get("location", "").startswith("/painel/entrar")


def alert_of(answer: httpx2.Response) -> str:
    return " ".join(strings_of(answer.text, "//*[@role='alert']//text()"))


async def invited(database: Database, caller: Caller, email: str) -> str:
    """Invites a person, and returns the path of the link."""
    invitation = await invite(
        database, email, subscription_id=caller.subscription_id, role=MemberRole.ISSUER, now=datetime.now(UTC)
    )
    return link_address("", LinkPurpose.INVITATION, invitation.token)


@pytest.fixture
def email(caller: Caller) -> str:
    return f"ana.{caller.subscription_id}@example.com"


@pytest.fixture
async def guest(app: FastAPI, database: Database, caller: Caller, email: str) -> httpx2.AsyncClient:
    """The browser of a person who has just accepted an invitation."""
    http = new_browser(app)
    answer = await send(http, await invited(database, caller, email), name="Ana", password=PASSWORD)
    assert answer.status_code == 303, alert_of(answer)
    return http


class TestInvitation:
    async def test_guest_chooses_a_password_and_arrives_at_the_subscription(
        self, guest: httpx2.AsyncClient, caller: Caller
    ) -> None:
        answer = await guest.get("/painel", follow_redirects=True)
        assert answer.url.path == f"/painel/{caller.subscription_id}"
        assert "Ana" in answer.text

    async def test_weak_password_is_refused_on_the_page_and_the_link_still_works(
        self, app: FastAPI, database: Database, caller: Caller, email: str
    ) -> None:
        http, link = new_browser(app), await invited(database, caller, email)
        refused = await send(http, link, name="Ana", password="curta")
        assert (refused.status_code, "12 a 128 caracteres" in alert_of(refused)) == (422, True)
        assert (await send(http, link, name="Ana", password=PASSWORD)).status_code == 303
        assert (await http.get(link)).status_code == 403

    async def test_each_form_counts_once_as_an_attempt_of_its_address(
        self, app: FastAPI, database: Database, caller: Caller, email: str
    ) -> None:
        http, link = new_browser(app), await invited(database, caller, email)
        page = await http.get(link)
        token = strings_of(page.text, "//input[@name='form_token']/@value")[0]
        form = {"form_token": token, "password": "curta"}
        alerts = [alert_of(await http.post(link, data=form, headers={"Origin": ORIGIN})) for _ in range(25)]
        assert all("12 a 128 caracteres" in alert for alert in alerts)

    async def test_person_with_an_account_accepts_with_it_and_not_with_a_new_password(
        self, guest: httpx2.AsyncClient, database: Database, email: str, sign_in_as: NewPanel, caller: Caller
    ) -> None:
        owner = await sign_in_as(caller.subscription_id)
        await database_remove(database, caller, email)
        link = await invited(database, caller, email)
        page = await guest.get(link)
        assert html.fromstring(page.text).xpath("//input[@type='password']") == []
        question = html.fromstring((await guest.get(f"{link}/aceitar")).text).find(".//main")
        assert await name_of_subscription(database, caller) in text_of(question)
        refused = await owner.send("/painel/conta", f"{link}/aceitar")
        accepted = await send(guest, f"{link}/aceitar")
        assert refused.status_code == 403
        assert accepted.headers["location"] == f"/painel/{caller.subscription_id}"

    async def test_page_to_accept_opens_for_an_invitation_of_the_person_only(
        self, guest: httpx2.AsyncClient, database: Database, email: str, caller: Caller
    ) -> None:
        foreign = await invited(database, caller, f"x{email}")
        invitation = await invite(database, email, is_operator=True, now=datetime.now(UTC))
        own = link_address("", LinkPurpose.INVITATION, invitation.token)
        for link, status, sentence in (
            (foreign, 403, "Este convite é para outra pessoa"),
            (f"{foreign}x", 403, "O link expirou"),
            (own, 200, "O convite é para operar esta instalação."),
        ):
            page = await guest.get(f"{link}/aceitar")
            assert (page.status_code, sentence in page.text) == (status, True), sentence
            buttons = strings_of(page.text, "//button[.='Aceitar o convite']/text()")
            assert bool(buttons) == (status == 200)


async def name_of_subscription(database: Database, caller: Caller) -> str:
    async with database.connection() as connection:
        return str(
            await connection.fetchval("select name from subscriptions where id = $1", caller.subscription_id)
        )


async def database_remove(database: Database, caller: Caller, email: str) -> None:
    async with database.tenant(caller.subscription_id) as tenant:
        await tenant.connection.execute(
            "delete from memberships m using people p where p.id = m.person_id and p.email = $1", email
        )


class TestPassword:
    async def test_right_password_leads_to_the_page_that_was_asked_for(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str, caller: Caller
    ) -> None:
        http, wanted = new_browser(app), f"/painel/{caller.subscription_id}/empresas"
        page = (await http.get(wanted)).headers["location"]
        answer = await send(http, page, email=email.upper(), password=PASSWORD)
        assert (answer.status_code, answer.headers["location"]) == (303, wanted)
        cookie = next(line for line in answer.headers.get_list("set-cookie") if line.startswith(COOKIE))
        assert "httponly" in cookie.lower()
        assert "samesite=lax" in cookie.lower()

    async def test_second_sign_in_in_one_browser_ends_the_first_session(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        former = guest.cookies[COOKIE]
        again = await post_without_session(guest, email=email, password=PASSWORD)
        assert (again.status_code, guest.cookies[COOKIE] == former) == (303, False)
        assert await is_refused(app, former)
        assert (await guest.get("/painel/conta")).status_code == 200

    async def test_sign_in_of_another_person_ends_the_session_in_the_name_of_the_first(
        self, guest: httpx2.AsyncClient, app: FastAPI, database: Database, caller: Caller, email: str
    ) -> None:
        other, former = f"bia.{email}", guest.cookies[COOKIE]
        await send(new_browser(app), await invited(database, caller, other), name="Bia", password=PASSWORD)
        answer = await post_without_session(guest, email=other, password=PASSWORD)
        assert answer.status_code == 303
        assert await is_refused(app, former)
        async with database.connection() as connection:
            [author] = await connection.fetch(
                "select actor ->> 'name' as name from audit_entries"
                " where action = 'session.ended' and subject_name = $1",
                email,
            )
        assert author["name"] == "Ana"

    async def test_wrong_password_and_unknown_account_get_the_same_page(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        http = new_browser(app)
        wrong = await send(http, "/painel/entrar", email=email, password="outra senha qualquer")
        unknown = await send(http, "/painel/entrar", email="ninguem@example.com", password=PASSWORD)
        assert (wrong.status_code, alert_of(wrong)) == (unknown.status_code, alert_of(unknown))
        assert not any(name.startswith(COOKIE) and "form" not in name for name in http.cookies)

    async def test_address_of_another_site_is_never_a_target_after_sign_in(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        for target in ("https://evil.example", "//evil.example", "\\\\evil.example"):
            answer = await send(
                new_browser(app), f"/painel/entrar?para={target}", email=email, password=PASSWORD
            )
            assert answer.headers["location"].startswith("/painel"), target

    async def test_path_that_climbs_out_of_the_dashboard_is_no_target_after_sign_in(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        for target in ("/../v1/documents", "/%252e%252e/v1", "/conta/..%255c..", "/./x"):
            answer = await send(
                new_browser(app), f"/painel/entrar?para={target}", email=email, password=PASSWORD
            )
            assert answer.headers["location"] == "/painel", target

    async def test_account_with_second_factor_needs_the_code_as_well(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        code = await enable_second_factor(guest)
        http = new_browser(app)
        missing = await send(http, "/painel/entrar", email=email, password=PASSWORD)
        repeated = await send(http, "/painel/entrar", email=email, password=PASSWORD, code=code)
        assert "código" in alert_of(missing).lower()
        assert (repeated.status_code, "já usado" in alert_of(repeated)) == (422, True)


class TestThrottling:
    async def test_page_says_how_long_to_wait_whether_or_not_the_account_exists(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        pages = []
        for address in (email, f"x{email}"):
            http = new_browser(app)
            for _ in range(6):
                answer = await send(http, "/painel/entrar", email=address, password="outra senha qualquer")
            wait = answer.headers["retry-after"]
            assert 1 <= int(wait) <= 30
            pages.append((answer.status_code, alert_of(answer).replace(f" {wait} ", " N ")))
        assert pages[0] == pages[1]
        assert (pages[0][0], "Tente de novo daqui a N segundo" in pages[0][1]) == (429, True)

    async def test_confirmation_is_throttled_with_the_time_to_wait(self, guest: httpx2.AsyncClient) -> None:
        for _ in range(6):
            answer = await send(guest, "/painel/confirmar", password="outra senha qualquer")
        assert (answer.status_code, "Tente de novo daqui a" in alert_of(answer)) == (429, True)
        assert int(answer.headers["retry-after"]) >= 1

    async def test_links_are_throttled_with_the_time_to_wait(self, app: FastAPI) -> None:
        http = new_browser(app)
        for _ in range(31):
            answer = await http.get("/painel/redefinir/x")
        assert (answer.status_code, "Tente de novo daqui a" in answer.text) == (429, True)
        assert int(answer.headers["retry-after"]) >= 1


class TestReset:
    async def test_link_of_the_operator_replaces_the_password_and_ends_other_sessions(
        self, guest: httpx2.AsyncClient, app: FastAPI, database: Database, email: str
    ) -> None:
        link = await create_reset_link(database, email, datetime.now(UTC))
        http, path = new_browser(app), link_address("", LinkPurpose.RESET, link.token)
        assert (await send(http, path, password="grampo azul no varal")).status_code == 303
        assert (await guest.get("/painel")).headers["location"].startswith("/painel/entrar")
        old = await send(new_browser(app), "/painel/entrar", email=email, password=PASSWORD)
        assert old.status_code == 422

    async def test_wrong_code_keeps_the_secret_that_the_app_has_already(
        self, guest: httpx2.AsyncClient
    ) -> None:
        page = await send(guest, "/painel/conta", "/painel/conta/segundo-fator")
        (secret, *_) = strings_of(page.text, "//code[@class='copyable']/text()")
        for code, status in (("000000", 422), (pyotp.TOTP(secret).now(), 303)):
            (token, *_) = strings_of(page.text, "//input[@name='form_token']/@value")
            page = await guest.post(
                "/painel/conta/segundo-fator/ligar",
                data={"form_token": token, "code": code},
                headers={"Origin": ORIGIN},
            )
            assert page.status_code == status

    async def test_person_with_a_second_factor_learns_why_they_must_sign_in_once_more(
        self, guest: httpx2.AsyncClient, app: FastAPI, database: Database, email: str
    ) -> None:
        await enable_second_factor(guest)
        link = await create_reset_link(database, email, datetime.now(UTC))
        http, path = new_browser(app), link_address("", LinkPurpose.RESET, link.token)
        answer = await send(http, path, password="grampo azul no varal")
        page = await http.get(answer.headers["location"])
        (notice,) = strings_of(page.text, "//*[@role='status']/text()")
        assert notice.startswith("Senha trocada. Entre com ela e com o código")

    async def test_answer_does_not_say_whether_the_account_exists(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        existing = await send(new_browser(app), "/painel/recuperar", email=email)
        unknown = await send(new_browser(app), "/painel/recuperar", email=f"x{email}")
        texts = [text_of(html.fromstring(answer.text).find(".//main")) for answer in (existing, unknown)]
        assert texts[0] == texts[1]


class TestSession:
    async def test_demo_link_signs_in_only_when_its_button_is_pressed(
        self, app: FastAPI, database: Database, caller: Caller
    ) -> None:
        token = await demo_sign_in_link(database, caller.subscription_id, datetime.now(UTC))
        http, path = new_browser(app), link_address("", LinkPurpose.SIGN_IN, token)
        opened = await http.get(path)
        assert COOKIE not in http.cookies
        assert html.fromstring(opened.text).xpath("//form[@data-submit]") != []
        assert (await send(http, path)).status_code == 303
        assert COOKIE in http.cookies

    async def test_leaving_ends_the_session_also_for_a_copied_cookie(
        self, panel: Panel, app: FastAPI
    ) -> None:
        assert (await panel.send("/painel/conta", "/painel/sair")).status_code == 303
        thief = new_browser(app)
        thief.cookies.set(COOKIE, panel.token)
        assert (await thief.get(panel.base)).headers["location"].startswith("/painel/entrar")

    async def test_person_ends_their_other_sessions(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        other = new_browser(app)
        await send(other, "/painel/entrar", email=email, password=PASSWORD)
        page = (await guest.get("/painel/conta")).text
        assert len(strings_of(page, "//table[.//caption[contains(., 'conectado')]]//tbody/tr")) == 2
        await send(guest, "/painel/conta", "/painel/conta/sessoes/encerrar-outras")
        assert (await other.get("/painel/conta")).status_code == 303
        assert (await guest.get("/painel/conta")).status_code == 200

    @pytest.mark.parametrize(
        ("action", "fields"),
        [("conta/sessoes/encerrar-outras", {}), ("conta/senha", {"password": "grampo azul no varal"})],
    )
    async def test_copied_cookie_opens_nothing_after_the_person_ended_the_other_sessions(
        self, guest: httpx2.AsyncClient, app: FastAPI, action: str, fields: dict[str, str]
    ) -> None:
        copied = guest.cookies[COOKIE]
        await send(guest, "/painel/conta", f"/painel/{action}", **fields)
        assert await is_refused(app, copied)
        assert (await guest.get("/painel/conta")).status_code == 200

    async def test_form_whose_session_ended_on_the_way_leads_to_the_page_of_sign_in(
        self, panel: Panel, database: Database
    ) -> None:
        async with database.connection() as watching:
            async with database.transaction() as connection:
                await People(connection).lock(panel.person.id)
                answer = asyncio.create_task(
                    panel.send("/painel/conta", "/painel/conta/senha", password="grampo azul no varal")
                )
                await wait_until_true(watching.fetch, f"{BLOCKED_SESSIONS} > 0", TIMEOUT_SECONDS)
                await Sessions(connection).end_all(panel.person.id)
            location = (await answer).headers["location"]
        assert location == "/painel/entrar?motivo=sessao-terminada"
        assert "Sua sessão terminou" in (await panel.http.get(location)).text

    async def test_session_that_is_ended_twice_leads_to_the_account_all_the_same(
        self, guest: httpx2.AsyncClient, app: FastAPI, email: str
    ) -> None:
        other = new_browser(app)
        await send(other, "/painel/entrar", email=email, password=PASSWORD)
        page = (await guest.get("/painel/conta")).text
        (action,) = strings_of(
            page, "//tr[not(.//*[.='Esta'])]//form[contains(@action, '/sessoes/')]/@action"
        )
        for _ in range(2):
            answer = await send(guest, "/painel/conta", action)
            assert (answer.status_code, answer.headers.get("location")) == (303, "/painel/conta")
        assert (await other.get("/painel/conta")).status_code == 303
