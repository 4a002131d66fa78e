"""Searches in the official tables."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool

from carimbo.api.context import RequestedPage
from carimbo.api.documented import refuses
from carimbo.api.envelope import Listing, listing
from carimbo.api.route import Endpoint
from carimbo.service.code_lookups import GOODS_LOOKUPS, LOOKUPS
from carimbo.service.code_search import Lookup

router = APIRouter(tags=["Tabelas"], route_class=Endpoint)

_DESCRIPTION = (
    "Início do código, com ou sem pontos, ou palavras da descrição, em qualquer ordem, sem"
    " distinção de acentos e maiúsculas; com três letras ou mais, também partes de palavras. Para um"
    " início, a resposta segue a ordem dos códigos; para palavras, vem primeiro o mais provável."
)


def _search(lookup: Lookup[Any, Any]) -> Callable[..., Any]:
    parameter = Query(max_length=100, description=_DESCRIPTION, examples=[lookup.example])

    async def search_table(page: RequestedPage, search: Annotated[str, parameter] = "") -> Listing[Any]:
        # In a thread the first one, so that nobody else waits while it makes the index.
        if not lookup.is_ready:
            return listing(await run_in_threadpool(lookup.search, search, page))
        return listing(lookup.search(search, page))

    return search_table


def _add(under: str, lookup: Lookup[Any, Any], suffix: str = "") -> None:
    name = "".join(word.capitalize() for word in lookup.path.split("-"))
    router.add_api_route(
        f"/v1/{under}/{lookup.path}",
        _search(lookup),
        methods=["GET"],
        operation_id=f"search{name}{suffix}",
        summary=f"Procura na tabela {lookup.title}",
        response_model=Listing[lookup.record],  # type: ignore[name-defined]
        responses=refuses(),
    )


for _lookup in LOOKUPS:
    _add("utils", _lookup)
    if _lookup in GOODS_LOOKUPS:
        _add("nfe", _lookup, "OfNfe")
