"""A company with a catalog that sells from it, and sales that are issued later."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import httpx2

import support
from carimbo.storage.products import ProductRow, new_product_id
from integration.issuing.shop import ADDRESS, REFUSALS, UNANSWERED, Shop
from support import data_of

COURSE: dict[str, Any] = {
    "sku": "curso",
    "name": "Curso de violão",
    "type": "service",
    "category": "online_course",
    "price": 100,
}
MUG: dict[str, Any] = {
    "sku": "caneca",
    "name": "Caneca",
    "type": "product",
    "category": "other_product",
    "price": 29.9,
    "ncm": "69120000",
}
REFUSED_COURSE = COURSE | {"sku": "curso-recusado", "name": f"Curso {REFUSALS['nfse']}"}
REFUSED_MUG = MUG | {"sku": "caneca-recusada", "name": f"Caneca {REFUSALS['nfe']}"}
"""Items whose documents the authority refuses for their names."""
UNANSWERED_MUG = MUG | {"sku": "caneca-parada", "name": f"Caneca {UNANSWERED}"}
"""An item whose documents stay in processing for ever."""
MARIA: dict[str, Any] = {
    "name": "Maria da Silva",
    "email": "maria@example.com",
    "document": "529.982.247-25",
    "address": ADDRESS,
}
JOAO: dict[str, Any] = {"name": "João Souza", "email": "joao@example.com", "document": "111.444.777-35"}
"""A customer without an address."""
BOOK: dict[str, Any] = {
    "sku": "livro", "name": "Livro", "type": "service", "category": "ebook", "price": 40,
}  # fmt: skip
"""An item that is in no catalog unless it is put there."""
NOTHING_STORED: dict[str, list[Any]] = {"sales": [], "customers": [], "products": [], "documents": []}
Line = str | dict[str, Any]
"""A SKU, or a whole line."""
_STOCKED: dict[str, ProductRow] = {}
"""Rows of items that were added to a catalog through the API."""
FAR = "2999-01-15"


@dataclass(frozen=True)
class Store(Shop):
    """A shop that sells from its catalog."""

    async def stock(self, item: dict[str, Any]) -> dict[str, Any]:
        """Adds an item to the catalog."""
        return dict(data_of(await self.post("/products", item)))

    async def know(self, customer: dict[str, Any]) -> dict[str, Any]:
        """Adds a customer to the catalog."""
        return dict(data_of(await self.post("/customers", customer)))

    async def sell(self, *lines: Line, key: str | None = None, **changes: Any) -> httpx2.Response:
        """Requests a sale, to Maria by default."""
        return await self.post("/sales", sale_of(*lines, **changes), key=key)

    async def sold(self, *lines: Line, **changes: Any) -> dict[str, Any]:
        """Creates a sale."""
        return created_sale(await self.sell(*lines, **changes))

    async def draft(self, *lines: Line, **changes: Any) -> dict[str, Any]:
        """Creates a sale that is invoiced manually."""
        return await self.sold(*lines, emitWhen="manual", **changes)

    async def invoiced(self, *lines: Line, **changes: Any) -> dict[str, Any]:
        """Creates a sale and waits for the outcomes of its documents."""
        return await self.sale_settled(await self.sold(*lines, **changes))

    async def put(self, sale: dict[str, Any], *lines: Line, **changes: Any) -> httpx2.Response:
        """Replaces a sale."""
        return await self.caller.http.put(self.path(f"/sales/{sale['id']}"), json=sale_of(*lines, **changes))

    async def patch_sale(self, sale: dict[str, Any], **changes: Any) -> httpx2.Response:
        """Changes some fields of a sale."""
        return await self.caller.http.patch(self.path(f"/sales/{sale['id']}"), json=changes)

    async def discard(self, document: dict[str, Any]) -> httpx2.Response:
        """Discards a document that was not issued."""
        return await self.caller.http.delete(self.path(f"/invoices/{document['id']}"))

    async def delete(self, sale: dict[str, Any]) -> httpx2.Response:
        return await self.caller.http.delete(self.path(f"/sales/{sale['id']}"))

    async def emit_sale(self, sale: dict[str, Any]) -> httpx2.Response:
        return await self.post(f"/sales/{sale['id']}/emit-invoice")

    async def cancel_sale(self, sale: dict[str, Any], body: Any = None) -> httpx2.Response:
        return await self.post(f"/sales/{sale['id']}/cancel-invoice", body)

    async def read_sale(self, sale: dict[str, Any]) -> dict[str, Any]:
        return dict(data_of(await self.get(f"/sales/{sale['id']}")))

    async def sale_settled(self, sale: dict[str, Any]) -> dict[str, Any]:
        """Waits for the outcomes of a sale's documents."""
        sale_id = UUID(sale["id"])
        under_way = f"select from documents where sale_id = '{sale_id}' and status = 'processing'"
        waiting = f"select from sales where id = '{sale_id}' and next_action_at is not null"
        await self.system.until(f"not exists ({under_way}) and not exists ({waiting})")
        return await self.read_sale(sale)

    async def answers_at_once(
        self, sale: dict[str, Any], *requests: Coroutine[Any, Any, httpx2.Response]
    ) -> list[httpx2.Response]:
        """Sends requests that all read a sale before the first one writes it; they write in order."""
        waiting = "from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        tasks = []
        async with self.system.database.tenant(self.caller.subscription_id) as tenant:
            await tenant.sales.lock(UUID(sale["id"]))
            for request in requests:
                tasks.append(asyncio.create_task(request))
                await self.system.until(f"(select count(*) = {len(tasks)} {waiting})")
        return await asyncio.gather(*tasks)

    async def invoice(self, sale: dict[str, Any], document_type: str) -> dict[str, Any]:
        """Returns the only document of a type that a sale has."""
        (listed,) = (document for document in sale["invoices"] if document["type"] == document_type)
        return await self.read(listed)

    async def document_ids(self) -> list[str]:
        """Returns the ids of all documents of the company, newest first."""
        return [document["id"] for document in data_of(await self.get("/invoices"))]

    async def rows(self, table: str) -> list[dict[str, Any]]:
        """Returns the company's rows of a table."""
        query = f"select * from {table} where company_id = $1 order by created_at"
        return [dict(row) for row in await self.system.fetch(query, UUID(self.id))]

    async def stored(self) -> dict[str, list[Any]]:
        """Returns the ids of everything that a sale may create."""
        return {table: [row["id"] for row in await self.rows(table)] for table in NOTHING_STORED}


