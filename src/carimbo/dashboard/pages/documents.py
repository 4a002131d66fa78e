"""Documents of all six types: the list, and everything about one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.contents import AmountRow, ItemPage, item_page, total_rows
from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.json_lines import JsonText, json_text
from carimbo.dashboard.pages.document_state import (
    ONE_DOCUMENT,
    DocumentState,
    read_state,
    reference_of,
)
from carimbo.dashboard.pages.webhooks import DELIVERY_BADGES
from carimbo.dashboard.rendering import attachment, page, pdf_response
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.delivery.deliveries import DocumentDeliveryRecord, list_document_deliveries
from carimbo.service.delivery.emails import AskedBy, AttemptOutcome, EmailRecord, EmailStatus
from carimbo.service.documents import files, queries
from carimbo.service.documents.queries import DocumentQuery, DocumentReference
from carimbo.service.errors import Refusal
from carimbo.service.exports.lists import export_documents
from carimbo.service.filing.xml import read_event_xml
from carimbo.service.issuing.preview import read_content
from carimbo.service.listing import PageRequest
from carimbo.service.people.roles import Capability

_TYPES = tuple((document_type.name, document_type.title) for document_type in DOCUMENT_TYPES)
_CLOSED_TYPES = {
    document_type.name: document_type.title for document_type in DOCUMENT_TYPES if document_type.closing
}
_STATUSES = (
    ("processing", "Em processamento"),
    ("authorized", "Autorizados"),
    ("rejected", "Rejeitados"),
    ("canceled", "Cancelados"),
    ("pending", "Rascunhos"),
)
_EMAILS: Mapping[str, Badge] = {
    EmailStatus.PENDING: Badge("Na fila", "busy"),
    EmailStatus.SENT: Badge("Enviado", "good"),
    EmailStatus.FAILED: Badge("Não enviado", "bad"),
}
_ASKED_BY: Mapping[str, str] = {
    AskedBy.SALE: "pela venda",
    AskedBy.COMPANY: "pela configuração da empresa",
    AskedBy.REQUEST: "por um pedido",
}
_OUTCOMES: Mapping[str, str] = {
    AttemptOutcome.SENT: "aceito pelo servidor de e-mail",
    AttemptOutcome.REFUSED: "recusado",
    AttemptOutcome.NOT_SENT: "não aceito desta vez",
}
_NEWEST = PageRequest(1, 20)
# Of the NFS-e, which have the longest ones.
_LAST_SERIES, _LAST_NUMBER = 99_999, 999_999_999_999_999


def query_of(visit: CompanyVisit) -> DocumentQuery:
    """Returns the filters of the address. A malformed one counts as absent."""
    return DocumentQuery(
        status=visit.choice("status", Status),
        start_date=visit.day_filter("inicio"),
        end_date=visit.day_filter("fim"),
        series=visit.number_filter("serie", _LAST_SERIES),
        number=visit.number_filter("numero", _LAST_NUMBER),
        is_open=True if visit.filter("abertos") else None,
        search=visit.filter("busca"),
    )


def types_of(visit: CompanyVisit) -> Sequence[str] | None:
    """Returns the types of the list; None means all. Only some types have open documents."""
    if visit.filter("abertos"):
        return tuple(_CLOSED_TYPES)
    name = visit.filter("tipo")
    return [name] if name in dict(_TYPES) else None


async def documents(visit: CompanyVisit) -> Response:
    """Lists the documents of a company, newest first."""
    database, owner, company = visit.services.database, visit.subscription_id, visit.company
    types, query = types_of(visit), query_of(visit)
    if wants_csv(visit):
        return csv_response(await export_documents(database, owner, company, types, query))
    listed = await queries.list_documents(database, owner, company, types, query, visit.page_request)
    return page(
        visit,
        "documents/list.html",
        documents=listed,
        types=_TYPES,
        closed_types=_CLOSED_TYPES.values(),
        statuses=_STATUSES,
    )


@dataclass(frozen=True)
class ShownContent:
    """A page of the items, and the totals."""

    items: ItemPage
    totals: Sequence[AmountRow]
    is_computed: bool
    """Whether they are computed now, because there is no XML to read them from."""
    problem: str | None
    """Why nothing can be shown."""


@dataclass(frozen=True)
class DocumentDetail:
    """Everything that the page of a document shows."""

    state: DocumentState
    request: JsonText | None
    content: ShownContent
    emails: Sequence[EmailRecord]
    deliveries: Sequence[DocumentDeliveryRecord] | None
    """None if the person may not see webhooks."""


async def document(visit: CompanyVisit) -> Response:
    """Shows one document."""
    return page(
        visit,
        "documents/detail.html",
        detail=await _detail(visit),
        email_badges=_EMAILS,
        asked_by=_ASKED_BY,
        outcomes=_OUTCOMES,
        delivery_badges=DELIVERY_BADGES,
    )


async def _detail(visit: CompanyVisit) -> DocumentDetail:
    database, reference = visit.services.database, reference_of(visit)
    record, request = await queries.read_document_and_request(database, reference)
    field = record.rejection.field if record.rejection else None
    return DocumentDetail(
        await read_state(visit, record),
        json_text(request, field) if request is not None else None,
        await _content(visit, reference),
        (await visit.services.outbox.list(reference, _NEWEST)).items,
        await list_document_deliveries(database, reference) if visit.may_see_webhooks else None,
    )


async def _content(visit: CompanyVisit, reference: DocumentReference) -> ShownContent:
    """Returns a page of the items. A content that can't be read or computed does not hide the document."""
    number = visit.page_request.page
    try:
        content = await read_content(visit.services.issuing, visit.company, reference)
    except Refusal as refusal:
        return ShownContent(item_page((), number), (), is_computed=False, problem=refusal.message)
    items, totals = item_page(content.lines, number), total_rows(content.totals)
    return ShownContent(items, totals, content.is_computed, problem=None)


