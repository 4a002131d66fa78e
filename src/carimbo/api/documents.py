"""The routes of every registered document type: create, list, read and its files."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any

import structlog
from fastapi import Query, Request, Response

from carimbo.api.context import (
    CurrentCompany,
    CurrentCounter,
    CurrentDatabase,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.document_reading import Included, RequestedDocuments, read_one
from carimbo.api.documented import refuses
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.idempotency import (
    DRY_RUN,
    ORDER_CONFLICTS,
    REPLAYED_HEADER,
    CreatingEndpoint,
    IdempotencyKey,
    key_of,
    replay,
)
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import (
    ISSUING_REFUSALS,
    Collection,
    CurrentType,
    Which,
    XmlResponse,
    add_reading,
    add_route,
    collections,
    company_router,
    endpoint_of,
    name_of,
    xml_response,
)
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Body
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service import document_files, documents
from carimbo.service.document_record import DetailedDocumentRecord, DocumentRecord
from carimbo.service.documents import EventRecord
from carimbo.service.errors import Code
from carimbo.service.invoices import emit
from carimbo.service.issuing.accept import Order, accept
from carimbo.service.items import read_items
from carimbo.service.kinds import types_in
from carimbo.service.trials import TrialRecord, try_out

creating = company_router(CreatingEndpoint)
transmitting = company_router(Endpoint)
reading = company_router(ReadingEndpoint)

DryRun = Annotated[
    bool,
    Query(alias=DRY_RUN, description="Só confere e calcula: nada é guardado, numerado ou transmitido."),
]


def _create(kind: DocumentType, request_body: type[Body]) -> Callable[..., Any]:
    async def create(
        http: Request,
        counter: CurrentCounter,
        subscription: CurrentSubscription,
        company: CurrentCompany,
        body: Body,
        key: IdempotencyKey = None,
        dry_run: DryRun = False,
    ) -> Response:
        text = (await http.body()).decode()
        order = Order(subscription, company, kind, body, text, key_of(http))
        if dry_run:
            return success(await try_out(counter, order))
        accepted = await accept(counter, order)
        # Joins the log of the request to what workers log of the document.
        structlog.contextvars.bind_contextvars(document_id=str(accepted.record.id))
        return success(accepted.record, ACCEPTED) if accepted.is_new else replay(accepted.record)

    create.__annotations__["body"] = JsonBody[request_body]  # type: ignore[misc, valid-type]
    return create


async def _list(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    kind: CurrentType,
    query: RequestedDocuments,
    page: RequestedPage,
) -> Listing[DocumentRecord]:
    types = types_in(kind.read_collection)
    return listing(await documents.list_documents(database, subscription.id, company, types, query, page))


async def _read(database: CurrentDatabase, which: Which, include: Included = None) -> Response:
    return await read_one(database, which, include)


async def _xml(database: CurrentDatabase, which: Which) -> Response:
    return xml_response(await document_files.read_xml(database, which))


async def _rejection_xml(database: CurrentDatabase, which: Which) -> Response:
    return xml_response(await document_files.read_rejection_xml(database, which))


async def _events(database: CurrentDatabase, which: Which) -> Success[list[EventRecord]]:
    return Success(data=await documents.read_events(database, which))


async def _items(
    counter: CurrentCounter, company: CurrentCompany, which: Which
) -> Success[list[dict[str, Any]]]:
    return Success(data=await read_items(counter, company, which))


async def _transmit(
    counter: CurrentCounter, subscription: CurrentSubscription, company: CurrentCompany, which: Which
) -> Response:
    return success(await emit(counter, subscription, company, which, allowed=(Status.PENDING,)), ACCEPTED)


def _own_refusals(kind: DocumentType) -> Iterator[Code]:
    """Yields what else is refused of a type that may be on paper already, or depends on municipalities."""
    if kind.point_of_sale:
        yield Code.NUMBER_ALREADY_USED
    if kind.municipal:
        yield Code.MUNICIPALITY_NOT_SUPPORTED


def _add_creating(kind: DocumentType) -> None:
    creating.add_api_route(
        f"/{kind.collection}",
        _create(kind, kind.issuing.request),
        methods=["POST"],
        route_class_override=endpoint_of(creating, kind),
        status_code=ACCEPTED,
        operation_id=f"create{name_of(kind)}",
        summary=f"Emite {kind.one_of_them}",
        description="O documento volta em processamento; leia-o até que tenha um resultado.",
        tags=[kind.title],
        response_model=Success[DocumentRecord],
        responses=refuses(*ISSUING_REFUSALS, *ORDER_CONFLICTS, *_own_refusals(kind))
        | {
            200: {
                "model": Success[DocumentRecord] | Success[TrialRecord],
                "description": "Documento criado antes com a mesma chave, ou resultado do ensaio.",
                "headers": REPLAYED_HEADER,
            }
        },
    )


def _add_transmit(kind: DocumentType) -> None:
    add_route(
        transmitting,
        kind,
        "POST",
        "/{id}/transmit",
        _transmit,
        status_code=ACCEPTED,
        operation_id=f"transmit{name_of(kind)}",
        summary="Transmite um documento guardado",
        response_model=Success[DocumentRecord],
        responses=refuses(Code.INVALID_STATE, Code.VERSION_CONFLICT, *ISSUING_REFUSALS),
    )


def _add_reading(collection: Collection) -> None:
    kind = collection.owner
    name, of_file = name_of(kind), Code.INVALID_STATE
    add = partial(add_reading, reading, kind)
    model = Success[DetailedDocumentRecord]
    add("/{id}", f"read{name}", f"Lê {kind.one_of_them}", _read, response_model=model)
    add("", f"list{name}", f"Lista {kind.all_of_them}", _list)
    add("/{id}/xml", f"read{name}Xml", "Baixa o XML autorizado", _xml, of_file, form=XmlResponse)
    add("/{id}/events", f"read{name}Events", "Conta a história do documento", _events)
    add(
        "/{id}/rejection-xml",
        f"read{name}RejectionXml",
        "Baixa o que foi enviado e o que voltou",
        _rejection_xml,
        of_file,
        form=XmlResponse,
    )
    if any(sharing.issuing.lines for sharing in collection.types):
        add(
            "/{id}/items",
            f"read{name}Items",
            "Lista os itens do documento",
            _items,
            Code.COMPANY_NOT_READY,
        )


for _kind in DOCUMENT_TYPES:
    _add_creating(_kind)
for _collection in collections():
    _add_reading(_collection)
    if any(_kind.issuing.waits for _kind in _collection.types):
        _add_transmit(_collection.owner)
