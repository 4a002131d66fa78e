"""DELETE of a document that was never numbered: it is gone with its history, and its keys are free."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from integration.issuing.actions import discard, events_of, rejected_without_number, usage
from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop, accepted, error_of
from support import ABSENT, data_of
from toy.codes import REFUSED, UNANSWERED
from toy.shop import KINDS, LATER


class TestDiscard:
    async def test_deletes_a_draft_with_its_history(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        assert data_of(await discard(shop, draft)) == {"id": draft["id"], "deleted": True}
        error_of(await shop.get(f"/invoices/{draft['id']}"), 404, "NOT_FOUND")
        error_of(await discard(shop, draft), 404, "NOT_FOUND")
        answer = (await shop.get("/invoices")).json()
        assert (answer["data"], answer["pageInfo"]["total"]) == ([], 0)
        left = "select from document_events where document_id = $1"
        assert await shop.floor.fetch(left, UUID(draft["id"])) == []

    @pytest.mark.parametrize("kind", KINDS)
    async def test_deletes_a_rejected_document_without_number(self, new_shop: NewShop, kind: str) -> None:
        shop = await new_shop(plan="trial")
        rejected = await rejected_without_number(shop, kind)
        before = await usage(shop)
        data_of(await discard(shop, rejected))
        error_of(await shop.get(f"/{kind}/{rejected['id']}"), 404, "NOT_FOUND")
        assert (await shop.count(), await usage(shop)) == (0, before)

    async def test_frees_both_keys_for_a_new_order(self, shop: Shop) -> None:
        first = accepted(await shop.post("/toy", LATER | {"externalId": "pedido-1"}, key="chave-1"))
        data_of(await discard(shop, first))
        second = accepted(await shop.post("/toy", LATER | {"externalId": "pedido-1"}, key="chave-2"))
        third = accepted(await shop.post("/toy", LATER, key="chave-1"))
        assert len({first["id"], second["id"], third["id"]}) == 3

    async def test_publishes_no_event(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        data_of(await discard(shop, draft))
        assert await events_of(shop.caller) == []

    async def test_leaves_earlier_events_as_they_were(self, shop: Shop) -> None:
        rejected = await rejected_without_number(shop, "toy", externalId="pedido-1")
        before = await events_of(shop.caller)
        data_of(await discard(shop, rejected))
        assert await events_of(shop.caller) == before
        assert before[0]["data"]["externalId"] == "pedido-1"

    async def test_through_another_company_is_not_found(self, shop: Shop, new_shop: NewShop) -> None:
        draft, other = await shop.create(transmit="later"), await new_shop()
        error_of(await discard(other, draft), 404, "NOT_FOUND")
        error_of(await discard(shop, {"id": ABSENT}), 404, "NOT_FOUND")
        assert await shop.read(draft) == draft


class TestRefusal:
    async def assert_stays(self, shop: Shop, document: dict[str, Any]) -> None:
        details = error_of(await discard(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == document["status"]
        assert await shop.read(document) == document

    @pytest.mark.parametrize("kind", KINDS)
    async def test_of_an_authorized_document(self, shop: Shop, kind: str) -> None:
        await self.assert_stays(shop, await shop.issue(kind))

    @pytest.mark.parametrize("kind", KINDS)
    async def test_of_a_rejected_document_that_has_a_number(self, shop: Shop, kind: str) -> None:
        await self.assert_stays(shop, await shop.issue(kind, notes=REFUSED))

    async def test_of_a_document_that_is_processed(self, shop: Shop) -> None:
        made = await shop.create(notes=UNANSWERED)
        assert error_of(await discard(shop, made), 409, "INVALID_STATE")["currentStatus"] == "processing"


class TestAtOnce:
    async def test_with_an_emit_only_one_of_both_succeeds(self, floor: Floor, shop: Shop) -> None:
        outcomes = set()
        for _ in range(12):
            draft = await shop.create(transmit="later")
            emitted, discarded = await asyncio.gather(shop.emit(draft), discard(shop, draft))
            outcome = (emitted.status_code, discarded.status_code)
            outcomes.add(outcome)
            rows = await floor.fetch("select from documents where id = $1", UUID(draft["id"]))
            assert len(rows) == (1 if emitted.status_code == 202 else 0)
        assert outcomes <= {(202, 409), (404, 200)}

    async def test_with_another_discard_only_one_succeeds(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        answers = await asyncio.gather(*(discard(shop, draft) for _ in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200] + [404] * 5
        assert await shop.count() == 0