async def document_xml(visit: CompanyVisit) -> Response:
    """Downloads the authorized XML."""
    file = await files.read_xml(visit.services.database, reference_of(visit))
    return attachment(file.xml, "application/xml", file.name)


async def document_pdf(visit: CompanyVisit) -> Response:
    """Shows the printed document. The browser opens it as a file, outside our pages."""
    return pdf_response(await visit.services.printouts.document(reference_of(visit)))


async def event_pdf(visit: CompanyVisit) -> Response:
    """Shows the printed event of a document."""
    return pdf_response(await visit.services.printouts.event(reference_of(visit), _event_id(visit)))


async def event_xml(visit: CompanyVisit) -> Response:
    """Downloads the XML of a registered event."""
    file = await read_event_xml(visit.services.database, reference_of(visit), _event_id(visit))
    return attachment(file.xml, "application/xml", file.name)


async def rejection_xml(visit: CompanyVisit) -> Response:
    """Downloads what was sent and what came back."""
    file = await files.read_rejection_xml(visit.services.database, reference_of(visit))
    return attachment(file.xml, "application/xml", file.name)


def _event_id(visit: CompanyVisit) -> UUID:
    return UUID(visit.request.path_params["event_id"])


_EVENT = f"{ONE_DOCUMENT}/eventos/{{event_id:uuid}}"
ROUTES = (
    company_page("/documentos", Capability.READ_DOCUMENTS, documents),
    company_page(ONE_DOCUMENT, Capability.READ_DOCUMENTS, document),
    company_page(f"{ONE_DOCUMENT}/xml", Capability.READ_DOCUMENTS, document_xml),
    company_page(f"{ONE_DOCUMENT}/pdf", Capability.READ_DOCUMENTS, document_pdf),
    company_page(f"{ONE_DOCUMENT}/rejeicao", Capability.READ_DOCUMENTS, rejection_xml),
    company_page(f"{_EVENT}/pdf", Capability.READ_DOCUMENTS, event_pdf),
    company_page(f"{_EVENT}/xml", Capability.READ_DOCUMENTS, event_xml),
)
