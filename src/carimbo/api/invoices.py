"""Documents of every type together: list, read, correct and emit."""

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentIssuingContext,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.document_reading import Included, RequestedDocuments, read_one
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import error_responses
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import ISSUING_REFUSALS, DocumentId, RequestedDocument, XmlResponse, xml_response
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.documents import files, queries
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.documents.record import DetailedDocumentRecord, DocumentRecord
from carimbo.service.errors import ErrorCode
from carimbo.service.issuing import drafts
from carimbo.service.issuing.drafts import InvoiceChanges, discard_document

_TAGS: list[str | Enum] = ["Documentos"]
_COMPANY = "/v1/companies/{companyId}/invoices"
router = APIRouter(tags=_TAGS, route_class=Endpoint)
reading = APIRouter(tags=_TAGS, route_class=ReadingEndpoint)

if TYPE_CHECKING:
    TypeName = str
else:
    TypeName = Literal[tuple(module.name for module in DOCUMENT_TYPES)]


@reading.get(
    _COMPANY,
    operation_id="listInvoices",
    dependencies=OF_COMPANY,
    summary="Lista os documentos de todos os tipos",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def list_invoices(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    query: RequestedDocuments,
    page: RequestedPage,
    type_name: Annotated[TypeName | None, Query(alias="type", description="Só os deste tipo.")] = None,
) -> Listing[DocumentRecord]:
    types = (type_name,) if type_name else None
    return listing(await queries.list_documents(database, subscription.id, company, types, query, page))


@reading.get(
    _COMPANY + "/{id}",
    operation_id="readInvoice",
    dependencies=OF_COMPANY,
    summary="Lê um documento de qualquer tipo",
    response_model=Success[DetailedDocumentRecord],
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_invoice(
    database: CurrentDatabase, reference: RequestedDocument, include: Included = None
) -> Response:
    return await read_one(database, reference, include)


@router.patch(
    _COMPANY + "/{id}",
    operation_id="changeInvoice",
    dependencies=OF_COMPANY,
    summary="Corrige um rascunho ou um documento rejeitado",
    description="Merge patch (RFC 7396) do corpo original, com a `version` lida (não é carta de correção).",
    responses=error_responses(
        ErrorCode.INVALID_STATE, ErrorCode.VERSION_CONFLICT, ErrorCode.COMPANY_NOT_READY,
        ErrorCode.FISCAL_RULE_VIOLATION,
        ErrorCode.MUNICIPALITY_NOT_SUPPORTED, ErrorCode.NOT_FOUND,
    ),
)  # fmt: skip
async def change_invoice(
    http: Request,
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    reference: RequestedDocument,
    body: JsonBody[InvoiceChanges],
) -> Success[DocumentRecord]:
    patch = await http.json()
    changed = await drafts.change_document(context, subscription, company, reference, body.version, patch)
    return Success(data=changed)


@router.delete(
    _COMPANY + "/{id}",
    operation_id="discardInvoice",
    dependencies=OF_COMPANY,
    summary="Descarta um rascunho, ou um documento rejeitado sem número",
    description=(
        "O documento deixa de existir, e as suas chaves (externalId e Idempotency-Key) ficam livres. O que"
        " tem número não se descarta, e o autorizado se cancela pela rota do seu tipo."
    ),
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def discard_invoice(database: CurrentDatabase, reference: RequestedDocument) -> Success[Deleted]:
    return Success(data=await discard_document(database, reference))


@router.post(
    _COMPANY + "/{id}/emit",
    status_code=ACCEPTED,
    operation_id="emitInvoice",
    dependencies=OF_COMPANY,
    summary="Emite um rascunho ou reemite um documento rejeitado",
    description="Um documento rejeitado conserva o seu número.",
    response_model=Success[DocumentRecord],
    responses=error_responses(
        ErrorCode.INVALID_STATE,
        ErrorCode.VERSION_CONFLICT,
        ErrorCode.MUNICIPALITY_NOT_SUPPORTED,
        *ISSUING_REFUSALS,
    ),
)
async def emit_invoice(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    reference: RequestedDocument,
) -> Response:
    return success(await drafts.emit_document(context, subscription, company, reference), ACCEPTED)


@reading.get(
    "/v1/invoices/{id}.xml",
    operation_id="readInvoiceXml",
    summary="Baixa o XML autorizado de um documento",
    response_class=XmlResponse,
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def read_invoice_xml(
    database: CurrentDatabase, subscription: CurrentSubscription, document_id: DocumentId
) -> Response:
    return xml_response(await files.read_xml(database, DocumentReference(subscription.id, document_id)))
