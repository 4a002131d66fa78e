"""The moment at which a sale's time comes: when it is, who is woken for it, and what may be in the way."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.service.subscriptions import set_features
from carimbo.worker.sweeper import announce
from integration.issuing.actions import SPENT, TRIAL, spend, usage
from integration.issuing.floor import Floor
from integration.issuing.shop import accepted, error_of
from integration.sales.store import NewStore, Store, come_due, fired, invoices, moment, times_queued, waiting
from support import HELD_UP, PATIENCE, data_of

MINUTE = timedelta(minutes=1)
# That of a sale that has come due: one token for that, and one for whoever took it.
CLAIMED_ONCE = 2
ALL_OF_SALE = "select * from documents where sale_id = $1 order by created_at, id"


def in_(time: timedelta) -> str:
    """What a guarantee that ends in a while is told as."""
    return (datetime.now(UTC) + time).isoformat()


async def jobs(floor: Floor, sale: dict[str, Any]) -> list[datetime]:
    """When somebody is woken for a sale."""
    ours = "select execute_after from pgqueuer where dedupe_key like '%' || $1 || '%' order by execute_after"
    return [row["execute_after"] for row in await floor.fetch(ours, sale["id"])]


async def documents(store: Store, sale: dict[str, Any]) -> list[Any]:
    """The documents of a sale by their rows, whether or not anybody may read them."""
    return await store.floor.fetch(ALL_OF_SALE, UUID(sale["id"]))


class TestMoment:
    async def test_is_neither_early_nor_late(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca", guaranteeDate=in_(timedelta(seconds=2)))
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", {"nfse": 1, "nfe": 1})
        for row in await documents(store, sale):
            assert timedelta(0) <= row["queued_at"] - moment(sale) < timedelta(seconds=PATIENCE)

    async def test_of_many_sales_is_that_of_each(self, store: Store) -> None:
        sales = [
            await waiting(store, "curso", guaranteeDate=in_(timedelta(seconds=turn / 2)))
            for turn in (4, 2, 5, 1, 3)
        ]
        for sale in sales:
            await fired(store, sale)
        sent = [(await documents(store, sale))[0]["queued_at"] for sale in sales]
        assert all(at >= moment(sale) for at, sale in zip(sent, sales, strict=True))


class TestWaking:
    async def test_is_by_a_job_for_the_moment_when_that_is_near(self, floor: Floor, store: Store) -> None:
        async with floor.standstill():
            sale = await waiting(store, "curso", guaranteeDate=in_(10 * MINUTE))
            assert await jobs(floor, sale) == [moment(sale)]

    async def test_has_no_job_until_the_moment_comes_near(self, floor: Floor, store: Store) -> None:
        async with floor.standstill():
            sale = await waiting(store, "curso", guaranteeDate=in_(90 * MINUTE))
            assert await jobs(floor, sale) == []
            await announce(floor.database, within=80 * MINUTE)
            assert await jobs(floor, sale) == []
            for _ in range(2):
                await announce(floor.database, within=100 * MINUTE)
                assert await jobs(floor, sale) == [moment(sale)]

    async def test_by_the_job_of_a_moment_that_was_put_off_does_nothing(
        self, floor: Floor, store: Store
    ) -> None:
        told = {"emitWhen": "after_guarantee", "guaranteeDate": in_(10 * MINUTE)}
        async with floor.standstill():
            sale = await waiting(store, "curso", guaranteeDate=in_(timedelta(seconds=1)))
            later = data_of(await store.put(sale, "curso", **told))
            assert await jobs(floor, sale) == [moment(sale), moment(later)]
        await floor.until(f"1 = (select count(*) from pgqueuer where dedupe_key like '%{UUID(sale['id'])}%')")
        assert await jobs(floor, sale) == [moment(later)]
        assert await store.read_sale(later) == later


class TestSpentPlan:
    async def test_lets_go_as_many_documents_as_it_has_places(self, new_store: NewStore) -> None:
        store = await new_store(plan="trial")
        sale = await waiting(store, "curso", "caneca")
        await spend(store, TRIAL - 1)
        await come_due(store, sale)
        sale = await fired(store, sale)
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("rejected",)}
        assert await times_queued(store, sale) == {"nfse": 1, "nfe": 0}
        assert await usage(store) == {"total": (TRIAL, 0)}

    async def test_refuses_the_others_until_there_is_a_place(self, new_store: NewStore) -> None:
        store = await new_store(plan="trial")
        sale = await waiting(store, "curso", "caneca")
        await spend(store)
        await come_due(store, sale)
        sale = await fired(store, sale)
        assert sale["status"] == "failed"
        for listed in sale["invoices"]:
            rejection = (await store.read(listed))["rejection"]
            assert (rejection["code"], rejection["retryable"]) == ("DOCUMENT_LIMIT_REACHED", True)
            assert [event["type"] for event in await store.events(listed)] == ["created", "rejected"]
        assert error_of(await store.emit_sale(sale), 402, "DOCUMENT_LIMIT_REACHED") == SPENT
        await spend(store, 0)
        accepted(await store.emit_sale(sale))
        assert (await store.sale_settled(sale))["status"] == "invoiced"
        assert await usage(store) == {"total": (2, 0)}

    async def test_is_no_matter_in_homologation(self, new_store: NewStore) -> None:
        store = await new_store(plan="trial")
        path = store.path("/environment")
        data_of(await store.caller.http.patch(path, json={"environment": "homologation"}))
        sale = await waiting(store, "curso", "caneca")
        await spend(store)
        await come_due(store, sale)
        assert (await fired(store, sale))["status"] == "invoiced"
        assert await usage(store) == {"total": (TRIAL, 0)}


class TestWithdrawnFeature:
    async def test_refuses_its_documents(self, floor: Floor, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca", productInvoiceType="nfce")
        await set_features(floor.database, store.caller.subscription_id, [])
        await come_due(store, sale)
        sale = await fired(store, sale)
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfce": ("rejected",)}
        rejection = (await store.read(await store.invoice(sale, "nfce")))["rejection"]
        assert (rejection["code"], rejection["retryable"]) == ("FEATURE_NOT_ENABLED", True)


class TestDeletedCompany:
    async def test_sends_nothing(self, floor: Floor, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        data_of(await store.caller.http.delete(store.path()))
        assert [row["next_action_at"] for row in await store.rows("sales")] == [None]
        await come_due(store, sale)
        await floor.until(f"(select next_action_at is null from sales where id = '{UUID(sale['id'])}')")
        assert [row["status"] for row in await documents(store, sale)] == ["pending"] * 2

    async def test_at_the_very_moment_is_gone_before_anything_goes_out(
        self, floor: Floor, store: Store
    ) -> None:
        sale = await waiting(store, "curso", "caneca")
        async with asyncio.TaskGroup() as group, floor.database.transaction() as held:
            await held.execute("select from companies where id = $1 for update", UUID(store.id))
            deletion = group.create_task(store.caller.http.delete(store.path()))
            await floor.until(f"{HELD_UP} >= 1")
            await come_due(store, sale)
            await floor.until(f"{HELD_UP} >= 2")
        data_of(deletion.result())
        done = "next_action_at is null and lease_until is null"
        await floor.until(f"(select {done} from sales where id = '{UUID(sale['id'])}')")
        (claimed,) = await store.rows("sales")
        assert claimed["lease_token"] == CLAIMED_ONCE
        rows = await documents(store, sale)
        assert [(row["status"], row["queued_at"]) for row in rows] == [("pending", None)] * 2
