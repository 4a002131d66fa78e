"""Companies of the subscription."""

from typing import Annotated

from fastapi import APIRouter, Query

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentSubscription,
    RequestedPage,
)
from carimbo.api.documented import refuses
from carimbo.api.envelope import Listing, Success, listing
from carimbo.api.json_body import JsonBody
from carimbo.api.route import Endpoint
from carimbo.fiscal.fields import Text
from carimbo.fiscal.taxpayer import normalize
from carimbo.service import companies
from carimbo.service.companies import (
    CompanyChanges,
    CompanyRecord,
    CreatedCompany,
    Deleted,
    EnvironmentChange,
    EnvironmentRecord,
    NewCompany,
)
from carimbo.service.errors import Code

router = APIRouter(prefix="/v1/companies", tags=["Empresas"], route_class=Endpoint)
_company = APIRouter(prefix="/{companyId}", route_class=Endpoint, dependencies=OF_COMPANY)


@router.get("", operation_id="listCompanies", summary="Lista as empresas", responses=refuses())
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
    return listing(await companies.list_companies(database, subscription.id, page, sought))


@router.post(
    "",
    operation_id="createCompany",
    summary="Cadastra uma empresa",
    description="Sem `environment` a empresa começa em produção, e `warnings` avisa;"
    " `PATCH /v1/companies/{companyId}/environment` a passa para homologação. O CNPJ de uma"
    " empresa excluída volta com o mesmo `id` e com o que ficou guardado: documentos,"
    " numeração, clientes, produtos e vendas. O resto começa do zero.",
    responses=refuses(Code.DUPLICATE_RESOURCE),
)
async def create_company(
    database: CurrentDatabase, subscription: CurrentSubscription, body: JsonBody[NewCompany]
) -> Success[CreatedCompany]:
    return Success(data=await companies.create_company(database, subscription.id, body))


@_company.get("", operation_id="readCompany", summary="Lê uma empresa", responses=refuses(Code.NOT_FOUND))
async def read_company(company: CurrentCompany) -> Success[CompanyRecord]:
    return Success(data=companies.shown_company(company))


@_company.put(
    "",
    operation_id="updateCompany",
    summary="Altera o cadastro de uma empresa",
    description="Campos ausentes ficam como estão; `null` limpa o campo. Configurações têm endereço próprio.",
    responses=refuses(Code.NOT_FOUND),
)
async def update_company(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[CompanyChanges],
) -> Success[CompanyRecord]:
    return Success(data=await companies.update_company(database, subscription.id, company.id, body))


@_company.delete(
    "",
    operation_id="deleteCompany",
    summary="Exclui uma empresa",
    description="Destrói o certificado, os segredos, o logotipo, as configurações e as inscrições estaduais."
    " Os documentos emitidos continuam guardados e podem ser lidos. Clientes, produtos e vendas também ficam"
    " guardados: reaparecem se o mesmo CNPJ for cadastrado de novo. Enquanto houver documento ou evento em"
    " processamento, a exclusão é recusada.",
    responses=refuses(Code.NOT_FOUND, Code.INVALID_STATE),
)
async def delete_company(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
) -> Success[Deleted]:
    return Success(data=await companies.delete_company(database, subscription.id, company.id))


@_company.patch(
    "/environment",
    operation_id="switchEnvironment",
    summary="Troca o ambiente da empresa",
    responses=refuses(Code.NOT_FOUND),
)
async def switch_environment(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[EnvironmentChange],
) -> Success[EnvironmentRecord]:
    return Success(data=await companies.switch_environment(database, subscription.id, company.id, body))


router.include_router(_company)
