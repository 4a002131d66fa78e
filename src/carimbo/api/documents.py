"""The routes of every registered document type: create, list, read, files, transmit and e-mails."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import structlog
from fastapi import Query, Request, Response

from carimbo.api.context import (
    CurrentCompany,
    CurrentDatabase,
    CurrentIssuingContext,
    CurrentOutbox,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.document_reading import Included, RequestedDocuments, read_one
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
from carimbo.api.response_docs import error_responses
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import (
    ISSUING_REFUSALS,
    Collection,
    CurrentType,
    RequestedDocument,
    XmlResponse,
    add_reading,
    add_route,
    collections,
    company_router,
    endpoint_of,
    name_of,
    xml_response,
)
from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.contexts import IssuingContext
from carimbo.service.delivery.emails import EmailRecord, EmailRequest
from carimbo.service.document_types import types_in
from carimbo.service.documents import files, queries
from carimbo.service.documents.queries import EventRecord
from carimbo.service.documents.record import DetailedDocumentRecord, DocumentRecord
from carimbo.service.errors import ErrorCode
from carimbo.service.issuing.accept import DocumentOrder, accept
from carimbo.service.issuing.drafts import emit_document
from carimbo.service.issuing.preview import TrialRecord, read_items, try_order
from carimbo.service.json_values import read_exact_json, write_json

creating = company_router(CreatingEndpoint)
transmitting = company_router(Endpoint)
reading = company_router(ReadingEndpoint)

DryRun = Annotated[
    bool,
    Query(alias=DRY_RUN, description="Só confere e calcula: nada é guardado, numerado ou transmitido."),
]


def _create(document_type: DocumentType, request_body: type[Body]) -> Callable[..., Any]:
    filling = document_type.reference_filling
    flag = filling.query_flag if filling else None

    async def create(
        http: Request,
        context: CurrentIssuingContext,
        subscription: CurrentSubscription,
        company: CurrentCompany,
        body: Body,
        key: IdempotencyKey = None,
        dry_run: DryRun = False,
    ) -> Response:
        text = (await http.body()).decode()
        order = DocumentOrder(subscription, company, document_type, body, text, key_of(http))
        return await _accept(context, order, dry_run=dry_run)

    async def create_filled(
        http: Request,
        context: CurrentIssuingContext,
        subscription: CurrentSubscription,
        company: CurrentCompany,
        body: Body,
        key: IdempotencyKey = None,
        dry_run: DryRun = False,
        fills: bool = False,
    ) -> Response:
        text = (await http.body()).decode()
        if fills:
            text = write_json({**read_exact_json(text), flag: True})
            body = request_body.model_validate(read_exact_json(text))
        order = DocumentOrder(subscription, company, document_type, body, text, key_of(http))
        return await _accept(context, order, dry_run=dry_run)

    handler = create_filled if flag else create
    handler.__annotations__["body"] = JsonBody[request_body]  # type: ignore[misc, valid-type]
    if flag:
        description = f"O mesmo que `{flag}` no corpo."
        handler.__annotations__["fills"] = Annotated[bool, Query(alias=flag, description=description)]
    return handler


async def _accept(context: IssuingContext, order: DocumentOrder, *, dry_run: bool) -> Response:
    if dry_run:
        return success(await try_order(context, order))
    accepted = await accept(context, order)
    # Links the log of the request to the logs of workers about the document.
    structlog.contextvars.bind_contextvars(document_id=str(accepted.record.id))
    return success(accepted.record, ACCEPTED) if accepted.is_new else replay(accepted.record)


async def _list(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    query: RequestedDocuments,
    page: RequestedPage,
) -> Listing[DocumentRecord]:
    types = types_in(document_type.read_collection)
    return listing(await queries.list_documents(database, subscription.id, company, types, query, page))


_OnlyOpen = Annotated[
    bool | None,
    Query(
        alias="open",
        description="`true`: só os abertos, que são os autorizados e não encerrados; `false`: só os outros.",
    ),
]


_OfPlate = Annotated[
    Text | None, Query(max_length=10, description="Placa do veículo ou de um reboque, com ou sem hífen.")
]
_OfDriver = Annotated[
    Text | None,
    Query(
        alias="driverTaxId",
        max_length=20,
        description="CPF de um condutor, também do incluído por evento, com ou sem pontuação.",
    ),
]


async def _list_closable(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    query: RequestedDocuments,
    page: RequestedPage,
    is_open: _OnlyOpen = None,
    plate: _OfPlate = None,
    driver_tax_id: _OfDriver = None,
) -> Listing[DocumentRecord]:
    query = replace(query, is_open=is_open, plate=plate, driver_tax_id=driver_tax_id)
    return await _list(database, subscription, company, document_type, query, page)


async def _read(
    database: CurrentDatabase, reference: RequestedDocument, include: Included = None
) -> Response:
    return await read_one(database, reference, include)


async def _xml(database: CurrentDatabase, reference: RequestedDocument) -> Response:
    return xml_response(await files.read_xml(database, reference))


async def _rejection_xml(database: CurrentDatabase, reference: RequestedDocument) -> Response:
    return xml_response(await files.read_rejection_xml(database, reference))


async def _events(database: CurrentDatabase, reference: RequestedDocument) -> Success[list[EventRecord]]:
    return Success(data=await queries.read_events(database, reference))


async def _items(
    context: CurrentIssuingContext, company: CurrentCompany, reference: RequestedDocument
) -> Success[list[dict[str, Any]]]:
    return Success(data=await read_items(context, company, reference))


async def _transmit(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    reference: RequestedDocument,
) -> Response:
    return success(
        await emit_document(context, subscription, company, reference, allowed=(Status.PENDING,)), ACCEPTED
    )


def _own_refusals(document_type: DocumentType) -> Iterator[ErrorCode]:
    """Yields the errors of types that a point of sale may print first, or that depend on municipalities."""
    if document_type.point_of_sale:
        yield ErrorCode.NUMBER_ALREADY_USED
    if document_type.municipal:
        yield ErrorCode.MUNICIPALITY_NOT_SUPPORTED


def _add_creating(document_type: DocumentType) -> None:
    creating.add_api_route(
        f"/{document_type.collection}",
        _create(document_type, document_type.issuing.request),
        methods=["POST"],
        route_class_override=endpoint_of(creating, document_type),
        status_code=ACCEPTED,
        operation_id=f"create{name_of(document_type)}",
        summary=f"Emite {document_type.singular_with_article}",
        description="O documento volta em processamento; leia-o até que tenha um resultado.",
        tags=[document_type.title],
        response_model=Success[DocumentRecord],
        responses=error_responses(*ISSUING_REFUSALS, *ORDER_CONFLICTS, *_own_refusals(document_type))
        | {
            200: {
                "model": Success[DocumentRecord] | Success[TrialRecord],
                "description": "Documento criado antes com a mesma chave, ou resultado do ensaio.",
                "headers": REPLAYED_HEADER,
            }
        },
    )


def _add_transmit(document_type: DocumentType) -> None:
    add_route(
        transmitting,
        document_type,
        "POST",
        "/{id}/transmit",
        _transmit,
        status_code=ACCEPTED,
        operation_id=f"transmit{name_of(document_type)}",
        summary="Transmite um documento guardado",
        response_model=Success[DocumentRecord],
        responses=error_responses(ErrorCode.INVALID_STATE, ErrorCode.VERSION_CONFLICT, *ISSUING_REFUSALS),
    )


def _add_reading(collection: Collection) -> None:
    document_type = collection.owner
    name, of_file = name_of(document_type), ErrorCode.INVALID_STATE
    add = partial(add_reading, reading, document_type)
    model = Success[DetailedDocumentRecord]
    add("/{id}", f"read{name}", f"Lê {document_type.singular_with_article}", _read, response_model=model)
    list_ = _list_closable if document_type.closing else _list
    add("", f"list{name}", f"Lista {document_type.plural_with_article}", list_)
    add("/{id}/xml", f"read{name}Xml", "Baixa o XML autorizado", _xml, of_file, response_class=XmlResponse)
    add("/{id}/events", f"read{name}Events", "Conta a história do documento", _events)
    add(
        "/{id}/rejection-xml",
        f"read{name}RejectionXml",
        "Baixa o que foi enviado e o que voltou",
        _rejection_xml,
        of_file,
        response_class=XmlResponse,
    )
    if any(sharing.issuing.lines for sharing in collection.types):
        add(
            "/{id}/items",
            f"read{name}Items",
            "Lista os itens do documento",
            _items,
            ErrorCode.COMPANY_NOT_READY,
        )


for _document_type in DOCUMENT_TYPES:
    _add_creating(_document_type)
for _collection in collections():
    _add_reading(_collection)
    if any(_document_type.issuing.waits for _document_type in _collection.types):
        _add_transmit(_collection.owner)


email_sending = company_router(Endpoint)
email_reading = company_router(ReadingEndpoint)


async def _send_email(
    outbox: CurrentOutbox, reference: RequestedDocument, body: JsonBody[EmailRequest] | None = None
) -> Response:
    return success(await outbox.ask(reference, body or EmailRequest()), ACCEPTED)


async def _list_emails(
    outbox: CurrentOutbox, reference: RequestedDocument, page: RequestedPage
) -> Listing[EmailRecord]:
    return listing(await outbox.list(reference, page))


def _add_emails(document_type: DocumentType) -> None:
    add_route(
        email_sending,
        document_type,
        "POST",
        "/{id}/email",
        _send_email,
        status_code=ACCEPTED,
        operation_id=f"email{name_of(document_type)}",
        summary="Envia o documento por e-mail",
        description="O XML e o PDF seguem anexados; o resultado vem pela leitura dos e-mails do documento.",
        response_model=Success[EmailRecord],
        responses=error_responses(
            ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE, ErrorCode.EMAIL_NOT_CONFIGURED
        ),
    )
    path, operation = "/{id}/emails", f"list{name_of(document_type)}Emails"
    add_reading(email_reading, document_type, path, operation, "Lista os e-mails do documento", _list_emails)


for _collection in collections():
    _add_emails(_collection.owner)
