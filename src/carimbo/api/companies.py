"""Companies of the subscription, and whether each can issue now."""

from typing import Annotated

from fastapi import APIRouter, Query

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
from carimbo.fiscal.body.fields import Text
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.service.companies import registration
from carimbo.service.companies.company_bodies import (
    CompanyChanges,
    CompanyRecord,
    CreatedCompany,
    Deleted,
    EnvironmentChange,
    EnvironmentRecord,
    NewCompany,
)
from carimbo.service.company_status.status import CompanyStatusRecord, read_status
from carimbo.service.errors import ErrorCode

router = APIRouter(prefix="/v1/companies", tags=["Empresas"], route_class=Endpoint)
of_company = APIRouter(
    prefix="/v1/companies/{companyId}", tags=["Empresas"], route_class=Endpoint, dependencies=OF_COMPANY
)


@router.get("", operation_id="listCompanies", summary="Lista as empresas", responses=error_responses())
async def list_companies(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    page: RequestedPage,
    tax_id: Annotated[
        Text | None,
        Query(
            alias="taxId",
            max_length=20,
            description="Só a empresa com este CNPJ, com ou sem pontuação.",
            examples=["11.222.333/0001-81"],
        ),
    ] = None,
) -> Listing[CompanyRecord]:
    sought = normalize(tax_id) if tax_id else None
    return listing(await registration.list_companies(database, subscription.id, page, sought))


@router.post(
    "",
    operation_id="createCompany",
    summary="Cadastra uma empresa",
    description="Sem `environment` a empresa começa em produção, e `warnings` avisa;"
    " `PATCH /v1/companies/{companyId}/environment` a passa para homologação. O CNPJ de uma"
    " empresa excluída volta com o mesmo `id` e com o que ficou guardado: documentos,"
    " numeração, clientes, produtos e vendas. O resto começa do zero.",
    responses=error_responses(ErrorCode.DUPLICATE_RESOURCE),
)
async def create_company(
    database: CurrentDatabase, subscription: CurrentSubscription, body: JsonBody[NewCompany]
) -> Success[CreatedCompany]:
    return Success(data=await registration.create_company(database, subscription.id, body))


@of_company.get(
    "", operation_id="readCompany", summary="Lê uma empresa", responses=error_responses(ErrorCode.NOT_FOUND)
)
async def read_company(company: CurrentCompany) -> Success[CompanyRecord]:
    return Success(data=registration.company_record(company))


@of_company.put(
    "",
    operation_id="updateCompany",
    summary="Altera o cadastro de uma empresa",
    description="Campos ausentes ficam como estão; `null` limpa o campo. Configurações têm endereço próprio.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def update_company(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[CompanyChanges],
) -> Success[CompanyRecord]:
    return Success(data=await registration.update_company(database, subscription.id, company.id, body))


@of_company.delete(
    "",
    operation_id="deleteCompany",
    summary="Exclui uma empresa",
    description="Destrói o certificado, os segredos, o logotipo, as configurações e as inscrições estaduais."
    " Os documentos emitidos continuam guardados e podem ser lidos. Clientes, produtos e vendas também ficam"
    " guardados: reaparecem se o mesmo CNPJ for cadastrado de novo. Enquanto houver documento ou evento em"
    " processamento, a exclusão é recusada.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def delete_company(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
) -> Success[Deleted]:
    return Success(data=await registration.delete_company(database, subscription.id, company.id))


@of_company.patch(
    "/environment",
    operation_id="switchEnvironment",
    summary="Troca o ambiente da empresa",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def switch_environment(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[EnvironmentChange],
) -> Success[EnvironmentRecord]:
    return Success(data=await registration.switch_environment(database, subscription.id, company.id, body))


status_router = APIRouter(tags=["Empresas"], route_class=Endpoint)


@status_router.get(
    "/v1/companies/{companyId}/status",
    operation_id="readCompanyStatus",
    dependencies=OF_COMPANY,
    summary="Mostra se a empresa pode emitir",
    description="O que falta, o que pede atenção, se as autoridades respondem e o que está em andamento.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_company_status(
    services: CurrentServices, subscription: CurrentSubscription, company: CurrentCompany
) -> Success[CompanyStatusRecord]:
    return Success(data=await read_status(services.status_reader, subscription.id, company))
