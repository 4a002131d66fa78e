"""A company's settings, and the subscription's only company with its settings."""

from fastapi import APIRouter

from carimbo.api.context import OF_COMPANY, CurrentCompany, CurrentDatabase, CurrentSubscription
from carimbo.api.documented import refuses
from carimbo.api.envelope import Success
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint
from carimbo.service import company_settings
from carimbo.service.company_settings import CompanySettings, CompanyWithSettings, CompanyWithSettingsRecord
from carimbo.service.errors import Code

router = APIRouter(tags=["Configurações"], route_class=Endpoint)


@router.get(
    "/v1/companies/{companyId}/settings",
    operation_id="readSettings",
    dependencies=OF_COMPANY,
    summary="Lê as configurações da empresa",
    description="Segredos voltam mascarados.",
    responses=refuses(Code.NOT_FOUND),
)
async def read_settings(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
) -> Success[CompanySettings]:
    return Success(data=await company_settings.read_settings(database, subscription.id, company.id))


@router.put(
    "/v1/companies/{companyId}/settings",
    operation_id="changeSettings",
    dependencies=OF_COMPANY,
    summary="Altera as configurações da empresa",
    description="O que não for enviado fica como está. `number` é o próximo da série no ambiente atual.",
    responses=refuses(Code.NOT_FOUND),
)
async def change_settings(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[CompanySettings],
) -> Success[CompanySettings]:
    return Success(data=await company_settings.change_settings(database, subscription.id, company.id, body))


@router.get(
    "/v1/company",
    operation_id="readOnlyCompany",
    summary="Lê a única empresa da assinatura",
    responses=refuses(Code.NOT_FOUND, Code.COMPANY_AMBIGUOUS),
)
async def read_only_company(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CompanyWithSettingsRecord]:
    found = await company_settings.read_company_with_settings(database, subscription.id, company.id)
    return Success(data=found)


@router.put(
    "/v1/company",
    operation_id="updateOnlyCompany",
    summary="Altera a única empresa da assinatura",
    description="Aceita também `settings`.",
    responses=refuses(Code.NOT_FOUND, Code.COMPANY_AMBIGUOUS),
)
async def update_only_company(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[CompanyWithSettings],
) -> Success[CompanyWithSettingsRecord]:
    changed = await company_settings.update_company_with_settings(database, subscription.id, company.id, body)
    return Success(data=changed)
