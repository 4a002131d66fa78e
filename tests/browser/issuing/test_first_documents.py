"""From an empty installation to the first authorized NFS-e and NF-e, by the dashboard alone."""

from datetime import UTC, datetime
from uuid import uuid4

from first_documents import Newcomer, first_documents
from playwright.async_api import Page, expect

from browser.accessibility import assert_accessible
from browser.conftest import NewPage
from browser.served_app import ServedApp
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.people import invite
from integration.issuing.system import System

_PASSWORD = "senha-do-arquivo"


async def join(page: Page, site: ServedApp, system: System, tax_id: str) -> Newcomer:
    """Accepts an invitation as operator, as `carimbo person invite --operator` makes it."""
    email, now = f"{uuid4().hex}@example.com", datetime.now(UTC)
    invitation = await invite(site.services.database, email, is_operator=True, now=now)
    await page.goto(link_address(site.url, LinkPurpose.INVITATION, invitation.token))
    await page.get_by_label("Seu nome").fill("Ana Souza")
    await page.get_by_label("Escolha uma senha").fill("um cavalo de bateria correto")
    await page.get_by_role("button", name="Criar a conta e entrar").click()
    await expect(page.get_by_role("link", name="Nova assinatura")).to_be_visible()
    issued = system.simulator.certificates.issue(tax_id, "CANECA BOA LTDA", now)
    return Newcomer(email, tax_id, issued.to_pfx(_PASSWORD), _PASSWORD)


async def test_person_brings_a_company_to_its_first_documents_with_scripts(
    page: Page, issuing_site: ServedApp, system: System
) -> None:
    moments = []
    async for moment in first_documents(page, await join(page, issuing_site, system, "33444555000181")):
        await assert_accessible(page)
        moments.append(moment)
    assert moments[-2:] == ["issue-nfe", "issued-nfe"]


async def test_person_brings_a_company_to_its_first_documents_without_scripts(
    new_page: NewPage, issuing_site: ServedApp, system: System
) -> None:
    page = await new_page(java_script_enabled=False)
    async for _ in first_documents(page, await join(page, issuing_site, system, "66777888000181")):
        pass
    await expect(page.get_by_role("heading", level=1)).to_contain_text("NF-e 1")
