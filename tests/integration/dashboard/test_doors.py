"""Access to pages: every route is tried by every role, by strangers and with forms of others."""

import re
from collections.abc import Iterator
from uuid import UUID

import httpx2
import pytest

from carimbo.dashboard.pages import ROUTES
from carimbo.dashboard.routes import GET, POST, Level, PageRoute
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.service.people.roles import OF_ALL_COMPANIES, MemberRole, capabilities_of
from carimbo.storage.database import Database
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import ORIGIN, Panel, strings_of
from support import ABSENT, OTHER_CNPJ, Caller, NewCaller

_OWN_FORM = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"}
_SUBSCRIPTION = "/{subscription_id:uuid}"
_COMPANY = f"{_SUBSCRIPTION}/empresas/{{company_id:uuid}}"
_SENSITIVE = {
    "/conta/passkeys",
    "/conta/passkeys/opcoes",
    "/conta/passkeys/{passkey_id:uuid}/remover",
    "/conta/segundo-fator",
    "/conta/segundo-fator/desligar",
    "/conta/segundo-fator/ligar",
    "/conta/senha",
    "/operacao/assinaturas",
    "/operacao/assinaturas/{subscription_id:uuid}/proprietario",
    f"{_COMPANY}/ambiente",
    f"{_COMPANY}/certificado",
    f"{_COMPANY}/certificado/remover",
    f"{_COMPANY}/excluir",
    f"{_COMPANY}/exportacoes/envio",
    f"{_COMPANY}/exportacoes/links",
    f"{_SUBSCRIPTION}/credenciais/trocar",
    f"{_SUBSCRIPTION}/pessoas/convidar",
    f"{_SUBSCRIPTION}/webhooks",
    f"{_SUBSCRIPTION}/webhooks/{{webhook_id:uuid}}/alterar",
    f"{_SUBSCRIPTION}/webhooks/{{webhook_id:uuid}}/segredo",
    f"{_SUBSCRIPTION}/pessoas/{{person_id:uuid}}/alterar",
    f"{_SUBSCRIPTION}/pessoas/{{person_id:uuid}}/convite",
    f"{_SUBSCRIPTION}/pessoas/{{person_id:uuid}}/remover",
}
"""The forms that need a recent sign-in. A new one belongs here."""
_NO_PAGE = "Esta página não existe, ou não é sua."
_OF_SUBSCRIPTION = (Level.SUBSCRIPTION, Level.COMPANY)


def _address(route: PageRoute, subscription_id: object, company_id: object) -> str:
    path = route.path.replace("{subscription_id:uuid}", str(subscription_id))
    path = path.replace("{company_id:uuid}", str(company_id))
    return re.sub(r"\{[^}]*\}", ABSENT, path)


def _routes(*levels: Level) -> Iterator[PageRoute]:
    return (route for route in ROUTES if route.level in levels)


def _code(answer: httpx2.Response) -> str | None:
    """Returns the code of a refusal, as its page shows it."""
    if not answer.text or "html" not in answer.headers["content-type"]:
        return None
    codes = strings_of(answer.text, "//p[starts-with(., 'Código')]/code/text()")
    return codes[0] if codes else None


async def _ask(panel: Panel, route: PageRoute, address: str, token: str = "") -> httpx2.Response:
    if route.method == GET:
        return await panel.http.get(address)
    return await panel.http.post(address, data={"form_token": token}, headers=_OWN_FORM)


async def _form_token(panel: Panel) -> str:
    return str((await panel.page("/painel/conta")).xpath("//input[@name='form_token']/@value")[0])


class TestWithoutSession:
    async def test_every_page_and_form_leads_to_sign_in(
        self, browser_without_session: httpx2.AsyncClient
    ) -> None:
        wrong = {}
        for route in _routes(Level.PERSON, Level.SUBSCRIPTION, Level.COMPANY, Level.OPERATOR):
            address = _address(route, ABSENT, ABSENT)
            answer = await browser_without_session.request(route.method, address, headers=_OWN_FORM)
            location = answer.headers.get("location", "")
            if answer.status_code != 303 or not location.startswith("/painel/entrar"):
                wrong[route.name] = (answer.status_code, location)
        assert wrong == {}

    async def test_session_that_was_ended_is_over_at_once(self, panel: Panel, database: Database) -> None:
        async with database.connection() as connection:
            await connection.execute("delete from sessions where person_id = $1", panel.person.id)
        answer = await panel.http.get(panel.base)
        assert (answer.status_code, "entrar" in answer.headers["location"]) == (303, True)


