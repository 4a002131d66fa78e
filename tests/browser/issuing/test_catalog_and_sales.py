"""Customers, items and sales, as a person makes them in a browser."""

import re

import pytest
from playwright.async_api import Page, expect

from browser.accessibility import assert_usable_everywhere
from browser.conftest import NewPage
from browser.issuing.test_issue_forms import open_form
from browser.served_app import ServedApp
from integration.issuing.shop import Shop
from integration.sales.store import MARIA, UNANSWERED_MUG, Store

_ADDRESS = {
    "CEP": "01310-100",
    "Logradouro": "Avenida Paulista",
    "Número": "1000",
    "Bairro": "Bela Vista",
    "Município": "São Paulo",
}


async def make_customer(page: Page) -> None:
    await page.get_by_role("link", name="Clientes", exact=True).click()
    await page.get_by_role("link", name="Novo cliente").click()
    await page.get_by_label("Nome ou razão social").fill("Maria da Silva")
    await page.get_by_label("CPF ou CNPJ").fill("529.982.247-24")
    await page.get_by_label("E-mail").fill("maria@example.com")
    for label, text in _ADDRESS.items():
        await page.get_by_label(label, exact=True).fill(text)
    await page.get_by_label("UF", exact=True).select_option("SP")
    await page.get_by_role("button", name="Cadastrar").click()
    await expect(page.get_by_role("alert")).to_contain_text("1 campo precisa de atenção")
    await page.get_by_label("CPF ou CNPJ").fill("529.982.247-25")
    await page.get_by_role("button", name="Cadastrar").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Maria da Silva")


async def make_product(page: Page) -> None:
    await page.get_by_role("link", name="Produtos", exact=True).click()
    await page.get_by_role("link", name="Novo item").click()
    await page.get_by_role("link", name="Cadastrar produto").click()
    await page.get_by_label("Nome", exact=False).first.fill("Caneca")
    await page.get_by_label("Categoria").fill("utensílio")
    await page.get_by_label("Preço, em reais").fill("29,90")
    await page.get_by_label("NCM").fill("6912.00.00")
    await page.get_by_text("ICMS", exact=True).click()
    await page.get_by_label("CSOSN").select_option("102")
    # The key Enter stores the item.
    await page.get_by_label("NCM").press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Caneca")


async def choose(page: Page, label: str, text: str, name: str, *, scripts: bool) -> None:
    """Searches the catalog and presses the button of a result."""
    search = page.get_by_label(label)
    if scripts:
        await search.press_sequentially(text)
    else:
        await search.fill(text)
        await page.locator(".catalog-search", has=search).get_by_role("button", name="Buscar").click()
    await page.get_by_role("button", name=name).click()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
async def test_person_makes_a_customer_and_a_product_and_sells_it(
    new_page: NewPage, issuing_site: ServedApp, shop: Shop, scripts: bool
) -> None:
    page = await new_page(java_script_enabled=scripts)
    await open_form(page, issuing_site, shop, "")
    await make_customer(page)
    await make_product(page)

    await page.get_by_role("link", name="Vendas", exact=True).click()
    await page.get_by_role("link", name="Nova venda").click()
    await choose(page, "Buscar um cliente do catálogo", "maria", "Maria da Silva", scripts=scripts)
    await expect(page.get_by_role("button", name="Trocar de cliente")).to_be_visible()
    await choose(page, "Buscar no catálogo o que foi vendido", "cane", "Caneca", scripts=scripts)
    await page.get_by_label("Quantidade").fill("2")
    await page.get_by_role("button", name="Adicionar item").click()
    await expect(page.get_by_role("group", name="Item 2")).to_be_visible()
    await page.get_by_role("group", name="Item 2").get_by_role("button", name="Remover").click()
    await expect(page.get_by_role("group", name="Item 2")).to_have_count(0)
    await page.get_by_label("Quantidade").press("Enter")
    check = page.locator("#conferencia")
    await expect(check).to_contain_text("Tudo certo para emitir")
    await expect(check).to_contain_text("R$ 59,80")
    await page.get_by_role("button", name="Registrar a venda").dblclick()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Faturada")
    rows = await shop.system.fetch("select from sales where company_id = $1", shop.id)
    assert len(rows) == 1


