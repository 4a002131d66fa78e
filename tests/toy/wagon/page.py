"""The printouts of wagon bills: one plain page each."""

from lxml import etree

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.typeface import Typeface


def draw_document(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws a bill: its key, its receiver, and the protocol."""
    return _page(typeface, "Wagon", order.xml, "chToy", "receiver", "nProt")


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws a closing: where the wagon arrived, and the protocol."""
    return _page(typeface, "Arrival", order.event, "city", "nProt")


def _page(typeface: Typeface, title: str, xml: bytes, *tags: str) -> bytes:
    canvas, root = Canvas(typeface, title), etree.fromstring(xml)
    canvas.add_page(210, 297)
    for line, tag in enumerate(tags):
        canvas.text(20, 20 + 10 * line, root.findtext(f".//{{*}}{tag}") or "", 10)
    return canvas.finished()
