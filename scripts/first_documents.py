"""The way of a person from an empty installation to the first NFS-e and NF-e, by the dashboard alone.

A browser test goes this way, and the pictures of the how-to are taken on it.
"""

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from playwright.async_api import FilePayload, Page, expect

_COMPANY = {
    "Razão social": "Caneca Boa Ltda",
    "CEP": "01310-100",
    "Logradouro": "Avenida Paulista",
    "Número": "1000",
    "Bairro": "Bela Vista",
    "Município": "São Paulo",
}
_CUSTOMER = {
    "CPF ou CNPJ": "529.982.247-25",
    "Nome ou razão social": "Maria da Silva",
    "CEP": "01310-100",
    "Logradouro": "Avenida Paulista",
    "Número": "1000",
    "Bairro": "Bela Vista",
    "Município": "São Paulo",
}
_SERVICE = {
    "Descrição do serviço": "Oficina de cerâmica em novembro",
    "Valor do serviço, em reais": "350,00",
    "Código nacional do serviço": "08.02.01",
    "Alíquota do ISS, em %": "2",
}
_GOODS = {
    "Descrição": "Caneca de cerâmica",
    "Quantidade": "2",
    "Preço da unidade, em reais": "35,90",
    "NCM": "69120000",
}


@dataclass(frozen=True)
class Newcomer:
    """A person who operates an installation, and the company that they bring."""

    email: str
    tax_id: str
    certificate: bytes = field(repr=False)
    """An A1 file."""
    certificate_password: str = field(repr=False)


async def first_documents(page: Page, person: Newcomer) -> AsyncIterator[str]:
    """Goes the way of a signed-in operator, and yields the name of each moment that is worth a picture."""
    await _make_subscription(page, person)
    yield "first-page"
    await _register_company(page, person)
    yield "first-steps"
    await _send_certificate(page, person)
    yield "certificate"
    await _register_at_the_state(page)
    for type_name, typed in (("NFS-e", _SERVICE), ("NF-e", _GOODS)):
        await _type_document(page, type_name, typed)
        yield f"issue-{type_name.lower().replace('-', '')}"
        await page.get_by_role("button", name="Emitir", exact=True).click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Autorizado")
        yield f"issued-{type_name.lower().replace('-', '')}"


async def _make_subscription(page: Page, person: Newcomer) -> None:
    """Creates the subscription, and becomes its owner by the link of an invitation to oneself."""
    await page.goto(f"{page.url.partition('/painel')[0]}/painel/operacao")
    await page.get_by_role("link", name="Nova assinatura").click()
    form = page.locator("form", has=page.get_by_role("button", name="Criar a assinatura"))
    await form.get_by_label("Nome").fill("Ateliê da Ana")
    await form.get_by_role("button", name="Criar a assinatura").click()
    await page.get_by_role("link", name="Convidar quem cuida da assinatura").click()
    await page.get_by_label("E-mail").fill(person.email)
    await page.get_by_role("button", name="Convidar", exact=True).click()
    link = await page.locator("main .copyable").inner_text()
    await page.goto(link)
    await page.get_by_role("link", name="Aceitar com a minha conta").click()
    await page.get_by_role("button", name="Aceitar o convite").click()
    await expect(page.get_by_role("heading", name="Início")).to_be_visible()


async def _register_company(page: Page, person: Newcomer) -> None:
    await page.get_by_role("link", name="Cadastre a primeira").click()
    await _fill(page, {"CNPJ": person.tax_id, **_COMPANY})
    await page.get_by_label("UF").select_option("SP")
    await page.get_by_label("Regime tributário").select_option("Simples Nacional")
    await page.get_by_label("Alíquota do Simples Nacional").fill("6")
    await page.get_by_role("button", name="Cadastrar empresa").click()
    await expect(page.get_by_role("heading", name="Primeiros passos")).to_be_visible()


async def _send_certificate(page: Page, person: Newcomer) -> None:
    await page.get_by_role("link", name="Enviar o certificado").click()
    file = FilePayload(name="empresa.pfx", mimeType="application/x-pkcs12", buffer=person.certificate)
    await page.get_by_label("Arquivo do certificado").set_input_files(file)
    await page.get_by_label("Senha do certificado").fill(person.certificate_password)
    await page.get_by_role("button", name="Enviar certificado").click()
    await expect(page.get_by_role("status")).to_have_text("Certificado guardado.")


async def _register_at_the_state(page: Page) -> None:
    await page.get_by_role("link", name="Continuar").click()
    await page.get_by_role("link", name="Acrescentar a inscrição").click()
    await page.get_by_label("Número").fill("110.042.490.114")
    await page.get_by_role("button", name="Acrescentar").click()
    await expect(page.get_by_text("A empresa já pode emitir")).to_be_visible()


async def _type_document(page: Page, type_name: str, typed: Mapping[str, str]) -> None:
    await page.get_by_role("navigation", name="Menu").get_by_role("link", name="Emitir", exact=True).click()
    await page.get_by_role("link", name=f"Emitir {type_name}").click()
    await _fill(page, {**_CUSTOMER, **typed})
    await page.get_by_label("UF").select_option("SP")


async def _fill(page: Page, typed: Mapping[str, str]) -> None:
    """Types into the inputs with these labels, each the first that begins so."""
    for label, text in typed.items():
        await page.get_by_label(re.compile(f"^{re.escape(label)}")).first.fill(text)
