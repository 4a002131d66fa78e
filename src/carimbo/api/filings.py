"""Events of documents (cancellation, correction and others), inutilization, and the numbering ledger."""

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentFilingContext,
    CurrentServices,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.invoices import TypeName
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import UNREADY, error_responses
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import (
    Collection,
    CurrentType,
    RequestedDocument,
    XmlResponse,
    add_no_document,
    add_reading,
    add_route,
    collections,
    company_router,
    name_of,
    xml_response,
)
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import CancellationDeadline, EventKind
from carimbo.service.documents.queries import DocumentReference, EventRecord
from carimbo.service.errors import ErrorCode
from carimbo.service.filing import numbering
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.inutilize import (
    InutilizationRecord,
    InutilizationRequest,
    inutilize,
    list_ranges,
    read_range_record,
)
from carimbo.service.filing.numbering import GapsRequest, NumberingRecord
from carimbo.service.filing.outcome import (
    CanceledRecord,
    EventUnderWay,
    FilingStatus,
    under_way_record,
)
from carimbo.service.filing.register import register_event
from carimbo.service.filing.xml import read_event_xml, read_range_xml
from carimbo.storage.companies import CompanyRow

ranges = company_router(Endpoint)
registering = company_router(Endpoint)
reading = company_router(ReadingEndpoint)

EventId = Annotated[UUID, Path(alias="eventId", description="Id do evento, como em `/events`.")]
RangeId = Annotated[UUID, Path(alias="id", description="Id da inutilização.")]
_FILING_REFUSALS = (
    ErrorCode.NOT_FOUND,
    *UNREADY,
    ErrorCode.FISCAL_RULE_VIOLATION,
    ErrorCode.AUTHORITY_REJECTED,
)
_PENDING_DESCRIPTION = "A autoridade ainda não respondeu: o resultado virá pela leitura."


def _register(event: EventKind) -> Callable[..., Any]:
    """Returns the handler of an event; a DELETE takes its fields from the query or from a body."""
    request_body: Any = event.request

    async def register(
        context: FilingContext, company: CompanyRow, reference: DocumentReference, request: Body
    ) -> Response:
        record = await register_event(context, company, reference, event.name, request)
        return success(record, ACCEPTED if isinstance(record, EventUnderWay) else 200)

    async def from_body(
        context: CurrentFilingContext, company: CurrentCompany, reference: RequestedDocument, body: Body
    ) -> Response:
        return await register(context, company, reference, body)

    async def from_query_or_body(
        context: CurrentFilingContext,
        company: CurrentCompany,
        reference: RequestedDocument,
        query: Body,
        body: Body | None = None,
    ) -> Response:
        fields = {} if body is None else body.model_dump(exclude_unset=True)
        return await register(context, company, reference, query.model_copy(update=fields))

    from_body.__annotations__["body"] = JsonBody[request_body]  # type: ignore[misc]
    from_query_or_body.__annotations__ |= {
        "query": Annotated[request_body, Query()],
        "body": JsonBody[request_body] | None,  # type: ignore[misc]
    }
    return from_query_or_body if event.route.method == "DELETE" else from_body


async def _event_xml(database: CurrentDatabase, reference: RequestedDocument, event_id: EventId) -> Response:
    return xml_response(await read_event_xml(database, reference, event_id))


async def _inutilize(
    context: CurrentFilingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    body: JsonBody[InutilizationRequest],
) -> Response:
    record = await inutilize(context, subscription.id, company, document_type, body)
    return success(record, ACCEPTED if record.status is FilingStatus.PROCESSING else 200)


async def _list_ranges(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    page: RequestedPage,
) -> Listing[InutilizationRecord]:
    return listing(await list_ranges(database, subscription.id, company.id, [document_type], page))


async def _read_range(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    range_id: RangeId,
) -> Success[InutilizationRecord]:
    return Success(
        data=await read_range_record(database, subscription.id, company.id, document_type, range_id)
    )


async def _range_xml(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    range_id: RangeId,
) -> Response:
    return xml_response(await read_range_xml(database, subscription.id, company.id, document_type, range_id))


