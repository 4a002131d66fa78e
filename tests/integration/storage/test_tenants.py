"""Three ways to access a subscription's rows: in a transaction, with autocommit, or in a snapshot."""

import asyncpg
import pytest

from carimbo.storage.database import Tenant
from integration.storage.document_rows import EVERYTHING, Shop


async def count_documents(tenant: Tenant, shop: Shop) -> int:
    return await tenant.documents.count(shop.company_id, EVERYTHING)


class TestAutocommit:
    async def test_each_statement_sees_what_is_committed_by_then(self, shop: Shop) -> None:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await count_documents(tenant, shop) == 0
            await shop.added()
            assert await count_documents(tenant, shop) == 1

    async def test_autocommit_opens_no_transaction(self, shop: Shop) -> None:
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            await count_documents(tenant, shop)
            assert not tenant.connection.is_in_transaction()


class TestSnapshot:
    async def test_a_snapshot_shows_a_single_instant(self, shop: Shop) -> None:
        async with shop.database.snapshot(shop.subscription_id) as tenant:
            assert await count_documents(tenant, shop) == 0
            document = await shop.added()
            assert await count_documents(tenant, shop) == 0
            assert await tenant.documents.get(document.id) is None
        async with shop.database.snapshot(shop.subscription_id) as tenant:
            assert await count_documents(tenant, shop) == 1

    async def test_a_snapshot_cannot_write(self, shop: Shop) -> None:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            async with shop.database.snapshot(shop.subscription_id) as tenant:
                await tenant.companies.lock(shop.company_id)

    async def test_the_connection_can_write_again_afterwards(self, shop: Shop) -> None:
        async with shop.database.snapshot(shop.subscription_id) as tenant:
            await count_documents(tenant, shop)
        for _ in range(12):
            await shop.added()


class TestTenant:
    async def test_a_failed_transaction_is_rolled_back(self, shop: Shop) -> None:
        with pytest.raises(LookupError):
            async with shop.database.tenant(shop.subscription_id) as tenant:
                await tenant.archive.put(shop.company_id, "a", b"1")
                raise LookupError("something else went wrong")
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(shop.company_id, "a") is None
