"""Renders documents and events as PDF, each with the page of its document type."""

from pathlib import Path

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.engine.typeface import typeface_of
from carimbo.printing.registry import DOCUMENT_PAGES, EVENT_PAGES


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