def _add_event(document_type: DocumentType, event: EventKind) -> None:
    route = event.route
    is_dated = isinstance(event.deadline, CancellationDeadline)
    late = (ErrorCode.CANCELLATION_DEADLINE_EXCEEDED,) if is_dated else ()
    done: Any = Success[CanceledRecord] if event.effect.status else Success[EventRecord]
    under_way: Any = under_way_record(event.name)
    add_route(
        registering,
        document_type,
        route.method,
        f"/{{id}}{route.path}",
        _register(event),
        operation_id=f"{route.operation}{name_of(document_type)}",
        summary=route.summary,
        description=route.description,
        response_model=done,
        responses=error_responses(ErrorCode.INVALID_STATE, *late, *_FILING_REFUSALS)
        | {ACCEPTED: {"model": Success[under_way], "description": _PENDING_DESCRIPTION}},
    )


def _add_ranges(document_type: DocumentType) -> None:
    add_route(
        ranges,
        document_type,
        "POST",
        "/inutilizations",
        _inutilize,
        operation_id=f"inutilize{name_of(document_type)}",
        summary="Inutiliza números que não viraram documentos",
        description="Repetir a mesma faixa devolve a inutilização que já existe.",
        response_model=Success[InutilizationRecord],
        responses=error_responses(ErrorCode.NUMBER_ALREADY_USED, *_FILING_REFUSALS)
        | {ACCEPTED: {"model": Success[InutilizationRecord], "description": _PENDING_DESCRIPTION}},
    )
    add_no_document(ranges, document_type, "/inutilizations")
    _add_reading_of_ranges(document_type)


def _add_reading_of_ranges(document_type: DocumentType) -> None:
    path, name = "/inutilizations", f"{name_of(document_type)}Inutilization"
    add_reading(ranges, document_type, path, f"list{name}s", "Lista as inutilizações", _list_ranges)
    add_reading(ranges, document_type, path + "/{id}", f"read{name}", "Lê uma inutilização", _read_range)
    add_reading(
        ranges,
        document_type,
        path + "/{id}/xml",
        f"read{name}Xml",
        "Baixa o XML de uma inutilização registrada",
        _range_xml,
        ErrorCode.INVALID_STATE,
        response_class=XmlResponse,
    )


def _add_events(collection: Collection) -> None:
    document_type = collection.owner
    for event in collection.events:
        _add_event(document_type, event)
    add_reading(
        reading,
        document_type,
        "/{id}/events/{eventId}/xml",
        f"read{name_of(document_type)}EventXml",
        "Baixa o XML de um evento registrado",
        _event_xml,
        ErrorCode.INVALID_STATE,
        response_class=XmlResponse,
    )


for _collection in collections():
    if _collection.events:
        _add_events(_collection)
    if _collection.owner.numbering.inutilization:
        _add_ranges(_collection.owner)


numbering_router = APIRouter(
    prefix="/v1/companies/{companyId}/numbering",
    tags=["Numeração"],
    route_class=Endpoint,
    dependencies=OF_COMPANY,
)


@numbering_router.get(
    "",
    operation_id="readNumbering",
    summary="Mostra a numeração de cada série e as suas lacunas",
    description="Lacuna é o número que não virou documento, com o motivo e o prazo para inutilizá-lo.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_numbering(
    services: CurrentServices,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    type_name: Annotated[TypeName | None, Query(alias="type", description="Só a deste tipo.")] = None,
) -> Success[list[NumberingRecord]]:
    now = services.clock()
    ledger = await numbering.read_ledger(services.database, subscription.id, company, type_name, now)
    return Success(data=ledger)


@numbering_router.post(
    "/inutilize-gaps",
    status_code=ACCEPTED,
    operation_id="inutilizeGaps",
    summary="Inutiliza os números que não viraram documentos",
    description="Abrange as lacunas que podem ser inutilizadas no ambiente atual da empresa. "
    "O resultado de cada faixa vem pela leitura da inutilização.",
    response_model=Success[list[InutilizationRecord]],
    responses=error_responses(ErrorCode.NOT_FOUND, *UNREADY, ErrorCode.FISCAL_RULE_VIOLATION)
    | {200: {"model": Success[list[InutilizationRecord]], "description": "Não há o que inutilizar."}},
)
async def inutilize_gaps(
    context: CurrentFilingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[GapsRequest] | None = None,
) -> Response:
    filed = await numbering.inutilize_gaps(context, subscription.id, company, body or GapsRequest())
    return success(filed, ACCEPTED if filed else 200)
