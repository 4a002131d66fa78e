"""Webhooks, the credential of the API and people, changed in a real browser with and without scripts."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from uuid import uuid4

import pytest
from playwright.async_api import Locator, Page, expect

from browser.accessibility import assert_accessible, assert_usable_everywhere
from browser.conftest import NewPage
from browser.served_app import ServedApp
from carimbo.main.outbound import deliver_forever
from carimbo.settings import Settings
from integration.dashboard.panel import COOKIE, Panel, new_panel
from receiver import Receiver, Reply, receiving
from support import Caller

_MOST_TABS = 80


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def delivering(settings: Settings, site: ServedApp) -> AsyncIterator[None]:
    """Sends deliveries for the length of a test."""
    running = asyncio.create_task(deliver_forever(settings))
    yield
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running


@pytest.fixture
async def owner(site: ServedApp, caller: Caller) -> Panel:
    return await new_panel(site.app, site.services.database, caller.subscription_id)


async def enter(page: Page, site: ServedApp, panel: Panel) -> Page:
    """Gives a browser the session of a person."""
    await page.context.add_cookies([{"name": COOKIE, "value": panel.token, "url": site.url}])
    return page


async def create_webhook(page: Page, owner: Panel, receiver: Receiver) -> None:
    """Creates a webhook by its form; its page follows."""
    await page.goto(f"{owner.base}/webhooks")
    await page.get_by_role("link", name="Novo webhook").click()
    await page.get_by_label("Endereço").fill(f"{receiver.url}/hook")
    await page.get_by_label("Nome").first.fill("Loja")
    await page.get_by_label("NF-e: autorização").check()
    await page.get_by_role("button", name="Criar o webhook").click()
    await expect(page.get_by_role("heading", name="Loja")).to_be_visible()


@pytest.mark.usefixtures("delivering")
async def test_webhook_is_created_and_its_test_is_seen_delivered(
    any_page: Page, site: ServedApp, owner: Panel, receiver: Receiver
) -> None:
    page, gate = await enter(any_page, site, owner), asyncio.Event()
    receiver.default = Reply(gate=gate)
    await create_webhook(page, owner, receiver)
    await expect(page.get_by_role("status").locator(".copyable")).to_have_text(re.compile("^whsec_"))
    await page.get_by_role("button", name="Enviar um teste").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Na fila")
    (call,) = await receiver.until(1)
    assert call.path == "/hook"
    gate.set()
    # The page finds out by itself.
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Entregue")


async def test_form_of_a_webhook_is_usable_also_when_it_was_refused(
    page: Page, site: ServedApp, owner: Panel, receiver: Receiver
) -> None:
    await enter(page, site, owner)
    await create_webhook(page, owner, receiver)
    await assert_usable_everywhere(page)
    await page.get_by_role("link", name="Alterar").click()
    await page.get_by_label("Endereço").fill("")
    await page.get_by_text("Cabeçalhos de cada entrega").click()
    await page.get_by_label("Nome").nth(1).fill("nome inválido")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("alert")).to_contain_text("campos precisam de atenção")
    await expect(page.get_by_label("Nome").nth(1)).to_have_value("nome inválido")
    await assert_usable_everywhere(page)


async def test_another_header_is_typed_where_the_button_leads(
    any_page: Page, site: ServedApp, owner: Panel, receiver: Receiver
) -> None:
    page = await enter(any_page, site, owner)
    await create_webhook(page, owner, receiver)
    await page.get_by_role("link", name="Alterar").click()
    await page.get_by_text("Cabeçalhos de cada entrega").click()
    for number, name in enumerate(("X-Loja", "X-Caixa")):
        row = page.get_by_role("group", name=f"Cabeçalho {number + 1}", exact=True)
        await row.get_by_label("Nome").fill(name)
        await row.get_by_label("Valor").fill("1")
        await page.get_by_role("button", name="Mais um cabeçalho").click()
    await expect(page.get_by_role("group", name="Cabeçalho 3", exact=True)).to_be_visible()
    # The Enter key saves, and does not ask for another header.
    await page.get_by_label("Endereço").press("Enter")
    await expect(page.get_by_role("status")).to_have_text("Guardado.")
    await expect(page.get_by_text("X-Caixa")).to_be_visible()


async def tab_to(page: Page, target: Locator) -> None:
    """Presses the Tab key until an element has the focus."""
    for _ in range(_MOST_TABS):
        await page.keyboard.press("Tab")
        if await target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"the Tab key does not reach {target}")


async def test_credential_is_rotated_in_a_dialog_by_keyboard_alone(
    page: Page, site: ServedApp, owner: Panel, caller: Caller
) -> None:
    await enter(page, site, owner)
    await page.goto(f"{owner.base}/credenciais")
    link = page.get_by_role("link", name="Trocar a senha")
    dialog = page.get_by_role("dialog", name="Trocar a senha da API")
    await tab_to(page, link)
    await page.keyboard.press("Enter")
    await expect(dialog).to_be_visible()
    await assert_accessible(page)
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(link).to_be_focused()

    await page.keyboard.press("Enter")
    await tab_to(page, dialog.get_by_label("A senha atual"))
    await page.keyboard.press("Home")
    await tab_to(page, dialog.get_by_role("button", name="Trocar a senha"))
    await page.keyboard.press("Enter")
    secret = page.get_by_role("status").locator(".copyable")
    await expect(secret).to_have_text(re.compile("^cs_"))
    await assert_usable_everywhere(page)
    await assert_only_secret(caller, await secret.inner_text())


async def test_credential_is_rotated_without_scripts(
    plain_page: Page, site: ServedApp, owner: Panel, caller: Caller
) -> None:
    page = await enter(plain_page, site, owner)
    await page.goto(f"{owner.base}/credenciais")
    await page.get_by_role("link", name="Trocar a senha").click()
    await page.get_by_label("A senha atual").select_option("Deixa de valer já")
    await page.get_by_role("button", name="Trocar a senha").click()
    secret = page.get_by_role("status").locator(".copyable")
    await expect(secret).to_have_text(re.compile("^cs_"))
    await assert_only_secret(caller, await secret.inner_text())


async def assert_only_secret(caller: Caller, secret: str) -> None:
    """Requires that a new secret works, and that of the caller does not."""
    answers = [
        await caller.http.get("/v1/companies", headers={"X-Api-Secret": each})
        for each in (secret, caller.secret)
    ]
    assert [answer.status_code for answer in answers] == [200, 401]


async def test_person_is_invited_and_joins_by_the_link_in_another_browser(
    any_page: Page, new_page: NewPage, site: ServedApp, owner: Panel
) -> None:
    page, email = await enter(any_page, site, owner), f"{uuid4().hex}@example.com"
    await page.goto(f"{owner.base}/pessoas")
    await page.get_by_role("link", name="Convidar uma pessoa").click()
    await page.get_by_label("E-mail").fill(email)
    await page.get_by_label("Papel").select_option("Emissor")
    await page.get_by_role("button", name="Convidar").click()
    link = await page.get_by_role("status").locator(".copyable").inner_text()
    assert link.startswith(f"{site.url}/painel/convite/")

    guest = await new_page(java_script_enabled=False)
    await guest.goto(link)
    await guest.get_by_label("Seu nome").fill("Rui Lima")
    await guest.get_by_label("Escolha uma senha").fill("um cavalo de bateria correto")
    await guest.get_by_role("button", name="Criar a conta e entrar").click()
    await expect(guest.get_by_role("heading", name="Início")).to_be_visible()
    await page.goto(f"{owner.base}/pessoas")
    await expect(page.get_by_role("row").filter(has_text="Rui Lima")).to_contain_text("Emissor")


async def test_form_of_a_person_is_usable_also_when_it_was_refused(
    page: Page, site: ServedApp, owner: Panel, caller: Caller
) -> None:
    await caller.create_company()
    await enter(page, site, owner)
    await page.goto(f"{owner.base}/pessoas/convidar")
    await assert_usable_everywhere(page)
    await page.get_by_label("Loja Modelo Ltda").check()
    await page.get_by_label("E-mail").fill("ninguem@example.com")
    await page.get_by_role("button", name="Convidar").click()
    await expect(page.get_by_role("alert")).to_contain_text("Você marcou empresas")
    await assert_usable_everywhere(page)
    await page.get_by_label("Só as que eu marcar").check()
    await page.get_by_role("button", name="Convidar").click()
    await expect(page.get_by_role("row").filter(has_text="ninguem@example.com")).to_be_visible()
    await assert_usable_everywhere(page)
