"""Webhooks of a subscription, and the log of what they were sent."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Response

from carimbo.api.context import CurrentDatabase, CurrentServices, CurrentSubscription, RequestedPage
from carimbo.api.documented import Answers, refuses
from carimbo.api.envelope import ACCEPTED, Listing, Success, listing, success
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint
from carimbo.service.companies import Deleted
from carimbo.service.delivery import deliveries, webhooks
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.chosen_events import EventName
from carimbo.service.delivery.deliveries import DeliveryRecord, DeliveryReference, DetailedDelivery
from carimbo.service.delivery.signing_secrets import RotatedSecret, SecretRotation, rotate_secret
from carimbo.service.delivery.webhook_bodies import Activity, WebhookBody, WebhookChanges
from carimbo.service.delivery.webhooks import CreatedWebhook, WebhookRecord
from carimbo.service.errors import Code

router = APIRouter(prefix="/v1/webhooks", tags=["Webhooks"], route_class=Endpoint)
WebhookId = Annotated[UUID, Path(alias="id", description="Id do webhook.")]
_NOT_ATTEMPTED_YET: Answers = {
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


WhichDelivery = Annotated[DeliveryReference, Depends(_delivery)]


@router.get("", operation_id="listWebhooks", summary="Lista os webhooks", responses=refuses())
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
    responses=refuses(),
)
async def create_webhook(
    services: CurrentServices, subscription: CurrentSubscription, body: JsonBody[WebhookBody]
) -> Success[CreatedWebhook]:
    created = await webhooks.create_webhook(services.database, services.guard, subscription.id, body)
    return Success(data=created)


@router.get("/{id}", operation_id="readWebhook", summary="Lê um webhook", responses=refuses(Code.NOT_FOUND))
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
    responses=refuses(Code.NOT_FOUND),
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
    responses=refuses(Code.NOT_FOUND),
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
    responses=refuses(Code.NOT_FOUND),
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
    responses=refuses(Code.NOT_FOUND),
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
    responses=refuses(Code.NOT_FOUND) | _NOT_ATTEMPTED_YET,
)
async def test_webhook(
    services: CurrentServices, subscription: CurrentSubscription, webhook_id: WebhookId
) -> Response:
    patience = services.desk.patience
    sent = await deliveries.send_test(services.database, subscription.id, webhook_id, patience)
    return success(sent, 200 if sent.attempts else ACCEPTED)


@router.get(
    "/{id}/deliveries",
    operation_id="listDeliveries",
    summary="Lista as entregas de um webhook",
    responses=refuses(Code.NOT_FOUND),
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
    responses=refuses(Code.NOT_FOUND),
)
async def read_delivery(database: CurrentDatabase, which: WhichDelivery) -> Success[DetailedDelivery]:
    return Success(data=await deliveries.read_delivery(database, which))


@router.post(
    "/{id}/deliveries/{deliveryId}/redeliver",
    operation_id="redeliver",
    summary="Envia de novo um evento",
    description="O evento vai com o mesmo id e, se falhar, é tentado de novo como da primeira vez.",
    status_code=ACCEPTED,
    responses=refuses(Code.NOT_FOUND, Code.INVALID_STATE),
)
async def redeliver(database: CurrentDatabase, which: WhichDelivery) -> Success[DeliveryRecord]:
    return Success(data=await deliveries.redeliver(database, which))
