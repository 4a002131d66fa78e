"""The subscription: its API credentials, its plan and its use."""

from fastapi import APIRouter

from carimbo.api.context import CurrentServices, CurrentSubscription
from carimbo.api.envelope import Success
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import error_responses
from carimbo.api.route import Endpoint
from carimbo.service.access import (
    CredentialRecord,
    RotatedCredential,
    RotationRequest,
    read_credential,
    rotate_credential,
)
from carimbo.service.subscriptions import SubscriptionRecord, read_subscription

router = APIRouter(tags=["Assinatura"], route_class=Endpoint)


@router.get(
    "/v1/subscription",
    operation_id="readSubscription",
    summary="Lê o plano e o consumo",
    responses=error_responses(),
)
async def read_plan_and_use(
    services: CurrentServices, subscription: CurrentSubscription
) -> Success[SubscriptionRecord]:
    return Success(data=await read_subscription(services.database, subscription, services.clock()))


@router.get(
    "/v1/user/api-credentials",
    operation_id="readCredential",
    summary="Lê a credencial",
    responses=error_responses(),
)
async def read_api_credential(
    services: CurrentServices, subscription: CurrentSubscription
) -> Success[CredentialRecord]:
    return Success(data=await read_credential(services.database, subscription))


@router.post(
    "/v1/user/api-credentials",
    operation_id="rotateCredential",
    summary="Troca a senha da credencial",
    description="A nova senha aparece só nesta resposta.",
    responses=error_responses(),
)
async def rotate_api_credential(
    services: CurrentServices,
    subscription: CurrentSubscription,
    body: JsonBody[RotationRequest] | None = None,
) -> Success[RotatedCredential]:
    request = body or RotationRequest()
    return Success(data=await rotate_credential(services.authenticator, subscription.id, request))
