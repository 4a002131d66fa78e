"""Parked work of a subscription: the list, resuming, and dismissing."""

from typing import Any

import pytest

from carimbo.storage.database import Database
from carimbo.storage.work import WorkKind
from integration.storage.document_rows import Shop, open_shop
from integration.storage.neighbours import new_range
from integration.storage.parked_rows import REASON, held_document, park_row, parked_document
from support import ABSENT, Caller, code_of, data_of, fields_of

PATH = "/v1/parked-work"


@pytest.fixture
async def shop(caller: Caller, database: Database) -> Shop:
    return await open_shop(database, caller.subscription_id)


async def listed(caller: Caller, **page: int) -> list[dict[str, Any]]:
    return list(data_of(await caller.http.get(PATH, params=page)))


class TestList:
    async def test_list_shows_what_is_parked_and_why(self, caller: Caller, shop: Shop) -> None:
        document = await parked_document(shop)
        assert document.queued_at is not None
        assert await listed(caller) == [
            {
                "id": str(document.id),
                "kind": "document",
                "type": "nfe",
                "companyId": str(shop.company_id),
                "documentId": str(document.id),
                "reason": REASON,
                "heldByOperator": False,
                "since": document.queued_at.isoformat().replace("+00:00", "Z"),
            }
        ]

    async def test_list_is_paged_and_the_newest_comes_first(self, caller: Caller, shop: Shop) -> None:
        ids = [str((await parked_document(shop)).id) for _ in range(3)]
        answer = await caller.http.get(PATH, params={"page": 2, "pageSize": 2})
        assert [work["id"] for work in data_of(answer)] == ids[:1]
        assert answer.json()["pageInfo"] == {"page": 2, "pageSize": 2, "total": 3}


class TestResume:
    async def test_resumed_work_is_answered_once_and_leaves_the_list(
        self, caller: Caller, shop: Shop
    ) -> None:
        document = await parked_document(shop)
        (work,) = await listed(caller)
        assert data_of(await caller.http.post(f"{PATH}/{document.id}/resume")) == work
        assert await listed(caller) == []
        answer = await caller.http.post(f"{PATH}/{document.id}/resume")
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")

    async def test_work_that_the_operator_holds_is_a_conflict(self, caller: Caller, shop: Shop) -> None:
        document = await held_document(shop)
        assert [work["heldByOperator"] for work in await listed(caller)] == [True]
        for act in ("resume", "dismiss"):
            answer = await caller.http.post(f"{PATH}/{document.id}/{act}")
            assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
            assert "Só quem opera o serviço" in answer.json()["error"]["message"]


class TestDismiss:
    async def test_reason_is_the_message_of_the_rejection(self, caller: Caller, shop: Shop) -> None:
        document = await parked_document(shop)
        data_of(await caller.http.post(f"{PATH}/{document.id}/dismiss", json={"reason": "Emitida como 41"}))
        path = f"/v1/companies/{shop.company_id}/invoices/{document.id}"
        record = data_of(await caller.http.get(path))
        assert (record["status"], record["rejection"]["message"]) == ("rejected", "Emitida como 41")

    async def test_reason_that_is_too_long_is_refused(self, caller: Caller, shop: Shop) -> None:
        document = await parked_document(shop)
        answer = await caller.http.post(f"{PATH}/{document.id}/dismiss", json={"reason": "x" * 256})
        assert list(fields_of(answer)) == ["reason"]
        assert len(await listed(caller)) == 1

    async def test_only_documents_are_dismissed(self, caller: Caller, shop: Shop, database: Database) -> None:
        numbers = new_range(shop.company_id)
        async with database.tenant(shop.subscription_id) as tenant:
            await tenant.inutilizations.add(numbers)
        await park_row(database, WorkKind.INUTILIZATION, numbers.id)
        answer = await caller.http.post(f"{PATH}/{numbers.id}/dismiss")
        assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
        assert "só retomado" in answer.json()["error"]["message"]

    async def test_unknown_work_is_not_found(self, caller: Caller) -> None:
        answer = await caller.http.post(f"{PATH}/{ABSENT}/dismiss")
        assert (answer.status_code, code_of(answer)) == (404, "NOT_FOUND")
