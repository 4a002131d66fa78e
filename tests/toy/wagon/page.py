"""The printouts of wagon bills: one plain page each."""

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.typeface import Typeface
from toy.page import plain_page, text_in


def draw_document(typeface: Typeface, order: DocumentPrint) -> bytes:
    """Draws a bill: its key, whom the wagon is for, and the protocol."""
    tags = ("chToy", "receiver", "nProt")
    return plain_page(typeface, "Wagon", [text_in(order.xml, tag) for tag in tags])


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws a closing: where the wagon arrived, and the protocol."""
    return plain_page(typeface, "Arrival", [text_in(order.event, tag) for tag in ("city", "nProt")])
