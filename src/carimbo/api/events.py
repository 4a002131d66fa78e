"""Everything that was told, for whoever would rather ask than be called."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from carimbo.api.context import MAXIMUM_PAGE_SIZE, CurrentDatabase, CurrentLinks, CurrentSubscription
from carimbo.api.documented import refuses
from carimbo.api.route import Endpoint
from carimbo.fiscal.fields import Record
from carimbo.service import events
from carimbo.service.delivery.payload import EventPayload

router = APIRouter(tags=["Webhooks"], route_class=Endpoint)


class CursorInfo(Record):
    """Where a reader stands in a list that only grows."""

    has_more: bool
    next_cursor: UUID | None


class EventFeed(Record):
    """What comes next, oldest first."""

    success: Literal[True] = True
    data: list[EventPayload]
    page_info: CursorInfo


@router.get(
    "/v1/events",
    operation_id="listEvents",
    summary="Lista os eventos, do mais antigo ao mais novo",
    description="Cada evento vem como o webhook o envia. Informe o `nextCursor` de uma leitura no `after` da"
    " seguinte: nenhum evento é pulado.",
    responses=refuses(),
)
async def list_events(
    database: CurrentDatabase,
    links: CurrentLinks,
    subscription: CurrentSubscription,
    after: Annotated[
        UUID | None, Query(description="Id do último evento conhecido; na falta, desde o primeiro.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MAXIMUM_PAGE_SIZE, description="Eventos por leitura.")] = 20,
) -> EventFeed:
    page = await events.read_events(database, links, subscription.id, after, limit)
    info = CursorInfo(has_more=page.has_more, next_cursor=page.next_cursor)
    return EventFeed(data=page.events, page_info=info)
