"""The page of each document type, and the page of its events."""

from collections.abc import Callable, Mapping

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.danfe.page import draw_danfe
from carimbo.printing.danfse.event_page import draw_service_event
from carimbo.printing.danfse.page import draw_danfse
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.event_page import draw_event
from carimbo.printing.nfce_receipt import draw_receipt

DOCUMENT_PAGES: Mapping[str, Callable[[Typeface, DocumentPrint], bytes]] = {
    "nfe": draw_danfe,
    "nfce": draw_receipt,
    "nfse": draw_danfse,
}
EVENT_PAGES: Mapping[str, Callable[[Typeface, EventPrint], bytes]] = {
    "nfe": draw_event,
    "nfce": draw_event,
    "nfse": draw_service_event,
}
