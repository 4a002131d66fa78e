"""A printer that records its orders, and helpers for PDF files."""

from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import Any

import httpx2
from PIL import Image

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.service.ports import Printer
from carimbo.service.printouts import Printouts
from carimbo.service.services import Services
from integration.issuing.shop import Shop
from integration.issuing.system import System
from support import data_of

CACHE_BYTES = 1024 * 1024


@dataclass
class Recorder:
    """Records the orders and lets another printer draw them."""

    renderer: Printer
    documents: list[DocumentPrint] = field(default_factory=list)
    events: list[EventPrint] = field(default_factory=list)

    def document(self, order: DocumentPrint) -> bytes:
        self.documents.append(order)
        return self.renderer.document(order)

    def event(self, order: EventPrint) -> bytes:
        self.events.append(order)
        return self.renderer.event(order)


def services_with(system: System, printer: Printer, cache_bytes: int) -> Services:
    """Returns the services of the API with this printer and an empty cache."""
    services: Services = system.app.state.services
    return replace(services, printouts=Printouts(system.database, printer, cache_bytes))


def pdf_of(answer: httpx2.Response, name: str | None = None) -> bytes:
    """Returns the PDF of an answer; fails if the answer is something else."""
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
    """Returns the text without the spaces between the digits of a key or the letters of a watermark."""
    return text.replace(" ", "").replace("\n", "")
