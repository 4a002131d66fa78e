"""A company is not deleted while work is being accepted, and no work is accepted during a deletion."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import httpx2
import pytest

from carimbo.storage.database import Tenant
from integration.issuing.point_of_sale import point_of_sale_of
from integration.issuing.shop import body_of, error_of
from integration.sales.store import Store
from integration.storage.document_rows import CREATED, new_document

_CORRECTION = {"correction": "O endereço de entrega é Rua das Flores, 10"}
_RANGE = {"series": 1, "numberStart": 5, "numberEnd": 5, "justification": "Numeração pulada por falha"}
_BLOCKED = "exists (select from pg_stat_activity where pg_blocking_pids(pid) @> array[{pid}])"


Given = dict[str, Any]
Call = Callable[[], Awaitable[httpx2.Response]]


async def nothing(_: Store) -> Given:
    return {}


async def paper(store: Store) -> Given:
    return (await point_of_sale_of(store)).paper(number=10)


async def draft(store: Store) -> Given:
    return await store.draft("caneca")


async def note(store: Store) -> Given:
    return await store.issue("nfe")


WORK: dict[
    str, tuple[Callable[[Store], Awaitable[Given]], Callable[[Store, Given], Awaitable[httpx2.Response]]]
] = {
    "nfe": (nothing, lambda store, _: store.post("/nfe", body_of("nfe"))),
    "nfse": (nothing, lambda store, _: store.post("/nfse", body_of("nfse"))),
    "offline receipt": (paper, lambda store, given: store.post("/nfce", given)),
    "sale": (nothing, lambda store, _: store.sell("caneca")),
    "changed sale": (draft, lambda store, given: store.put(given, "caneca", emitWhen="immediately")),
    "emitted sale": (draft, lambda store, given: store.emit_sale(given)),
    "emitted draft": (draft, lambda store, given: store.emit(given["invoices"][0])),
    "inutilization": (nothing, lambda store, _: store.post("/nfe/inutilizations", _RANGE)),
    "correction": (note, lambda store, given: store.post(f"/nfe/{given['id']}/correction", _CORRECTION)),
    "cancellation": (note, lambda store, given: store.caller.http.delete(store.path(f"/nfe/{given['id']}"))),
}
"""For each kind of work, its preparation and its request."""


async def answer_during(
    store: Store, write: Callable[[Tenant], Awaitable[object]], call: Call
) -> httpx2.Response:
    """Makes a call while a transaction has written, and commits once the call waits for it."""
    async with store.system.database.tenant(store.caller.subscription_id) as tenant:
        await write(tenant)
        answer = asyncio.ensure_future(call())
        pid = tenant.connection.get_server_pid()
        waits = asyncio.create_task(store.system.until(_BLOCKED.format(pid=pid)))
        await asyncio.wait({answer, waits}, return_when=asyncio.FIRST_COMPLETED)
        waits.cancel()
    return await answer


@pytest.mark.parametrize("work_name", WORK)
async def test_work_that_arrives_during_a_deletion_is_refused(store: Store, work_name: str) -> None:
    async def delete(tenant: Tenant) -> None:
        await tenant.companies.lock_for_deletion(UUID(store.id))
        await tenant.companies.delete(UUID(store.id))

    prepare, ask = WORK[work_name]
    given = await prepare(store)
    documents = await store.count()
    answer = await answer_during(store, delete, lambda: ask(store, given))
    error_of(answer, 404, "NOT_FOUND")
    assert await store.count() == documents
    assert await store.system.fetch("select 1 from event_filings where company_id = $1", UUID(store.id)) == []
    assert (
        await store.system.fetch("select 1 from inutilizations where company_id = $1", UUID(store.id)) == []
    )


async def test_deletion_that_arrives_while_a_document_is_stored_is_refused(store: Store) -> None:
    async def accept(tenant: Tenant) -> None:
        await tenant.documents.add(new_document(UUID(store.id)), [CREATED], queued=False)

    answer = await answer_during(store, accept, lambda: store.caller.http.delete(store.path()))
    assert error_of(answer, 409, "INVALID_STATE")["currentStatus"] == "processing"
    assert (await store.get("/certificate")).status_code == 200
