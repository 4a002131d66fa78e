"""The frame of all pages: menu, switching companies, errors, files, and the redirect to sign-in."""

import httpx2

from carimbo.service.people.roles import MemberRole
from integration.dashboard.conftest import NewPanel
from support import OTHER_CNPJ, Caller


class TestPages:
    async def test_page_without_a_session_leads_to_sign_in_and_back(
        self, browser_without_session: httpx2.AsyncClient, caller: Caller
    ) -> None:
        address = f"/painel/{caller.subscription_id}/pessoas?x=1"
        answer = await browser_without_session.get(address)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/painel/entrar?para=")
        assert str(caller.subscription_id) in answer.headers["location"]

    async def test_companies_of_the_person_can_be_switched(
        self, caller: Caller, sign_in_as: NewPanel
    ) -> None:
        first, second = await caller.create_company(), await caller.create_company(OTHER_CNPJ)
        panel = await sign_in_as(caller.subscription_id, MemberRole.VIEWER)
        page = await panel.page(f"{panel.company(first)}/documentos")
        links = page.xpath("//details[@class='switcher']//a/@href")
        assert links == [f"{panel.company(second)}/documentos"]
