import asyncio
from collections import Counter
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.service.orders import OrderIdentity, find_order
from carimbo.storage import work
from carimbo.storage.documents import Document
from carimbo.storage.identifiers import new_id
from carimbo.storage.issuing import Verdict
from carimbo.storage.order_keys import OrderKeyTaken
from integration.storage.document_rows import CREATED, EVERYTHING, Shop, new_document

EXACT = '{"items": [{"quantity": 1.10, "unitValue": 0.12345678901234567890, "description": "Maçã"}]}'
SAME: dict[str, Any] = {"idempotency_key": "k", "external_id": "e"}
FULL: dict[str, Any] = {
    "idempotency_key": "key",
    "external_id": "order",
    "sale_id": new_id(),
    "is_direct": False,
    "request": EXACT,
    "amount": Decimal("1234.50"),
    "warnings": ["Alíquota presumida."],
    "allowance_period": "2026-11",
    "is_urgent": True,
}


async def repeated(
    shop: Shop, key: str | None, external_id: str | None, namespace: str = "invoices"
) -> UUID | None:
    """Returns the document of the order that has these keys."""
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        order = await find_order(tenant, shop.company_id, namespace, OrderIdentity(key, external_id))
    return order.document_id if order else None


class TestAdd:
    @pytest.mark.parametrize("queued", [True, False])
    async def test_the_answer_is_the_stored_document(self, shop: Shop, queued: bool) -> None:
        document = await shop.added(queued=queued, **FULL)
        assert await shop.read(document.id) == document

    async def test_the_request_is_stored_unchanged(self, shop: Shop) -> None:
        document = await shop.added(request=EXACT)
        assert (await shop.read(document.id)).request == EXACT

    async def test_a_queued_document_is_due_and_has_a_turn(self, shop: Shop) -> None:
        document = await shop.added()
        row = await shop.row_of(document)
        assert row["next_action_at"] == row["queued_at"] == row["created_at"]
        assert row["turn"] > 0

    async def test_a_document_that_is_not_queued_is_not_due(self, shop: Shop) -> None:
        document = await shop.added(queued=False, status=Status.PENDING)
        row = await shop.row_of(document)
        assert (row["next_action_at"], row["queued_at"], row["turn"]) == (None, None, 0)

    async def test_the_first_events_are_stored_with_the_document(self, shop: Shop) -> None:
        document = new_document(shop.company_id)
        queued = replace(CREATED, type="queued")
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.documents.add(document, [CREATED, queued], queued=True)
            events = await tenant.document_events.all(document.id)
        assert [event.type for event in events] == ["created", "queued"]

    async def test_a_failed_transaction_leaves_no_document(self, shop: Shop) -> None:
        document = new_document(shop.company_id)
        with pytest.raises(LookupError):
            async with shop.database.tenant(shop.subscription_id) as tenant:
                assert await tenant.documents.add(document, [CREATED], queued=True) is not None
                raise LookupError("the plan is spent")
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.documents.get(document.id) is None
            assert await tenant.document_events.all(document.id) == []
            assert await tenant.documents.count(shop.company_id, EVERYTHING) == 0

    async def test_an_unknown_status_is_refused(self, shop: Shop) -> None:
        with pytest.raises(asyncpg.CheckViolationError):
            await shop.add(status="lost")