class TestRoles:
    async def test_every_route_is_open_to_the_roles_that_have_its_capability_and_to_no_other(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        company_id = await caller.create_company()
        wrong = {}
        for role in MemberRole:
            panel = await sign_in_as(caller.subscription_id, role)
            token = await _form_token(panel)
            for route in _routes(*_OF_SUBSCRIPTION):
                answer = await _ask(panel, route, _address(route, caller.subscription_id, company_id), token)
                may = route.capability in capabilities_of(role, of_all_companies=True)
                if (_code(answer) == "PERMISSION_DENIED") == may or answer.status_code >= 500:
                    wrong[role.value, route.name] = (answer.status_code, _code(answer))
        assert wrong == {}

    async def test_person_of_another_subscription_finds_nothing(
        self, caller: Caller, new_caller: NewCaller, sign_in_as: NewPanel
    ) -> None:
        company_id = await caller.create_company()
        stranger = await sign_in_as((await new_caller()).subscription_id)
        own_company = await caller.create_company(OTHER_CNPJ)
        token, wrong = await _form_token(stranger), {}
        for route in _routes(*_OF_SUBSCRIPTION):
            for address in (
                _address(route, caller.subscription_id, company_id),
                _address(route, stranger.subscription_id, own_company),
            ):
                answer = await _ask(stranger, route, address, token)
                is_own_page = route.level is Level.SUBSCRIPTION and str(stranger.subscription_id) in address
                if answer.status_code != 404 and not is_own_page:
                    wrong[route.name, address] = answer.status_code
        assert wrong == {}

    async def test_person_of_one_company_reaches_neither_others_nor_the_whole_subscription(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        company_id = await caller.create_company()
        other_id = await caller.create_company(OTHER_CNPJ, legalName="Segredo Ltda", tradeName="Segredo")
        panel = await sign_in_as(caller.subscription_id, MemberRole.ADMIN, frozenset({UUID(company_id)}))
        token, wrong = await _form_token(panel), {}
        for route in _routes(*_OF_SUBSCRIPTION):
            answer = await _ask(panel, route, _address(route, caller.subscription_id, other_id), token)
            expected = (
                404 if route.level is Level.COMPANY else 403 if route.capability in OF_ALL_COMPANIES else None
            )
            if expected and answer.status_code != expected:
                wrong[route.name] = answer.status_code
        assert wrong == {}

        leaks, opened = {}, set()
        for route in (route for route in _routes(Level.SUBSCRIPTION) if route.method == GET):
            for query in ("", "?formato=csv"):
                answer = await panel.http.get(_address(route, caller.subscription_id, company_id) + query)
                texts = (OTHER_CNPJ, shown_tax_id(OTHER_CNPJ), other_id, "Segredo", "SEGREDO")
                if answer.status_code == 200:
                    opened.add(route.path.rpartition("/")[2] + query)
                    leaks[route.name + query] = [text for text in texts if text in answer.text]
        assert {name: texts for name, texts in leaks.items() if texts} == {}
        assert {"empresas", "empresas?formato=csv", "autoridades"} < opened

    async def test_pages_of_the_installation_exist_for_the_operator_only(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        owner = await sign_in_as(caller.subscription_id)
        operator = await sign_in_as(None, None, is_operator=True)
        wrong = {}
        tokens = {panel: await _form_token(panel) for panel in (owner, operator)}
        for route in _routes(Level.OPERATOR):
            address = _address(route, ABSENT, ABSENT)
            refused, opened = [await _ask(panel, route, address, tokens[panel]) for panel in tokens]
            # A form that acts needs an id, and nothing has the absent id of an address.
            is_open = (
                opened.status_code < 400
                if route.method == GET and "{" not in route.path
                else (
                    opened.status_code < 500
                    and _NO_PAGE not in opened.text
                    and _code(opened) != "PERMISSION_DENIED"
                )
            )
            if refused.status_code != 404 or _NO_PAGE not in refused.text or not is_open:
                wrong[route.name] = (refused.status_code, opened.status_code)
        assert wrong == {}

    async def test_operator_without_membership_finds_nothing_inside_a_subscription(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        operator = await sign_in_as(None, None, is_operator=True)
        answer = await operator.http.get(f"/painel/{caller.subscription_id}")
        assert answer.status_code == 404


async def _age_sign_in(database: Database, panel: Panel) -> None:
    """Makes the sign-in of a person too old for sensitive forms."""
    async with database.connection() as connection:
        await connection.execute(
            "update sessions set authenticated_at = now() - interval '11 minutes' where person_id = $1",
            panel.person.id,
        )


async def _send(panel: Panel, route: PageRoute, headers: dict[str, str], token: str) -> httpx2.Response:
    address = _address(route, panel.subscription_id, ABSENT)
    return await panel.http.post(address, data={"form_token": token}, headers=headers)


class TestForms:
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site", "Origin": ORIGIN},
            {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:9999"},
        ],
        ids=str,
    )
    async def test_form_of_another_site_is_refused_everywhere(
        self, panel: Panel, headers: dict[str, str]
    ) -> None:
        token = await _form_token(panel)
        codes = {
            route.name: _code(await _send(panel, route, headers, token))
            for route in ROUTES
            if route.method == POST
        }
        assert {name: code for name, code in codes.items() if code != "PERMISSION_DENIED"} == {}

    async def test_form_without_the_token_of_its_page_is_refused_everywhere(
        self, panel: Panel, caller: Caller
    ) -> None:
        company_id = await caller.create_company()
        wrong = {}
        for route in (
            route for route in ROUTES if route.method == POST and route.level is not Level.OPERATOR
        ):
            address = _address(route, panel.subscription_id, company_id)
            for fields in ({}, {"form_token": "x"}, {"form_token": ""}):
                answer = await panel.http.post(address, data=fields, headers=_OWN_FORM)
                if _code(answer) != "PERMISSION_DENIED":
                    wrong[route.name, str(fields)] = answer.status_code
        assert wrong == {}

    async def test_form_of_the_operator_without_its_token_is_refused(self, sign_in_as: NewPanel) -> None:
        operator = await sign_in_as(None, None, is_operator=True)
        codes = {}
        for route in (route for route in _routes(Level.OPERATOR) if route.method == POST):
            answer = await operator.http.post(_address(route, ABSENT, ABSENT), data={}, headers=_OWN_FORM)
            codes[route.name] = _code(answer)
        assert codes
        assert {name: code for name, code in codes.items() if code != "PERMISSION_DENIED"} == {}

    async def test_sensitive_forms_need_a_recent_sign_in(
        self, caller: Caller, database: Database, sign_in_as: NewPanel
    ) -> None:
        panel = await sign_in_as(caller.subscription_id, is_operator=True)
        company_id, token = await caller.create_company(), await _form_token(panel)
        await _age_sign_in(database, panel)
        sensitive = [route for route in ROUTES if route.needs_fresh_sign_in and route.method == POST]
        locations = {}
        for route in sensitive:
            address = _address(route, panel.subscription_id, company_id)
            answer = await panel.http.post(
                address,
                data={"form_token": token},
                headers={**_OWN_FORM, "Referer": f"{ORIGIN}/painel/conta"},
            )
            locations[route.name] = answer.headers.get("location")
        assert {name.removeprefix("painel POST ") for name in locations} == _SENSITIVE
        assert set(locations.values()) == {"/painel/confirmar?para=/conta"}

    async def test_page_of_a_sensitive_form_needs_a_recent_sign_in_before_anything_is_typed(
        self, caller: Caller, database: Database, sign_in_as: NewPanel
    ) -> None:
        panel = await sign_in_as(caller.subscription_id, is_operator=True)
        company_id = await caller.create_company()
        await _age_sign_in(database, panel)
        wrong, pages = {}, [route for route in ROUTES if route.method == GET and route.needs_fresh_sign_in]
        for route in pages:
            address = _address(route, panel.subscription_id, company_id)
            location = (await panel.http.get(address)).headers.get("location")
            if location != f"/painel/confirmar?para={address.removeprefix('/painel')}":
                wrong[route.name] = location
        assert pages
        assert wrong == {}


class TestHosts:
    async def test_dashboard_without_https_opens_on_this_machine_only(
        self, browser_without_session: httpx2.AsyncClient
    ) -> None:
        codes = {}
        for host in ("192.168.0.10:8000", "evil.example", "localhost.evil.example", "", "[::1"):
            answer = await browser_without_session.get("/painel/entrar", headers={"Host": host})
            codes[host] = (answer.status_code, _code(answer))
        assert set(codes.values()) == {(403, "PERMISSION_DENIED")}, codes
        for host in ("localhost:8000", "127.0.0.1", "[::1]:8000"):
            answer = await browser_without_session.get("/painel/entrar", headers={"Host": host})
            assert answer.status_code == 200, host


class TestHeaders:
    async def test_every_page_forbids_scripts_of_others_frames_and_caches(self, panel: Panel) -> None:
        missing = {}
        for route in (route for route in ROUTES if route.method == GET):
            answer = await panel.http.get(_address(route, panel.subscription_id, ABSENT))
            policy = answer.headers.get("content-security-policy", "")
            is_strict = "default-src 'none'" in policy and "unsafe" not in policy
            is_private = answer.headers.get("cache-control") == "no-store"
            is_plain = answer.headers.get("x-content-type-options") == "nosniff"
            if not (is_strict and is_private and is_plain):
                missing[route.name] = dict(answer.headers)
        assert missing == {}


class TestUnusableRequests:
    async def test_form_that_can_not_be_read_is_a_problem_of_the_sender(self, panel: Panel) -> None:
        fields = {f"field{number}": "x" for number in range(101)}
        answer = await panel.http.post("/painel/sair", data=fields, headers=_OWN_FORM)
        assert (answer.status_code, _code(answer)) == (400, "MALFORMED_FORM")

    async def test_referrer_that_is_no_address_leads_to_sign_in_all_the_same(
        self, browser_without_session: httpx2.AsyncClient
    ) -> None:
        headers = {"HX-Request": "true", "Referer": "http://["}
        answer = await browser_without_session.get("/painel/conta", headers=headers)
        assert answer.headers["hx-redirect"] == "/painel/entrar"
