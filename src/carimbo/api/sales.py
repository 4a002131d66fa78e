"""Sales, which create the documents of their items."""

from enum import Enum
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentFilingContext,
    CurrentIssuingContext,
    CurrentSubscription,
    RequestedPage,
    services_of,
    subscription_of,
)
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.idempotency import ORDER_CONFLICTS, REPLAYED_HEADER, IdempotencyKey, key_of, replay
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import UNREADY, Responses, error_responses
from carimbo.api.route import ApiRequest, Endpoint, ReadingEndpoint
from carimbo.api.type_routes import ISSUING_REFUSALS
from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import Text
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.errors import ErrorCode
from carimbo.service.json_values import read_exact_json
from carimbo.service.listing import day_at
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.service.sales.change import MergeMode, SaleChanges, change_sale, delete_sale
from carimbo.service.sales.create import SaleOrder, create_sale, find_replay
from carimbo.service.sales.emit import SaleCancellation, cancel_sale, emit_sale
from carimbo.service.sales.record import SaleQuery, SaleRecord, SaleStatus, list_sales, read_sale

_TAGS: list[str | Enum] = ["Vendas"]
_SALES = "/v1/companies/{companyId}/sales"
_SALE = _SALES + "/{id}"
_REFUSALS = (*ISSUING_REFUSALS, ErrorCode.MUNICIPALITY_NOT_SUPPORTED)
_CHANGE_REFUSALS = (ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE, ErrorCode.SALE_ALREADY_INVOICED)
_QUEUED: Responses = {
    ACCEPTED: {"model": Success[SaleRecord], "description": "Documentos a caminho da autoridade."}
}
SaleId = Annotated[UUID, Path(alias="id", description="Id da venda.")]


class CreatingSale(Endpoint):
    """The route that creates sales, and answers repeated orders before their body is validated."""

    async def _answer(self, request: ApiRequest) -> Response:
        existing = await find_replay(
            services_of(request).database,
            subscription_of(request).id,
            request.state.company.id,
            key_of(request),
            request.parsed,
        )
        return replay(existing) if existing else await super()._answer(request)


creating = APIRouter(tags=_TAGS, route_class=CreatingSale, dependencies=OF_COMPANY)
router = APIRouter(tags=_TAGS, route_class=Endpoint, dependencies=OF_COMPANY)
reading = APIRouter(tags=_TAGS, route_class=ReadingEndpoint, dependencies=OF_COMPANY)


async def _query(
    company: CurrentCompany,
    status: Annotated[SaleStatus | None, Query(description="Só as deste status.")] = None,
    customer_id: Annotated[UUID | None, Query(alias="customerId", description="Só as do cliente.")] = None,
    external_id: Annotated[Text | None, Query(alias="externalId", max_length=100)] = None,
    emit_when: Annotated[EmitWhen | None, Query(alias="emitWhen")] = None,
    start_date: Annotated[
        IsoDay | None, Query(alias="startDate", description="Vendidas desde o dia, ou o de uma data e hora.")
    ] = None,
    end_date: Annotated[
        IsoDay | None, Query(alias="endDate", description="Vendidas até o dia, ou o de uma data e hora.")
    ] = None,
) -> SaleQuery:
    state = company.state
    return SaleQuery.model_validate(
        {
            "status": status,
            "customerId": customer_id,
            "externalId": external_id,
            "emitWhen": emit_when,
            "startDate": day_at(start_date, state),
            "endDate": day_at(end_date, state),
        }
    )


@creating.post(
    _SALES,
    operation_id="createSale",
    summary="Registra uma venda e emite os seus documentos",
    description=(
        "Serviços vão em uma NFS-e, produtos em uma NF-e ou NFC-e. Com `emitWhen` immediately os documentos"
        " seguem logo; senão ficam como rascunhos em invoices."
    ),
    response_model=Success[SaleRecord],
    responses=_QUEUED
    | error_responses(*_REFUSALS, *ORDER_CONFLICTS)
    | {
        200: {
            "model": Success[SaleRecord],
            "description": "Venda com rascunhos, ou criada antes com a mesma chave.",
            "headers": REPLAYED_HEADER,
        }
    },
)
async def create(
    http: Request,
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[SaleBody],
    key: IdempotencyKey = None,
) -> Response:
    text = (await http.body()).decode()
    accepted = await create_sale(context, SaleOrder(subscription, company, body, text, key_of(http)))
    if not accepted.is_new:
        return replay(accepted.record)
    return success(accepted.record, ACCEPTED if accepted.goes_now else 200)


