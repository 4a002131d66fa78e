"""Settings, state registrations and contingency of a company, and the subscription's only company."""

from uuid import UUID

from fastapi import APIRouter

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentServices,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.envelope import Listing, Success, listing
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import error_responses
from carimbo.api.route import Endpoint
from carimbo.service.companies import company_settings, state_registrations
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.companies.company_settings import (
    CompanySettings,
    CompanyWithSettings,
    CompanyWithSettingsRecord,
)
from carimbo.service.companies.state_registrations import NewStateRegistration, StateRegistrationRecord
from carimbo.service.company_status.contingency import (
    CompanyContingencyRecord,
    ContingencyChange,
    change_contingency,
    read_contingency,
)
from carimbo.service.errors import ErrorCode
from carimbo.storage.companies import CompanyRow

router = APIRouter(tags=["Configurações"], route_class=Endpoint)
_CONTINGENCY_PATH = "/v1/companies/{companyId}/contingency"


@router.get(
    "/v1/companies/{companyId}/settings",
    operation_id="readSettings",
    dependencies=OF_COMPANY,
    summary="Lê as configurações da empresa",
    description="Segredos voltam mascarados.",
    responses=error_responses(ErrorCode.NOT_FOUND),
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
    responses=error_responses(ErrorCode.NOT_FOUND),
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
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.COMPANY_AMBIGUOUS),
)
async def read_only_company(
    database: CurrentDatabase, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CompanyWithSettingsRecord]:
    record = await company_settings.read_company_with_settings(database, subscription.id, company.id)
    return Success(data=record)


@router.put(
    "/v1/company",
    operation_id="updateOnlyCompany",
    summary="Altera a única empresa da assinatura",
    description="Aceita também `settings`.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.COMPANY_AMBIGUOUS),
)
async def update_only_company(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[CompanyWithSettings],
) -> Success[CompanyWithSettingsRecord]:
    changed = await company_settings.update_company_with_settings(database, subscription.id, company.id, body)
    return Success(data=changed)


state_registration_router = APIRouter(
    prefix="/v1/companies/{companyId}/state-registrations",
    tags=["Inscrições estaduais"],
    route_class=Endpoint,
    dependencies=OF_COMPANY,
)


@state_registration_router.get(
    "",
    operation_id="listStateRegistrations",
    summary="Lista as inscrições estaduais",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def list_state_registrations(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    page: RequestedPage,
) -> Listing[StateRegistrationRecord]:
    records = await state_registrations.list_state_registrations(database, subscription.id, company.id, page)
    return listing(records)


@state_registration_router.post(
    "",
    operation_id="addStateRegistration",
    summary="Acrescenta uma inscrição estadual",
    description="Uma por UF. A da UF da empresa vai em `emit/IE`; a da UF do destinatário, em `emit/IEST`."
    " `isDefault` marca uma delas para quem lê e não muda qual vai no documento.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.DUPLICATE_RESOURCE),
)
async def add_state_registration(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[NewStateRegistration],
) -> Success[StateRegistrationRecord]:
    added = await state_registrations.add_state_registration(database, subscription.id, company.id, body)
    return Success(data=added)


@state_registration_router.delete(
    "/{id}",
    operation_id="deleteStateRegistration",
    summary="Remove uma inscrição estadual",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def delete_state_registration(
    id: UUID,  # noqa: A002
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
) -> Success[Deleted]:
    deleted = await state_registrations.delete_state_registration(database, subscription.id, company.id, id)
    return Success(data=deleted)


contingency_router = APIRouter(tags=["Empresas"], route_class=Endpoint)


async def _read_contingency_record(
    services: CurrentServices, subscription: CurrentSubscription, company: CompanyRow
) -> Success[CompanyContingencyRecord]:
    status_reader = services.status_reader
    return Success(
        data=await read_contingency(
            status_reader.snapshots, status_reader.outages, subscription.id, company, services.clock()
        )
    )


@contingency_router.get(
    _CONTINGENCY_PATH,
    operation_id="readContingency",
    dependencies=OF_COMPANY,
    summary="Mostra por onde vão os documentos",
    description="Se vão à autoridade normal ou à de contingência (SVC), desde quando e por quê.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_company_contingency(
    services: CurrentServices, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CompanyContingencyRecord]:
    return await _read_contingency_record(services, subscription, company)


@contingency_router.put(
    _CONTINGENCY_PATH,
    operation_id="changeContingency",
    dependencies=OF_COMPANY,
    summary="Força, proíbe ou deixa automática a contingência",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def change_company_contingency(
    services: CurrentServices,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[ContingencyChange],
) -> Success[CompanyContingencyRecord]:
    changed = await change_contingency(services.database, subscription.id, company, body)
    return await _read_contingency_record(services, subscription, changed)
