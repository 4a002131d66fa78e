"""DELETE of a document without a number: it is deleted with its history, and its keys are free."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from integration.issuing.actions import discard, events_of, rejected_without_number, usage
from integration.issuing.shop import NewShop, Shop, accepted, error_of
from integration.issuing.system import System
from support import ABSENT, data_of
from toy.codes import REFUSED, UNANSWERED
from toy.shop import KINDS, LATER


class TestDiscard:
    async def test_draft_is_deleted_with_its_history(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        assert data_of(await discard(shop, draft)) == {"id": draft["id"], "deleted": True}
        error_of(await shop.get(f"/invoices/{draft['id']}"), 404, "NOT_FOUND")
        error_of(await discard(shop, draft), 404, "NOT_FOUND")
        answer = (await shop.get("/invoices")).json()
        assert (answer["data"], answer["pageInfo"]["total"]) == ([], 0)
        left = "select from document_events where document_id = $1"
        assert await shop.system.fetch(left, UUID(draft["id"])) == []

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_rejected_document_without_a_number_is_deleted(
        self, new_shop: NewShop, document_type: str
    ) -> None:
        shop = await new_shop(plan="trial")
        rejected = await rejected_without_number(shop, document_type)
        before = await usage(shop)
        data_of(await discard(shop, rejected))
        error_of(await shop.get(f"/{document_type}/{rejected['id']}"), 404, "NOT_FOUND")
        assert (await shop.count(), await usage(shop)) == (0, before)

    async def test_keys_of_a_discarded_document_can_be_used_again(self, shop: Shop) -> None:
        first = accepted(await shop.post("/toy", LATER | {"externalId": "pedido-1"}, key="chave-1"))
        data_of(await discard(shop, first))
        second = accepted(await shop.post("/toy", LATER | {"externalId": "pedido-1"}, key="chave-2"))
        third = accepted(await shop.post("/toy", LATER, key="chave-1"))
        assert len({first["id"], second["id"], third["id"]}) == 3

    async def test_discarding_a_draft_publishes_no_event(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        data_of(await discard(shop, draft))
        assert await events_of(shop.caller) == []

    async def test_discarding_a_document_keeps_its_earlier_events(self, shop: Shop) -> None:
        rejected = await rejected_without_number(shop, "toy", externalId="pedido-1")
        before = await events_of(shop.caller)
        data_of(await discard(shop, rejected))
        assert await events_of(shop.caller) == before
        assert before[0]["data"]["externalId"] == "pedido-1"

    async def test_document_of_another_company_is_not_found(self, shop: Shop, new_shop: NewShop) -> None:
        draft, other = await shop.create(transmit="later"), await new_shop()
        error_of(await discard(other, draft), 404, "NOT_FOUND")
        error_of(await discard(shop, {"id": ABSENT}), 404, "NOT_FOUND")
        assert await shop.read(draft) == draft


class TestRefusal:
    async def assert_stays(self, shop: Shop, document: dict[str, Any]) -> None:
        details = error_of(await discard(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == document["status"]
        assert await shop.read(document) == document

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_authorized_document_can_not_be_discarded(self, shop: Shop, document_type: str) -> None:
        await self.assert_stays(shop, await shop.issue(document_type))

    @pytest.mark.parametrize("document_type", KINDS)
    async def test_rejected_document_with_a_number_can_not_be_discarded(
        self, shop: Shop, document_type: str
    ) -> None:
        await self.assert_stays(shop, await shop.issue(document_type, notes=REFUSED))

    async def test_document_in_process_can_not_be_discarded(self, shop: Shop) -> None:
        document = await shop.create(notes=UNANSWERED)
        assert error_of(await discard(shop, document), 409, "INVALID_STATE")["currentStatus"] == "processing"


class TestConcurrentRequests:
    async def test_only_one_of_concurrent_emit_and_discard_succeeds(self, system: System, shop: Shop) -> None:
        outcomes = set()
        for _ in range(12):
            draft = await shop.create(transmit="later")
            emitted, discarded = await asyncio.gather(shop.emit(draft), discard(shop, draft))
            outcome = (emitted.status_code, discarded.status_code)
            outcomes.add(outcome)
            rows = await system.fetch("select from documents where id = $1", UUID(draft["id"]))
            assert len(rows) == (1 if emitted.status_code == 202 else 0)
        assert outcomes <= {(202, 409), (404, 200)}

    async def test_only_one_of_concurrent_discards_succeeds(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        answers = await asyncio.gather(*(discard(shop, draft) for _ in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200] + [404] * 5
        assert await shop.count() == 0
