"""The counters that lists tell their totals by never differ from the rows, whatever happens at once."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.settings import Settings
from carimbo.storage.allowances import Usage
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database, PoolOptions, Tenant, open_database
from carimbo.storage.document_filter import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.issuing import IssuingSteps, Settlement, Verdict
from integration.storage.document_rows import AUTHORIZED, EVERYTHING, Shop, new_document

KINDS = ("nfe", "nfce")
SHARDS = 16
# More than there are shards: some share one.
CONNECTIONS = 24


@pytest.fixture
async def busy_shop(settings: Settings, shop: Shop) -> AsyncIterator[Shop]:
    """The same company, written to by many at once."""
    url, options = settings.database_url.get_secret_value(), PoolOptions(size=CONNECTIONS)
    async with open_database(url, settings.key_ring, options) as database:
        yield Shop(database, shop.subscription_id, shop.company_id)


async def counted(shop: Shop) -> Counter[tuple[str | None, str | None]]:
    """What the counters say, by type and status; None stands for any."""
    filters = [(kind, status) for kind in (None, *KINDS) for status in (None, *Status)]
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return Counter(
            {
                (kind, status): await tenant.documents.count(
                    shop.company_id, DocumentFilter(types=kind and (kind,), status=status)
                )
                for kind, status in filters
            }
        )


async def there(shop: Shop) -> Counter[tuple[str | None, str | None]]:
    """What the rows say."""
    async with shop.database.connection() as connection:
        rows = await connection.fetch(
            "select type, status, count(*) from documents where company_id = $1"
            " group by cube (type, status)",
            shop.company_id,
        )  # fmt: skip
    return Counter({(row["type"], row["status"]): row["count"] for row in rows})


class TestCount:
    async def test_it_is_told_by_counters_only_where_they_know(self) -> None:
        assert EVERYTHING.is_counted
        assert DocumentFilter(types=("nfe",), status=Status.PENDING).is_counted
        assert not DocumentFilter(external_id="e").is_counted

    async def test_a_change_of_status_moves_one_from_one_to_the_other(self, shop: Shop) -> None:
        document = await shop.added()
        assert await counted(shop) == await there(shop)
        await shop.settle(document, Verdict(status=Status.REJECTED))
        assert (await counted(shop))["nfe", Status.REJECTED] == 1
        assert await counted(shop) == await there(shop)

    async def test_a_change_of_anything_else_moves_none(self, shop: Shop) -> None:
        document = await shop.added()
        before = await counted(shop)
        await shop.claimed(document)
        assert await counted(shop) == before

    @pytest.mark.parametrize("seed", range(3))
    async def test_many_at_once_that_come_change_and_fail_are_counted_right(
        self, busy_shop: Shop, seed: int
    ) -> None:
        dice = random.Random(seed)
        plans = [(dice.choice(KINDS), dice.sample(list(Status), 3), dice.random() < 0.3) for _ in range(120)]
        await asyncio.gather(*(self._live(busy_shop, *plan) for plan in plans))
        assert await counted(busy_shop) == await there(busy_shop)
        assert (await counted(busy_shop))[None, None] == 120

    async def _live(self, shop: Shop, kind: str, statuses: list[Status], fails: bool) -> None:
        document = await shop.added(type=kind, status=statuses[0], queued=False)
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


class TestTogetherWithThePlan:
    """Who accepts and who concludes a document both write counters and plan: crosswise that is a deadlock."""

    async def test_who_accepts_and_who_concludes_never_wait_for_each_other(self, busy_shop: Shop) -> None:
        subscription_id, key_ring = busy_shop.subscription_id, busy_shop.database.key_ring
        lease = await busy_shop.claimed(await busy_shop.added(allowance_period="total"))
        async with busy_shop.database.tenant(subscription_id) as tenant:
            await tenant.allowances.reserve("total", 10)
        async with AsyncExitStack() as stack:
            one, other = await self._of_one_shard(stack, busy_shop.database)
            settlement = Settlement("total", used=1, released=1)
            async with one.transaction():
                tenant = Tenant(one, subscription_id, key_ring)
                await tenant.documents.add(new_document(busy_shop.company_id), [], queued=False)
                concluding = IssuingSteps(other, lease).conclude(1, AUTHORIZED, settlement, [])
                conclusion = asyncio.create_task(concluding)
                await self._until_it_waits_or_is_done(conclusion, busy_shop.database)
                assert await tenant.allowances.reserve("total", 10)
            await conclusion
        async with busy_shop.database.autocommit(subscription_id) as tenant:
            assert await tenant.allowances.usage("total") == Usage(used=1, reserved=1)
        assert await counted(busy_shop) == await there(busy_shop)

    async def _of_one_shard(self, stack: AsyncExitStack, database: Database) -> list[Connection]:
        """Two connections that write the same counters: of so many, two must."""
        by_shard: dict[int, list[Connection]] = defaultdict(list)
        for _ in range(SHARDS + 1):
            connection = await stack.enter_async_context(database.connection())
            by_shard[await connection.fetchval("select pg_backend_pid()") % SHARDS].append(connection)
        return next(pair[:2] for pair in by_shard.values() if len(pair) > 1)

    async def _until_it_waits_or_is_done(self, task: "asyncio.Task[None]", database: Database) -> None:
        waiting = "select exists (select from pg_locks where locktype = 'transactionid' and not granted)"
        async with asyncio.timeout(60), database.connection() as connection:
            while not (task.done() or await connection.fetchval(waiting)):  # noqa: ASYNC110 - a lock tells nobody
                await asyncio.sleep(0.01)
