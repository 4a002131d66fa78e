"""The printouts of the toys: one plain page each."""

from lxml import etree

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.typeface import Typeface

_WIDTH, _HEIGHT = 210.0, 297.0


def draw_document(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws a document: its key, its recipient and amount, and whether it was canceled."""
    lines = [_text(order.xml, "key"), _text(order.xml, "recipient"), _text(order.xml, "amount")]
    return _page(typeface, "Toy", [*lines, "CANCELADO" if order.is_canceled else ""])


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event: its type and its text."""
    return _page(typeface, "Toy event", [_text(order.event, "kind"), _text(order.event, "words")])


def _page(typeface: Typeface, title: str, lines: list[str]) -> bytes:
    canvas = Canvas(typeface, title)
    canvas.add_page(_WIDTH, _HEIGHT)
    for place, line in enumerate(lines):
        canvas.text(20, 20 + 10 * place, line, 10)
    return canvas.finished()


def _text(xml: bytes, tag: str) -> str:
    return etree.fromstring(xml).findtext(f".//{{*}}{tag}") or ""
