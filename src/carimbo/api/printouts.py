"""PDF printouts of documents and events, and the signed links to files."""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Response

from carimbo.api.context import CurrentDatabase, CurrentLinks, CurrentPrintouts, CurrentSubscription
from carimbo.api.filings import EventId
from carimbo.api.response_docs import Responses, error_responses, file_responses
from carimbo.api.route import OpenEndpoint, ReadingEndpoint
from carimbo.api.type_routes import (
    DocumentId,
    RequestedDocument,
    add_reading,
    collections,
    company_router,
    name_of,
    xml_response,
)
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.printout import PaperSize
from carimbo.service.documents.files import RECEIVED_XML, read_xml
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.errors import ErrorCode
from carimbo.service.printouts import PdfDownload
from carimbo.service.receiving.whole_xml import read_received_file

of_company = company_router(ReadingEndpoint)
of_subscription = APIRouter(tags=["Documentos"], route_class=ReadingEndpoint)

_EVENT_PATH = "/{id}/events/{eventId}/pdf"
_VERSION = re.compile(r'"([0-9a-f]{64})"')
# Credentials are in our own headers, so a shared cache could not tell callers apart.
_REVALIDATE = "private, no-cache"
_TAG = {"ETag": {"description": "Versão do PDF.", "schema": {"type": "string"}}}
# The link alone gives access to the file, so search engines and linked pages must not learn it.
_PRIVATE_HEADERS = {
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "no-referrer",
}


class PdfResponse(Response):
    """A PDF file; its class tells the published contract that the response is not JSON."""

    media_type = "application/pdf"


PDF_ANSWERS: Responses = {
    **file_responses(PdfResponse.media_type, _TAG),
    304: {"description": "O PDF é o mesmo que já se tem.", "headers": _TAG},
}


async def _cached_versions(
    if_none_match: Annotated[
        str | None, Header(alias="If-None-Match", description="`ETag` do PDF que já se tem.")
    ] = None,
) -> frozenset[str]:
    return frozenset(_VERSION.findall(if_none_match or ""))


CachedVersions = Annotated[frozenset[str], Depends(_cached_versions)]
RequestedPaper = Annotated[
    PaperSize | None,
    Query(description="Um dos papéis do tipo do documento; na falta, o que a empresa configurou ou o usual."),
]


def pdf_response(file: PdfDownload, versions: frozenset[str]) -> Response:
    """Returns a PDF to view in the browser, or 304 if the caller has this version."""
    headers = {"ETag": f'"{file.version}"', "Cache-Control": _REVALIDATE}
    if file.version in versions:
        return Response(status_code=304, headers=headers)
    return PdfResponse(file.pdf, headers=headers | {"Content-Disposition": f'inline; filename="{file.name}"'})


async def _pdf(
    printouts: CurrentPrintouts,
    reference: RequestedDocument,
    versions: CachedVersions,
    paper: RequestedPaper = None,
) -> Response:
    return pdf_response(await printouts.document(reference, paper, versions), versions)


async def _event_pdf(
    printouts: CurrentPrintouts, reference: RequestedDocument, event_id: EventId, versions: CachedVersions
) -> Response:
    return pdf_response(await printouts.event(reference, event_id, versions), versions)


def _add(document_type: DocumentType, path: str, name: str, summary: str, handler: Any) -> None:
    operation = f"read{name_of(document_type)}{name}"
    add_reading(
        of_company,
        document_type,
        path,
        operation,
        summary,
        handler,
        ErrorCode.INVALID_STATE,
        response_class=PdfResponse,
        answers=PDF_ANSWERS,
    )


for _collection in collections():
    _add(_collection.owner, "/{id}/pdf", "Pdf", "Imprime o documento em PDF", _pdf)
    if _collection.events:
        _add(_collection.owner, _EVENT_PATH, "EventPdf", "Imprime um evento registrado em PDF", _event_pdf)


@of_subscription.get(
    "/v1/invoices/{id}.pdf",
    operation_id="readInvoicePdf",
    summary="Imprime um documento em PDF",
    response_class=PdfResponse,
    responses=PDF_ANSWERS | error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def read_invoice_pdf(
    printouts: CurrentPrintouts,
    subscription: CurrentSubscription,
    document_id: DocumentId,
    versions: CachedVersions,
    paper: RequestedPaper = None,
) -> Response:
    reference = DocumentReference(subscription.id, document_id)
    return pdf_response(await printouts.document(reference, paper, versions), versions)


link_router = APIRouter(prefix="/files", include_in_schema=False, route_class=OpenEndpoint)


class _LinkedDocument:
    """Verifies a signed link to a file and returns its document."""

    def __init__(self, extension: str) -> None:
        self._extension = extension

    async def __call__(
        self,
        links: CurrentLinks,
        owner: Annotated[str, Path()],
        document_id: Annotated[str, Path(alias="documentId")],
        expires: str = "",
        signature: str = "",
    ) -> DocumentReference:
        return links.opened(owner, document_id, self._extension, expires, signature)


@link_router.get("/{owner}/{documentId}.pdf")
async def open_pdf(
    printouts: CurrentPrintouts,
    reference: Annotated[DocumentReference, Depends(_LinkedDocument("pdf"))],
    versions: CachedVersions,
) -> Response:
    """Returns the PDF of a signed link, without credentials."""
    return _with_private_headers(pdf_response(await printouts.document(reference, None, versions), versions))


@link_router.get("/{owner}/{documentId}.received.xml")
async def open_received_xml(
    database: CurrentDatabase, reference: Annotated[DocumentReference, Depends(_LinkedDocument(RECEIVED_XML))]
) -> Response:
    """Returns the XML of a received document of a signed link, without credentials."""
    return _with_private_headers(xml_response(await read_received_file(database, reference)))


@link_router.get("/{owner}/{documentId}.xml")
async def open_xml(
    database: CurrentDatabase, reference: Annotated[DocumentReference, Depends(_LinkedDocument("xml"))]
) -> Response:
    """Returns the XML of a signed link, without credentials."""
    return _with_private_headers(xml_response(await read_xml(database, reference)))


def _with_private_headers(response: Response) -> Response:
    response.headers.update(_PRIVATE_HEADERS)
    return response
