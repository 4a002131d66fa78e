"""Signing in to the dashboard in a real browser: invitation, password, passkey, reset and the demo's link."""

import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from playwright.async_api import Page, expect

from browser.accessibility import assert_accessible
from browser.conftest import NewPage
from browser.served_app import ServedApp
from browser.virtual_authenticator import virtual_authenticator
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import create_reset_link, demo_sign_in_link
from carimbo.service.people.people import invite
from carimbo.service.people.roles import MemberRole
from support import Caller

PASSWORD, OTHER_PASSWORD = "um cavalo de bateria correto", "grampo azul no varal da praia"


@pytest.fixture
def email() -> str:
    return f"{uuid4().hex}@example.com"


async def join(page: Page, site: ServedApp, caller: Caller, email: str) -> None:
    """Accepts an invitation as owner of a subscription, as its guest does."""
    invitation = await invite(
        site.services.database,
        email,
        subscription_id=caller.subscription_id,
        role=MemberRole.OWNER,
        now=datetime.now(UTC),
    )
    await page.goto(link_address(site.url, LinkPurpose.INVITATION, invitation.token))
    await page.get_by_label("Seu nome").fill("Ana Souza")
    await page.get_by_label("Escolha uma senha").fill(PASSWORD)
    await assert_accessible(page)
    await page.get_by_role("button", name="Criar a conta e entrar").click()
    await expect(page.get_by_role("heading", name="Início")).to_be_visible()


async def sign_out(page: Page) -> None:
    await page.locator(".account summary").click()
    await page.get_by_role("button", name="Sair").click()
    await expect(page.get_by_role("heading", name="Entrar")).to_be_visible()


async def sign_in(page: Page, email: str, password: str) -> None:
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_label("Senha").fill(password)
    await page.get_by_role("button", name="Entrar", exact=True).click()


async def test_guest_joins_leaves_and_comes_back_by_password(
    page: Page, site: ServedApp, caller: Caller, email: str
) -> None:
    await join(page, site, caller, email)
    await sign_out(page)
    await assert_accessible(page)
    await sign_in(page, email, "errada de propósito")
    await expect(page.get_by_role("alert")).to_contain_text("E-mail ou senha incorretos")
    await sign_in(page, email, PASSWORD)
    await expect(page).to_have_url(re.compile(str(caller.subscription_id)))


async def test_passkey_is_made_signs_in_and_confirms(
    page: Page, site: ServedApp, caller: Caller, email: str
) -> None:
    authenticator = await virtual_authenticator(page)
    await join(page, site, caller, email)
    await page.goto("/painel/conta")
    await page.get_by_label("Nome da nova chave").fill("Notebook da Ana")
    await page.get_by_role("button", name="Criar uma chave de acesso").click()
    await expect(page.get_by_role("cell", name="Notebook da Ana", exact=True)).to_be_visible()
    assert len(await authenticator.passkeys()) == 1
    await assert_accessible(page)

    await sign_out(page)
    await page.get_by_role("button", name="Entrar com chave de acesso").click()
    await expect(page.get_by_role("heading", name="Início")).to_be_visible()

    async with site.services.database.connection() as connection:
        await connection.execute("update sessions set authenticated_at = now() - interval '1 hour'")
    await page.goto("/painel/conta")
    await page.get_by_role("button", name="Criar uma chave de acesso").click()
    await expect(page.get_by_role("heading", name="Confirme quem é você")).to_be_visible()
    await assert_accessible(page)
    await page.get_by_role("button", name="Confirmar com chave de acesso").click()
    await expect(page.get_by_role("heading", name="Minha conta")).to_be_visible()

    await authenticator.refuse_verification()
    await sign_out(page)
    await page.get_by_role("button", name="Entrar com chave de acesso").click()
    await expect(page.get_by_role("alert")).to_contain_text("chave de acesso não foi usada")


async def test_reset_link_gives_a_new_password(
    page: Page, new_page: NewPage, site: ServedApp, caller: Caller, email: str
) -> None:
    await join(page, site, caller, email)
    link = await create_reset_link(site.services.database, email, datetime.now(UTC))
    other = await new_page()
    await other.goto("/painel/entrar")
    await other.get_by_role("link", name="Esqueci a senha").click()
    await assert_accessible(other)
    await other.goto(link_address(site.url, LinkPurpose.RESET, link.token))
    await assert_accessible(other)
    await other.get_by_label("Nova senha").fill(OTHER_PASSWORD)
    await other.get_by_role("button", name="Guardar e entrar").click()
    await expect(other.get_by_role("heading", name="Início")).to_be_visible()
    # The reset ended the first session.
    await page.reload()
    await expect(page.get_by_role("heading", name="Entrar")).to_be_visible()
    await sign_in(page, email, OTHER_PASSWORD)
    await expect(page.get_by_role("heading", name="Início")).to_be_visible()


async def test_link_of_the_demo_signs_in_by_itself(page: Page, site: ServedApp, caller: Caller) -> None:
    token = await demo_sign_in_link(site.services.database, caller.subscription_id, datetime.now(UTC))
    await page.goto(link_address(site.url, LinkPurpose.SIGN_IN, token))
    await expect(page.locator(".account summary")).to_have_text("Pessoa da demonstração")
