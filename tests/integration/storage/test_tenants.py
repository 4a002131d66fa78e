"""Three ways to a subscription's rows: in one transaction, each by itself, or all as of one instant."""

import asyncpg
import pytest

from carimbo.storage.database import Tenant
from integration.storage.document_rows import EVERYTHING, Shop


async def seen(tenant: Tenant, shop: Shop) -> int:
    return await tenant.documents.count(shop.company_id, EVERYTHING)


class TestAutocommit:
    async def test_each_statement_sees_what_is_there_by_then(self, shop: Shop) -> None:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await seen(tenant, shop) == 0
            await shop.added()
            assert await seen(tenant, shop) == 1

    async def test_it_holds_no_transaction(self, shop: Shop) -> None:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            await seen(tenant, shop)
            assert not tenant.connection.is_in_transaction()


class TestSnapshot:
    async def test_everything_is_as_of_one_instant(self, shop: Shop) -> None:
        async with shop.database.snapshot(shop.subscription_id) as tenant:
            assert await seen(tenant, shop) == 0
            document = await shop.added()
            assert await seen(tenant, shop) == 0
            assert await tenant.documents.get(document.id) is None
        async with shop.database.snapshot(shop.subscription_id) as tenant:
            assert await seen(tenant, shop) == 1

    async def test_nothing_can_be_written(self, shop: Shop) -> None:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            async with shop.database.snapshot(shop.subscription_id) as tenant:
                await tenant.companies.lock(shop.company_id)

    async def test_the_connection_can_write_again_afterwards(self, shop: Shop) -> None:
        async with shop.database.snapshot(shop.subscription_id) as tenant:
            await seen(tenant, shop)
        for _ in range(12):
            await shop.added()


class TestTenant:
    async def test_what_fails_is_undone_whole(self, shop: Shop) -> None:
        with pytest.raises(LookupError):
            async with shop.database.tenant(shop.subscription_id) as tenant:
                await tenant.archive.put(shop.company_id, "a", b"1")
                raise LookupError("something else went wrong")
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(shop.company_id, "a") is None
