"""The counters behind the totals of lists always equal the rows, under any concurrency."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.settings import Settings
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database, PoolOptions, Tenant, open_database
from carimbo.storage.document_search import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.issuing import AllowanceChange, IssuingSteps, Verdict
from carimbo.storage.subscriptions import Usage
from integration.storage.document_rows import AUTHORIZED, EVERYTHING, Shop, new_document

TYPES = ("nfe", "nfce")
SHARDS = 16
# More than there are shards: some share one.
CONNECTIONS = 24


@pytest.fixture
async def busy_shop(settings: Settings, shop: Shop) -> AsyncIterator[Shop]:
    """The same company, with connections for many concurrent writers."""
    url, options = settings.database_url.get_secret_value(), PoolOptions(size=CONNECTIONS)
    async with open_database(url, settings.key_ring, options) as database:
        yield Shop(database, shop.subscription_id, shop.company_id)


async def counters(shop: Shop) -> Counter[tuple[str | None, str | None]]:
    """Returns the counters by type and status; None means any."""
    filters = [(document_type, status) for document_type in (None, *TYPES) for status in (None, *Status)]
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return Counter(
            {
                (document_type, status): await tenant.documents.count(
                    shop.company_id, DocumentFilter(types=document_type and (document_type,), status=status)
                )
                for document_type, status in filters
            }
        )


async def counts_of_rows(shop: Shop) -> Counter[tuple[str | None, str | None]]:
    """Returns the same counts from the rows."""
    async with shop.database.connection() as connection:
        rows = await connection.fetch(
            "select type, status, count(*) from documents where company_id = $1"
            " group by cube (type, status)",
            shop.company_id,
        )  # fmt: skip
    return Counter({(row["type"], row["status"]): row["count"] for row in rows})


class TestCount:
    async def test_counters_are_used_only_for_filters_by_type_and_status(self) -> None:
        assert EVERYTHING.is_counted
        assert DocumentFilter(types=("nfe",), status=Status.PENDING).is_counted
        assert not DocumentFilter(external_id="e").is_counted

    async def test_a_change_of_status_moves_a_document_between_counters(self, shop: Shop) -> None:
        document = await shop.added()
        assert await counters(shop) == await counts_of_rows(shop)
        await shop.settle(document, Verdict(status=Status.REJECTED))
        assert (await counters(shop))["nfe", Status.REJECTED] == 1
        assert await counters(shop) == await counts_of_rows(shop)

    async def test_any_other_change_leaves_the_counters(self, shop: Shop) -> None:
        document = await shop.added()
        before = await counters(shop)
        await shop.claimed(document)
        assert await counters(shop) == before

    @pytest.mark.parametrize("seed", range(3))
    async def test_concurrent_additions_changes_and_failures_are_counted_right(
        self, busy_shop: Shop, seed: int
    ) -> None:
        rng = random.Random(seed)
        plans = [(rng.choice(TYPES), rng.sample(list(Status), 3), rng.random() < 0.3) for _ in range(120)]
        await asyncio.gather(*(self._live(busy_shop, *plan) for plan in plans))
        assert await counters(busy_shop) == await counts_of_rows(busy_shop)
        assert (await counters(busy_shop))[None, None] == 120

    async def _live(self, shop: Shop, document_type: str, statuses: list[Status], fails: bool) -> None:
        document = await shop.added(type=document_type, status=statuses[0], queued=False)
        for status in statuses[1:]:
            await self._move(shop, document, status)
        if fails:
            with pytest.raises(LookupError):
                async with shop.database.tenant(shop.subscription_id) as tenant:
                    await tenant.documents.add(new_document(shop.company_id), [], queued=False)
                    raise LookupError("given up")

    async def _move(self, shop: Shop, document: Document, status: Status) -> None:
        async with shop.database.connection() as connection:
            await connection.execute("update documents set status = $2 where id = $1", document.id, status)


class TestCountersAndAllowance:
    """Accepting and concluding both write counters and allowance; a different order would deadlock."""

    async def test_accepting_and_concluding_documents_never_deadlock(self, busy_shop: Shop) -> None:
        subscription_id, key_ring = busy_shop.subscription_id, busy_shop.database.key_ring
        lease = await busy_shop.claimed(await busy_shop.added(allowance_period="total"))
        async with busy_shop.database.tenant(subscription_id) as tenant:
            await tenant.allowances.reserve("total", 10)
        async with AsyncExitStack() as stack:
            accepting, concluding_connection = await self._connections_of_one_shard(stack, busy_shop.database)
            allowance_change = AllowanceChange("total", used=1, released=1)
            async with accepting.transaction():
                tenant = Tenant(accepting, subscription_id, key_ring)
                await tenant.documents.add(new_document(busy_shop.company_id), [], queued=False)
                concluding = IssuingSteps(concluding_connection, lease).conclude(
                    1, AUTHORIZED, allowance_change, []
                )
                conclusion = asyncio.create_task(concluding)
                await self._wait_until_blocked_or_done(conclusion, busy_shop.database)
                assert await tenant.allowances.reserve("total", 10)
            await conclusion
        async with busy_shop.database.autocommit(subscription_id) as tenant:
            assert await tenant.allowances.usage("total") == Usage(used=1, reserved=1)
        assert await counters(busy_shop) == await counts_of_rows(busy_shop)

    async def _connections_of_one_shard(self, stack: AsyncExitStack, database: Database) -> list[Connection]:
        """Returns two connections that share a shard; with more connections than shards there are two."""
        by_shard: dict[int, list[Connection]] = defaultdict(list)
        for _ in range(SHARDS + 1):
            connection = await stack.enter_async_context(database.connection())
            by_shard[await connection.fetchval("select pg_backend_pid()") % SHARDS].append(connection)
        return next(pair[:2] for pair in by_shard.values() if len(pair) > 1)

    async def _wait_until_blocked_or_done(self, task: "asyncio.Task[None]", database: Database) -> None:
        waiting = "select exists (select from pg_locks where locktype = 'transactionid' and not granted)"
        async with asyncio.timeout(60), database.connection() as connection:
            while not (task.done() or await connection.fetchval(waiting)):  # noqa: ASYNC110 - a lock has no event
                await asyncio.sleep(0.01)
