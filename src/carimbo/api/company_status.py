"""Whether a company can issue now."""

from fastapi import APIRouter

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentServices, CurrentSubscription
from carimbo.api.documented import refuses
from carimbo.api.envelope import Success
from carimbo.api.route import Endpoint
from carimbo.service.company_status import CompanyStatusRecord, read_status
from carimbo.service.errors import Code

router = APIRouter(tags=["Empresas"], route_class=Endpoint)


@router.get(
    "/v1/companies/{companyId}/status",
    operation_id="readCompanyStatus",
    dependencies=OF_COMPANY,
    summary="Mostra se a empresa pode emitir",
    description="O que falta, o que pede atenção, se as autoridades respondem e o que está em andamento.",
    responses=refuses(Code.NOT_FOUND),
)
async def read_company_status(
    services: CurrentServices, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CompanyStatusRecord]:
    return Success(data=await read_status(services.watch, subscription.id, company))
