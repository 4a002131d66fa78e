"""The numbering ledger of a company, and giving up the numbers that are missing in it."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDesk,
    CurrentServices,
    CurrentSubscription,
)
from carimbo.api.documented import UNREADY, refuses
from carimbo.api.envelope import ACCEPTED, Success
from carimbo.api.invoices import TypeName
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint
from carimbo.service import numbering
from carimbo.service.errors import Code
from carimbo.service.filing.inutilize import InutilizationRecord
from carimbo.service.numbering import GapsRequest, NumberingRecord

router = APIRouter(
    prefix="/v1/companies/{companyId}/numbering",
    tags=["Numeração"],
    route_class=Endpoint,
    dependencies=OF_COMPANY,
)


@router.get(
    "",
    operation_id="readNumbering",
    summary="Mostra a numeração de cada série e as suas lacunas",
    description="Lacuna é o número que não virou documento, com o motivo e o prazo para inutilizá-lo.",
    responses=refuses(Code.NOT_FOUND),
)
async def read_numbering(
    services: CurrentServices,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    type_name: Annotated[TypeName | None, Query(alias="type", description="Só a deste tipo.")] = None,
) -> Success[list[NumberingRecord]]:
    now = services.clock()
    ledger = await numbering.read_ledger(services.database, subscription.id, company, type_name, now)
    return Success(data=ledger)


@router.post(
    "/inutilize-gaps",
    status_code=ACCEPTED,
    operation_id="inutilizeGaps",
    summary="Inutiliza os números que não viraram documentos",
    description="Abrange as lacunas que podem ser inutilizadas no ambiente atual da empresa. "
    "O resultado de cada faixa vem pela leitura da inutilização.",
    responses=refuses(Code.NOT_FOUND, *UNREADY, Code.FISCAL_RULE_VIOLATION)
    | {200: {"model": Success[list[InutilizationRecord]], "description": "Não há o que inutilizar."}},
)
async def inutilize_gaps(
    response: Response,
    desk: CurrentDesk,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[GapsRequest] | None = None,
) -> Success[list[InutilizationRecord]]:
    filed = await numbering.inutilize_gaps(desk, subscription.id, company, body or GapsRequest())
    response.status_code = ACCEPTED if filed else 200
    return Success(data=filed)
