"""Documents of every registered type, and what was told of them, on paper."""

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response

from carimbo.api.context import CurrentPrintouts, CurrentSubscription
from carimbo.api.documented import Answers, gives_file, refuses
from carimbo.api.filings import EventId
from carimbo.api.route import ReadingEndpoint
from carimbo.api.type_routes import DocumentId, Which, add_reading, collections, company_router, name_of
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.printout import Paper
from carimbo.service.documents import Reference
from carimbo.service.errors import Code
from carimbo.service.printouts import PdfFile

of_company = company_router(ReadingEndpoint)
of_subscription = APIRouter(tags=["Documentos"], route_class=ReadingEndpoint)

_EVENT_PATH = "/{id}/events/{eventId}/pdf"
_VERSION = re.compile(r'"([0-9a-f]{64})"')
# The API's own headers tell who asks: a cache between us and the caller would not know that.
_ASK_AGAIN = "private, no-cache"
_TAG = {"ETag": {"description": "Versão do PDF.", "schema": {"type": "string"}}}


class PdfResponse(Response):
    """A PDF file, which the published contract tells from JSON by this class."""

    media_type = "application/pdf"


_ANSWERS: Answers = {
    **gives_file(PdfResponse.media_type, _TAG),
    304: {"description": "O PDF é o mesmo que já se tem.", "headers": _TAG},
}


async def _known(
    if_none_match: Annotated[
        str | None, Header(alias="If-None-Match", description="`ETag` do PDF que já se tem.")
    ] = None,
) -> frozenset[str]:
    return frozenset(_VERSION.findall(if_none_match or ""))


Known = Annotated[frozenset[str], Depends(_known)]
AskedPaper = Annotated[
    Paper | None,
    Query(description="Um dos papéis do tipo do documento; na falta, o que a empresa configurou ou o usual."),
]


def pdf_response(file: PdfFile, known: frozenset[str]) -> Response:
    """A file to be looked at, unless the caller has it."""
    headers = {"ETag": f'"{file.version}"', "Cache-Control": _ASK_AGAIN}
    if file.version in known:
        return Response(status_code=304, headers=headers)
    return PdfResponse(file.pdf, headers=headers | {"Content-Disposition": f'inline; filename="{file.name}"'})


async def _pdf(printouts: CurrentPrintouts, which: Which, known: Known, paper: AskedPaper = None) -> Response:
    return pdf_response(await printouts.document(which, paper, known), known)


async def _event_pdf(printouts: CurrentPrintouts, which: Which, event_id: EventId, known: Known) -> Response:
    return pdf_response(await printouts.event(which, event_id, known), known)


def _add(kind: DocumentType, path: str, name: str, summary: str, handler: Any) -> None:
    operation = f"read{name_of(kind)}{name}"
    refused, form = Code.INVALID_STATE, PdfResponse
    add_reading(of_company, kind, path, operation, summary, handler, refused, form=form, answers=_ANSWERS)


for _collection in collections():
    _add(_collection.owner, "/{id}/pdf", "Pdf", "Imprime o documento em PDF", _pdf)
    if _collection.events:
        _add(_collection.owner, _EVENT_PATH, "EventPdf", "Imprime um evento registrado em PDF", _event_pdf)


@of_subscription.get(
    "/v1/invoices/{id}.pdf",
    operation_id="readInvoicePdf",
    summary="Imprime um documento em PDF",
    response_class=PdfResponse,
    responses=_ANSWERS | refuses(Code.NOT_FOUND, Code.INVALID_STATE),
)
async def read_invoice_pdf(
    printouts: CurrentPrintouts,
    subscription: CurrentSubscription,
    document_id: DocumentId,
    known: Known,
    paper: AskedPaper = None,
) -> Response:
    which = Reference(subscription.id, document_id)
    return pdf_response(await printouts.document(which, paper, known), known)
