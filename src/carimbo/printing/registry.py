"""Renders documents and events as PDF: the page of each document type, and the page of its events."""

from collections.abc import Callable, Mapping
from pathlib import Path

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.dacte.event_page import draw_os_waybill_event, draw_waybill_event
from carimbo.printing.dacte.page import draw_dacte
from carimbo.printing.dacte_os.page import draw_dacte_os
from carimbo.printing.damdfe.event_page import draw_manifest_event
from carimbo.printing.damdfe.page import draw_damdfe
from carimbo.printing.danfe.page import draw_danfe
from carimbo.printing.danfse.event_page import draw_service_event
from carimbo.printing.danfse.page import draw_danfse
from carimbo.printing.engine.typeface import Typeface, typeface_of
from carimbo.printing.event_page import draw_event
from carimbo.printing.nfce_receipt import draw_receipt

DOCUMENT_PAGES: Mapping[str, Callable[[Typeface, DocumentPrint], bytes]] = {
    "nfe": draw_danfe,
    "nfce": draw_receipt,
    "nfse": draw_danfse,
    "cte": draw_dacte,
    "cteOs": draw_dacte_os,
    "mdfe": draw_damdfe,
}
EVENT_PAGES: Mapping[str, Callable[[Typeface, EventPrint], bytes]] = {
    "nfe": draw_event,
    "nfce": draw_event,
    "nfse": draw_service_event,
    "cte": draw_waybill_event,
    "cteOs": draw_os_waybill_event,
    "mdfe": draw_manifest_event,
}


class PdfRenderer:
    """Renders PDF files. Raises `FontUnusable` at construction if a font of the folder cannot be used."""

    def __init__(self, fonts_folder: Path | None = None) -> None:
        self._typeface = typeface_of(fonts_folder)

    def document(self, order: DocumentPrint) -> bytes:
        """Renders a document."""
        return DOCUMENT_PAGES[order.type](self._typeface, order)

    def event(self, order: EventPrint) -> bytes:
        """Renders an event of a document."""
        return EVENT_PAGES[order.type](self._typeface, order)
