"""What registered events add to a manifest: drivers, documents, payments and the end of the transport."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import get_args

from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.mdfe_v3.events import (
    DocumentInclusion,
    DriverInclusion,
    ManifestClosing,
    ManifestDetail,
    PaymentChange,
    PaymentRegistration,
)
from carimbo.fiscal.layouts.reading import read_group
from carimbo.fiscal.layouts.sefaz.archived import ArchivedEvent, read_archived_event
from carimbo.fiscal.tables.geography import MUNICIPALITIES
from carimbo.printing import formats

_DETAILS = {layout_of(group).tag: group for group in get_args(ManifestDetail)}


@dataclass(frozen=True, slots=True)
class TransportEnd:
    """When and where a transport ended, according to its closing."""

    day: date
    place: str | None
    """None if the tax office closed the manifest, which names no place."""


@dataclass(slots=True)
class RegisteredEvents:
    """The registered events of a manifest that its printed form shows, each with its day."""

    drivers: list[tuple[DriverInclusion, date]] = field(default_factory=list)
    documents: list[tuple[DocumentInclusion, date]] = field(default_factory=list)
    payments: list[tuple[PaymentRegistration | PaymentChange, date]] = field(default_factory=list)
    end: TransportEnd | None = None

    @property
    def invoice_count(self) -> int:
        """How many NF-e were added."""
        return sum(len(inclusion.invoices) for inclusion, _ in self.documents)


def read_registered_events(files: Sequence[bytes]) -> RegisteredEvents:
    """Reads the files of events, in their order; raises `UnreadableDocument`."""
    events = RegisteredEvents()
    for file in files:
        event = read_archived_event(MDFE_DIALECT, file)
        on, detail = event.occurred_at.date(), read_detail(event)
        match detail:
            case DriverInclusion():
                events.drivers.append((detail, on))
            case DocumentInclusion():
                events.documents.append((detail, on))
            case PaymentRegistration() | PaymentChange():
                events.payments.append((detail, on))
            case ManifestClosing():
                events.end = TransportEnd(detail.closed_on, place_of_closing(detail))
            case _ if event.event_type in MDFE_DIALECT.closings:
                events.end = TransportEnd(on, None)
    return events


def read_detail(event: ArchivedEvent) -> ManifestDetail | None:
    """Reads what an event says, by its type; None for types that companies do not register."""
    for tag, group in _DETAILS.items():
        if content := event.detail.part(tag):
            detail: ManifestDetail = read_group(group, content.element)
            return detail
    return None


def place_of_closing(closing: ManifestClosing) -> str:
    """Returns municipality and state where a transport ended."""
    city = MUNICIPALITIES.get(closing.city_code)
    return f"{city.name} - {city.state}" if city else "EXTERIOR"


def inclusion_mark(on: date) -> str:
    """Returns the words that mark what an event of a day added."""
    return f"incluído por evento em {formats.day(on)}"
