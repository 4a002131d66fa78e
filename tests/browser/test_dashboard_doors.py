"""Pages that no link of the dashboard leads to, in a real browser: sign-in, links from outside, refusals."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from playwright.async_api import Page, expect

from browser.accessibility import assert_usable_everywhere
from browser.conftest import NewPage
from browser.served_app import ServedApp
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import create_reset_link
from carimbo.service.people.people import invite
from carimbo.service.people.roles import MemberRole
from integration.dashboard.panel import COOKIE, Panel, new_panel
from support import Caller, NewCaller


async def enter(page: Page, site: ServedApp, panel: Panel) -> None:
    """Gives a browser the session of a person."""
    await page.context.add_cookies([{"name": COOKIE, "value": panel.token, "url": site.url}])


@pytest.fixture
async def owner(page: Page, site: ServedApp, caller: Caller) -> Panel:
    """The owner of the caller's subscription, who is signed in."""
    panel = await new_panel(site.app, site.services.database, caller.subscription_id)
    await enter(page, site, panel)
    return panel


@pytest.mark.parametrize(
    ("address", "heading"),
    [
        ("/painel/entrar", "Entrar"),
        ("/painel/entrar?motivo=senha-trocada", "Entrar"),
        ("/painel/recuperar", "Esqueci a senha"),
        ("/painel/nada", "Página não encontrada"),
        ("/painel/exportacao?chave=errada", "Este link não vale mais"),
    ],
)
async def test_page_for_everybody_is_usable(page: Page, address: str, heading: str) -> None:
    await page.goto(address)
    await expect(page.get_by_role("heading", name=heading)).to_be_visible()
    await assert_usable_everywhere(page)


async def test_answer_to_a_forgotten_password_is_usable(page: Page) -> None:
    await page.goto("/painel/recuperar")
    await page.get_by_label("E-mail da sua conta").fill(f"{uuid4().hex}@example.com")
    await page.get_by_role("button", name="Enviar o link").click()
    await expect(page.get_by_role("status")).to_be_visible()
    await assert_usable_everywhere(page)


async def test_pages_of_links_in_e_mails_are_usable(
    page: Page, new_page: NewPage, site: ServedApp, owner: Panel, caller: Caller
) -> None:
    database, now = site.services.database, datetime.now(UTC)
    invitation = await invite(
        database,
        f"{uuid4().hex}@example.com",
        subscription_id=caller.subscription_id,
        role=MemberRole.VIEWER,
        now=now,
    )
    reset = await create_reset_link(database, owner.person.email, now)
    stranger = await new_page()
    for link, heading in (
        (link_address(site.url, LinkPurpose.INVITATION, invitation.token), "Bem-vindo"),
        (link_address(site.url, LinkPurpose.RESET, reset.token), "Nova senha"),
        (link_address(site.url, LinkPurpose.RESET, "errado"), "Não foi possível"),
    ):
        await stranger.goto(link)
        await expect(stranger.get_by_role("heading", name=heading)).to_be_visible()
        await assert_usable_everywhere(stranger)
    own = await invite(database, owner.person.email, is_operator=True, now=now)
    await page.goto(f"{link_address(site.url, LinkPurpose.INVITATION, own.token)}/aceitar")
    await expect(page.get_by_role("heading", name="Aceitar o convite")).to_be_visible()
    await assert_usable_everywhere(page)


async def test_link_for_the_accountant_is_usable_also_after_its_end(
    page: Page, new_page: NewPage, owner: Panel, caller: Caller
) -> None:
    company_id = await caller.create_company()
    await page.goto(f"{owner.company(company_id)}/exportacoes")
    await page.get_by_role("button", name="Criar link").click()
    link = await page.locator("main .copyable").inner_text()
    await assert_usable_everywhere(page)

    accountant = await new_page()
    await accountant.goto(link)
    await expect(accountant.get_by_role("link", name="Baixar o ZIP")).to_be_visible()
    await assert_usable_everywhere(accountant)

    await page.goto(f"{owner.company(company_id)}/exportacoes")
    await page.get_by_role("button", name="Revogar o link").click()
    await expect(page.get_by_role("cell", name="Revogado")).to_be_visible()
    await accountant.reload()
    await expect(accountant.get_by_role("heading", name="Este link não vale mais")).to_be_visible()
    await assert_usable_everywhere(accountant)


async def test_progress_of_a_download_is_usable(page: Page, owner: Panel, caller: Caller) -> None:
    company_id = await caller.create_company()
    await page.goto(f"{owner.company(company_id)}/exportacoes")
    async with page.expect_download():
        await page.get_by_role("button", name="Baixar o ZIP").click()
    await expect(page.get_by_text("O arquivo foi enviado inteiro")).to_be_visible()
    await assert_usable_everywhere(page)


async def test_refusal_of_a_role_is_usable(page: Page, site: ServedApp, caller: Caller) -> None:
    viewer = await new_panel(site.app, site.services.database, caller.subscription_id, MemberRole.VIEWER)
    await enter(page, site, viewer)
    answer = await page.goto(f"{viewer.base}/registro")
    assert answer is not None
    assert answer.status == 403
    await assert_usable_everywhere(page)


@pytest.mark.parametrize("count", [0, 2])
async def test_first_page_of_a_person_with_no_or_several_subscriptions_is_usable(
    page: Page, site: ServedApp, new_caller: NewCaller, count: int
) -> None:
    database = site.services.database
    panel = await new_panel(site.app, database, None)
    for _ in range(count):
        async with database.tenant((await new_caller()).subscription_id) as tenant:
            await tenant.memberships.put_invited(panel.person.id, MemberRole.VIEWER, None)
            await tenant.memberships.accept(panel.person.id)
    await enter(page, site, panel)
    await page.goto("/painel")
    await expect(page.get_by_role("heading", name="Suas assinaturas")).to_be_visible()
    await expect(page.locator("main li")).to_have_count(count)
    await assert_usable_everywhere(page)


@pytest.mark.usefixtures("owner")
async def test_second_factor_shows_a_code_for_the_camera(page: Page) -> None:
    await page.goto("/painel/conta")
    await page.get_by_role("button", name="Ligar").click()
    await expect(page.get_by_role("img", name="Código QR")).to_be_visible()
    await assert_usable_everywhere(page)


@pytest.mark.usefixtures("owner")
async def test_confirmation_of_the_person_is_usable(page: Page) -> None:
    await page.goto("/painel/confirmar?para=/conta")
    await expect(page.get_by_role("heading", name="Confirme quem é você")).to_be_visible()
    await assert_usable_everywhere(page)
