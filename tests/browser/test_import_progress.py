"""A file that a person uploads in a browser, and the page that follows its import."""

from playwright.async_api import FilePayload, Page, expect

from browser.accessibility import assert_usable_everywhere
from browser.served_app import ServedApp
from carimbo.storage.imports import ImportProblem, ImportProgress, ImportState
from carimbo.storage.work import WorkKey, WorkKind
from claimed_rows import claim_row
from integration.dashboard.panel import COOKIE, new_panel
from integration.storage.neighbours import create_neighbours
from support import TIMEOUT_SECONDS

WRONG = FilePayload(name="produtos.csv", mimeType="text/csv", buffer=b"SKU;Cor\na;azul\n")
RIGHT = FilePayload(name="produtos.csv", mimeType="text/csv", buffer=b"SKU;Nome\na;Xi\n")


async def test_page_of_an_uploaded_file_shows_its_end_and_the_refused_lines_by_itself(
    page: Page, site: ServedApp
) -> None:
    database = site.services.database
    neighbours = await create_neighbours(database, site.services.authenticator)
    panel = await new_panel(site.app, database, neighbours.owner)
    await page.context.add_cookies([{"name": COOKIE, "value": panel.token, "url": site.url}])
    await page.goto(f"{site.url}{panel.company(neighbours.company_id)}/importacoes?tipo=products")
    await page.get_by_label("Arquivo CSV").set_input_files(files=[WRONG])
    await page.get_by_role("button", name="Importar").click()
    await expect(page.get_by_text("Coluna desconhecida: “Cor”.")).to_be_visible()
    await assert_usable_everywhere(page)

    await page.get_by_label("Arquivo CSV").set_input_files(files=[RIGHT])
    await page.get_by_role("button", name="Importar").click()
    await expect(page.get_by_text("0 de 1 linha")).to_be_visible()
    async with database.tenant(neighbours.owner) as tenant:
        [row, *_] = await tenant.imports.page(neighbours.company_id, 0, 1)
        key = WorkKey(WorkKind.IMPORT, neighbours.owner, row.id)
        lease = await claim_row(tenant.connection, key)
        assert lease is not None
        problem = ImportProblem(line=2, position=0, field="Nome", message="Curto demais.", cells=["a", "Xi"])
        await tenant.imports.advance(lease, row, ImportProgress(lines=1, refused=1, problems=[problem]))
        await tenant.imports.conclude(lease, ImportState.FINISHED)
    await expect(page.get_by_text("Concluída")).to_be_visible(timeout=TIMEOUT_SECONDS * 1000)
    await expect(page.get_by_role("cell", name="Curto demais.")).to_be_visible()
    await assert_usable_everywhere(page)
