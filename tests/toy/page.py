"""The printouts of the toys: one plain page each."""

from lxml import etree

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.canvas import Canvas
from carimbo.printing.typeface import Typeface

_WIDTH, _HEIGHT = 210.0, 297.0


def draw_document(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws a document: its key, whom it is for, and whether it was canceled."""
    lines = [text_in(order.xml, "key"), text_in(order.xml, "recipient"), text_in(order.xml, "amount")]
    return plain_page(typeface, "Toy", [*lines, "CANCELADO" if order.is_canceled else ""])


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event: what it is, and what it says."""
    return plain_page(typeface, "Toy event", [text_in(order.event, "kind"), text_in(order.event, "words")])


def plain_page(typeface: Typeface, title: str, lines: list[str]) -> bytes:
    """Draws lines of text on a page of A4."""
    canvas = Canvas(typeface, title)
    canvas.add_page(_WIDTH, _HEIGHT)
    for place, line in enumerate(lines):
        canvas.text(20, 20 + 10 * place, line, 10)
    return canvas.finished()


def text_in(xml: bytes, tag: str) -> str:
    """Returns the text of the first element of a name, or nothing."""
    return etree.fromstring(xml).findtext(f".//{{*}}{tag}") or ""