class TestRepeated:
    @pytest.mark.parametrize("same", [{"idempotency_key": "k"}, {"external_id": "e"}, SAME])
    async def test_one_of_fifty_simultaneous_orders_is_stored(self, shop: Shop, same: dict[str, Any]) -> None:
        added = await asyncio.gather(*(shop.add(**same) for _ in range(50)))
        assert Counter(document is None for document in added) == {True: 49, False: 1}
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            (stored,), _ = await tenant.documents.page(shop.company_id, EVERYTHING, 0, 100)
        assert await repeated(shop, same.get("idempotency_key"), same.get("external_id")) == stored.id

    async def test_a_repeated_order_adds_no_event(self, shop: Shop) -> None:
        await shop.added(idempotency_key="k")
        twin = new_document(shop.company_id, idempotency_key="k")
        with pytest.raises(OrderKeyTaken):
            async with shop.database.tenant(shop.subscription_id) as tenant:
                await tenant.documents.add(twin, [CREATED], queued=True)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.document_events.all(twin.id) == []

    async def test_an_order_with_a_new_key_and_an_existing_external_id_is_not_stored(
        self, shop: Shop
    ) -> None:
        first = await shop.added(idempotency_key="k1", external_id="e")
        assert await shop.add(idempotency_key="k2", external_id="e") is None
        assert await repeated(shop, "k2", "e") == first.id

    async def test_an_order_with_an_existing_key_and_a_new_external_id_is_not_stored(
        self, shop: Shop
    ) -> None:
        first = await shop.added(idempotency_key="k", external_id="e1")
        assert await shop.add(idempotency_key="k", external_id="e2") is None
        assert await repeated(shop, "k", "e2") == first.id

    async def test_the_key_takes_precedence_over_the_external_id(self, shop: Shop) -> None:
        by_key = await shop.added(idempotency_key="k1", external_id="e1")
        by_external_id = await shop.added(idempotency_key="k2", external_id="e2")
        assert await repeated(shop, "k1", "e2") == by_key.id
        assert await repeated(shop, "k3", "e2") == by_external_id.id

    async def test_documents_without_any_key_are_all_stored(self, shop: Shop) -> None:
        added = await asyncio.gather(*(shop.add() for _ in range(5)))
        assert None not in added
        assert await repeated(shop, None, None) is None

    async def test_another_namespace_may_use_the_same_keys(self, shop: Shop) -> None:
        first = await shop.added(**SAME)
        second = await shop.added(**SAME, namespace="cte")
        assert await repeated(shop, "k", "e") == first.id
        assert await repeated(shop, "k", "e", namespace="cte") == second.id

    async def test_another_company_may_use_the_same_keys(self, shop: Shop, other_shop: Shop) -> None:
        first, second = await shop.added(**SAME), await other_shop.added(**SAME)
        assert await repeated(shop, "k", "e") == first.id
        assert await repeated(other_shop, "k", "e") == second.id

    async def test_a_sale_s_documents_do_not_reserve_its_external_id(self, shop: Shop) -> None:
        for _ in range(2):
            await shop.added(external_id="sale", sale_id=new_id(), is_direct=False)
        assert await repeated(shop, None, "sale") is None
        direct = await shop.added(external_id="sale")
        assert await repeated(shop, None, "sale") == direct.id

    async def test_a_direct_document_reserves_its_external_id_even_with_a_sale(self, shop: Shop) -> None:
        first = await shop.added(external_id="e", sale_id=new_id())
        assert await shop.add(external_id="e", sale_id=new_id()) is None
        assert await repeated(shop, None, "e") == first.id


class TestLock:
    async def test_a_transaction_that_waits_for_the_lock_sees_the_change(self, shop: Shop) -> None:
        document = await shop.added()

        async def change() -> int:
            async with shop.database.tenant(shop.subscription_id) as tenant:
                locked = await tenant.documents.lock(document.id)
                assert locked is not None
                await tenant.documents.write_request(
                    document.id, "{}", Decimal(1), [], 1, date(2026, 1, 1), None
                )
                return locked.version

        assert sorted(await asyncio.gather(*(change() for _ in range(8)))) == list(range(1, 9))

    async def test_a_missing_document_is_not_locked(self, shop: Shop) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            assert await tenant.documents.lock(new_id()) is None


class TestWriteRequest:
    async def test_writing_the_request_creates_a_new_version(self, shop: Shop) -> None:
        document = await shop.added(queued=False, status=Status.PENDING)
        day = date(2026, 12, 1)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.documents.write_request(document.id, EXACT, Decimal("7.5"), ["Ei."], 9, day, None)
        assert await shop.read(document.id) == replace(
            document,
            version=2,
            posted_version=2,
            request=EXACT,
            amount=Decimal("7.50"),
            warnings=["Ei."],
            reviewed_revision=9,
            reviewed_on=day,
        )


class TestStart:
    async def test_starting_again_clears_the_rejection(self, shop: Shop) -> None:
        document = await self._refused(shop)
        day = date(2026, 12, 1)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.documents.start(document.id, Decimal(7), ["Ei."], 9, day, "2026-12")
        started = await shop.read(document.id)
        assert (started.status, started.rejection, started.allowance_period) == (
            "processing",
            None,
            "2026-12",
        )
        assert (started.warnings, started.reviewed_revision, started.reviewed_on) == (["Ei."], 9, day)
        assert started.version == document.version

    async def _refused(self, shop: Shop) -> Document:
        document = await shop.added()
        await shop.settle(document, Verdict(status=Status.REJECTED, rejection={"code": "778"}))
        refused = await shop.read(document.id)
        assert (refused.status, refused.rejection) == ("rejected", {"code": "778"})
        return refused


class TestQueue:
    async def test_a_requeued_document_is_due_again(self, shop: Shop) -> None:
        document = await shop.added()
        await shop.settle(document)
        assert (await shop.row_of(document))["next_action_at"] is None
        await self._queue(shop, document)
        assert (await shop.claimed(document)).token == 2

    async def test_requeuing_a_parked_document_resets_its_attempts(self, shop: Shop) -> None:
        document = await shop.added()
        lease = await shop.claimed(document)
        async with shop.database.transaction() as connection:
            await work.park(connection, lease, "broken")
        await self._queue(shop, document)
        assert (await shop.read(document.id)).parked_reason is None
        assert (await shop.claimed(document)).attempts == 1

    async def _queue(self, shop: Shop, document: Document) -> None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.documents.queue(document.id, shop.company_id, is_urgent=False)
