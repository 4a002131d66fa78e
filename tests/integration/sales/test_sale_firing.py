"""A scheduled sale that comes due: when it is issued, and what may prevent it."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.service.subscriptions import set_features
from integration.issuing.actions import SPENT, TRIAL, spend, usage
from integration.issuing.shop import accepted, error_of
from integration.issuing.system import System
from integration.sales.store import NewStore, Store, fired, invoices, make_due, moment, times_queued, waiting
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, data_of

# The lease token after one claim.
CLAIMED_ONCE = 1
ALL_OF_SALE = "select * from documents where sale_id = $1 order by created_at, id"


def in_(time: timedelta) -> str:
    """Returns the end of a guarantee after this time, as text."""
    return (datetime.now(UTC) + time).isoformat()


async def documents(store: Store, sale: dict[str, Any]) -> list[Any]:
    """Returns the rows of a sale's documents, even of a deleted company."""
    return await store.system.fetch(ALL_OF_SALE, UUID(sale["id"]))


class TestMoment:
    async def test_a_scheduled_sale_is_issued_neither_early_nor_late(self, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca", guaranteeDate=in_(timedelta(seconds=2)))
        sale = await fired(store, sale)
        assert (sale["status"], await times_queued(store, sale)) == ("invoiced", {"nfse": 1, "nfe": 1})
        for row in await documents(store, sale):
            assert timedelta(0) <= row["queued_at"] - moment(sale) < timedelta(seconds=TIMEOUT_SECONDS)

    async def test_each_of_many_sales_is_issued_at_its_own_time(self, store: Store) -> None:
        sales = [
            await waiting(store, "curso", guaranteeDate=in_(timedelta(seconds=turn / 2)))
            for turn in (4, 2, 5, 1, 3)
        ]
        for sale in sales:
            await fired(store, sale)
        sent = [(await documents(store, sale))[0]["queued_at"] for sale in sales]
        assert all(at >= moment(sale) for at, sale in zip(sent, sales, strict=True))

    async def test_a_postponed_sale_is_not_issued_at_its_former_time(
        self, system: System, store: Store
    ) -> None:
        schedule = {"emitWhen": "after_guarantee", "guaranteeDate": in_(timedelta(minutes=10))}
        async with system.worker_stopped():
            sale = await waiting(store, "curso", guaranteeDate=in_(timedelta(seconds=1)))
            next_sale = await waiting(store, "curso", guaranteeDate=in_(timedelta(seconds=2)))
            postponed = data_of(await store.put(sale, "curso", **schedule))
        await fired(store, next_sale)
        assert await store.read_sale(sale) == postponed


class TestExhaustedPlan:
    async def test_as_many_documents_are_issued_as_the_plan_allows(self, new_store: NewStore) -> None:
        store = await new_store(plan="trial")
        sale = await waiting(store, "curso", "caneca")
        await spend(store, TRIAL - 1)
        await make_due(store, sale)
        sale = await fired(store, sale)
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfe": ("rejected",)}
        assert await times_queued(store, sale) == {"nfse": 1, "nfe": 0}
        assert await usage(store) == {"total": (TRIAL, 0)}

    async def test_documents_over_the_limit_are_rejected_until_the_plan_allows_them(
        self, new_store: NewStore
    ) -> None:
        store = await new_store(plan="trial")
        sale = await waiting(store, "curso", "caneca")
        await spend(store)
        await make_due(store, sale)
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

    async def test_the_plan_does_not_limit_homologation(self, new_store: NewStore) -> None:
        store = await new_store(plan="trial")
        path = store.path("/environment")
        data_of(await store.caller.http.patch(path, json={"environment": "homologation"}))
        sale = await waiting(store, "curso", "caneca")
        await spend(store)
        await make_due(store, sale)
        assert (await fired(store, sale))["status"] == "invoiced"
        assert await usage(store) == {"total": (TRIAL, 0)}


class TestWithdrawnFeature:
    async def test_documents_of_a_withdrawn_feature_are_rejected(self, system: System, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca", productInvoiceType="nfce")
        await set_features(system.database, store.caller.subscription_id, [])
        await make_due(store, sale)
        sale = await fired(store, sale)
        assert invoices(sale, "status") == {"nfse": ("authorized",), "nfce": ("rejected",)}
        rejection = (await store.read(await store.invoice(sale, "nfce")))["rejection"]
        assert (rejection["code"], rejection["retryable"]) == ("FEATURE_NOT_ENABLED", True)


class TestDeletedCompany:
    async def test_a_deleted_company_issues_nothing(self, system: System, store: Store) -> None:
        sale = await waiting(store, "curso", "caneca")
        data_of(await store.caller.http.delete(store.path()))
        assert [row["next_action_at"] for row in await store.rows("sales")] == [None]
        await make_due(store, sale)
        await system.until(f"(select next_action_at is null from sales where id = '{UUID(sale['id'])}')")
        assert [row["status"] for row in await documents(store, sale)] == ["pending"] * 2

    async def test_a_company_deleted_when_a_sale_comes_due_issues_nothing(
        self, system: System, store: Store
    ) -> None:
        sale = await waiting(store, "curso", "caneca")
        async with asyncio.TaskGroup() as group, system.database.transaction() as held:
            await held.execute("select from companies where id = $1 for update", UUID(store.id))
            deletion = group.create_task(store.caller.http.delete(store.path()))
            await system.until(f"{BLOCKED_SESSIONS} >= 1")
            await make_due(store, sale)
            await system.until(f"{BLOCKED_SESSIONS} >= 2")
        data_of(deletion.result())
        done = "next_action_at is null and lease_until is null"
        await system.until(f"(select {done} from sales where id = '{UUID(sale['id'])}')")
        (claimed,) = await store.rows("sales")
        assert claimed["lease_token"] == CLAIMED_ONCE
        rows = await documents(store, sale)
        assert [(row["status"], row["queued_at"]) for row in rows] == [("pending", None)] * 2
