"""Webhooks of a subscription, the log of their deliveries, and the feed of events."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Response

from carimbo.api.context import (
    MAX_PAGE_SIZE,
    CurrentDatabase,
    CurrentLinks,
    CurrentServices,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import Responses, error_responses
from carimbo.api.route import Endpoint
from carimbo.fiscal.body.fields import Record
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.delivery import deliveries, event_list, webhooks
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.deliveries import (
    DeliveryRecord,
    DeliveryReference,
    DetailedDelivery,
    FailedSince,
    RedeliveredRecord,
)
from carimbo.service.delivery.payload import EventPayload
from carimbo.service.delivery.webhook_bodies import Activity, EventName, WebhookBody, WebhookChanges
from carimbo.service.delivery.webhooks import (
    CreatedWebhook,
    RotatedSecret,
    SecretRotation,
    WebhookRecord,
    rotate_secret,
)
from carimbo.service.errors import ErrorCode

router = APIRouter(prefix="/v1/webhooks", tags=["Webhooks"], route_class=Endpoint)
WebhookId = Annotated[UUID, Path(alias="id", description="Id do webhook.")]
_NOT_ATTEMPTED_YET: Responses = {
    ACCEPTED: {
        "model": Success[DetailedDelivery],
        "description": "O evento ainda não foi enviado: o resultado virá pela leitura da entrega.",
    }
}


async def _delivery(
    subscription: CurrentSubscription,
    webhook_id: WebhookId,
    delivery_id: Annotated[UUID, Path(alias="deliveryId", description="Id da entrega.")],
) -> DeliveryReference:
    return DeliveryReference(subscription.id, webhook_id, delivery_id)


RequestedDelivery = Annotated[DeliveryReference, Depends(_delivery)]


@router.get("", operation_id="listWebhooks", summary="Lista os webhooks", responses=error_responses())
async def list_webhooks(
    database: CurrentDatabase, subscription: CurrentSubscription, page: RequestedPage
) -> Listing[WebhookRecord]:
    return listing(await webhooks.list_webhooks(database, subscription.id, page))


@router.post(
    "",
    operation_id="createWebhook",
    summary="Cria um webhook",
    description="Vale para todas as empresas da assinatura. A chave das assinaturas, `secret`, aparece só"
    " nesta resposta.",
    responses=error_responses(),
)
async def create_webhook(
    services: CurrentServices, subscription: CurrentSubscription, body: JsonBody[WebhookBody]
) -> Success[CreatedWebhook]:
    created = await webhooks.create_webhook(services.database, services.guard, subscription.id, body)
    return Success(data=created)


@router.get(
    "/{id}",
    operation_id="readWebhook",
    summary="Lê um webhook",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_webhook(
    database: CurrentDatabase, subscription: CurrentSubscription, webhook_id: WebhookId
) -> Success[WebhookRecord]:
    return Success(data=await webhooks.read_webhook(database, subscription.id, webhook_id))


@router.put(
    "/{id}",
    operation_id="replaceWebhook",
    summary="Altera um webhook",
    description="Campos ausentes ficam como estão; `null` limpa o campo; listas são trocadas por inteiro. O"
    " registro lido pode ser reenviado: um cabeçalho com o valor mascarado mantém o que está guardado.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def replace_webhook(
    services: CurrentServices,
    subscription: CurrentSubscription,
    webhook_id: WebhookId,
    body: JsonBody[WebhookChanges],
) -> Success[WebhookRecord]:
    database, guard = services.database, services.guard
    return Success(data=await webhooks.replace_webhook(database, guard, subscription.id, webhook_id, body))


@router.patch(
    "/{id}/active",
    operation_id="setWebhookActive",
    summary="Ativa ou desativa um webhook",
    description="O que um webhook inativo tem a receber espera até que seja ativado; eventos de enquanto está"
    " inativo não lhe são enviados.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def set_active(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    webhook_id: WebhookId,
    body: JsonBody[Activity],
) -> Success[WebhookRecord]:
    return Success(data=await webhooks.set_activity(database, subscription.id, webhook_id, body))


@router.delete(
    "/{id}",
    operation_id="deleteWebhook",
    summary="Exclui um webhook",
    description="As suas entregas são excluídas também, e as que faltavam não são mais enviadas.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def delete_webhook(
    database: CurrentDatabase, subscription: CurrentSubscription, webhook_id: WebhookId
) -> Success[Deleted]:
    return Success(data=await webhooks.delete_webhook(database, subscription.id, webhook_id))


@router.post(
    "/{id}/rotate-secret",
    operation_id="rotateWebhookSecret",
    summary="Troca a chave das assinaturas",
    description="A nova chave aparece só nesta resposta. Por 24 horas, ou pelas de `overlapHours`, as"
    " entregas levam as assinaturas da chave nova e da anterior.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def rotate_webhook_secret(
    services: CurrentServices,
    subscription: CurrentSubscription,
    webhook_id: WebhookId,
    body: JsonBody[SecretRotation] | None = None,
) -> Success[RotatedSecret]:
    database, request = services.database, body or SecretRotation()
    rotated = await rotate_secret(database, subscription.id, webhook_id, request)
    return Success(data=rotated)


@router.post(
    "/{id}/test",
    operation_id="testWebhook",
    summary="Envia um evento de teste",
    description="Envia `webhook.test` uma vez, também a um webhook inativo, e mostra o que foi respondido.",
    response_model=Success[DetailedDelivery],
    responses=error_responses(ErrorCode.NOT_FOUND) | _NOT_ATTEMPTED_YET,
)
async def test_webhook(
    services: CurrentServices, subscription: CurrentSubscription, webhook_id: WebhookId
) -> Response:
    max_wait = services.filing.max_wait
    sent = await deliveries.send_test(services.database, subscription.id, webhook_id, max_wait)
    return success(sent, 200 if sent.attempts else ACCEPTED)


@router.get(
    "/{id}/deliveries",
    operation_id="listDeliveries",
    summary="Lista as entregas de um webhook",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def list_deliveries(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    webhook_id: WebhookId,
    page: RequestedPage,
    status: Annotated[DeliveryStatus | None, Query(description="Só as deste status.")] = None,
    event: Annotated[EventName | None, Query(description="Só as deste evento.")] = None,
) -> Listing[DeliveryRecord]:
    wanted = deliveries.filter_of(status, event)
    return listing(await deliveries.list_deliveries(database, subscription.id, webhook_id, wanted, page))


@router.get(
    "/{id}/deliveries/{deliveryId}",
    operation_id="readDelivery",
    summary="Lê uma entrega com as suas tentativas",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_delivery(database: CurrentDatabase, reference: RequestedDelivery) -> Success[DetailedDelivery]:
    return Success(data=await deliveries.read_delivery(database, reference))


@router.post(
    "/{id}/deliveries/{deliveryId}/redeliver",
    operation_id="redeliver",
    summary="Envia de novo um evento",
    description="O evento vai com o mesmo id e, se falhar, é tentado de novo como da primeira vez.",
    status_code=ACCEPTED,
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def redeliver(database: CurrentDatabase, reference: RequestedDelivery) -> Success[DeliveryRecord]:
    return Success(data=await deliveries.redeliver(database, reference))


@router.post(
    "/{id}/redeliver-failed",
    operation_id="redeliverFailed",
    summary="Envia de novo todos os eventos que falharam",
    description="Para depois de uma parada do receptor: as entregas que falharam desde `since` voltam à fila."
    " As de um documento vão na ordem dos eventos. Os testes ficam de fora.",
    status_code=ACCEPTED,
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def redeliver_failed(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    webhook_id: WebhookId,
    body: JsonBody[FailedSince],
) -> Success[RedeliveredRecord]:
    redelivered = await deliveries.redeliver_failed(database, subscription.id, webhook_id, body.since)
    return Success(data=redelivered)


event_router = APIRouter(tags=["Webhooks"], route_class=Endpoint)


class CursorInfo(Record):
    """The position of a reader in the feed."""

    has_more: bool
    next_cursor: UUID | None


class EventFeed(Record):
    """The next events, oldest first."""

    success: Literal[True] = True
    data: list[EventPayload]
    page_info: CursorInfo


@event_router.get(
    "/v1/events",
    operation_id="listEvents",
    summary="Lista os eventos, do mais antigo ao mais novo",
    description="Cada evento vem como o webhook o envia. Informe o `nextCursor` de uma leitura no `after` da"
    " seguinte: nenhum evento é pulado.",
    responses=error_responses(),
)
async def list_events(
    database: CurrentDatabase,
    links: CurrentLinks,
    subscription: CurrentSubscription,
    after: Annotated[
        UUID | None, Query(description="Id do último evento conhecido; na falta, desde o primeiro.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Eventos por leitura.")] = 20,
) -> EventFeed:
    page = await event_list.read_events(database, links, subscription.id, after, limit)
    info = CursorInfo(has_more=page.has_more, next_cursor=page.next_cursor)
    return EventFeed(data=page.events, page_info=info)
