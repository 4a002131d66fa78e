"""The routes of every registered document type: create, list, read and its files."""

from collections.abc import Callable, Iterator
from dataclasses import replace
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
    Which,
    XmlResponse,
    add_reading,
    company_router,
    name_of,
    xml_response,
)
from carimbo.fiscal.document_type import DocumentType, Issuing
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


def _list(kind: DocumentType) -> Callable[..., Any]:
    async def list_documents(
        database: CurrentDatabase,
        subscription: CurrentSubscription,
        company: CurrentCompany,
        query: RequestedDocuments,
        page: RequestedPage,
    ) -> Listing[DocumentRecord]:
        return listing(await documents.list_documents(database, subscription.id, company, kind, query, page))

    return list_documents


def _read(kind: DocumentType) -> Callable[..., Any]:
    async def read(database: CurrentDatabase, which: Which, include: Included = None) -> Response:
        return await read_one(database, replace(which, kind=kind), include)

    return read


def _xml(kind: DocumentType) -> Callable[..., Any]:
    async def read_xml(database: CurrentDatabase, which: Which) -> Response:
        return xml_response(await document_files.read_xml(database, replace(which, kind=kind)))

    return read_xml


def _rejection_xml(kind: DocumentType) -> Callable[..., Any]:
    async def read_rejection_xml(database: CurrentDatabase, which: Which) -> Response:
        return xml_response(await document_files.read_rejection_xml(database, replace(which, kind=kind)))

    return read_rejection_xml


def _events(kind: DocumentType) -> Callable[..., Any]:
    async def read_events(database: CurrentDatabase, which: Which) -> Success[list[EventRecord]]:
        return Success(data=await documents.read_events(database, replace(which, kind=kind)))

    return read_events


def _items(kind: DocumentType) -> Callable[..., Any]:
    async def items(
        counter: CurrentCounter, company: CurrentCompany, which: Which
    ) -> Success[list[dict[str, Any]]]:
        return Success(data=await read_items(counter, company, kind, replace(which, kind=kind)))

    return items


def _transmit(kind: DocumentType) -> Callable[..., Any]:
    async def transmit(
        counter: CurrentCounter, subscription: CurrentSubscription, company: CurrentCompany, which: Which
    ) -> Response:
        meant = replace(which, kind=kind)
        record = await emit(counter, subscription, company, meant, allowed=(Status.PENDING,))
        return success(record, ACCEPTED)

    return transmit


def _own_refusals(issuing: Issuing) -> Iterator[Code]:
    """What else is refused of a type: that may be on paper already, that depends on municipalities."""
    if issuing.printed_emission:
        yield Code.NUMBER_ALREADY_USED
    if issuing.jurisdiction:
        yield Code.MUNICIPALITY_NOT_SUPPORTED


def _add_creating(kind: DocumentType, issuing: Issuing) -> None:
    creating.add_api_route(
        f"/{kind.collection}",
        _create(kind, issuing.request),
        methods=["POST"],
        status_code=ACCEPTED,
        operation_id=f"create{name_of(kind)}",
        summary=f"Emite uma {kind.title}",
        description="O documento volta em processamento; leia-o até que tenha um resultado.",
        tags=[kind.title],
        response_model=Success[DocumentRecord],
        responses=refuses(*ISSUING_REFUSALS, *ORDER_CONFLICTS, *_own_refusals(issuing))
        | {
            200: {
                "model": Success[DocumentRecord] | Success[TrialRecord],
                "description": "Documento criado antes com a mesma chave, ou resultado do ensaio.",
                "headers": REPLAYED_HEADER,
            }
        },
    )


def _add_transmit(kind: DocumentType) -> None:
    transmitting.add_api_route(
        f"/{kind.collection}/{{id}}/transmit",
        _transmit(kind),
        methods=["POST"],
        status_code=ACCEPTED,
        operation_id=f"transmit{name_of(kind)}",
        summary="Transmite um documento guardado",
        tags=[kind.title],
        response_model=Success[DocumentRecord],
        responses=refuses(Code.INVALID_STATE, Code.VERSION_CONFLICT, *ISSUING_REFUSALS),
    )


def _add_type(kind: DocumentType, issuing: Issuing) -> None:
    _add_creating(kind, issuing)
    if issuing.waits:
        _add_transmit(kind)
    name, of_file = name_of(kind), Code.INVALID_STATE
    add = partial(add_reading, reading, kind)
    model = Success[DetailedDocumentRecord]
    add("/{id}", f"read{name}", f"Lê uma {kind.title}", _read(kind), response_model=model)
    add("", f"list{name}", f"Lista as {kind.title}", _list(kind))
    add("/{id}/xml", f"read{name}Xml", "Baixa o XML autorizado", _xml(kind), of_file, form=XmlResponse)
    add("/{id}/events", f"read{name}Events", "Conta a história do documento", _events(kind))
    add(
        "/{id}/rejection-xml",
        f"read{name}RejectionXml",
        "Baixa o que foi enviado e o que voltou",
        _rejection_xml(kind),
        of_file,
        form=XmlResponse,
    )
    if issuing.lines:
        add(
            "/{id}/items",
            f"read{name}Items",
            "Lista os itens do documento",
            _items(kind),
            Code.COMPANY_NOT_READY,
        )


for _kind in DOCUMENT_TYPES:
    if _kind.issuing:
        _add_type(_kind, _kind.issuing)
