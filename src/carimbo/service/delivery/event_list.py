"""The list of all events, for callers who prefer polling to webhooks."""

from dataclasses import dataclass
from uuid import UUID

from carimbo.service.delivery.event_names import TEST
from carimbo.service.delivery.payload import EventPayload, event_payload
from carimbo.service.documents.files import Links
from carimbo.service.errors import invalid_field
from carimbo.storage.database import Database
from carimbo.storage.events import BEGINNING, PublishedEvent

# This many rows are written quickly, so that nobody waits long for a transaction that assigns positions.
_BATCH = 10_000


@dataclass(frozen=True)
class EventPage:
    """A page of events, oldest first."""

    events: list[EventPayload]
    has_more: bool
    next_cursor: UUID | None
    """The event after which the next page begins; None if there has been no event at all."""


async def read_events(
    database: Database, links: Links, subscription_id: UUID, after: UUID | None, limit: int
) -> EventPage:
    """Returns the events after an event, or from the beginning. No event is ever skipped."""
    start = await _position(database, subscription_id, after) if after else BEGINNING
    # One more than requested, to know whether there are more.
    rows = await _following(database, subscription_id, start, limit + 1)
    events = [event_payload(event, links) for event in rows[:limit]]
    return EventPage(events, len(rows) > limit, events[-1].id if events else after)


async def _following(
    database: Database, subscription_id: UUID, start: int, limit: int
) -> list[PublishedEvent]:
    """Reads events that have a position; assigns positions to new ones only if those are not enough."""
    async with database.autocommit(subscription_id) as tenant:
        rows = await tenant.events.page(start, limit, without=TEST)
    if len(rows) == limit:
        return rows
    is_more = True
    async with database.tenant(subscription_id) as tenant:
        while is_more and len(rows) < limit:
            is_more = await tenant.events.assign_positions(limit)
            # Another transaction may have assigned positions before ours.
            rows = await tenant.events.page(start, limit, without=TEST)
    return rows


async def _position(database: Database, subscription_id: UUID, event_id: UUID) -> int:
    """Returns the position of an event; assigns it if the event was only delivered by a webhook so far."""
    while True:
        async with database.autocommit(subscription_id) as tenant:
            event = await tenant.events.find(event_id)
        if event is None:
            raise invalid_field("after", "Evento não encontrado: informe o id de um evento desta assinatura.")
        if event.position is not None:
            return event.position
        async with database.tenant(subscription_id) as tenant:
            await tenant.events.assign_positions(_BATCH, up_to=event.ordinal)
