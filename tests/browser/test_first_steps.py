"""A company from its registration to production in a real browser, with and without scripts."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.async_api import FilePayload, Locator, Page, expect

from browser.accessibility import assert_accessible, assert_usable_everywhere
from browser.served_app import ServedApp
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.service.companies.settings_forms import SETTINGS_FORMS
from integration.dashboard.panel import COOKIE, Panel, new_panel
from support import Caller, data_of

_PASSWORD = "sénha-do-arquivo"
_MOST_TABS = 100


@pytest.fixture
async def owner(site: ServedApp, caller: Caller) -> Panel:
    return await new_panel(site.app, site.services.database, caller.subscription_id)


@pytest.fixture
def pfx(company_certificate: SampleCertificate) -> FilePayload:
    return FilePayload(
        name="empresa.pfx", mimeType="application/x-pkcs12", buffer=company_certificate.to_pfx(_PASSWORD)
    )


async def enter(page: Page, site: ServedApp, panel: Panel) -> Page:
    """Gives a browser the session of a person."""
    await page.context.add_cookies([{"name": COOKIE, "value": panel.token, "url": site.url}])
    return page


async def register_company(page: Page, owner: Panel) -> None:
    """Registers a company by the form that the first page leads to; its first steps follow."""
    await page.goto(owner.base)
    await page.get_by_role("link", name="Cadastre a primeira").click()
    for label, text in {
        "CNPJ": "11.222.333/0001-81",
        "Razão social": "Loja Modelo Ltda",
        "CEP": "78005-000",
        "Logradouro": "Rua Barão de Melgaço",
        "Número": "10",
        "Bairro": "Centro",
        "Município": "Cuiabá",
    }.items():
        await page.get_by_label(re.compile(f"^{label}")).fill(text)
    await page.get_by_label("UF").select_option("MT")
    await page.get_by_label("Regime tributário").select_option("Simples Nacional")
    await page.get_by_role("button", name="Cadastrar empresa").click()
    await expect(page.get_by_role("heading", name="Primeiros passos")).to_be_visible()


async def test_company_goes_from_its_registration_to_production(
    any_page: Page, site: ServedApp, owner: Panel, pfx: FilePayload
) -> None:
    page = await enter(any_page, site, owner)
    await register_company(page, owner)

    await page.get_by_role("link", name="Enviar o certificado").click()
    file, password = page.get_by_label("Arquivo do certificado"), page.get_by_label("Senha do certificado")
    await file.set_input_files(pfx)
    await password.fill("outra")
    await page.get_by_role("button", name="Enviar certificado").click()
    await expect(password).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("A senha do certificado está incorreta.")).to_be_visible()
    await file.set_input_files(pfx)
    await password.fill(_PASSWORD)
    await page.get_by_role("button", name="Enviar certificado").click()
    await expect(page.get_by_role("status")).to_have_text("Certificado guardado.")
    await expect(page.get_by_text("11.222.333/0001-81", exact=True)).to_be_visible()
    await page.get_by_role("link", name="Continuar").click()

    await page.get_by_role("link", name="Acrescentar a inscrição").click()
    await page.get_by_label("Número").fill("13.000.001-9")
    await page.get_by_role("button", name="Acrescentar").click()
    await expect(page.get_by_text("A empresa já pode emitir NF-e e MDF-e em homologação.")).to_be_visible()

    # A dialog with scripts, else a page; what is refused is a page in any case.
    await page.get_by_role("link", name="Passar para produção").click()
    await page.get_by_label("Escreva PRODUÇÃO para confirmar").fill("sim")
    await page.get_by_role("button", name="Passar para produção").click()
    await expect(page.get_by_text("Escreva PRODUÇÃO para confirmar.", exact=True)).to_be_visible()
    await page.get_by_label("Escreva PRODUÇÃO para confirmar").fill("produção")
    await page.get_by_role("button", name="Passar para produção").click()
    await expect(page.get_by_role("status")).to_have_text("Ambiente trocado.")
    await expect(page.get_by_text("A empresa já pode emitir NF-e e MDF-e.")).to_be_visible()


async def tab_to(page: Page, target: Locator) -> None:
    """Presses the Tab key until an element has the focus."""
    for _ in range(_MOST_TABS):
        await page.keyboard.press("Tab")
        if await target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"the Tab key does not reach {target}")


async def test_registration_and_environment_are_changed_by_keyboard_alone(
    page: Page, site: ServedApp, owner: Panel, caller: Caller
) -> None:
    company_id = await caller.create_company()
    await enter(page, site, owner)
    await page.goto(owner.company(company_id))
    await tab_to(page, page.get_by_role("link", name="Nova inscrição estadual"))
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Nova inscrição estadual")
    await expect(dialog).to_be_visible()
    await assert_accessible(page)
    await tab_to(page, dialog.get_by_label("UF"))
    await page.keyboard.type("SP")
    await tab_to(page, dialog.get_by_label("Número"))
    await page.keyboard.type("110042490114")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text("Guardado.")
    await expect(page.get_by_role("cell", name="110042490114")).to_be_visible()

    await tab_to(page, page.get_by_role("link", name="Passar para homologação"))
    await page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Passar a empresa para homologação?")
    await expect(dialog).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await page.keyboard.press("Enter")
    await tab_to(page, dialog.get_by_label("Escreva HOMOLOGAÇÃO para confirmar"))
    await page.keyboard.type("homologacao")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status")).to_have_text("Ambiente trocado.")
    await expect(page.get_by_text("Empresa em homologação")).to_be_visible()


async def test_forms_of_a_company_are_usable_also_when_they_were_refused(
    page: Page, site: ServedApp, owner: Panel, caller: Caller
) -> None:
    company_id = await caller.create_company()
    image = BytesIO()
    Image.new("RGB", (40, 20), "navy").save(image, "PNG")
    logo = {"file": ("logo.png", image.getvalue(), "image/png")}
    data_of(await caller.http.put(f"/v1/companies/{company_id}/settings/logo", files=logo))
    await enter(page, site, owner)
    address = owner.company(company_id)
    # The crawler of all pages sees only one form of settings, and no company with a logo.
    for path in (*(f"configuracoes/{form.slug}" for form in SETTINGS_FORMS), "logotipo", "logotipo/remover"):
        await page.goto(f"{address}/{path}")
        await assert_usable_everywhere(page)
    for path, label, button in (
        ("cadastro", "Razão social", "Guardar"),
        ("configuracoes/nfce", "Série", "Guardar"),
        ("ambiente", "Escreva HOMOLOGAÇÃO para confirmar", "Passar para homologação"),
        ("certificado", "Senha do certificado", "Enviar certificado"),
    ):
        await page.goto(f"{address}/{path}")
        await page.get_by_label(label).fill("")
        await page.get_by_role("button", name=button).click()
        await expect(page.get_by_role("alert")).to_contain_text("precisa de atenção")
        await assert_usable_everywhere(page)
