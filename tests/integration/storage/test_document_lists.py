from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any

import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.storage import work
from carimbo.storage.backlog import Backlog, backlog_of_company, parked_work, whole_backlog
from carimbo.storage.document_filter import DocumentFilter
from carimbo.storage.documents import Document
from integration.storage.attempts import authorized
from integration.storage.document_rows import EVERYTHING, Shop

NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SEVERAL: list[dict[str, Any]] = [
    {"type": kind, "status": status, "external_id": f"{kind}-{status}"}
    for kind, status in product(("nfe", "nfce"), (Status.PENDING, Status.AUTHORIZED, Status.REJECTED))
]


async def page(shop: Shop, wanted: DocumentFilter, offset: int = 0, size: int = 100) -> list[Document]:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        documents, _ = await tenant.documents.page(shop.company_id, wanted, offset, size)
    return documents


async def count(shop: Shop, wanted: DocumentFilter) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.documents.count(shop.company_id, wanted)


async def change(shop: Shop, document: Document, changes: str, *arguments: Any) -> None:
    async with shop.database.connection() as connection:
        await connection.execute(f"update documents set {changes} where id = $1", document.id, *arguments)


async def add_several(shop: Shop) -> list[Document]:
    """One of each, an hour apart, oldest first."""
    documents = [await shop.added(queued=False, **values) for values in SEVERAL]
    for number, document in enumerate(documents):
        await change(shop, document, "created_at = $2", NOON + number * HOUR)
    return documents


class TestPage:
    async def test_pages_are_newest_first_and_do_not_overlap(self, shop: Shop) -> None:
        added = [await shop.added(queued=False) for _ in range(5)]
        pages = [await page(shop, EVERYTHING, offset, 2) for offset in (0, 2, 4, 6)]
        assert [len(one) for one in pages] == [2, 2, 1, 0]
        assert [document for one in pages for document in one] == added[::-1]

    async def test_another_company_s_documents_are_not_in_it(self, shop: Shop, other_shop: Shop) -> None:
        await other_shop.added()
        assert await page(shop, EVERYTHING) == []
        assert await count(shop, EVERYTHING) == 0

    @pytest.mark.parametrize("wanted", [EVERYTHING, DocumentFilter(search="maria"), DocumentFilter(series=1)])
    async def test_a_page_after_the_last_one_is_empty_and_has_the_total(
        self, shop: Shop, wanted: DocumentFilter
    ) -> None:
        await change(shop, await authorized(shop), "recipient_name = 'Maria'")
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.documents.page(shop.company_id, wanted, 1, 20) == ([], 1)

    async def test_every_list_is_planned_for_its_own_values(self, shop: Shop) -> None:
        """A statement that is executed again may get a plan for any values, which is slow for rare ones."""
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            for series in range(3):
                await tenant.documents.page(shop.company_id, DocumentFilter(series=series), 0, 20)
            executed_again = await tenant.connection.fetch(
                "select statement from pg_prepared_statements"
                " where statement like $1 and custom_plans + generic_plans > 1",
                "%with matches as%e.series = $%",
            )
        assert executed_again == []


