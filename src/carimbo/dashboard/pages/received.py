"""Received documents: the inbox of each type, and the sums of a month."""

from calendar import monthrange
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from starlette.responses import Response

from carimbo.dashboard.contents import TAX_NAMES
from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import Badge, badges
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.local_time import in_local_time
from carimbo.fiscal.receiving import PENDING, Role, Situation
from carimbo.service.document_types import RECEIVED_TYPES, receiving_of_type
from carimbo.service.exports.lists import export_received
from carimbo.service.people.roles import Capability
from carimbo.service.receiving import queries
from carimbo.service.receiving.queries import ReceivedQuery
from carimbo.service.receiving.record import ReceivedRecord
from carimbo.service.receiving.stream_warnings import StreamWarningCode
from carimbo.service.receiving.sync import read_streams_of_type
from carimbo.service.words import COMPANY_ROLES, SITUATIONS, manifestation_word, manifestation_words

SITUATION_BADGES = badges(
    SITUATIONS,
    {
        Situation.AUTHORIZED: "good",
        Situation.CORRECTED: "warn",
        Situation.CANCELED: "bad",
        Situation.DENIED: "bad",
    },
)
_WARNINGS: Mapping[str, str] = {
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
        situation=visit.choice("situacao", Situation),
        role=visit.choice("papel", Role),
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
        rows=[(record, statement_badge(document_type, record)) for record in listed.items],
        total=listed.total,
        document_type=document_type,
        types=RECEIVED_TYPES,
        streams=await read_streams_of_type(context, visit.subscription_id, visit.company, document_type),
        warning_titles=_WARNINGS,
        statements=_statements(document_type),
        situations=SITUATION_BADGES,
        roles=COMPANY_ROLES,
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


def statement_badge(document_type: DocumentType, record: ReceivedRecord) -> Badge:
    """Returns what the company has said about a document, or that it need not say anything."""
    badge, word = _statements(document_type).get(record.status), manifestation_word(record)
    return badge if badge and badge.text == word else Badge(word, "quiet")


def _statements(document_type: DocumentType) -> Mapping[str, Badge]:
    """Returns the badges of what a company can say about documents of a type, by their status."""
    receiving = receiving_of_type(document_type)
    tones = {PENDING: "warn" if receiving.must_conclude else "quiet"}
    for kind in receiving.responses:
        if kind.undoes is None:
            tones[kind.name] = "bad" if kind.denies else "good" if kind.is_conclusive else "busy"
    return badges(manifestation_words(document_type), tones)


def _month(text: str | None) -> ReceivedMonth | None:
    with suppress(ValueError):
        return _month_of(date.fromisoformat(f"{text}-01"))
    return None


def _month_of(day: date) -> ReceivedMonth:
    _, days = monthrange(day.year, day.month)
    return ReceivedMonth(f"{day:%Y-%m}", day.replace(day=1), day.replace(day=days))


ROUTES = (
    company_page("/recebidos", Capability.READ_RECEIVED, received_documents),
    company_page("/recebidos/totais", Capability.READ_RECEIVED, month_totals),
)
