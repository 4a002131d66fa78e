"""Customers in a company's catalog."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path

from carimbo.api.context import (
    OF_COMPANY,
    CurrentCompany,
    CurrentDatabase,
    CurrentSubscription,
    RequestedPage,
    search_parameter,
)
from carimbo.api.envelope import Listing, Success, listing
from carimbo.api.json_body import JsonBody
from carimbo.api.response_docs import error_responses
from carimbo.api.route import Endpoint
from carimbo.service.catalog import customers
from carimbo.service.catalog.customers import CustomerRecord, CustomerUpsert, SentCustomerChanges
from carimbo.service.companies.company_bodies import Deleted
from carimbo.service.errors import ErrorCode

router = APIRouter(
    prefix="/v1/companies/{companyId}/customers",
    tags=["Clientes"],
    route_class=Endpoint,
    dependencies=OF_COMPANY,
)
CustomerId = Annotated[UUID, Path(alias="id", description="Id do cliente.")]
Search = Annotated[
    str, search_parameter("Palavras, em qualquer ordem, do nome, do e-mail ou do documento", "maria silva")
]


@router.post(
    "",
    operation_id="upsertCustomer",
    summary="Cadastra ou altera um cliente",
    description="Procura o cliente por `id`, depois por `document`, depois por `email`. Num que já existe, o"
    " que vem no corpo vale, e campos ausentes ou `null` ficam como estão. As linhas de um endereço completam"
    " o guardado, se são do mesmo lugar; se não são, ele é trocado. O registro lido pode ser reenviado.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.DUPLICATE_RESOURCE),
)
async def upsert_customer(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[CustomerUpsert],
) -> Success[CustomerRecord]:
    return Success(data=await customers.upsert_customer(database, subscription.id, company.id, body))


@router.get(
    "",
    operation_id="listCustomers",
    summary="Lista os clientes",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def list_customers(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    page: RequestedPage,
    search: Search = "",
) -> Listing[CustomerRecord]:
    return listing(await customers.list_customers(database, subscription.id, company.id, search, page))


@router.get(
    "/{id}",
    operation_id="readCustomer",
    summary="Lê um cliente",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_customer(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    customer_id: CustomerId,
) -> Success[CustomerRecord]:
    return Success(data=await customers.read_customer(database, subscription.id, company.id, customer_id))


@router.put(
    "/{id}",
    operation_id="replaceCustomer",
    summary="Altera o cadastro de um cliente",
    description="Campos ausentes ficam como estão; `null` limpa o campo. O registro lido pode ser reenviado.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.DUPLICATE_RESOURCE),
)
async def replace_customer(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    customer_id: CustomerId,
    body: JsonBody[SentCustomerChanges],
) -> Success[CustomerRecord]:
    replaced = await customers.replace_customer(database, subscription.id, company.id, customer_id, body.root)
    return Success(data=replaced)


@router.delete(
    "/{id}",
    operation_id="deleteCustomer",
    summary="Exclui um cliente",
    description="Vendas e documentos continuam a nomeá-lo.",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def delete_customer(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    customer_id: CustomerId,
) -> Success[Deleted]:
    return Success(data=await customers.delete_customer(database, subscription.id, company.id, customer_id))
