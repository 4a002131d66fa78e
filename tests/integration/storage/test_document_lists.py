from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any

import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.storage import work
from carimbo.storage.document_search import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.monitoring import Backlog, backlog_of_company, total_backlog
from carimbo.storage.parked_work import ParkedWorks
from integration.storage.attempts import authorized
from integration.storage.document_rows import EVERYTHING, Shop

NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SEVERAL: list[dict[str, Any]] = [
    {"type": document_type, "status": status, "external_id": f"{document_type}-{status}"}
    for document_type, status in product(
        ("nfe", "nfce"), (Status.PENDING, Status.AUTHORIZED, Status.REJECTED)
    )
]


async def page(
    shop: Shop, document_filter: DocumentFilter, offset: int = 0, size: int = 100
) -> list[Document]:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        documents, _ = await tenant.documents.page(shop.company_id, document_filter, offset, size)
    return documents


async def count(shop: Shop, document_filter: DocumentFilter) -> int:
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        return await tenant.documents.count(shop.company_id, document_filter)


async def change(shop: Shop, document: Document, changes: str, *arguments: Any) -> None:
    async with shop.database.connection() as connection:
        await connection.execute(f"update documents set {changes} where id = $1", document.id, *arguments)


async def add_several(shop: Shop) -> list[Document]:
    """Adds one document of each type and status, an hour apart, oldest first."""
    documents = [await shop.added(queued=False, **values) for values in SEVERAL]
    for number, document in enumerate(documents):
        await change(shop, document, "created_at = $2", NOON + number * HOUR)
    return documents


class TestPage:
    async def test_pages_are_newest_first_and_do_not_overlap(self, shop: Shop) -> None:
        added = [await shop.added(queued=False) for _ in range(5)]
        pages = [await page(shop, EVERYTHING, offset, 2) for offset in (0, 2, 4, 6)]
        assert [len(batch) for batch in pages] == [2, 2, 1, 0]
        assert [document for batch in pages for document in batch] == added[::-1]

    async def test_another_company_s_documents_are_not_listed(self, shop: Shop, other_shop: Shop) -> None:
        await other_shop.added()
        assert await page(shop, EVERYTHING) == []
        assert await count(shop, EVERYTHING) == 0

    @pytest.mark.parametrize(
        "document_filter", [EVERYTHING, DocumentFilter(search="maria"), DocumentFilter(series=1)]
    )
    async def test_a_page_after_the_last_is_empty_and_has_the_total(
        self, shop: Shop, document_filter: DocumentFilter
    ) -> None:
        await change(shop, await authorized(shop), "recipient_name = 'Maria'")
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.documents.page(shop.company_id, document_filter, 1, 20) == ([], 1)

    async def test_every_list_is_planned_for_its_own_values(self, shop: Shop) -> None:
        """A prepared statement that is reused may get a generic plan, which is slow for rare values."""
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
    async def test_a_filter_by_types_finds_documents_of_any_of_them(
        self, shop: Shop, types: tuple[str, ...]
    ) -> None:
        documents = await add_several(shop)
        document_filter = DocumentFilter(types=types)
        expected = [document.id for document in documents[::-1] if document.type in types]
        assert [document.id for document in await page(shop, document_filter)] == expected
        assert await count(shop, document_filter) == len(expected)

    @pytest.mark.parametrize("name", ["status", "external_id"])
    async def test_a_filter_by_a_value_finds_the_documents_that_have_it(self, shop: Shop, name: str) -> None:
        documents = await add_several(shop)
        for value in {values[name] for values in SEVERAL}:
            document_filter = DocumentFilter(**{name: value})
            expected = [document.id for document in documents[::-1] if getattr(document, name) == value]
            assert [document.id for document in await page(shop, document_filter)] == expected
            assert await count(shop, document_filter) == len(expected)

    async def test_a_document_that_matches_a_search_several_times_is_listed_once(self, shop: Shop) -> None:
        by_number = await authorized(shop)
        by_all = await shop.added(queued=False, external_id="1", recipient_tax_id="1", recipient_name="1 11")
        await shop.added(queued=False, external_id="2", recipient_name="Loja 2")
        document_filter = DocumentFilter(search="1")
        assert [document.id for document in await page(shop, document_filter)] == [by_all.id, by_number.id]
        assert await count(shop, document_filter) == 2

    @pytest.mark.parametrize(
        ("start", "end", "count_expected"),
        [(None, None, 6), (2, None, 4), (None, 2, 2), (1, 4, 3), (3, 3, 0), (6, None, 0)],
    )
    async def test_a_time_span_includes_its_start_and_excludes_its_end(
        self, shop: Shop, start: int | None, end: int | None, count_expected: int
    ) -> None:
        documents = await add_several(shop)
        document_filter = DocumentFilter(
            created_from=None if start is None else NOON + start * HOUR,
            created_before=None if end is None else NOON + end * HOUR,
        )
        expected = [document.id for document in documents[start:end]][::-1]
        assert [document.id for document in await page(shop, document_filter)] == expected
        assert await count(shop, document_filter) == count_expected == len(expected)

    async def test_a_document_must_meet_all_conditions(self, shop: Shop) -> None:
        documents = await add_several(shop)
        document_filter = DocumentFilter(
            types=("nfce",),
            status=Status.REJECTED,
            external_id="nfce-rejected",
            created_from=NOON,
            created_before=NOON + 10 * HOUR,
        )
        assert [document.id for document in await page(shop, document_filter)] == [documents[-1].id]
        assert await count(shop, document_filter) == 1

    @pytest.mark.parametrize("document_type", [None, "nfe"])
    @pytest.mark.parametrize("status", [None, Status.PENDING])
    async def test_pages_of_a_filtered_list_do_not_overlap(
        self, shop: Shop, document_type: str | None, status: Status | None
    ) -> None:
        await add_several(shop)
        document_filter = DocumentFilter(types=document_type and (document_type,), status=status)
        single_documents = [
            document for offset in range(6) for document in await page(shop, document_filter, offset, 1)
        ]
        assert single_documents == await page(shop, document_filter)
        assert all(newer.id > older.id for newer, older in pairwise(single_documents))


