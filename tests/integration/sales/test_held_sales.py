"""Sales that an operator sets aside after a restore, while they wait for their time."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.dismissal import dismiss
from carimbo.service.errors import Refusal
from carimbo.service.parked import hold_all, list_parked, resume_parked
from integration.issuing.shop import accepted
from integration.sales.store import Store, come_due, fired, moment, times_queued, waiting
from integration.sales.test_sale_firing import MINUTE
from support import code_of, data_of

REASON = "restaurado de um backup"


async def held(store: Store, *, is_due: bool = False) -> dict[str, Any]:
    """A sale that is held before, or after, its time has come."""
    async with store.floor.standstill():
        sale = await waiting(store, "curso", "caneca")
        if is_due:
            await come_due(store, sale)
        told = await hold_all(store.floor.database, REASON)
        assert told.sales >= 1
    return await store.read_sale(sale)


async def due_at(store: Store) -> datetime | None:
    """When the only sale of a store is due."""
    (row,) = await store.rows("sales")
    due: datetime | None = row["next_action_at"]
    return due


class TestHeldSale:
    async def test_whose_time_has_come_is_not_invoiced_until_it_is_resumed(self, store: Store) -> None:
        sale = await held(store, is_due=True)
        (parked,) = await list_parked(store.floor.database, UUID(sale["id"]))
        assert (parked.kind, parked.parked_reason) == ("sale", REASON)
        assert (await store.issue())["status"] == "authorized"
        assert await store.read_sale(sale) == sale
        assert await resume_parked(store.floor.database, parked.id) == 1
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", {"nfse": 1, "nfe": 1})

    async def test_that_is_resumed_before_its_time_waits_for_it(self, store: Store) -> None:
        sale = await held(store)
        assert (sale["status"], await due_at(store)) == ("scheduled", None)
        assert await resume_parked(store.floor.database, UUID(sale["id"])) == 1
        assert (await store.issue())["status"] == "authorized"
        assert (await store.read_sale(sale))["status"] == "scheduled"
        assert await due_at(store) == moment(sale)
        await come_due(store, sale)
        assert (await fired(store, sale))["status"] == "invoiced"

    async def test_whose_documents_were_dismissed_issues_none_of_them_but_one_by_one(
        self, store: Store
    ) -> None:
        database = store.floor.database
        async with store.floor.standstill():
            sale = await store.sold("curso", "caneca")
            await hold_all(database, REASON)
            goods, service = [await store.invoice(sale, kind) for kind in ("nfe", "nfse")]
            for document in (goods, service):
                await dismiss(database, UUID(document["id"]), "Emitida como 7", datetime.now(UTC), MINUTE)
            answer = await store.emit_sale(sale)
            assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
        accepted(await store.emit(goods))
        assert (await store.settled(goods))["status"] == "authorized"
        assert (await store.read(service))["rejection"]["code"] == "DISMISSED"

    async def test_is_not_dismissed_but_deleted(self, store: Store) -> None:
        sale = await held(store)
        with pytest.raises(Refusal) as raised:
            await dismiss(store.floor.database, UUID(sale["id"]), "", datetime.now(UTC), MINUTE)
        assert "DELETE" in raised.value.message
        data_of(await store.delete(sale))
        assert await list_parked(store.floor.database, UUID(sale["id"])) == []
