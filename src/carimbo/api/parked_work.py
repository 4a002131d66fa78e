"""Parked work of a subscription: its list, and resuming or dismissing an item."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from carimbo.api.context import CurrentDatabase, CurrentServices, CurrentSubscription, RequestedPage
from carimbo.api.envelope import Listing, Success, listing
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import error_responses
from carimbo.api.route import Endpoint
from carimbo.service import parked_work
from carimbo.service.errors import ErrorCode
from carimbo.service.parked_work import Dismissal, ParkedWorkRecord
from carimbo.storage.parked_work import WorkOwner

router = APIRouter(prefix="/v1/parked-work", tags=["Trabalho parado"], route_class=Endpoint)
WorkId = Annotated[UUID, Path(alias="id", description="Id do trabalho, como na lista.")]


@router.get(
    "",
    operation_id="listParkedWork",
    summary="Lista o trabalho parado",
    description="O que falhou vezes demais, ou que quem opera o serviço pôs de lado, e espera uma pessoa.",
    responses=error_responses(),
)
async def list_parked_work(
    database: CurrentDatabase, subscription: CurrentSubscription, page: RequestedPage
) -> Listing[ParkedWorkRecord]:
    return listing(await parked_work.list_parked_work(database, WorkOwner(subscription.id), page))


@router.post(
    "/{id}/resume",
    operation_id="resumeParkedWork",
    summary="Retoma um trabalho parado",
    description="Continua de onde parou: sobre um documento já enviado, a autoridade é consultada antes."
    " O que quem opera o serviço pôs de lado, como depois de restaurar um backup, só quem opera o serviço"
    " retoma.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def resume_parked_work(
    database: CurrentDatabase, subscription: CurrentSubscription, work_id: WorkId
) -> Success[ParkedWorkRecord]:
    resumed = await parked_work.resume_parked_work(database, WorkOwner(subscription.id), work_id)
    return Success(data=resumed)


@router.post(
    "/{id}/dismiss",
    operation_id="dismissParkedWork",
    summary="Encerra um documento parado",
    description="O documento fica rejeitado, com o motivo como mensagem. Só um documento que a autoridade não"
    " pode ter é encerrado.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def dismiss_parked_work(
    services: CurrentServices,
    subscription: CurrentSubscription,
    work_id: WorkId,
    body: JsonBody[Dismissal] | None = None,
) -> Success[ParkedWorkRecord]:
    dismissed = await parked_work.dismiss_parked_work(
        services.database,
        WorkOwner(subscription.id),
        work_id,
        body or Dismissal(),
        services.clock(),
        services.in_flight_limit,
    )
    return Success(data=dismissed)
