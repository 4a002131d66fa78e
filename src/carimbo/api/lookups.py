"""Lookups: searches in the official tables, and the parameters of municipalities."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.concurrency import run_in_threadpool

from carimbo.api.context import CurrentCompany, CurrentServices, CurrentSubscription, RequestedPage
from carimbo.api.envelope import Listing, Success, listing
from carimbo.api.response_docs import UNREADY, error_responses
from carimbo.api.route import Endpoint, ReadingEndpoint
from carimbo.api.type_routes import CurrentType, add_no_document, add_reading, company_router, name_of
from carimbo.fiscal.body.fields import CityCode
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.catalog.code_lookups import GOODS_LOOKUPS, LOOKUPS
from carimbo.service.catalog.code_search import Lookup
from carimbo.service.company_status.municipality import MunicipalityQuery, MunicipalityRecord, ServiceCode
from carimbo.service.errors import ErrorCode

code_router = APIRouter(tags=["Tabelas"], route_class=Endpoint)

_SEARCH_DESCRIPTION = (
    "Início do código, com ou sem pontos, ou palavras da descrição, em qualquer ordem, sem"
    " distinção de acentos e maiúsculas; com três letras ou mais, também partes de palavras. Para um"
    " início, a resposta segue a ordem dos códigos; para palavras, vem primeiro o mais provável."
)
_MUNICIPALITY_REFUSALS = (*UNREADY, ErrorCode.AUTHORITY_UNAVAILABLE)


def _search(lookup: Lookup[Any, Any]) -> Callable[..., Any]:
    parameter = Query(max_length=100, description=_SEARCH_DESCRIPTION, examples=[lookup.example])

    async def search_table(page: RequestedPage, search: Annotated[str, parameter] = "") -> Listing[Any]:
        # The first search builds the index, in a thread so that other requests do not wait.
        if not lookup.is_ready:
            return listing(await run_in_threadpool(lookup.search, search, page))
        return listing(lookup.search(search, page))

    return search_table


def _add_lookup(under: str, lookup: Lookup[Any, Any], suffix: str = "") -> None:
    name = "".join(word.capitalize() for word in lookup.path.split("-"))
    code_router.add_api_route(
        f"/v1/{under}/{lookup.path}",
        _search(lookup),
        methods=["GET"],
        operation_id=f"search{name}{suffix}",
        summary=f"Procura na tabela {lookup.title}",
        response_model=Listing[lookup.record],  # type: ignore[name-defined]
        responses=error_responses(),
    )


for _lookup in LOOKUPS:
    _add_lookup("utils", _lookup)
    if _lookup in GOODS_LOOKUPS:
        _add_lookup("nfe", _lookup, "OfNfe")


municipality_reading = company_router(ReadingEndpoint)


async def _municipality_query(
    city_code: Annotated[
        CityCode | None,
        Query(alias="cityCode", description="Código IBGE; na falta, o município da empresa."),
    ] = None,
    service_code: Annotated[
        ServiceCode | None,
        Query(
            alias="serviceCode",
            description="Código nacional do serviço, como 01.05.01 ou 010501, para saber a alíquota.",
        ),
    ] = None,
) -> MunicipalityQuery:
    return MunicipalityQuery(city_code, service_code)


async def _read_municipality(
    services: CurrentServices,
    subscription: CurrentSubscription,
    company: CurrentCompany,
    query: Annotated[MunicipalityQuery, Depends(_municipality_query)],
    document_type: CurrentType,
) -> Success[MunicipalityRecord]:
    return Success(
        data=await services.municipality_lookup.read(subscription.id, company, document_type, query)
    )


for _document_type in DOCUMENT_TYPES:
    if _document_type.municipal:
        add_reading(
            municipality_reading,
            _document_type,
            "/municipality",
            f"read{name_of(_document_type)}Municipality",
            "Mostra se um município emite pelo padrão nacional",
            _read_municipality,
            *_MUNICIPALITY_REFUSALS,
        )
        add_no_document(municipality_reading, _document_type, "/municipality")
