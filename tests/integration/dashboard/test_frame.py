"""The frame of all pages: menu, switching companies, errors, files, and the redirect to sign-in."""

import httpx2
import pytest

from carimbo.service.people.roles import MemberRole
from integration.dashboard.conftest import NewPanel
from integration.dashboard.panel import ORIGIN
from support import ABSENT, OTHER_CNPJ, Caller


class TestPages:
    async def test_page_without_a_session_leads_to_sign_in_and_back(
        self, browser_without_session: httpx2.AsyncClient, caller: Caller
    ) -> None:
        address = f"/painel/{caller.subscription_id}/pessoas?x=1"
        answer = await browser_without_session.get(address)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/painel/entrar?para=")
        assert str(caller.subscription_id) in answer.headers["location"]

    @pytest.mark.parametrize(
        ("form", "page"),
        [
            ("/conta/senha", "/conta"),
            ("/confirmar/passkey?para=/conta", "/confirmar%3Fpara%3D/conta"),
            (f"/{ABSENT}/empresas/{ABSENT}/exportacoes/links", f"/{ABSENT}/empresas/{ABSENT}/exportacoes"),
        ],
    )
    async def test_form_without_a_session_leads_back_to_its_page(
        self, browser_without_session: httpx2.AsyncClient, form: str, page: str
    ) -> None:
        headers = {"Origin": ORIGIN, "Referer": f"{ORIGIN}/painel{form}"}
        answer = await browser_without_session.post(f"/painel{form}", headers=headers)
        assert answer.headers["location"] == f"/painel/entrar?para={page}"

    async def test_companies_of_the_person_can_be_switched(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        first, second = await caller.create_company(), await caller.create_company(OTHER_CNPJ)
        panel = await sign_in_as(caller.subscription_id, MemberRole.VIEWER)
        page = await panel.page(f"{panel.company(first)}/documentos")
        links = page.xpath("//details[@class='switcher']//a/@href")
        assert links == [f"{panel.company(second)}/documentos"]

    async def test_page_about_all_companies_lets_the_person_choose_one(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        first = await caller.create_company(legalName="Alfa Ltda")
        panel = await sign_in_as(caller.subscription_id, MemberRole.VIEWER)
        menu = "//nav[@aria-label='Menu']//a/@href"
        assert f"{panel.company(first)}/vendas" in (await panel.page(panel.base)).xpath(menu)
        second = await caller.create_company(OTHER_CNPJ, legalName="Beta Ltda")
        links = (await panel.page(panel.base)).xpath(menu)
        of_companies = [link for link in links if "/empresas/" in link]
        assert of_companies == [f"{panel.company(each)}/documentos" for each in (first, second)]
