"""Imports whose worker is killed, stopped or frozen, and imports that are canceled, held or forgotten."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.imports import advance
from carimbo.service.imports.advance import advance_import
from carimbo.service.imports.run import ImportRecord, cancel_import, list_imports
from carimbo.service.listing import PageRequest
from carimbo.service.maintenance import park_unsent_work, resume_parked
from carimbo.storage.imports import ImportKind, ImportState, delete_old_imports
from carimbo.storage.work import Lease, LeaseLost
from claimed_rows import advance_row, claim_row
from integration.imports.files import (
    counts_of,
    customers_of,
    imported,
    key_of,
    products_of,
    read_again,
    sales_of,
    settled,
    upload,
)
from integration.issuing.shop import Shop
from integration.sales.store import Store
from support import data_of

CUSTOMERS, PRODUCTS, SALES = ImportKind
LINES = {
    CUSTOMERS: ("Nome;E-mail", *(f"Pessoa {n};p{n}@example.com" for n in range(3))),
    PRODUCTS: ("SKU;Nome;Tipo;Categoria", *(f"sku-{n};Item {n};Serviço;Aulas" for n in range(3))),
    SALES: ("SKU;Cliente;CPF/CNPJ do cliente", *(3 * ["curso;Maria da Silva;529.982.247-25"])),
}


class Killed(Exception):
    """Ends a turn as if its process had been killed."""


async def claimed(shop: Shop, record: ImportRecord) -> Lease:
    async with shop.system.database.connection() as connection:
        lease = await claim_row(connection, key_of(shop, record))
    assert lease is not None
    return lease


async def turn(shop: Shop, lease: Lease, after_entry: Callable[[int], None]) -> None:
    """Takes a turn of a worker, and calls a function after each entry, before its progress is stored."""
    entries = 0

    def reached(step: str, subject: str) -> None:
        nonlocal entries
        entries += 1
        after_entry(entries)

    await advance_import(replace(shop.system.context, reached=reached), lease)


def kill_after(entries: int) -> Callable[[int], None]:
    def kill(imported_entries: int) -> None:
        if imported_entries == entries:
            raise Killed

    return kill


async def end_lease(shop: Shop, record: ImportRecord) -> None:
    await shop.system.fetch("update imports set lease_until = now() where id = $1", record.id)


async def rows_of(shop: Shop, kind: ImportKind) -> int:
    match kind:
        case ImportKind.CUSTOMERS:
            return len(await customers_of(shop))
        case ImportKind.PRODUCTS:
            return sum(sku.startswith("sku-") for sku in await products_of(shop))
        case ImportKind.SALES:
            return len(await sales_of(shop))


@pytest.mark.parametrize("kind", ImportKind)
@pytest.mark.parametrize("entries", [1, 2])
async def test_line_of_a_killed_worker_is_imported_and_counted_once(
    store: Store, kind: ImportKind, entries: int
) -> None:
    """The worker is killed after it has stored a line, and before it has stored the progress."""
    async with store.system.worker_stopped():
        record = await upload(store, kind, *LINES[kind])
        with pytest.raises(Killed):
            await turn(store, await claimed(store, record), kill_after(entries))
        assert (await read_again(store, record)).lines_done == entries - 1
        assert await rows_of(store, kind) == entries
        await end_lease(store, record)
    record = await settled(store, record)
    assert (record.state, record.lines_done, counts_of(record)) == (ImportState.FINISHED, 3, (3, 0, 0, 0))
    assert await rows_of(store, kind) == 3


class TestLostLease:
    async def test_frozen_worker_stores_no_progress_after_another_one_has_the_import(
        self, shop: Shop
    ) -> None:
        async with shop.system.worker_stopped():
            record = await upload(shop, CUSTOMERS, *LINES[CUSTOMERS])
            frozen = await claimed(shop, record)
            await end_lease(shop, record)
            other = await claimed(shop, record)
            with pytest.raises(LeaseLost):
                await turn(shop, frozen, lambda _: None)
            assert (await read_again(shop, record)).lines_done == 0
            await turn(shop, other, lambda _: None)
        assert counts_of(await settled(shop, record)) == (3, 0, 0, 0)

    async def test_worker_whose_lease_may_have_ended_imports_nothing_more(self, shop: Shop) -> None:
        async with shop.system.worker_stopped():
            record = await upload(shop, CUSTOMERS, *LINES[CUSTOMERS])
            lease = await claimed(shop, record)
            lease.hold.until = 0
            with pytest.raises(LeaseLost):
                await turn(shop, lease, lambda _: None)
            assert await customers_of(shop) == []
            await end_lease(shop, record)
        assert counts_of(await settled(shop, record)) == (3, 0, 0, 0)


class TestTurns:
    @pytest.fixture(autouse=True)
    def short_turns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(advance, "_TURN", timedelta(0))

    async def test_import_goes_on_where_its_last_turn_ended(self, store: Store) -> None:
        record = await imported(
            store, SALES, "Número no seu sistema;SKU;Cliente;CPF/CNPJ do cliente",
            *(f"p-{n};curso;Maria da Silva;529.982.247-25" for n in (1, 1, 2, 2, 2, 3)),
        )  # fmt: skip
        assert (record.lines_done, counts_of(record)) == (6, (3, 0, 0, 0))
        by_number = {sale["externalId"]: len(sale["products"]) for sale in await sales_of(store)}
        assert by_number == {"p-1": 2, "p-2": 3, "p-3": 1}

    async def test_canceled_import_stops_and_keeps_what_it_has_imported(self, shop: Shop) -> None:
        async with shop.system.worker_stopped():
            record = await upload(shop, CUSTOMERS, *LINES[CUSTOMERS])
            assert await advance_row(shop.system.advancer, key_of(shop, record)) is not None
            canceled = await cancel(shop, record)
            assert (canceled.state, canceled.lines_done) == (ImportState.CANCELED, 1)
            assert await advance_row(shop.system.advancer, key_of(shop, record)) is None
        assert len(await customers_of(shop)) == 1
        with pytest.raises(Refusal) as refusal:
            await cancel(shop, record)
        assert refusal.value.code is ErrorCode.INVALID_STATE


async def cancel(shop: Shop, record: ImportRecord) -> ImportRecord:
    return await cancel_import(shop.system.database, shop.caller.subscription_id, UUID(shop.id), record.id)


class TestCancel:
    async def test_worker_that_has_the_import_stops_after_its_line(self, shop: Shop) -> None:
        titles, *lines = LINES[CUSTOMERS]
        async with shop.system.worker_stopped():
            record = await upload(shop, CUSTOMERS, titles, *(lines * 300))
            lease, canceling = await claimed(shop, record), set()
            await turn(
                shop, lease, lambda entries: canceling.add(asyncio.create_task(cancel(shop, record)))
                if entries == 1 else None,
            )  # fmt: skip
            await asyncio.gather(*canceling)
            record = await read_again(shop, record)
            assert record.state == ImportState.CANCELED
            assert record.lines_done < record.lines_total
            [row] = await shop.system.fetch("select next_action_at from imports where id = $1", record.id)
            assert row["next_action_at"] is None

    async def test_deleted_company_has_no_import_in_process(self, shop: Shop) -> None:
        async with shop.system.worker_stopped():
            record = await upload(shop, CUSTOMERS, *LINES[CUSTOMERS])
            data_of(await shop.caller.http.delete(shop.path()))
        assert (await settled(shop, record)).state == ImportState.CANCELED
        async with shop.system.database.tenant(shop.caller.subscription_id) as tenant:
            assert await tenant.customers.count(UUID(shop.id), None) == 0

    async def test_import_of_another_subscription_is_neither_seen_nor_canceled(self, shop: Shop) -> None:
        stranger = await shop.system.new_caller()
        async with shop.system.worker_stopped():
            record = await upload(shop, CUSTOMERS, *LINES[CUSTOMERS])
            for owner in (stranger.subscription_id,):
                with pytest.raises(Refusal) as refusal:
                    await cancel_import(shop.system.database, owner, UUID(shop.id), record.id)
                assert refusal.value.code is ErrorCode.NOT_FOUND
                page = await list_imports(shop.system.database, owner, UUID(shop.id), PageRequest())
                assert (page.items, page.total) == ([], 0)
        assert (await settled(shop, record)).state == ImportState.FINISHED


async def test_held_import_waits_for_the_operator(shop: Shop) -> None:
    """In a restored backup, its sales may have been issued already."""
    async with shop.system.worker_stopped():
        record = await upload(shop, CUSTOMERS, *LINES[CUSTOMERS])
        held = await park_unsent_work(shop.system.database, "restaurado de um backup")
        assert held.imports == 1
        assert (await read_again(shop, record)).is_parked
        assert await advance_row(shop.system.advancer, key_of(shop, record)) is None
        assert await resume_parked(shop.system.database, record.id) == 1
    assert counts_of(await settled(shop, record)) == (3, 0, 0, 0)


async def test_old_imports_are_deleted_with_their_problems(shop: Shop) -> None:
    old, recent = [await imported(shop, PRODUCTS, "SKU", "a") for _ in range(2)]
    await shop.system.fetch(
        "update imports set created_at = now() - interval '91 days' where id = $1", old.id
    )
    async with shop.system.database.connection() as connection:
        assert not await delete_old_imports(connection, timedelta(days=90))
    for table, column in (("imports", "id"), ("import_problems", "import_id")):
        rows = await shop.system.fetch(
            f"select distinct {column} as id from {table} where {column} = any($1)", [old.id, recent.id]
        )
        assert [row["id"] for row in rows] == [recent.id]