class TestBacklog:
    async def test_a_new_company_has_no_backlog(self, shop: Shop) -> None:
        assert await self._backlog(shop) == Backlog(processing=0, overdue=0, parked=0, oldest_queued_at=None)

    async def test_only_documents_being_processed_are_in_the_backlog(
        self, shop: Shop, other_shop: Shop
    ) -> None:
        await add_several(shop)
        await other_shop.added()
        document = await shop.added()
        assert await self._backlog(shop) == Backlog(
            processing=1, overdue=0, parked=0, oldest_queued_at=document.queued_at
        )

    async def test_documents_that_are_processed_for_too_long_are_overdue(self, shop: Shop) -> None:
        documents = [await shop.added() for _ in range(3)]
        for minutes, document in zip((59, 61, 120), documents, strict=True):
            await change(shop, document, "queued_at = now() - $2::interval", timedelta(minutes=minutes))
        backlog = await self._backlog(shop)
        assert (backlog.processing, backlog.overdue) == (3, 2)
        assert backlog.oldest_queued_at == (await shop.read(documents[2].id)).queued_at

    async def test_parked_documents_are_counted_and_listed(self, shop: Shop) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        async with shop.database.transaction() as connection:
            await work.park(connection, lease, "broken beyond repair")
        assert (await self._backlog(shop)).parked == 1
        async with shop.database.connection() as connection:
            parked = await ParkedWorks(connection).all(document.id)
        (work_row,) = parked
        assert (work_row.subscription_id, work_row.company_id) == (shop.subscription_id, shop.company_id)
        assert (work_row.type, work_row.parked_reason) == ("nfe", "broken beyond repair")

    async def test_the_total_backlog_includes_all_companies(self, shop: Shop, other_shop: Shop) -> None:
        async with shop.database.connection() as connection:
            before = await total_backlog(connection, HOUR)
            for each_shop in (shop, other_shop):
                await change(each_shop, await each_shop.added(), "queued_at = now() - interval '2 hours'")
            after = await total_backlog(connection, HOUR)
        assert after.processing == before.processing + 2
        assert after.overdue == before.overdue + 2

    async def _backlog(self, shop: Shop) -> Backlog:
        async with shop.database.connection() as connection:
            return await backlog_of_company(connection, shop.subscription_id, shop.company_id, HOUR)
