"""Files that a person uploads for a store, and what became of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from carimbo.service.imports.run import ImportRecord, list_import_problems, read_import, start_import
from carimbo.service.listing import PageRequest
from carimbo.storage.actors import Actor, ActorKind
from carimbo.storage.database import Database
from carimbo.storage.imports import ImportKind
from carimbo.storage.work import WorkKey, WorkKind
from integration.issuing.shop import Shop

ANA = Actor(ActorKind.PERSON, uuid4(), "Ana Souza")
"""The person who uploads the files."""
Problem = tuple[int, str | None, str]
"""Line, title of the column, and message."""


def database_of_ana(shop: Shop) -> Database:
    return shop.system.database.acting_as(ANA)


async def upload(shop: Shop, kind: ImportKind, *lines: str, encoding: str = "utf-8") -> ImportRecord:
    """Uploads a file with some lines; the first has the titles."""
    content = "\n".join(lines).encode(encoding)
    return await upload_bytes(shop, kind, content)


async def upload_bytes(shop: Shop, kind: ImportKind, content: bytes) -> ImportRecord:
    return await start_import(
        database_of_ana(shop), shop.caller.subscription_id, UUID(shop.id), kind, f"{kind}.csv", content
    )


async def read_again(shop: Shop, record: ImportRecord) -> ImportRecord:
    return await read_import(shop.system.database, shop.caller.subscription_id, UUID(shop.id), record.id)


async def settled(shop: Shop, record: ImportRecord) -> ImportRecord:
    """Waits until the worker has nothing more to do with an import."""
    await shop.system.until(
        f"(select state <> 'processing' and next_action_at is null from imports where id = '{record.id}')"
    )
    return await read_again(shop, record)


async def imported(shop: Shop, kind: ImportKind, *lines: str, encoding: str = "utf-8") -> ImportRecord:
    """Uploads a file and waits until it is imported."""
    return await settled(shop, await upload(shop, kind, *lines, encoding=encoding))


async def problems_of(shop: Shop, record: ImportRecord) -> list[Problem]:
    """Returns the stored problems of an import."""
    page = await list_import_problems(
        shop.system.database, shop.caller.subscription_id, UUID(shop.id), record.id, PageRequest(1, 1000)
    )
    assert page.total == len(page.items)
    return [(problem.line, problem.field, problem.message) for problem in page.items]


def counts_of(record: ImportRecord) -> tuple[int, int, int, int]:
    """Returns how many were created, changed, unchanged and refused."""
    return record.created, record.changed, record.unchanged, record.refused


def key_of(shop: Shop, record: ImportRecord) -> WorkKey:
    """Returns the key of the work of an import."""
    return WorkKey(WorkKind.IMPORT, shop.caller.subscription_id, record.id)


async def customers_of(shop: Shop) -> Sequence[dict[str, Any]]:
    """Returns the customers of a shop, by name."""
    rows = (await shop.get("/customers", pageSize=100)).json()["data"]
    return sorted(rows, key=lambda row: row["name"])


async def products_of(shop: Shop) -> dict[str, dict[str, Any]]:
    """Returns the items of a shop's catalog, by SKU."""
    rows = (await shop.get("/products", pageSize=100)).json()["data"]
    return {row["sku"]: row for row in rows}


async def sales_of(shop: Shop) -> list[dict[str, Any]]:
    """Returns the sales of a shop, newest first."""
    return list((await shop.get("/sales", pageSize=100)).json()["data"])
