"""Scheduled sales that an operator parks after a restore."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.errors import Refusal
from carimbo.service.maintenance import dismiss_document, list_parked, park_unsent_work, resume_parked
from integration.issuing.shop import accepted
from integration.sales.store import Store, fired, make_due, moment, times_queued, waiting
from support import code_of, data_of

REASON = "restaurado de um backup"
MINUTE = timedelta(minutes=1)


async def parked_sale(store: Store, *, is_due: bool = False) -> dict[str, Any]:
    """Returns a sale that is parked before, or after, its scheduled time."""
    async with store.system.worker_stopped():
        sale = await waiting(store, "curso", "caneca")
        if is_due:
            await make_due(store, sale)
        report = await park_unsent_work(store.system.database, REASON)
        assert report.sales >= 1
    return await store.read_sale(sale)


async def due_at(store: Store) -> datetime | None:
    """Returns when the only sale of a store is due."""
    (row,) = await store.rows("sales")
    due: datetime | None = row["next_action_at"]
    return due


class TestParkedSale:
    async def test_a_parked_sale_that_is_due_is_not_invoiced_until_it_is_resumed(self, store: Store) -> None:
        sale = await parked_sale(store, is_due=True)
        (parked,) = await list_parked(store.system.database, UUID(sale["id"]))
        assert (parked.kind, parked.parked_reason) == ("sale", REASON)
        assert (await store.issue())["status"] == "authorized"
        assert await store.read_sale(sale) == sale
        assert await resume_parked(store.system.database, parked.id) == 1
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", {"nfse": 1, "nfe": 1})

    async def test_a_sale_resumed_before_its_time_waits_for_it(self, store: Store) -> None:
        sale = await parked_sale(store)
        assert (sale["status"], await due_at(store)) == ("scheduled", None)
        assert await resume_parked(store.system.database, UUID(sale["id"])) == 1
        assert (await store.issue())["status"] == "authorized"
        assert (await store.read_sale(sale))["status"] == "scheduled"
        assert await due_at(store) == moment(sale)
        await make_due(store, sale)
        assert (await fired(store, sale))["status"] == "invoiced"

    async def test_owner_does_not_resume_a_held_sale(self, store: Store) -> None:
        sale = await parked_sale(store, is_due=True)
        path = f"/v1/parked-work/{sale['id']}/resume"
        answer = await store.caller.http.post(path)
        assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
        async with store.system.worker_stopped():
            await resume_parked(store.system.database, UUID(sale["id"]))
            await store.system.fetch(
                "update sales set parked_reason = 'broken', next_action_at = null, held_by_operator = false"
                " where id = $1",
                UUID(sale["id"]),
            )
        data_of(await store.caller.http.post(path))
        assert (await fired(store, sale))["status"] == "invoiced"

    async def test_dismissed_documents_of_a_sale_are_issued_only_one_by_one(self, store: Store) -> None:
        database = store.system.database
        async with store.system.worker_stopped():
            sale = await store.sold("curso", "caneca")
            await park_unsent_work(database, REASON)
            goods, service = [await store.invoice(sale, document_type) for document_type in ("nfe", "nfse")]
            for document in (goods, service):
                await dismiss_document(
                    database, UUID(document["id"]), "Emitida como 7", datetime.now(UTC), MINUTE
                )
            answer = await store.emit_sale(sale)
            assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
        accepted(await store.emit(goods))
        assert (await store.settled(goods))["status"] == "authorized"
        assert (await store.read(service))["rejection"]["code"] == "DISMISSED"

    async def test_a_parked_sale_is_deleted_and_not_dismissed(self, store: Store) -> None:
        sale = await parked_sale(store)
        with pytest.raises(Refusal) as raised:
            await dismiss_document(store.system.database, UUID(sale["id"]), "", datetime.now(UTC), MINUTE)
        assert "DELETE" in raised.value.message
        data_of(await store.delete(sale))
        assert await list_parked(store.system.database, UUID(sale["id"])) == []
