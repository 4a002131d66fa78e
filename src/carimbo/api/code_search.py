"""Official codes of goods and operations."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query

from carimbo.api.context import RequestedPage
from carimbo.api.documented import refuses
from carimbo.api.envelope import Listing, listing
from carimbo.api.route import Endpoint
from carimbo.service.code_search import CODE_TABLES, CodeRecord, search_codes

router = APIRouter(tags=["Tabelas"], route_class=Endpoint)

Search = Annotated[
    str,
    Query(max_length=100, description="Início do código, ou palavras da descrição.", examples=["porcelana"]),
]


def _search(table: str) -> Callable[..., Any]:
    async def search_table(page: RequestedPage, search: Search = "") -> Listing[CodeRecord]:
        return listing(search_codes(table, search, page))

    return search_table


for _table in CODE_TABLES:
    for _under, _suffix in (("utils", ""), ("nfe", "OfNfe")):
        router.add_api_route(
            f"/v1/{_under}/{_table}",
            _search(_table),
            methods=["GET"],
            operation_id=f"search{_table.capitalize()}{_suffix}",
            summary=f"Procura na tabela {_table.upper()}",
            responses=refuses(),
        )
