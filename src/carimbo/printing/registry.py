"""The page of each type of document, and of what may be told of it."""

from collections.abc import Callable, Mapping

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.danfe.page import draw_danfe
from carimbo.printing.danfse.event_page import draw_service_event
from carimbo.printing.danfse.page import draw_danfse
from carimbo.printing.event_page import draw_event
from carimbo.printing.nfce_receipt import draw_receipt
from carimbo.printing.typeface import Typeface

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
