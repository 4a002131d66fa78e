"""The routes of received documents: the inbox of each kind, its synchronisation, and statements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, File, Path, Query, Request, Response, UploadFile

from carimbo.api.context import (
    MAX_PAGE_SIZE,
    CurrentCompany,
    CurrentDatabase,
    CurrentFilingContext,
    CurrentIssuingContext,
    CurrentLinks,
    CurrentPrintouts,
    CurrentSubscription,
    search_parameter,
)
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.filings import EventId
from carimbo.api.idempotency import IdempotencyKey, key_of, replay
from carimbo.api.json_body import JsonBody
from carimbo.api.printouts import PDF_ANSWERS, CachedVersions, PdfResponse, pdf_response
from carimbo.api.response_docs import UNREADY, error_responses
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import (
    ISSUING_REFUSALS,
    CurrentType,
    XmlResponse,
    add_no_record,
    company_router,
    name_of,
    xml_response,
)
from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.receiving import Receiving, ResponseKind, ReturnDraftRequest, Role, Situation
from carimbo.service.document_types import RECEIVED_TYPES
from carimbo.service.documents.record import DocumentRecord
from carimbo.service.errors import ErrorCode
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.listing import PageRequest
from carimbo.service.receiving import queries
from carimbo.service.receiving.drafts import draft_return
from carimbo.service.receiving.importing import import_received
from carimbo.service.receiving.manifest import ManifestationRecord, manifest
from carimbo.service.receiving.queries import MonthRecord, ReceivedQuery, ReceivedReference
from carimbo.service.receiving.record import ReceivedDetailsRecord, ReceivedEventRecord, ReceivedRecord
from carimbo.service.receiving.sync import QueuedSync, SyncStopped, stop_sync, sync
from carimbo.service.receiving.whole_xml import ReceivedXml, read_received_event_xml, read_received_xml

router = company_router(Endpoint)
_SYNC = (
    "A empresa passa a ser consultada sozinha, de hora em hora. A autoridade bloqueia quem pergunta antes:"
    " por isso a resposta é sempre 202, e `scheduledFor` diz quando será a consulta."
)
_IMPORT = (
    "Para o que a distribuição não dá, como o que tem mais de 90 dias, ou um documento que a própria empresa"
    " emitiu em outro programa. Completa o resumo que já houver."
)
_TOTALS = (
    "Só contam os documentos com o XML inteiro em que a empresa é destinatária ou tomadora. Não contam os"
    " cancelados, os denegados, e aqueles que ela recusou, desconhece ou declarou em desacordo."
)
_RETURN = (
    "Sem corpo, volta toda a nota. Com `items`, só esses itens, com `quantity` se não voltam inteiros:"
    " valores, bases e tributos são os dessa parte. O rascunho fica em `pending`, para revisar, corrigir com"
    " PATCH e emitir: confira os CFOP. Um PATCH da quantidade não muda os tributos."
)
_PENDING = "A autoridade ainda não respondeu: o resultado virá em `…/{id}/events`."
_DATES = "dia, ou data e hora; sem fuso, no horário da empresa"

ReceivedId = Annotated[UUID, Path(alias="id", description="Id do documento recebido.")]


async def _reference(
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    document_id: ReceivedId,
) -> ReceivedReference:
    return ReceivedReference(subscription.id, company.id, document_type, document_id)


RequestedReceived = Annotated[ReceivedReference, Depends(_reference)]


async def _query(
    status: Annotated[str | None, Query(max_length=40, description="Só os deste status.")] = None,
    situation: Annotated[Situation | None, Query(description="Só os desta situação.")] = None,
    role: Annotated[Role | None, Query(description="Só aqueles em que a empresa tem este papel.")] = None,
    start_date: Annotated[
        IsoDay | None, Query(alias="startDate", description=f"Emitidos desde: {_DATES}.")
    ] = None,
    end_date: Annotated[
        IsoDay | None, Query(alias="endDate", description=f"Emitidos até: {_DATES}. Um dia conta inteiro.")
    ] = None,
    search: Annotated[
        str,
        search_parameter(
            "Começo de palavras do nome do emitente, ou número, chave de acesso, CPF ou CNPJ inteiros",
            "papelaria",
        ),
    ] = "",
    after: Annotated[
        int | None,
        Query(
            ge=0,
            le=2**62,
            description="Só os que mudaram depois desta `version`, na ordem das mudanças; não se combina"
            " com filtros nem com page, e `total` conta os desta resposta. Comece com 0, e siga com a última"
            " que veio até não vir nenhum.",
        ),
    ] = None,
) -> ReceivedQuery:
    return ReceivedQuery(
        status=status,
        situation=situation,
        role=role,
        start_date=start_date,
        end_date=end_date,
        search=search,
        after=after,
    )


async def _page(
    page: Annotated[int, Query(ge=1, le=10_000_000, description="Página, a partir de 1.")] = 1,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Itens por página.")] = 20,
) -> PageRequest:
    return PageRequest(page, limit)


async def _list(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    query: Annotated[ReceivedQuery, Depends(_query)],
    page: Annotated[PageRequest, Depends(_page)],
) -> Listing[ReceivedRecord]:
    return listing(await queries.list_received(context, subscription.id, company, document_type, query, page))


async def _sync(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
) -> Response:
    return success(await sync(context, subscription.id, company, document_type), ACCEPTED)


async def _stop(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
) -> Success[SyncStopped]:
    return Success(data=await stop_sync(context, subscription.id, company, document_type))


async def _read(database: CurrentDatabase, which: RequestedReceived) -> Success[ReceivedDetailsRecord]:
    return Success(data=await queries.read_received(database, which))


async def _xml(
    context: CurrentIssuingContext, links: CurrentLinks, company: CurrentCompany, which: RequestedReceived
) -> Success[ReceivedXml]:
    return Success(data=await read_received_xml(context, links, company, which))


async def _events(database: CurrentDatabase, which: RequestedReceived) -> Success[list[ReceivedEventRecord]]:
    return Success(data=await queries.read_received_events(database, which))


async def _event_xml(database: CurrentDatabase, which: RequestedReceived, event_id: EventId) -> Response:
    return xml_response(await read_received_event_xml(database, which, event_id))


async def _pdf(printouts: CurrentPrintouts, which: RequestedReceived, versions: CachedVersions) -> Response:
    return pdf_response(await printouts.received(which, versions), versions)


async def _import(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    file: Annotated[UploadFile, File(description="O XML do documento com o seu protocolo.")],
) -> Success[ReceivedRecord]:
    xml = await file.read()
    return Success(data=await import_received(context, subscription.id, company, document_type, xml))


async def _totals(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    document_type: CurrentType,
    month: Annotated[
        str,
        Query(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])$", description="Mês da emissão.", examples=["2026-11"]),
    ],
) -> Success[MonthRecord]:
    first_day = date.fromisoformat(f"{month}-01")
    return Success(data=await queries.read_month(context, subscription.id, company, document_type, first_day))


async def _draft_return(
    http: Request,
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    which: RequestedReceived,
    body: JsonBody[ReturnDraftRequest] | None = None,
    key: IdempotencyKey = None,
) -> Response:
    chosen = body or ReturnDraftRequest()
    accepted = await draft_return(context, subscription, company, which, chosen, key_of(http))
    return success(accepted.record, ACCEPTED) if accepted.is_new else replay(accepted.record)


def _manifest(kinds: Sequence[ResponseKind]) -> Callable[..., Any]:
    """Returns the handler of the statements that share a route."""
    request_body: Any = kinds[0].request

    async def make(
        context: CurrentFilingContext, company: CurrentCompany, which: RequestedReceived, body: Body
    ) -> Response:
        kind = next(kind for kind in kinds if kind.chosen_by(body))
        record = await manifest(context, company, which, kind.name, body)
        is_open = record.manifestation_status is FilingStatus.PROCESSING
        return success(record, ACCEPTED if is_open else 200)

    async def make_without_body(
        context: CurrentFilingContext, company: CurrentCompany, which: RequestedReceived
    ) -> Response:
        return await make(context, company, which, request_body())

    make.__annotations__["body"] = JsonBody[request_body]  # type: ignore[misc]
    return make if request_body.model_fields else make_without_body


@dataclass(frozen=True)
class _ReceivedRoutes:
    """Adds the routes of the received documents of one type."""

    document_type: DocumentType
    receiving: Receiving

    def add(
        self,
        method: str,
        path: str,
        operation: str,
        summary: str,
        handler: Any,
        *codes: ErrorCode,
        **more: Any,
    ) -> None:
        """Adds a route below the collection; `{name}` in the operation is that of the collection."""
        received = "recebidos" if self.document_type.is_masculine else "recebidas"
        endpoint = ReadingEndpoint if method == "GET" else Endpoint
        router.add_api_route(
            f"/{self.receiving.collection}{path}",
            handler,
            methods=[method],
            tags=[f"{self.document_type.title} {received}"],
            operation_id=operation.format(name=f"Received{name_of(self.document_type)}"),
            summary=summary,
            responses=more.pop("answers", {}) | error_responses(ErrorCode.NOT_FOUND, *codes),
            route_class_override=endpoint.of_type(self.document_type),
            **more,
        )

    def add_all(self) -> None:
        """Adds every route; fixed paths come before those with an id."""
        title = self.document_type.plural_with_article
        self.add("GET", "", "list{name}s", f"Lista {title} que outros emitiram para a empresa", _list)
        self._add_sync()
        self.add(
            "POST", "/import", "import{name}", "Importa o XML de um documento", _import, description=_IMPORT
        )
        sums = "Soma um mês por CFOP, imposto e CST"
        self.add("GET", "/totals", "total{name}s", sums, _totals, description=_TOTALS)
        for path in ("/sync", "/import"):
            add_no_record(router, f"/{self.receiving.collection}{path}", "GET")
        self._add_reading()
        self._add_responses()
        if self.receiving.return_draft:
            self._add_return()

    def _add_reading(self) -> None:
        self.add("GET", "/{id}", "read{name}", "Lê um documento recebido, com itens e partes", _read)
        self.add("GET", "/{id}/xml", "read{name}Xml", "Lê o XML de um documento recebido", _xml)
        self.add("GET", "/{id}/events", "list{name}Events", "Lê os eventos de um documento recebido", _events)
        self.add(
            "GET",
            "/{id}/events/{eventId}/xml",
            "read{name}EventXml",
            "Baixa o XML de um evento de um documento recebido",
            _event_xml,
            ErrorCode.INVALID_STATE,
            response_class=XmlResponse,
        )
        self.add(
            "GET",
            "/{id}/pdf",
            "read{name}Pdf",
            "Imprime um documento recebido em PDF",
            _pdf,
            ErrorCode.INVALID_STATE,
            answers=PDF_ANSWERS,
            response_class=PdfResponse,
        )

    def _add_sync(self) -> None:
        self.add(
            "POST",
            "/sync",
            "sync{name}s",
            "Acompanha a distribuição e consulta assim que a autoridade permite",
            _sync,
            *UNREADY,
            status_code=ACCEPTED,
            response_model=Success[QueuedSync],
            description=_SYNC,
        )
        self.add("DELETE", "/sync", "stop{name}s", "Deixa de acompanhar a distribuição", _stop)

    def _add_return(self) -> None:
        self.add(
            "POST",
            "/{id}/return-draft",
            "draftReturnOf{name}",
            "Faz o rascunho da nota de devolução",
            _draft_return,
            ErrorCode.INVALID_STATE,
            *ISSUING_REFUSALS,
            status_code=ACCEPTED,
            response_model=Success[DocumentRecord],
            description=_RETURN,
        )

    def _add_responses(self) -> None:
        routes = dict.fromkeys(kind.route for kind in self.receiving.responses)
        for route in routes:
            kinds = [kind for kind in self.receiving.responses if kind.route == route]
            self.add(
                route.method,
                f"/{{id}}{route.path}",
                f"{route.operation}{{name}}",
                route.summary,
                _manifest(kinds),
                ErrorCode.INVALID_STATE,
                ErrorCode.FISCAL_RULE_VIOLATION,
                ErrorCode.AUTHORITY_REJECTED,
                ErrorCode.MANIFEST_DEADLINE_EXCEEDED,
                *UNREADY,
                response_model=Success[ManifestationRecord],
                answers={ACCEPTED: {"model": Success[ManifestationRecord], "description": _PENDING}},
            )


for _document_type in RECEIVED_TYPES:
    if _document_type.receiving:
        _ReceivedRoutes(_document_type, _document_type.receiving).add_all()