class TestFilter:
    @pytest.mark.parametrize("types", [("nfe",), ("nfce",), ("nfe", "nfce")])
    async def test_types_find_what_is_of_one_of_them(self, shop: Shop, types: tuple[str, ...]) -> None:
        documents = await add_several(shop)
        wanted = DocumentFilter(types=types)
        expected = [document.id for document in documents[::-1] if document.type in types]
        assert [document.id for document in await page(shop, wanted)] == expected
        assert await count(shop, wanted) == len(expected)

    @pytest.mark.parametrize("name", ["status", "external_id"])
    async def test_each_value_finds_what_has_it(self, shop: Shop, name: str) -> None:
        documents = await add_several(shop)
        for value in {values[name] for values in SEVERAL}:
            wanted = DocumentFilter(**{name: value})
            expected = [one.id for one in documents[::-1] if getattr(one, name) == value]
            assert [found.id for found in await page(shop, wanted)] == expected
            assert await count(shop, wanted) == len(expected)

    async def test_a_document_that_a_search_finds_in_several_ways_is_listed_once(self, shop: Shop) -> None:
        by_number = await authorized(shop)
        by_all = await shop.added(queued=False, external_id="1", recipient_tax_id="1", recipient_name="1 11")
        await shop.added(queued=False, external_id="2", recipient_name="Loja 2")
        wanted = DocumentFilter(search="1")
        assert [one.id for one in await page(shop, wanted)] == [by_all.id, by_number.id]
        assert await count(shop, wanted) == 2

    @pytest.mark.parametrize(
        ("start", "end", "found"),
        [(None, None, 6), (2, None, 4), (None, 2, 2), (1, 4, 3), (3, 3, 0), (6, None, 0)],
    )
    async def test_a_span_begins_with_its_start_and_ends_before_its_end(
        self, shop: Shop, start: int | None, end: int | None, found: int
    ) -> None:
        documents = await add_several(shop)
        wanted = DocumentFilter(
            created_from=None if start is None else NOON + start * HOUR,
            created_before=None if end is None else NOON + end * HOUR,
        )
        expected = [one.id for one in documents[start:end]][::-1]
        assert [one.id for one in await page(shop, wanted)] == expected
        assert await count(shop, wanted) == found == len(expected)

    async def test_several_conditions_hold_together(self, shop: Shop) -> None:
        documents = await add_several(shop)
        wanted = DocumentFilter(
            types=("nfce",),
            status=Status.REJECTED,
            external_id="nfce-rejected",
            created_from=NOON,
            created_before=NOON + 10 * HOUR,
        )
        assert [one.id for one in await page(shop, wanted)] == [documents[-1].id]
        assert await count(shop, wanted) == 1

    @pytest.mark.parametrize("kind", [None, "nfe"])
    @pytest.mark.parametrize("status", [None, Status.PENDING])
    async def test_pages_of_what_is_found_do_not_overlap_either(
        self, shop: Shop, kind: str | None, status: Status | None
    ) -> None:
        await add_several(shop)
        wanted = DocumentFilter(types=kind and (kind,), status=status)
        one_by_one = [one for offset in range(6) for one in await page(shop, wanted, offset, 1)]
        assert one_by_one == await page(shop, wanted)
        assert all(newer.id > older.id for newer, older in pairwise(one_by_one))


class TestBacklog:
    async def test_nothing_is_under_way_at_first(self, shop: Shop) -> None:
        assert await self._of(shop) == Backlog(processing=0, overdue=0, parked=0, oldest_queued_at=None)

    async def test_only_what_is_under_way_counts(self, shop: Shop, other_shop: Shop) -> None:
        await add_several(shop)
        await other_shop.added()
        document = await shop.added()
        assert await self._of(shop) == Backlog(
            processing=1, overdue=0, parked=0, oldest_queued_at=document.queued_at
        )

    async def test_what_has_been_under_way_for_too_long_is_overdue(self, shop: Shop) -> None:
        documents = [await shop.added() for _ in range(3)]
        for minutes, document in zip((59, 61, 120), documents, strict=True):
            await change(shop, document, "queued_at = now() - $2::interval", timedelta(minutes=minutes))
        backlog = await self._of(shop)
        assert (backlog.processing, backlog.overdue) == (3, 2)
        assert backlog.oldest_queued_at == (await shop.read(documents[2].id)).queued_at

    async def test_what_was_set_aside_is_told(self, shop: Shop) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        async with shop.database.transaction() as connection:
            await work.park(connection, lease, "broken beyond repair")
        assert (await self._of(shop)).parked == 1
        async with shop.database.connection() as connection:
            parked = [one for one in await parked_work(connection) if one.id == document.id]
        (told,) = parked
        assert (told.subscription_id, told.company_id) == (shop.subscription_id, shop.company_id)
        assert (told.type, told.parked_reason) == ("nfe", "broken beyond repair")

    async def test_that_of_the_installation_has_everybody_s(self, shop: Shop, other_shop: Shop) -> None:
        async with shop.database.connection() as connection:
            before = await whole_backlog(connection, HOUR)
            for one in (shop, other_shop):
                await change(one, await one.added(), "queued_at = now() - interval '2 hours'")
            after = await whole_backlog(connection, HOUR)
        assert after.processing == before.processing + 2
        assert after.overdue == before.overdue + 2

    async def _of(self, shop: Shop) -> Backlog:
        async with shop.database.connection() as connection:
            return await backlog_of_company(connection, shop.subscription_id, shop.company_id, HOUR)
