"""Which way a company's documents go when an authority is out of service, and who decides it."""

from fastapi import APIRouter

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentServices, CurrentSubscription
from carimbo.api.documented import refuses
from carimbo.api.envelope import Success
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint
from carimbo.service.company_contingency import (
    CompanyContingencyRecord,
    ContingencyChange,
    change_contingency,
    read_contingency,
)
from carimbo.service.errors import Code
from carimbo.storage.companies import Company

router = APIRouter(tags=["Empresas"], route_class=Endpoint)
_PATH = "/v1/companies/{companyId}/contingency"


async def _shown(
    services: CurrentServices, subscription: CurrentSubscription, company: Company
) -> Success[CompanyContingencyRecord]:
    watch = services.watch
    return Success(
        data=await read_contingency(watch.dossiers, watch.outages, subscription.id, company, services.clock())
    )


@router.get(
    _PATH,
    operation_id="readContingency",
    dependencies=OF_COMPANY,
    summary="Mostra por onde vão os documentos",
    description="Se vão à autoridade normal ou à de contingência (SVC), desde quando e por quê.",
    responses=refuses(Code.NOT_FOUND),
)
async def read_company_contingency(
    services: CurrentServices, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CompanyContingencyRecord]:
    return await _shown(services, subscription, company)


@router.put(
    _PATH,
    operation_id="changeContingency",
    dependencies=OF_COMPANY,
    summary="Força, proíbe ou deixa automática a contingência",
    responses=refuses(Code.NOT_FOUND),
)
async def change_company_contingency(
    services: CurrentServices,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[ContingencyChange],
) -> Success[CompanyContingencyRecord]:
    changed = await change_contingency(services.database, subscription.id, company, body)
    return await _shown(services, subscription, changed)
