"""Every page of the dashboard in a real browser, found by its links: accessible, small, fit for a phone."""

from urllib.parse import urlsplit

from playwright.async_api import APIResponse, Page

from browser.accessibility import assert_usable_everywhere
from browser.served_app import ServedApp
from carimbo.dashboard.pages import ROUTES
from carimbo.dashboard.routes import GET, Level, PageRoute, PageTable
from carimbo.storage.work import WorkKind
from integration.dashboard.panel import COOKIE, new_panel
from integration.storage.neighbours import create_neighbours
from integration.storage.parked_rows import park_row

MAX_BYTES = 60_000
_CLIENT_ERROR, _SERVER_ERROR = 400, 500
_LINKS = "[...document.querySelectorAll('a[href]')].map(link => link.href)"
# Nothing links to parts of pages, to steps of a sign-in, and to what only a form leads to.
_WITHOUT_LINK = (
    "/exportacoes/{export_id:uuid}",
    "/exportacoes/links/{export_id:uuid}",
    "/estado",
    "/confirmar",
    "/aceitar",
    "/logotipo/remover",
    # The rows of this test allow none of these actions (browser/issuing/test_document_events.py).
    "/documentos/{document_id:uuid}/descartar",
    "/documentos/{document_id:uuid}/email",
    "/documentos/{document_id:uuid}/emitir",
    "/documentos/{document_id:uuid}/pela-api",
    "/registrar/{event}",
    "/pela-api/{event}",
    # Nor these (browser/issuing/test_catalog_and_sales.py).
    "/vendas/{sale_id:uuid}/cancelar",
    "/vendas/{sale_id:uuid}/emitir",
    # Nor these: another test corrects a document, and the subscription has people.
    "/documentos/{document_id:uuid}/corrigir",
    "/documentos/{replaced_id:uuid}/substituir",
    "/proprietario",
    # A script asks for these parts of pages.
    "/busca/clientes",
    "/busca/produtos",
    "/inutilizar-lacunas",
    "/devolucao",
)
# The rows of this test have none of these files.
_FILES = ("/xml", "/pdf", "/rejeicao", "/arquivo", "/logotipo/imagem")


async def test_every_page_can_be_reached_read_by_everybody_and_used_on_a_phone(
    page: Page, site: ServedApp
) -> None:
    database = site.services.database
    neighbours = await create_neighbours(database, site.services.authenticator)
    await park_row(database, WorkKind.DOCUMENT, neighbours.document_id)
    subscription_id = neighbours.owner
    panel = await new_panel(site.app, database, subscription_id, is_operator=True)
    await page.context.add_cookies([{"name": COOKIE, "value": panel.token, "url": site.url}])
    table, visited = PageTable(ROUTES), dict[str, str]()
    waiting = [f"{site.url}/painel", f"{site.url}{panel.base}", f"{site.url}/painel/conta"]
    flaws: list[str] = []
    while waiting:
        address = waiting.pop(0)
        selected = table.select(GET, urlsplit(address).path)
        if not address.startswith(f"{site.url}/painel") or selected is None or selected[0].name in visited:
            continue
        visited[selected[0].name] = address
        if await _is_page(page, selected[0], address, flaws):
            waiting += await _look_at(page, address, flaws)
    assert flaws == []
    assert {route.name for route in ROUTES if _is_linked(route)} - visited.keys() == set()


def _is_linked(route: PageRoute) -> bool:
    is_page = route.method == GET and not route.path.endswith((*_WITHOUT_LINK, *_FILES))
    return is_page and route.level is not Level.ANYBODY


async def _is_page(page: Page, route: PageRoute, address: str, flaws: list[str]) -> bool:
    """Returns whether an address is a page, and not a file; notes refusals."""
    answer: APIResponse = await page.request.get(address)
    body = await answer.body()
    if answer.status >= _SERVER_ERROR or (answer.status >= _CLIENT_ERROR and not route.path.endswith(_FILES)):
        flaws.append(f"{address}: {answer.status}")
    is_html = "text/html" in answer.headers["content-type"]
    if is_html and len(body) > MAX_BYTES:
        flaws.append(f"{address}: {len(body)} bytes")
    return is_html and answer.ok


async def _look_at(page: Page, address: str, flaws: list[str]) -> list[str]:
    """Opens a page, notes what is wrong with it, and returns its links."""
    await page.goto(address)
    try:
        await assert_usable_everywhere(page)
    except AssertionError as error:
        flaws.append(str(error))
    links: list[str] = await page.evaluate(_LINKS)
    return links
