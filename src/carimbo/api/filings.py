"""What is told to an authority after an authorization: cancellation, correction, numbers given up."""

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query, Response

from carimbo.api.context import (
    CurrentCompany,
    CurrentDatabase,
    CurrentDesk,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.documented import UNREADY, refuses
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import (
    Collection,
    CurrentType,
    Which,
    XmlResponse,
    add_no_document,
    add_reading,
    add_route,
    collections,
    company_router,
    name_of,
    xml_response,
)
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import CancellationDeadline, EventKind
from carimbo.service.documents import EventRecord, Reference
from carimbo.service.errors import Code
from carimbo.service.filing.desk import Desk
from carimbo.service.filing.inutilize import (
    InutilizationRecord,
    InutilizationRequest,
    inutilize,
    list_ranges,
    read_range_record,
)
from carimbo.service.filing.outcome import (
    CanceledRecord,
    EventUnderWay,
    FilingStatus,
    under_way_record,
)
from carimbo.service.filing.register import register_event
from carimbo.service.filing.xml import read_event_xml, read_range_xml
from carimbo.storage.companies import Company

ranges = company_router(Endpoint)
telling = company_router(Endpoint)
reading = company_router(ReadingEndpoint)

EventId = Annotated[UUID, Path(alias="eventId", description="Id do evento, como em `/events`.")]
RangeId = Annotated[UUID, Path(alias="id", description="Id da inutilização.")]
_TELLING_REFUSALS = (
    Code.NOT_FOUND,
    *UNREADY,
    Code.FISCAL_RULE_VIOLATION,
    Code.AUTHORITY_REJECTED,
)
_NOT_KNOWN_YET = "A autoridade ainda não respondeu: o resultado virá pela leitura."


def _register(event: EventKind) -> Callable[..., Any]:
    """Returns the handler of an event; a DELETE takes its fields from the query or from a body."""
    request_body: Any = event.request

    async def register(desk: Desk, company: Company, which: Reference, request: Body) -> Response:
        record = await register_event(desk, company, which, event.name, request)
        return success(record, ACCEPTED if isinstance(record, EventUnderWay) else 200)

    async def from_body(desk: CurrentDesk, company: CurrentCompany, which: Which, body: Body) -> Response:
        return await register(desk, company, which, body)

    async def from_query_or_body(
        desk: CurrentDesk, company: CurrentCompany, which: Which, query: Body, body: Body | None = None
    ) -> Response:
        given = {} if body is None else body.model_dump(exclude_unset=True)
        return await register(desk, company, which, query.model_copy(update=given))

    from_body.__annotations__["body"] = JsonBody[request_body]  # type: ignore[misc]
    from_query_or_body.__annotations__ |= {
        "query": Annotated[request_body, Query()],
        "body": JsonBody[request_body] | None,  # type: ignore[misc]
    }
    return from_query_or_body if event.route.method == "DELETE" else from_body


async def _event_xml(database: CurrentDatabase, which: Which, event_id: EventId) -> Response:
    return xml_response(await read_event_xml(database, which, event_id))


async def _inutilize(
    desk: CurrentDesk,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    kind: CurrentType,
    body: JsonBody[InutilizationRequest],
) -> Response:
    record = await inutilize(desk, subscription.id, company, kind, body)
    return success(record, ACCEPTED if record.status is FilingStatus.PROCESSING else 200)


async def _list_ranges(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    kind: CurrentType,
    page: RequestedPage,
) -> Listing[InutilizationRecord]:
    return listing(await list_ranges(database, subscription.id, company.id, kind, page))


async def _read_range(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    kind: CurrentType,
    range_id: RangeId,
) -> Success[InutilizationRecord]:
    return Success(data=await read_range_record(database, subscription.id, company.id, kind, range_id))


async def _range_xml(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    kind: CurrentType,
    range_id: RangeId,
) -> Response:
    return xml_response(await read_range_xml(database, subscription.id, company.id, kind, range_id))


def _add_event(kind: DocumentType, event: EventKind) -> None:
    route = event.route
    is_dated = isinstance(event.deadline, CancellationDeadline)
    late = (Code.CANCELLATION_DEADLINE_EXCEEDED,) if is_dated else ()
    done: Any = Success[CanceledRecord] if event.effect.status else Success[EventRecord]
    under_way: Any = under_way_record(event.name)
    add_route(
        telling,
        kind,
        route.method,
        f"/{{id}}{route.path}",
        _register(event),
        operation_id=f"{route.operation}{name_of(kind)}",
        summary=route.summary,
        description=route.description,
        response_model=done,
        responses=refuses(Code.INVALID_STATE, *late, *_TELLING_REFUSALS)
        | {ACCEPTED: {"model": Success[under_way], "description": _NOT_KNOWN_YET}},
    )


def _add_ranges(kind: DocumentType) -> None:
    add_route(
        ranges,
        kind,
        "POST",
        "/inutilizations",
        _inutilize,
        operation_id=f"inutilize{name_of(kind)}",
        summary="Inutiliza números que não viraram documentos",
        description="Repetir a mesma faixa devolve a inutilização que já existe.",
        response_model=Success[InutilizationRecord],
        responses=refuses(Code.NUMBER_ALREADY_USED, *_TELLING_REFUSALS)
        | {ACCEPTED: {"model": Success[InutilizationRecord], "description": _NOT_KNOWN_YET}},
    )
    add_no_document(ranges, kind, "/inutilizations")
    _add_reading_of_ranges(kind)


def _add_reading_of_ranges(kind: DocumentType) -> None:
    path, name = "/inutilizations", f"{name_of(kind)}Inutilization"
    add_reading(ranges, kind, path, f"list{name}s", "Lista as inutilizações", _list_ranges)
    add_reading(ranges, kind, path + "/{id}", f"read{name}", "Lê uma inutilização", _read_range)
    add_reading(
        ranges,
        kind,
        path + "/{id}/xml",
        f"read{name}Xml",
        "Baixa o XML de uma inutilização registrada",
        _range_xml,
        Code.INVALID_STATE,
        form=XmlResponse,
    )


def _add_events(collection: Collection) -> None:
    kind = collection.owner
    for event in collection.events:
        _add_event(kind, event)
    add_reading(
        reading,
        kind,
        "/{id}/events/{eventId}/xml",
        f"read{name_of(kind)}EventXml",
        "Baixa o XML de um evento registrado",
        _event_xml,
        Code.INVALID_STATE,
        form=XmlResponse,
    )


for _collection in collections():
    if _collection.events:
        _add_events(_collection)
    if _collection.owner.numbering.voiding:
        _add_ranges(_collection.owner)
