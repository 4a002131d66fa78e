"""The printer: takes orders, and draws each with the page of its type."""

from pathlib import Path

from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.printing.registry import DOCUMENT_PAGES, EVENT_PAGES
from carimbo.printing.typeface import typeface_of


class Press:
    """Draws PDF files; a font that can't be used is told when it is made."""

    def __init__(self, fonts_folder: Path | None = None) -> None:
        self._typeface = typeface_of(fonts_folder)

    def document(self, order: DocumentPrint) -> bytes:
        """Draw a document."""
        return DOCUMENT_PAGES[order.type](self._typeface, order)

    def event(self, order: EventPrint) -> bytes:
        """Draw what was told of a document."""
        return EVENT_PAGES[order.type](self._typeface, order)
