"""Issuing and correcting documents in forms, as a person does it in a browser."""

import re

import pytest
from playwright.async_api import Page, expect

from browser.accessibility import assert_usable_everywhere
from browser.conftest import NewPage
from browser.served_app import ServedApp
from browser.test_dashboard_doors import enter
from integration.dashboard.panel import Panel, new_panel
from integration.issuing.shop import REFUSED, Shop
from support import data_of

_SERVICE = {
    "CPF ou CNPJ": "529.982.247-25",
    "Nome ou razão social": "Maria da Silva",
    "Descrição do serviço": "Consultoria",
    "Valor do serviço, em reais": "1.500,00",
    "Código nacional do serviço": "01.07.01",
    "Alíquota do ISS, em %": "2",
}


async def open_form(page: Page, site: ServedApp, shop: Shop, path: str) -> Panel:
    """Signs in the owner of a shop and opens a page of its company."""
    panel = await new_panel(site.app, site.services.database, shop.caller.subscription_id)
    await enter(page, site, panel)
    await page.goto(f"{site.url}{panel.company(shop.id)}{path}")
    return panel


async def type_service(page: Page) -> None:
    for label, text in _SERVICE.items():
        await page.get_by_label(label, exact=False).first.fill(text)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
async def test_note_is_issued_and_its_outcome_appears(
    new_page: NewPage, issuing_site: ServedApp, shop: Shop, scripts: bool
) -> None:
    page = await new_page(java_script_enabled=scripts)
    await open_form(page, issuing_site, shop, "/emitir/nfse")
    await type_service(page)
    await page.get_by_role("button", name="Emitir", exact=True).click()
    await expect(page).to_have_url(re.compile("/documentos/"))
    # The page updates itself: by htmx, or by a refresh.
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Autorizado")


async def test_check_follows_what_is_typed(page: Page, issuing_site: ServedApp, shop: Shop) -> None:
    await open_form(page, issuing_site, shop, "/emitir/nfse")
    check = page.locator("#conferencia")
    await expect(check).to_contain_text("O que falta antes de emitir")
    await type_service(page)
    await expect(check).to_contain_text("Tudo certo para emitir")
    await expect(check).to_contain_text("R$ 1.500,00")
    await page.get_by_label("Valor do serviço, em reais").fill("mil")
    await expect(check.get_by_role("link", name="Valor do serviço, em reais")).to_be_visible()
    await assert_usable_everywhere(page)


async def test_customer_is_found_while_typing_and_fills_the_form(
    page: Page, issuing_site: ServedApp, shop: Shop
) -> None:
    customer = {"name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25"}
    data_of(await shop.post("/customers", customer))
    await open_form(page, issuing_site, shop, "/emitir/nfe")
    await page.get_by_label("Buscar um cliente do catálogo").press_sequentially("ana so")
    await page.get_by_role("button", name="Ana Souza").click()
    await expect(page.get_by_label("Nome ou razão social")).to_have_value("Ana Souza")
    await assert_usable_everywhere(page)


async def test_two_presses_on_the_button_issue_one_document(
    page: Page, issuing_site: ServedApp, shop: Shop
) -> None:
    await open_form(page, issuing_site, shop, "/emitir/nfse")
    await type_service(page)
    await page.get_by_role("button", name="Emitir", exact=True).dblclick()
    await expect(page).to_have_url(re.compile("/documentos/"))
    assert await shop.count() == 1


async def test_rejected_document_is_mended_by_keyboard_alone(
    page: Page, issuing_site: ServedApp, shop: Shop
) -> None:
    refused = await shop.issue("nfe", notes=REFUSED)
    panel = await open_form(page, issuing_site, shop, f"/documentos/{refused['id']}")
    await page.get_by_role("link", name="Corrigir e reenviar").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Corrigir e reenviar")).to_be_visible()
    await assert_usable_everywhere(page)
    notes = page.get_by_label("Informações complementares")
    while not await notes.evaluate("element => element === document.activeElement"):
        await page.keyboard.press("Tab")
    await page.keyboard.press("Control+A")
    await page.keyboard.type("Obrigado")
    button = page.get_by_role("button", name="Corrigir e reenviar")
    while not await button.evaluate("element => element === document.activeElement"):
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Autorizado")
    assert panel.company(shop.id) in page.url