NewStore = Callable[..., Awaitable[Store]]


async def open_store(shop: Shop, *items: dict[str, Any]) -> Store:
    """Gives a shop a catalog, by default with a course and a mug."""
    store = Store(shop.system, shop.caller, shop.id)
    for item in items or (COURSE, MUG):
        await _stock_copy(store, item)
    return store


async def _stock_copy(store: Store, item: dict[str, Any]) -> None:
    """Adds an item to the catalog: the first time through the API, later as a copy of that row."""
    key, company_id = repr(item), UUID(store.id)
    if key not in _STOCKED:
        await store.stock(item)
    async with store.system.database.tenant(store.caller.subscription_id) as tenant:
        if key in _STOCKED:
            copy = replace(_STOCKED[key], id=new_product_id(), company_id=company_id)
            assert await tenant.products.add(copy) is not None
        else:
            stocked = await tenant.products.find_by_sku(company_id, item["sku"])
            assert stocked is not None
            _STOCKED[key] = stocked


def sale_of(*lines: Line, **changes: Any) -> dict[str, Any]:
    """Returns the body of a sale to Maria with SKUs or whole lines. Omits fields that are None."""
    products = [{"sku": line} if isinstance(line, str) else line for line in lines]
    body = {"customer": MARIA, "products": products} | changes
    return {name: value for name, value in body.items() if value is not None}


def created_sale(answer: httpx2.Response) -> dict[str, Any]:
    """Returns the record of a new sale. The status is 202 if its documents are being issued."""
    assert answer.status_code in (200, 202), answer.text
    assert "Idempotent-Replayed" not in answer.headers
    return dict(answer.json()["data"])


def invoices(sale: dict[str, Any], *names: str) -> dict[str, tuple[Any, ...]]:
    """Returns the given fields of a sale's documents, by type."""
    return {document["type"]: tuple(document[name] for name in names) for document in sale["invoices"]}


def rules_of(answer: httpx2.Response) -> dict[str, str]:
    """Returns the document types whose rules a sale violates, by field."""
    body = answer.json()
    assert (answer.status_code, body["error"]["code"]) == (422, "FISCAL_RULE_VIOLATION"), answer.text
    return {rule["field"]: rule["documentType"] for rule in body["error"]["details"]["rules"]}


async def waiting(store: Store, *lines: str, **changes: Any) -> dict[str, Any]:
    """Creates a sale whose guarantee ends in the far future."""
    return await store.sold(*lines, emitWhen="after_guarantee", **{"guaranteeDate": FAR, **changes})


async def make_due(store: Store, sale: dict[str, Any]) -> None:
    """Moves the scheduled time of a sale into the past."""
    await support.make_due(store.system.fetch, sale["id"])


async def fired(store: Store, sale: dict[str, Any]) -> dict[str, Any]:
    """Waits until a sale that is due has its outcomes."""
    await store.system.until(
        f"not exists (select from documents where sale_id = '{UUID(sale['id'])}' and status = 'pending')"
    )
    return await store.sale_settled(sale)


async def times_queued(store: Store, sale: dict[str, Any]) -> dict[str, int]:
    """Returns how often each document of a sale was queued, by type."""
    histories = {document["type"]: await store.events(document) for document in sale["invoices"]}
    return {
        document_type: [event["type"] for event in history].count("queued")
        for document_type, history in histories.items()
    }


def moment(sale: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(sale["scheduledEmitAt"])