@reading.get(
    _SALES,
    operation_id="listSales",
    summary="Lista as vendas",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def list_all(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    query: Annotated[SaleQuery, Depends(_query)],
    page: RequestedPage,
) -> Listing[SaleRecord]:
    return listing(await list_sales(database, subscription.id, company.id, query, page))


@reading.get(
    _SALE, operation_id="readSale", summary="Lê uma venda", responses=error_responses(ErrorCode.NOT_FOUND)
)
async def read(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany, sale_id: SaleId
) -> Success[SaleRecord]:
    return Success(data=await read_sale(database, subscription.id, company.id, sale_id))


# Decorators apply from the bottom up, so PUT is registered before PATCH.
@router.patch(
    _SALE,
    operation_id="patchSale",
    summary="Altera campos de uma venda da qual nada foi emitido",
    description="Como o PUT, mas objetos dentro da venda também se juntam (merge patch, RFC 7396).",
    response_model=Success[SaleRecord],
    responses=_QUEUED | error_responses(*_REFUSALS, *_CHANGE_REFUSALS, ErrorCode.VERSION_CONFLICT),
)
@router.put(
    _SALE,
    operation_id="changeSale",
    summary="Altera uma venda da qual nada foi emitido",
    description=(
        "Campos ausentes ficam como estão; `null` limpa o campo; objetos e listas são trocados por inteiro."
        " Os rascunhos e os documentos rejeitados são feitos de novo, e o que foi corrigido neles se perde;"
        " um documento rejeitado conserva o número. Os documentos esperam por emit-invoice, a não ser que o"
        " corpo traga `emitWhen`."
    ),
    response_model=Success[SaleRecord],
    responses=_QUEUED | error_responses(*_REFUSALS, *_CHANGE_REFUSALS, ErrorCode.VERSION_CONFLICT),
)
async def change(
    http: Request,
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    sale_id: SaleId,
    body: JsonBody[SaleChanges],
) -> Response:
    changes = read_exact_json((await http.body()).decode())
    merging = MergeMode.WHOLE if http.method == "PUT" else MergeMode.DEEP
    changed = await change_sale(context, subscription, company, sale_id, changes, merging)
    return success(changed.record, ACCEPTED if changed.goes_now else 200)


@router.delete(
    _SALE,
    operation_id="deleteSale",
    summary="Exclui uma venda sem documento numerado",
    description="Só enquanto os documentos são rascunhos, ou foram rejeitados antes de ter número.",
    responses=error_responses(*_CHANGE_REFUSALS),
)
async def delete(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany, sale_id: SaleId
) -> Success[Deleted]:
    return Success(data=await delete_sale(database, subscription.id, company.id, sale_id))


@router.post(
    _SALE + "/emit-invoice",
    status_code=ACCEPTED,
    operation_id="emitSale",
    summary="Emite os rascunhos e os documentos rejeitados da venda",
    response_model=Success[SaleRecord],
    responses=error_responses(ErrorCode.INVALID_STATE, ErrorCode.VERSION_CONFLICT, *_REFUSALS),
)
async def emit(
    context: CurrentIssuingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    sale_id: SaleId,
) -> Response:
    return success(await emit_sale(context, subscription, company, sale_id), ACCEPTED)


@router.post(
    _SALE + "/cancel-invoice",
    operation_id="cancelSale",
    summary="Cancela os documentos autorizados da venda",
    description=(
        "Os rascunhos que restam deixam de esperar a sua hora e, cancelado o resto, são excluídos. Um que já"
        " tem número fica, e só é emitido por si, em invoices."
    ),
    response_model=Success[SaleRecord],
    responses=error_responses(
        ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE, ErrorCode.CANCELLATION_DEADLINE_EXCEEDED,
        ErrorCode.AUTHORITY_REJECTED,
        *UNREADY, ErrorCode.FISCAL_RULE_VIOLATION,
    )
    | {
        ACCEPTED: {
            "model": Success[SaleRecord],
            "description": "Uma autoridade ainda não respondeu: o resultado virá pela leitura.",
        }
    },
)  # fmt: skip
async def cancel(
    context: CurrentFilingContext,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    sale_id: SaleId,
    body: JsonBody[SaleCancellation] | None = None,
) -> Response:
    cancellation = body or SaleCancellation()
    record, is_open = await cancel_sale(context, subscription.id, company, sale_id, cancellation)
    return success(record, ACCEPTED if is_open else 200)
