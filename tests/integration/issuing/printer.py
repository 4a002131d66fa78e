"""A printer that remembers what it was asked to draw."""

from dataclasses import dataclass, field, replace

from carimbo.api.context import Services
from carimbo.fiscal.printout import DocumentPrint, EventPrint
from carimbo.service.ports import Printer
from carimbo.service.printouts import Printouts
from integration.issuing.floor import Floor

CACHE_BYTES = 1024 * 1024


@dataclass
class Recorder:
    """Has another printer draw."""

    press: Printer
    documents: list[DocumentPrint] = field(default_factory=list)
    events: list[EventPrint] = field(default_factory=list)

    def document(self, order: DocumentPrint) -> bytes:
        self.documents.append(order)
        return self.press.document(order)

    def event(self, order: EventPrint) -> bytes:
        self.events.append(order)
        return self.press.event(order)


class Blank:
    """Draws nothing, for orders whose files an authority never wrote."""

    def document(self, order: DocumentPrint) -> bytes:
        return b"%PDF-1.7"

    def event(self, order: EventPrint) -> bytes:
        return b"%PDF-1.7"


class Jammed:
    """Fails."""

    def document(self, order: DocumentPrint) -> bytes:
        raise RuntimeError("paper jam")

    def event(self, order: EventPrint) -> bytes:
        raise RuntimeError("paper jam")


def services_with(floor: Floor, printer: Printer, cache_bytes: int) -> Services:
    """What the API of a floor works with, but with this printer and nothing drawn yet."""
    services: Services = floor.app.state.services
    return replace(services, printouts=Printouts(floor.database, printer, cache_bytes))
