"""Products and services in a company's catalog."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

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
from carimbo.service.catalog import products, split_items
from carimbo.service.catalog.product_bodies import ProductBody, ProductChanges, ProductType
from carimbo.service.catalog.products import DeletedProduct, ProductRecord
from carimbo.service.errors import ErrorCode
from carimbo.storage.products import ProductFilter

router = APIRouter(
    prefix="/v1/companies/{companyId}/products",
    tags=["Produtos e serviços"],
    route_class=Endpoint,
    dependencies=OF_COMPANY,
)
ProductId = Annotated[split_items.ProductId, Path(alias="id", description="Id do item (ULID).")]
Search = Annotated[
    str, search_parameter("Palavras, em qualquer ordem, do nome, do id ou do SKU", "caneca porcelana")
]


@router.post(
    "",
    operation_id="createProduct",
    summary="Cadastra um produto, serviço ou item dividido",
    description="Cada tipo tem os seus campos fiscais; `split` divide o preço entre outros itens.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.DUPLICATE_RESOURCE),
)
async def create_product(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    body: JsonBody[ProductBody],
) -> Success[ProductRecord]:
    return Success(data=await products.create_product(database, subscription.id, company.id, body.root))


@router.get(
    "",
    operation_id="listProducts",
    summary="Lista o catálogo",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def list_products(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    page: RequestedPage,
    search: Search = "",
    product_type: Annotated[ProductType | None, Query(alias="type", description="Só os deste tipo.")] = None,
) -> Listing[ProductRecord]:
    wanted = ProductFilter(type=product_type, search=search.strip() or None)
    return listing(await products.list_products(database, subscription.id, company.id, wanted, page))


@router.get(
    "/{id}",
    operation_id="readProduct",
    summary="Lê um item do catálogo",
    responses=error_responses(ErrorCode.NOT_FOUND),
)
async def read_product(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    product_id: ProductId,
) -> Success[ProductRecord]:
    return Success(data=await products.read_product(database, subscription.id, company.id, product_id))


@router.put(
    "/{id}",
    operation_id="replaceProduct",
    summary="Altera um item do catálogo",
    description="Campos ausentes ficam como estão; `null` limpa o campo; objetos e listas são trocados por"
    " inteiro. O registro lido pode ser reenviado. Vendas feitas ficam como estão.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.DUPLICATE_RESOURCE, ErrorCode.INVALID_STATE),
)
async def replace_product(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    product_id: ProductId,
    body: JsonBody[ProductChanges],
) -> Success[ProductRecord]:
    replaced = await products.replace_product(database, subscription.id, company.id, product_id, body.root)
    return Success(data=replaced)


@router.delete(
    "/{id}",
    operation_id="deleteProduct",
    summary="Exclui um item do catálogo",
    description="Vendas feitas continuam a nomeá-lo. Um item que compõe outro, dividido, não se exclui.",
    responses=error_responses(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
)
async def delete_product(
    database: CurrentDatabase,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    product_id: ProductId,
) -> Success[DeletedProduct]:
    return Success(data=await products.delete_product(database, subscription.id, company.id, product_id))
