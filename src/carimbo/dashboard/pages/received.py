"""Received documents: the inbox of each type, the sums of a month, and everything about one document."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.contents import TAX_NAMES, AmountRow, ItemPage, item_page, total_rows
from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import attachment, page, pdf_response
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import Badge
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.local_time import in_local_time
from carimbo.fiscal.receiving import PENDING, Receiving, Role, Situation
from carimbo.service.document_types import (
    RECEIVED_TYPES,
    find_document_type,
    received_type_like,
    receiving_of_type,
)
from carimbo.service.errors import not_found
from carimbo.service.exports.lists import export_received
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.people.roles import Capability
from carimbo.service.receiving import queries
from carimbo.service.receiving.queries import UNKNOWN_RECEIVED, ReceivedQuery, ReceivedReference
from carimbo.service.receiving.record import (
    Origin,
    ReceivedDetailsRecord,
    ReceivedEventRecord,
    ReceivedRecord,
)
from carimbo.service.receiving.stream_warnings import (
    ACTIVE,
    BLOCKED,
    PARKED,
    REFUSED,
    STOPPED,
    WAITING,
    StreamWarningCode,
)
from carimbo.service.receiving.sync import read_streams_of_type
from carimbo.service.receiving.whole_xml import (
    explain_missing_xml,
    read_received_event_xml,
    read_received_xml_file,
)

ROLES: Mapping[str, str] = {
    Role.RECIPIENT: "Destinatária",
    Role.TAKER: "Tomadora",
    Role.INTERMEDIARY: "Intermediária",
    Role.SHIPPER: "Remetente",
    Role.CARRIER: "Transportadora",
    Role.AUTHORIZED: "Autorizada a ler",
    Role.ISSUER: "Emitente",
    Role.OTHER: "Outro papel",
}
SITUATIONS: Mapping[str, Badge] = {
    Situation.AUTHORIZED: Badge("Autorizado", "good"),
    Situation.CORRECTED: Badge("Corrigido", "warn"),
    Situation.CANCELED: Badge("Cancelado", "bad"),
    Situation.DENIED: Badge("Denegado", "bad"),
}
STREAMS: Mapping[str, Badge] = {
    ACTIVE: Badge("Acompanhando", "good"),
    STOPPED: Badge("Não acompanha", "quiet"),
    WAITING: Badge("Parado: falta o certificado ou o ambiente", "warn"),
    BLOCKED: Badge("Bloqueado pela autoridade", "warn"),
    REFUSED: Badge("A autoridade recusou o certificado", "bad"),
    PARKED: Badge("Parado por falhas", "bad"),
}
WARNINGS: Mapping[str, str] = {
    StreamWarningCode.NOBODY_ASKS: "Ninguém consulta por esta empresa",
    StreamWarningCode.QUERY_REFUSED: "A autoridade recusou a consulta",
    StreamWarningCode.QUERY_UNANSWERED: "A última consulta ficou sem resposta",
    StreamWarningCode.QUERIES_BLOCKED: "Consultas bloqueadas por cerca de uma hora",
    StreamWarningCode.QUERIES_PARKED: "As consultas pararam",
    StreamWarningCode.READING_PARKED: "A leitura do que chegou parou",
    StreamWarningCode.OTHER_READER: "Outro programa consulta o mesmo CNPJ",
    StreamWarningCode.GAP_OPEN: "Há documentos que ainda vão chegar",
    StreamWarningCode.DOCUMENTS_UNAVAILABLE: "Há documentos que a autoridade não tem",
    StreamWarningCode.SEQUENCE_LAPSED: "Houve 60 dias sem consulta",
}
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
_NOTHING_TO_STATE = Badge("Não cabe manifestação", "quiet")


@dataclass(frozen=True)
class ReceivedMonth:
    """A month of the filter."""

    text: str
    """As in the address: `2026-11`."""
    first: date
    last: date

    @property
    def shown(self) -> str:
        """The month as `11/2026`."""
        return f"{self.first:%m/%Y}"


def document_type_of(visit: CompanyVisit) -> DocumentType:
    """Returns the type of the list that the address names; the first one if it names none."""
    name = visit.filter("tipo")
    return next((received for received in RECEIVED_TYPES if received.name == name), RECEIVED_TYPES[0])


def query_of(visit: CompanyVisit) -> ReceivedQuery:
    """Returns the filters of the address. A malformed one counts as absent."""
    month, statements = _month(visit.filter("mes")), _statements(document_type_of(visit))
    status = visit.filter("manifestacao")
    return ReceivedQuery(
        status=status if status in statements else None,
        situation=_situation(visit.filter("situacao")),
        role=_role(visit.filter("papel")),
        start_date=month.first if month else None,
        end_date=month.last if month else None,
        search=visit.filter("busca") or "",
    )


async def received_documents(visit: CompanyVisit) -> Response:
    """Lists the received documents of a type, the newest first, and how they come."""
    document_type, context, query = document_type_of(visit), visit.services.issuing, query_of(visit)
    owner, company = visit.subscription_id, visit.company
    if wants_csv(visit):
        return csv_response(await export_received(context, owner, company, document_type, query))
    listed = await queries.list_received(context, owner, company, document_type, query, visit.page_request)
    return page(
        visit,
        "received/list.html",
        rows=[(record, _statement_badge(document_type, record)) for record in listed.items],
        total=listed.total,
        document_type=document_type,
        types=RECEIVED_TYPES,
        collection=receiving_of_type(document_type).collection,
        streams=await read_streams_of_type(context, visit.subscription_id, visit.company, document_type),
        stream_badges=STREAMS,
        warning_titles=WARNINGS,
        statements=_statements(document_type),
        situations=SITUATIONS,
        roles=ROLES,
        month=_month(visit.filter("mes")),
    )


async def month_totals(visit: CompanyVisit) -> Response:
    """Shows the sums of a month by CFOP, tax and CST; the present month if the address names none."""
    document_type = document_type_of(visit)
    month = _month(visit.filter("mes")) or _month_of(in_local_time(visit.now, visit.state).date())
    sums = await queries.read_month(
        visit.services.issuing, visit.subscription_id, visit.company, document_type, month.first
    )
    request = visit.page_request
    return page(
        visit,
        "received/totals.html",
        document_type=document_type,
        types=RECEIVED_TYPES,
        month=month,
        sums=sums,
        rows=sums.totals[request.offset : request.offset + request.page_size],
        tax_names=TAX_NAMES,
    )


@dataclass(frozen=True)
class ReceivedEntry:
    """An event of a received document, in words."""

    event: ReceivedEventRecord
    tone: str
    outcome: str
    """What became of it at the authority; empty if there is nothing to say."""
    origin: str


@dataclass(frozen=True)
class ReceivedDetail:
    """Everything that the page of a received document shows."""

    record: ReceivedDetailsRecord
    statement: Badge
    """What the company has said about it."""
    is_due: bool
    """Whether the company may still conclude about it."""
    missing_xml: str | None
    """Why there is only a summary; None if the whole XML is here."""
    items: ItemPage
    totals: Sequence[AmountRow]
    timeline: Sequence[ReceivedEntry]


async def received_document(visit: CompanyVisit) -> Response:
    """Shows one received document."""
    which = _reference(visit)
    return page(
        visit,
        "received/detail.html",
        detail=await _detail(visit, which),
        list_type=which.document_type.name,
        must_conclude=_must_conclude(which.receiving),
        statement_call=_statement_call(which.receiving),
        situations=SITUATIONS,
        roles=ROLES,
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
        _statement_badge(which.document_type, record),
        deadline is not None and deadline > visit.now and record.status not in concluded,
        None if record.has_full_xml else await explain_missing_xml(context, visit.company, which),
        item_page(lines, visit.page_request.page),
        total_rows(record.details.totals) if record.details else (),
        [_entry(event) for event in events],
    )


def _entry(event: ReceivedEventRecord) -> ReceivedEntry:
    tone, outcome = _OUTCOMES[event.status]
    origin = "sozinho, pelo serviço" if event.is_automatic else _ORIGINS[event.origin]
    return ReceivedEntry(event, tone, outcome, origin)


async def received_xml(visit: CompanyVisit) -> Response:
    """Downloads the whole XML."""
    file = await read_received_xml_file(visit.services.database, _reference(visit))
    return attachment(file.xml, "application/xml", file.name)


async def received_pdf(visit: CompanyVisit) -> Response:
    """Shows the printed document."""
    return pdf_response(await visit.services.printouts.received(_reference(visit)))


async def received_event_xml(visit: CompanyVisit) -> Response:
    """Downloads the XML of an event."""
    event_id = UUID(visit.request.path_params["event_id"])
    file = await read_received_event_xml(visit.services.database, _reference(visit), event_id)
    return attachment(file.xml, "application/xml", file.name)


def _reference(visit: CompanyVisit) -> ReceivedReference:
    """Returns the document that the address names. CT-e OS are received as CT-e."""
    named = find_document_type(visit.request.path_params["type"])
    document_type = named and received_type_like(named)
    if document_type is None:
        raise not_found(UNKNOWN_RECEIVED)
    document_id = UUID(visit.request.path_params["document_id"])
    return ReceivedReference(visit.subscription_id, visit.company.id, document_type, document_id)


def _statements(document_type: DocumentType) -> dict[str, Badge]:
    """Returns the badges of what a company can say about documents of a type, by their status."""
    receiving = receiving_of_type(document_type)
    badges = {PENDING: Badge("Sem manifestação", "warn" if _must_conclude(receiving) else "quiet")}
    for kind in receiving.responses:
        if kind.undoes is None:
            tone = "bad" if kind.denies else "good" if kind.is_conclusive else "busy"
            badges[kind.name] = Badge(kind.description, tone)
    return badges


def _must_conclude(receiving: Receiving) -> bool:
    """Returns whether a company should answer; where it can only disagree, its silence is usual."""
    confirms = any(kind.is_conclusive and not (kind.denies or kind.undoes) for kind in receiving.responses)
    return confirms and receiving.warned_days is not None


def _statement_call(receiving: Receiving) -> str:
    """Returns the API call of the first conclusive statement, as people write it."""
    routes = [kind.route for kind in receiving.responses if kind.is_conclusive]
    return f"{routes[0].method} …/{receiving.collection}/{{id}}{routes[0].path}" if routes else ""


def _statement_badge(document_type: DocumentType, record: ReceivedRecord) -> Badge:
    """Returns what the company has said about a document, or that it need not say anything."""
    is_outsider = record.role != receiving_of_type(document_type).responds_as
    if record.status == PENDING and is_outsider:
        return _NOTHING_TO_STATE
    return _statements(document_type).get(record.status, Badge(record.status, "quiet"))


def _month(text: str | None) -> ReceivedMonth | None:
    with suppress(ValueError):
        return _month_of(date.fromisoformat(f"{text}-01"))
    return None


def _month_of(day: date) -> ReceivedMonth:
    _, days = monthrange(day.year, day.month)
    return ReceivedMonth(f"{day:%Y-%m}", day.replace(day=1), day.replace(day=days))


def _situation(text: str | None) -> Situation | None:
    with suppress(ValueError):
        return Situation(text) if text else None
    return None


def _role(text: str | None) -> Role | None:
    with suppress(ValueError):
        return Role(text) if text else None
    return None


_ONE = "/recebidos/{type}/{document_id:uuid}"
ROUTES = (
    company_page("/recebidos", Capability.READ_RECEIVED, received_documents),
    company_page("/recebidos/totais", Capability.READ_RECEIVED, month_totals),
    company_page(_ONE, Capability.READ_RECEIVED, received_document),
    company_page(f"{_ONE}/xml", Capability.READ_RECEIVED, received_xml),
    company_page(f"{_ONE}/pdf", Capability.READ_RECEIVED, received_pdf),
    company_page(f"{_ONE}/eventos/{{event_id:uuid}}/xml", Capability.READ_RECEIVED, received_event_xml),
)
