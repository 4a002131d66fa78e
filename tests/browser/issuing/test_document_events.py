"""Canceling a document in a browser, and the pages of actions that the walk over all pages does not reach."""

import re
from typing import Any

from playwright.async_api import Locator, Page, expect

from browser.accessibility import assert_usable_everywhere
from browser.issuing.test_issue_forms import open_form
from browser.served_app import ServedApp
from integration.dashboard.panel import Panel
from integration.issuing import manifests
from integration.issuing.number_ledger import skip_to
from integration.issuing.shop import Shop
from integration.receiving.conftest import buyer, supplier_certificate
from integration.receiving.inbox import Buyer, upload, xml_of
from support import data_of

__all__ = ["buyer", "supplier_certificate"]

REASON = "Pedido cancelado pelo cliente"


async def open_document(page: Page, site: ServedApp, shop: Shop, document: dict[str, Any]) -> Panel:
    return await open_form(page, site, shop, f"/documentos/{document['id']}")


async def expect_canceled(page: Page) -> None:
    """Waits for the answer of the authority: the page updates itself, by htmx or by a refresh."""
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Cancelado")


async def tab_to(page: Page, element: Locator) -> None:
    while not await element.evaluate("element => element === document.activeElement"):
        await page.keyboard.press("Tab")


async def test_document_is_canceled_in_a_dialog(page: Page, issuing_site: ServedApp, shop: Shop) -> None:
    document = await shop.issue("nfe")
    await open_document(page, issuing_site, shop, document)
    await page.get_by_role("link", name="Cancelar", exact=True).click()
    dialog = page.get_by_role("dialog", name="Cancelamento")
    await expect(dialog).to_contain_text("Prazo")
    await expect(dialog).to_contain_text("até ")
    reason = dialog.get_by_label("Justificativa")
    await reason.fill(REASON)
    await expect(dialog.get_by_text(f"{len(REASON)} de 255 caracteres")).to_be_visible()
    await assert_usable_everywhere(page)
    await dialog.get_by_role("button", name="Cancelar").dblclick()
    await expect_canceled(page)
    rows = await shop.system.fetch("select from event_filings where document_id = $1", document["id"])
    assert len(rows) == 1


async def test_document_is_canceled_without_scripts(
    plain_page: Page, issuing_site: ServedApp, shop: Shop
) -> None:
    document = await shop.issue("nfe")
    await open_document(plain_page, issuing_site, shop, document)
    await plain_page.get_by_role("link", name="Cancelar", exact=True).click()
    await plain_page.get_by_label("Justificativa").fill("Erro")
    await plain_page.get_by_role("button", name="Cancelar").click()
    await expect(plain_page.get_by_role("alert")).to_contain_text("1 campo precisa de atenção")
    await plain_page.get_by_label("Justificativa").fill(REASON)
    await plain_page.get_by_role("button", name="Cancelar").click()
    await expect_canceled(plain_page)


async def test_document_is_canceled_by_keyboard_alone(
    page: Page, issuing_site: ServedApp, shop: Shop
) -> None:
    document = await shop.issue("nfe")
    await open_document(page, issuing_site, shop, document)
    link, dialog = page.get_by_role("link", name="Cancelar", exact=True), page.get_by_role("dialog")
    await tab_to(page, link)
    await page.keyboard.press("Enter")
    await expect(dialog).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(link).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialog).to_be_visible()
    await tab_to(page, dialog.get_by_label("Justificativa"))
    await page.keyboard.press("Control+A")
    await page.keyboard.type(REASON)
    await tab_to(page, dialog.get_by_role("button", name="Cancelar"))
    await page.keyboard.press("Enter")
    await expect_canceled(page)


async def test_result_appears_by_itself_after_an_authority_that_answers_late(
    page: Page, issuing_site: ServedApp, shop: Shop
) -> None:
    document = await shop.issue("nfe")
    await open_document(page, issuing_site, shop, document)
    async with shop.system.worker_stopped():
        await page.get_by_role("link", name="Cancelar", exact=True).click()
        await page.get_by_role("dialog").get_by_role("button", name="Cancelar").click()
        await expect(page.get_by_role("status").filter(has_text="Cancelamento")).to_be_visible()
        await assert_usable_everywhere(page)
    await expect_canceled(page)


async def test_entries_of_a_correction_letter_are_added_and_removed(
    any_page: Page, issuing_site: ServedApp, shop: Shop
) -> None:
    document = await shop.issue("cte")
    await open_document(any_page, issuing_site, shop, document)
    await any_page.get_by_role("link", name="Corrigir por carta").click()
    await any_page.get_by_role("textbox", name="Grupo", exact=True).fill("compl")
    field = any_page.get_by_role("textbox", name="Campo", exact=True)
    await field.fill("xObs")
    # The Enter key presses the first button of the form, which must not remove the entry.
    await field.press("Enter")
    await expect(any_page).to_have_url(re.compile("/preencher$"))
    await expect(field).to_have_value("xObs")
    await any_page.get_by_role("button", name="Adicionar campo").click()
    await expect(any_page.get_by_role("group", name="Campo 2")).to_be_visible()
    await any_page.get_by_role("button", name="Remover campo 2").click()
    await expect(any_page.get_by_role("group", name="Campo 2")).to_have_count(0)
    await any_page.get_by_label("Novo valor").fill("Entrega na doca 4")
    await any_page.get_by_role("button", name="Corrigir por carta").click()
    await expect(any_page.get_by_text("Carta de correção nº 1", exact=True)).to_be_visible()


async def test_pages_of_actions_are_usable(page: Page, issuing_site: ServedApp, shop: Shop) -> None:
    panel = await open_form(page, issuing_site, shop, "/documentos")
    draft = await shop.create("nfce", transmit="later")
    issued, freight = await shop.issue("nfe"), await shop.issue("cte")
    manifest = await manifests.issue(shop)
    await skip_to(shop, 9, "nfe")
    company = f"{issuing_site.url}{panel.company(shop.id)}"
    for path in (
        f"/documentos/{draft['id']}",
        f"/documentos/{draft['id']}/emitir",
        f"/documentos/{draft['id']}/descartar",
        f"/documentos/{draft['id']}/pela-api",
        f"/documentos/{issued['id']}",
        f"/documentos/{issued['id']}/email",
        f"/documentos/{freight['id']}/registrar/correction",
        f"/documentos/{manifest['id']}/registrar/close",
        "/numeracao",
        "/numeracao/inutilizar-lacunas",
    ):
        answer = await page.goto(company + path)
        assert answer is not None, path
        assert answer.status == 200, path
        await assert_usable_everywhere(page)


async def test_goods_are_returned_in_part(page: Page, issuing_site: ServedApp, buyer: Buyer) -> None:
    received = data_of(await upload(buyer.shop, await xml_of(buyer.supplier, await buyer.buys())))
    await open_form(page, issuing_site, buyer.shop, f"/recebidos/nfe/{received['id']}")
    await page.get_by_role("link", name="Devolver").click()
    await page.get_by_label("Só estas quantidades").check()
    await page.get_by_label("Quantidade que volta do item 1").fill("3")
    await page.get_by_role("button", name="Fazer o rascunho").click()
    await expect(page.get_by_text("Não pode passar da quantidade do item na nota")).to_be_visible()
    await assert_usable_everywhere(page)
    await page.get_by_label("Quantidade que volta do item 1").fill("1")
    await page.get_by_role("button", name="Fazer o rascunho").click()
    await expect(page).to_have_url(re.compile("/documentos/"))
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Rascunho")
