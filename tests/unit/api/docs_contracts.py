"""A small contract with every construct, and our own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from functools import cache
from typing import Annotated, Any
from uuid import UUID

import pytest
from fastapi import FastAPI, File, Form, Query, UploadFile
from pydantic import BaseModel, Field
from routes_reference import documented_app

from carimbo.api.app import create_app
from carimbo.api.docs_contract import DocumentedOperation, operations_of
from carimbo.api.openapi import contract as contract_of


class Color(StrEnum):
    """Only programmers read this."""

    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    city: str = Field(max_length=60, examples=["São Paulo"])
    code: str | None = Field(default=None, pattern="^[0-9]{7}$", description="Veja `city`.")


class Item(BaseModel):
    name: str = Field(min_length=1)
    price: float = Field(gt=0, description="<script>alert(1)</script>")


class Order(BaseModel):
    place: Place
    items: list[Item] = Field(min_length=1, max_length=990)
    color: Color | None = None
    amount: int = Field(default=3, ge=1, le=9)
    remarks: str | None = None
    labels: dict[str, int] = {}


class Tree(BaseModel):
    label: str
    branches: list["Tree"]


REFUSAL = {"success": False, "error": {"code": "NOT_HERE", "message": "Não está aqui.", "details": {"id": 7}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"content": {"application/json": {"examples": {"NOT_HERE": {"value": REFUSAL}}}}}
}


@cache
def small_contract() -> dict[str, Any]:
    app = FastAPI(
        title="Pequena & boa", version="1.2.3", description="Usa `X-Trace`.\n\nSegundo <b>parágrafo</b>."
    )

    @app.post("/orders", operation_id="createOrder", summary="Cria um pedido", tags=["Pedidos"])
    def create_order(body: Order) -> Order:
        return body

    @app.get("/orders/{orderId}", operation_id="readOrder", tags=["Pedidos"], responses=REFUSALS)
    def read_order(
        orderId: UUID,  # noqa: N803
        size: Annotated[int, Query(ge=1, le=100, description="Quantos.")] = 20,
    ) -> Order:
        pytest.fail("the page is made without calling anything")

    @app.put("/files", operation_id="sendFile", tags=["Arquivos"], responses=REFUSALS)
    def send_file(
        file: Annotated[UploadFile, File(description="O arquivo.")], password: Annotated[str, Form()]
    ) -> None:
        pytest.fail("the page is made without calling anything")

    @app.post("/trees", operation_id="plantTree")
    def plant_tree(body: Tree) -> Tree:
        return body

    return _secured(app.openapi())


def _secured(contract: dict[str, Any]) -> dict[str, Any]:
    """Returns the contract with credentials for all operations but those of trees."""
    schemes = {
        name: {"type": "apiKey", "in": "header", "name": name} for name in ("X-Api-Key", "X-Api-Secret")
    }
    contract["components"]["securitySchemes"] = schemes
    contract["security"] = [{name: [] for name in schemes}]
    contract["paths"]["/trees"]["post"]["security"] = []
    return contract


@asynccontextmanager
async def _no_lifespan(_: FastAPI) -> AsyncIterator[None]:
    yield


def our_app() -> FastAPI:
    return create_app(_no_lifespan, body_limit=1, body_seconds=1)


@cache
def our_contract() -> dict[str, Any]:
    """Returns the contract that the reference is made of: building it takes seconds."""
    return contract_of(documented_app())


@cache
def our_operations() -> dict[str, DocumentedOperation]:
    """Returns the operations of our contract by their ids."""
    return {operation.id: operation for operation in operations_of(our_contract())}
