"""A received document: everything about it, and its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.contents import AmountRow, ItemPage, item_page, total_rows
from carimbo.dashboard.pages.received import SITUATION_BADGES, statement_badge
from carimbo.dashboard.rendering import attachment, page, pdf_response
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.document_types import find_document_type, received_type_like, title_of
from carimbo.service.errors import not_found
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.people.roles import Capability
from carimbo.service.receiving import queries
from carimbo.service.receiving.possible_statements import PossibleStatement, read_possible_statements
from carimbo.service.receiving.queries import UNKNOWN_RECEIVED, ReceivedReference
from carimbo.service.receiving.record import (
    Origin,
    ReceivedDetailsRecord,
    ReceivedEventRecord,
    ReceivedRecord,
)
from carimbo.service.receiving.whole_xml import (
    explain_missing_xml,
    read_received_event_xml,
    read_received_xml_file,
)
from carimbo.service.words import COMPANY_ROLES

ONE_RECEIVED = "/recebidos/{type}/{document_id:uuid}"
_PARTIES: Mapping[str, str] = {
    "issuer": "Emitente",
    "recipient": "Destinatário",
    "carrier": "Transportadora",
    "pickup": "Retirada",
    "delivery": "Entrega",
    "shipper": "Remetente",
    "dispatcher": "Expedidor",
    "receiver": "Recebedor",
    "taker": "Tomador",
    "provider": "Prestador",
    "intermediary": "Intermediário",
}
_ORIGINS: Mapping[str, str] = {
    Origin.COMPANY: "pela própria empresa",
    Origin.ISSUER: "pelo emitente",
    Origin.OTHER: "por outro participante",
}
_OUTCOMES: Mapping[str, tuple[str, str]] = {
    FilingStatus.PROCESSING: ("busy", "Espera a resposta da autoridade."),
    FilingStatus.AUTHORIZED: ("good", ""),
    FilingStatus.REJECTED: ("bad", "A autoridade recusou."),
}


@dataclass(frozen=True)
class ReceivedEntry:
    """An event of a received document, in words."""

    event: ReceivedEventRecord
    tone: str
    outcome: str
    """Its outcome at the authority; empty if there is nothing to say."""
    origin: str


@dataclass(frozen=True)
class ReceivedDetail:
    """Everything that the page of a received document shows."""

    record: ReceivedDetailsRecord
    statement: Badge
    """The statement of the company about it."""
    is_due: bool
    """Whether the company may still conclude about it."""
    statements: Sequence[PossibleStatement]
    """The statements that the person may make about it; none if their role does not allow that."""
    may_be_returned: bool
    """Whether the draft of a return can be made of it."""
    missing_xml: str | None
    """Why there is only a summary; None if the whole XML is here."""
    items: ItemPage
    totals: Sequence[AmountRow]
    timeline: Sequence[ReceivedEntry]

    @property
    def is_waiting(self) -> bool:
        """Whether a statement waits for the answer of the authority."""
        return any(entry.event.status == FilingStatus.PROCESSING for entry in self.timeline)


async def received_document(visit: CompanyVisit) -> Response:
    """Shows one received document."""
    which = received_reference(visit)
    return page(
        visit,
        "received/detail.html",
        detail=await _detail(visit, which),
        list_type=which.document_type.name,
        must_conclude=which.receiving.must_conclude,
        situations=SITUATION_BADGES,
        roles=COMPANY_ROLES,
        parties=_PARTIES,
    )


async def _detail(visit: CompanyVisit, which: ReceivedReference) -> ReceivedDetail:
    context = visit.services.issuing
    record = await queries.read_received(context.database, which)
    events = await queries.read_received_events(context.database, which)
    lines = record.details.items if record.details else []
    concluded = {kind.name for kind in which.receiving.responses if kind.is_conclusive}
    deadline = record.manifest_deadline
    return ReceivedDetail(
        record,
        statement_badge(which.document_type, record),
        deadline is not None and deadline > visit.now and record.status not in concluded,
        await _statements(visit, which),
        which.receiving.return_draft is not None
        and record.details is not None
        and record.role == which.receiving.responds_as
        and record.situation.is_valid,
        None if record.has_full_xml else await explain_missing_xml(context, visit.company, which),
        item_page(lines, visit.page_request.page),
        total_rows(record.details.totals) if record.details else (),
        [_entry(event) for event in events],
    )


async def _statements(visit: CompanyVisit, which: ReceivedReference) -> Sequence[PossibleStatement]:
    if not visit.may(Capability.MANIFEST_RECEIVED):
        return ()
    return await read_possible_statements(visit.services.issuing, visit.company, which)


def _entry(event: ReceivedEventRecord) -> ReceivedEntry:
    tone, outcome = _OUTCOMES[event.status]
    origin = "automaticamente, pelo serviço" if event.is_automatic else _ORIGINS[event.origin]
    return ReceivedEntry(event, tone, outcome, origin)


async def received_xml(visit: CompanyVisit) -> Response:
    """Downloads the whole XML."""
    file = await read_received_xml_file(visit.services.database, received_reference(visit))
    return attachment(file.xml, "application/xml", file.name)


async def received_pdf(visit: CompanyVisit) -> Response:
    """Shows the printed document."""
    return pdf_response(await visit.services.printouts.received(received_reference(visit)))


async def received_event_xml(visit: CompanyVisit) -> Response:
    """Downloads the XML of an event."""
    event_id = UUID(visit.request.path_params["event_id"])
    file = await read_received_event_xml(visit.services.database, received_reference(visit), event_id)
    return attachment(file.xml, "application/xml", file.name)


def received_reference(visit: CompanyVisit) -> ReceivedReference:
    """Returns the document that the address names. CT-e OS are received as CT-e."""
    named = find_document_type(visit.request.path_params["type"])
    document_type = named and received_type_like(named)
    if document_type is None:
        raise not_found(UNKNOWN_RECEIVED)
    document_id = UUID(visit.request.path_params["document_id"])
    return ReceivedReference(visit.subscription_id, visit.company.id, document_type, document_id)


def received_address(visit: CompanyVisit) -> str:
    """Returns the address of the document that the address names."""
    values = visit.request.path_params
    return f"{visit.company_base}/recebidos/{values['type']}/{values['document_id']}"


def received_name(record: ReceivedRecord) -> str:
    """Returns a received document in words, as `NF-e 1204`."""
    title = title_of(record.type)
    return title if record.number is None else f"{title} {record.number}"


_READ = Capability.READ_RECEIVED
ROUTES = (
    company_page(ONE_RECEIVED, _READ, received_document),
    company_page(f"{ONE_RECEIVED}/xml", _READ, received_xml),
    company_page(f"{ONE_RECEIVED}/pdf", _READ, received_pdf),
    company_page(f"{ONE_RECEIVED}/eventos/{{event_id:uuid}}/xml", _READ, received_event_xml),
)
