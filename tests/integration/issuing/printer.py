"""A printer that remembers what it was asked to draw, and the files that are printed."""

from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any

import httpx2
from PIL import Image

from carimbo.api.context import Services
from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.service.ports import Printer
from carimbo.service.printouts import Printouts
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop
from support import data_of

CACHE_BYTES = 1024 * 1024


@dataclass
class Recorder:
    """Has another printer draw."""

    press: Printer
    documents: list[DocumentPrint] = field(default_factory=list)
    events: list[EventPrint] = field(default_factory=list)

    def document(self, order: DocumentPrint) -> bytes:
        self.documents.append(order)
        return self.press.document(order)

    def event(self, order: EventPrint) -> bytes:
        self.events.append(order)
        return self.press.event(order)


def services_with(floor: Floor, printer: Printer, cache_bytes: int) -> Services:
    """What the API of a floor works with, but with this printer and nothing drawn yet."""
    services: Services = floor.app.state.services
    return replace(services, printouts=Printouts(floor.database, printer, cache_bytes))


def pdf_of(answer: httpx2.Response, name: str | None = None) -> bytes:
    """The file of an answer, which must be one."""
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf"), answer.text
    assert answer.headers["content-disposition"].startswith('inline; filename="')
    assert name is None or name in answer.headers["content-disposition"]
    assert answer.content.startswith(b"%PDF-")
    return answer.content


async def ask(shop: Shop, document: dict[str, Any], tag: str = "", **query: Any) -> httpx2.Response:
    path = shop.path(f"/{document['type']}/{document['id']}/pdf")
    headers = {"If-None-Match": tag} if tag else {}
    return await shop.caller.http.get(path, params=query, headers=headers)


async def ask_event(shop: Shop, document: dict[str, Any], event_id: object) -> httpx2.Response:
    return await shop.get(f"/{document['type']}/{document['id']}/events/{event_id}/pdf")


async def last_event(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    return (await shop.events(document))[-1]


async def put_logo(shop: Shop, color: str) -> None:
    image = BytesIO()
    Image.new("RGB", (60, 30), color).save(image, "PNG")
    files = {"file": ("logo.png", image.getvalue())}
    data_of(await shop.caller.http.put(shop.path("/settings/logo"), files=files))


def digits(text: str) -> str:
    """The text without what stands between the digits of a key, or the letters of a watermark."""
    return text.replace(" ", "").replace("\n", "")
