"""The counters of days equal the documents, under any concurrency, also those of earlier releases."""

import asyncio
import random
from datetime import date, timedelta
from decimal import Decimal
from importlib.resources import files

from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import brasilia_day
from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.database import Database
from carimbo.storage.documents import Document
from carimbo.storage.issuing import Verdict
from integration.storage.document_rows import Shop, open_shop

DayTotals = set[tuple[date, str, str, str, int, Decimal]]
_OF_ROWS = """
    select (coalesce(first_queued_at, created_at) at time zone 'America/Sao_Paulo')::date, environment, type,
        status, count(*), sum(amount)
    from documents where company_id = $1 and status in ('authorized', 'rejected', 'canceled')
    group by 1, 2, 3, 4
"""
_COUNTED = """
    select day, environment, type, status, sum(documents)::bigint, sum(amount) from document_days
    where company_id = $1 group by 1, 2, 3, 4 having sum(documents) <> 0 or sum(amount) <> 0
"""
_BACKFILL = (files("carimbo.storage") / "migrations" / "0051_days_of_earlier_documents.sql").read_text()


async def rows_by_day(shop: Shop) -> DayTotals:
    async with shop.database.connection() as connection:
        return {tuple(row.values()) for row in await connection.fetch(_OF_ROWS, shop.company_id)}


async def counted_by_day(shop: Shop) -> DayTotals:
    async with shop.database.connection() as connection:
        return {tuple(row.values()) for row in await connection.fetch(_COUNTED, shop.company_id)}


async def change(shop: Shop, document: Document, assignments: str) -> None:
    async with shop.database.connection() as connection:
        await connection.execute(f"update documents set {assignments} where id = $1", document.id)


class TestDays:
    async def test_a_verdict_counts_a_document_on_the_day_it_was_queued(self, shop: Shop) -> None:
        document = await shop.added()
        assert await counted_by_day(shop) == set()
        await shop.settle(document)
        row = await shop.row_of(document)
        today = brasilia_day(row["first_queued_at"])
        assert await counted_by_day(shop) == {(today, "production", "nfe", "authorized", 1, Decimal("59.80"))}

    async def test_a_draft_that_is_queued_weeks_later_moves_to_that_day(self, shop: Shop) -> None:
        draft = await shop.added(status=Status.PENDING, queued=False)
        await change(shop, draft, "created_at = now() - interval '30 days'")
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.documents.refuse(draft.id, {"code": "X"})
        before = {day for day, *_ in await counted_by_day(shop)}
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.documents.queue(draft.id, shop.company_id, is_urgent=False)
        [after] = {day for day, *_ in await counted_by_day(shop)}
        assert before == {after - timedelta(days=30)}

    async def test_a_late_cancellation_moves_the_amount_on_the_day_of_the_document(self, shop: Shop) -> None:
        document = await shop.added()
        await change(shop, document, "first_queued_at = now() - interval '3 days'")
        await shop.settle(document)
        [(authorized_on, *_)] = await counted_by_day(shop)
        await change(shop, document, "status = 'canceled'")
        [(day, _, _, status, documents, amount)] = await counted_by_day(shop)
        assert (day, status, documents, amount) == (authorized_on, "canceled", 1, Decimal("59.80"))

    async def test_a_changed_or_deleted_rejected_document_is_counted_anew(self, shop: Shop) -> None:
        document = await shop.added(queued=False, status=Status.REJECTED)
        await change(shop, document, "amount = 70")
        assert {amount for *_, amount in await counted_by_day(shop)} == {70}
        async with shop.database.tenant(shop.subscription_id) as tenant:
            assert await tenant.documents.delete([document.id])
        assert await counted_by_day(shop) == set()

    async def test_documents_of_concurrent_writers_are_counted_right(self, shop: Shop) -> None:
        rng = random.Random(0)
        lives = [rng.sample([*Status, Status.REJECTED], 4) for _ in range(60)]
        await asyncio.gather(*(self._live(shop, rng.choice(("nfe", "nfse")), *life) for life in lives))
        counted = await counted_by_day(shop)
        assert counted == await rows_by_day(shop)
        assert counted

    async def _live(self, shop: Shop, document_type: str, first: Status, *later: Status) -> None:
        document = await shop.added(type=document_type, status=first, queued=False)
        for status in later:
            await change(shop, document, f"status = '{status}'")


class TestBackfill:
    async def test_earlier_documents_are_added_once_to_those_that_triggers_have_counted(
        self, rows_database: Database
    ) -> None:
        created = await create_subscription(await Authenticator.open(rows_database), "Teste")
        shop = await open_shop(rows_database, created.subscription_id)
        old = [await shop.added() for _ in range(3)]
        async with shop.database.transaction() as connection:
            # As the release before did: without the triggers.
            await connection.execute("set local session_replication_role = replica")
            await connection.execute(
                "update documents set status = 'authorized' where id = any($1)",
                [document.id for document in old],
            )
        await change(shop, old[0], "status = 'canceled'")
        await shop.settle(await shop.added(), Verdict(status=Status.REJECTED))
        async with shop.database.connection() as connection:
            await connection.execute(_BACKFILL)
            # A second run finds nothing that was not counted.
            await connection.execute(_BACKFILL)
        assert await counted_by_day(shop) == await rows_by_day(shop)
        assert {status for _, _, _, status, *_ in await counted_by_day(shop)} == {
            "authorized",
            "canceled",
            "rejected",
        }
