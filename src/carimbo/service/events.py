"""The list of everything that was told, for whoever would rather ask than be called."""

from dataclasses import dataclass
from uuid import UUID

from carimbo.service.delivery.event_names import TEST
from carimbo.service.delivery.payload import EventPayload, told
from carimbo.service.errors import invalid_field
from carimbo.service.links import Links
from carimbo.storage.database import Database
from carimbo.storage.events import BEGINNING, Mark, ToldEvent

# So many rows are written in a moment: nobody waits long for a transaction that gives places.
_BATCH = 10_000


@dataclass(frozen=True)
class EventPage:
    """What comes next, oldest first."""

    events: list[EventPayload]
    has_more: bool
    next_cursor: UUID | None
    """What to ask for next: whatever comes after this event; None if there has been none at all."""


async def read_events(
    database: Database, links: Links, subscription_id: UUID, after: UUID | None, limit: int
) -> EventPage:
    """Tell what comes after an event, or from the beginning; nothing is ever left out."""
    start = await _position(database, subscription_id, after) if after else BEGINNING
    # One more than is told, to know whether there is more.
    found = await _following(database, subscription_id, start, limit + 1)
    events = [told(event, links) for event in found[:limit]]
    return EventPage(events, len(found) > limit, events[-1].id if events else after)


async def _following(database: Database, subscription_id: UUID, start: int, wanted: int) -> list[ToldEvent]:
    """Read what has its place already, and give places only if that is not enough."""
    async with database.autocommit(subscription_id) as tenant:
        found = await tenant.events.page(start, wanted, without=TEST)
    if len(found) == wanted:
        return found
    is_more = True
    async with database.tenant(subscription_id) as tenant:
        while is_more and len(found) < wanted:
            is_more = await tenant.events.place(wanted)
            # Others may have given places too, before it was our turn.
            found = await tenant.events.page(start, wanted, without=TEST)
    return found


async def _position(database: Database, subscription_id: UUID, event_id: UUID) -> int:
    """Where an event stands among what is read; one that nobody has read yet, a webhook may have told."""
    while True:
        async with database.autocommit(subscription_id) as tenant:
            mark = _require(await tenant.events.find(event_id))
        if mark.position is not None:
            return mark.position
        async with database.tenant(subscription_id) as tenant:
            await tenant.events.place(_BATCH, up_to=mark.ordinal)


def _require(mark: Mark | None) -> Mark:
    if mark is None:
        raise invalid_field("after", "Evento não encontrado: informe o id de um evento desta assinatura.")
    return mark