async def test_sale_is_emitted_cancelled_and_deleted_in_dialogs(
    page: Page, issuing_site: ServedApp, store: Store
) -> None:
    sale, other = await store.draft("curso", "caneca"), await store.draft("curso")
    panel = await open_form(page, issuing_site, store, f"/vendas/{sale['id']}")
    await page.get_by_role("link", name="Emitir", exact=True).last.click()
    dialog = page.get_by_role("dialog", name="Emitir os documentos da venda")
    await expect(dialog).to_contain_text("R$ 29,90")
    await assert_usable_everywhere(page)
    await dialog.get_by_role("button", name="Emitir").click()
    heading = page.get_by_role("heading", level=1)
    await expect(heading).to_contain_text("Faturada")
    await page.get_by_role("link", name="Cancelar", exact=True).click()
    dialog = page.get_by_role("dialog", name="Cancelar os documentos da venda")
    await expect(dialog).to_contain_text("Prazo: até")
    await dialog.get_by_label("Justificativa").fill("O cliente desistiu da compra")
    await assert_usable_everywhere(page)
    await dialog.get_by_role("button", name="Cancelar os documentos").click()
    await expect(heading).to_contain_text("Cancelada")

    await page.goto(f"{issuing_site.url}{panel.company(store.id)}/vendas/{other['id']}")
    await page.get_by_role("link", name="Excluir").click()
    await page.get_by_role("dialog").get_by_role("button", name="Excluir").click()
    await expect(page.get_by_text("Removido.")).to_be_visible()


async def test_forms_of_the_catalog_and_of_sales_are_usable(
    page: Page, issuing_site: ServedApp, store: Store
) -> None:
    customer = await store.know(MARIA)
    item = await store.stock(UNANSWERED_MUG)
    sale = await store.draft("curso", "caneca")
    panel = await open_form(page, issuing_site, store, "/clientes")
    company = f"{issuing_site.url}{panel.company(store.id)}"
    for path in (
        "/clientes/novo",
        f"/clientes/{customer['id']}/alterar",
        f"/clientes/{customer['id']}/excluir",
        "/produtos/novo",
        *(f"/produtos/novo?tipo={item_type}" for item_type in ("service", "product", "split")),
        f"/produtos/{item['id']}/alterar",
        f"/produtos/{item['id']}/excluir",
        "/vendas/nova",
        *(f"/vendas/{sale['id']}/{action}" for action in ("alterar", "emitir", "cancelar", "excluir")),
    ):
        answer = await page.goto(company + path)
        assert answer is not None, path
        assert answer.status == 200, path
        for section in await page.locator("details.form-section > summary").all():
            await section.click()
        await assert_usable_everywhere(page)


async def test_check_of_a_sale_follows_what_is_typed(
    page: Page, issuing_site: ServedApp, store: Store
) -> None:
    await open_form(page, issuing_site, store, "/vendas/nova")
    check = page.locator("#conferencia")
    await expect(check).to_contain_text("O que falta antes de emitir")
    await page.get_by_label("SKU").fill("curso")
    await expect(check).to_contain_text(re.compile(r"Total da venda\s*R\$ 100,00"))
    await page.get_by_label("Nome ou razão social").fill("João Souza")
    await page.get_by_label("CPF ou CNPJ").fill("111.444.777-35")
    await expect(check).to_contain_text("Tudo certo para emitir")
    await page.get_by_label("SKU").fill("outro")
    await expect(check.get_by_role("link", name="SKU")).to_be_visible()
    await assert_usable_everywhere(page)
