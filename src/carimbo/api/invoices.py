"""Documents of every type together: list, read, correct and emit."""

from enum import Enum
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentCounter,
    CurrentDatabase,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.document_reading import Included, RequestedDocuments, read_one
from carimbo.api.documented import refuses
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import ISSUING_REFUSALS, DocumentId, Which, XmlResponse, xml_response
from carimbo.fiscal.registry import MODULES
from carimbo.service import document_files, documents, invoices
from carimbo.service.companies import Deleted
from carimbo.service.discarding import discard_document
from carimbo.service.document_record import DetailedDocumentRecord, DocumentRecord
from carimbo.service.documents import Reference
from carimbo.service.errors import Code
from carimbo.service.invoices import InvoiceChanges

_TAGS: list[str | Enum] = ["Documentos"]
_COMPANY = "/v1/companies/{companyId}/invoices"
router = APIRouter(tags=_TAGS, route_class=Endpoint)
reading = APIRouter(tags=_TAGS, route_class=ReadingEndpoint)

if TYPE_CHECKING:
    TypeName = str
else:
    TypeName = Literal[tuple(module.name for module in MODULES)]


@reading.get(
    _COMPANY,
    operation_id="listInvoices",
    dependencies=OF_COMPANY,
    summary="Lista os documentos de todos os tipos",
    responses=refuses(Code.NOT_FOUND),
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
    return listing(await documents.list_documents(database, subscription.id, company, types, query, page))


@reading.get(
    _COMPANY + "/{id}",
    operation_id="readInvoice",
    dependencies=OF_COMPANY,
    summary="Lê um documento de qualquer tipo",
    response_model=Success[DetailedDocumentRecord],
    responses=refuses(Code.NOT_FOUND),
)
async def read_invoice(database: CurrentDatabase, which: Which, include: Included = None) -> Response:
    return await read_one(database, which, include)


@router.patch(
    _COMPANY + "/{id}",
    operation_id="changeInvoice",
    dependencies=OF_COMPANY,
    summary="Corrige um rascunho ou um documento rejeitado",
    description="Merge patch (RFC 7396) do corpo original, com a `version` lida (não é carta de correção).",
    responses=refuses(
        Code.INVALID_STATE, Code.VERSION_CONFLICT, Code.COMPANY_NOT_READY, Code.FISCAL_RULE_VIOLATION,
        Code.MUNICIPALITY_NOT_SUPPORTED, Code.NOT_FOUND,
    ),
)  # fmt: skip
async def change_invoice(
    http: Request,
    counter: CurrentCounter,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    which: Which,
    body: JsonBody[InvoiceChanges],
) -> Success[DocumentRecord]:
    patch = await http.json()
    changed = await invoices.change_invoice(counter, subscription, company, which, body.version, patch)
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
    responses=refuses(Code.NOT_FOUND, Code.INVALID_STATE),
)
async def discard_invoice(database: CurrentDatabase, which: Which) -> Success[Deleted]:
    return Success(data=await discard_document(database, which))


@router.post(
    _COMPANY + "/{id}/emit",
    status_code=ACCEPTED,
    operation_id="emitInvoice",
    dependencies=OF_COMPANY,
    summary="Emite um rascunho ou reemite um documento rejeitado",
    description="Um documento rejeitado conserva o seu número.",
    response_model=Success[DocumentRecord],
    responses=refuses(
        Code.INVALID_STATE, Code.VERSION_CONFLICT, Code.MUNICIPALITY_NOT_SUPPORTED, *ISSUING_REFUSALS
    ),
)
async def emit_invoice(
    counter: CurrentCounter, subscription: CurrentSubscription, company: CurrentCompany, which: Which
) -> Response:
    return success(await invoices.emit(counter, subscription, company, which), ACCEPTED)


@reading.get(
    "/v1/invoices/{id}.xml",
    operation_id="readInvoiceXml",
    summary="Baixa o XML autorizado de um documento",
    response_class=XmlResponse,
    responses=refuses(Code.NOT_FOUND, Code.INVALID_STATE),
)
async def read_invoice_xml(
    database: CurrentDatabase, subscription: CurrentSubscription, document_id: DocumentId
) -> Response:
    return xml_response(await document_files.read_xml(database, Reference(subscription.id, document_id)))
