"""The pages of events: opening a form, sending it, and waiting for what the authority says."""

from typing import Any
from uuid import UUID

import httpx2
from lxml import html

from integration.dashboard.issued.conftest import OpenWindow, ShopWindow
from integration.dashboard.panel import text_of
from integration.issuing.shop import Shop


async def open_form(window: ShopWindow, document: dict[str, Any], event: str) -> Any:
    return await window.page(f"/documentos/{document['id']}/registrar/{event}")


async def register(
    shop: Shop, look_at: OpenWindow, document: dict[str, Any], event: str, **typed: str
) -> httpx2.Response:
    """Fills the form of an event and presses its button, which is that with a main action."""
    window = await look_at(shop)
    page = await open_form(window, document, event)
    return await window.panel.press(page, main_button(page), **typed)


def main_button(page: Any) -> str:
    """Returns the words on the button that carries out the action of a page."""
    (button,) = page.xpath("//*[@id='acao']//p[@class='actions']/button")
    return text_of(button)


def refusal_of(answer: httpx2.Response) -> Any:
    """Returns the page of a form that was refused."""
    assert answer.status_code == 422, (answer.status_code, answer.headers)
    return html.fromstring(answer.text)


async def until_settled(shop: Shop, document: dict[str, Any], events: int = 1) -> None:
    """Waits until so many events of a document have an answer."""
    settled = f"document_id = '{UUID(document['id'])}' and state in ('registered', 'refused')"
    await shop.system.until(f"(select count(*) = {events} from event_filings where {settled})")


def actions_on(page: Any) -> list[str]:
    """Returns the words on the buttons of a document's page that open a dialog."""
    return [text_of(link) for link in page.xpath("//main//a[@data-dialog]")]
