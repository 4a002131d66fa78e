"""Events that undo other events, and events whose rules depend on the earlier ones."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from carimbo.storage.work import WorkKind
from integration.issuing.actions import cancel
from integration.issuing.printer import last_event
from integration.issuing.scripted import LOST, ScriptedWorker, authorizing, registering
from integration.issuing.shop import Shop, error_of
from support import data_of
from toy.authority import Register
from toy.events import MAX_LENT_AMOUNT, MAX_LOANS
from toy.shop import codes_of, tax_id_of
from toy.test_event_fates import NOT_THERE, queued

LENT_AT = "2026-11-14T09:30:00+00:00"


async def lend(shop: Shop, document: dict[str, Any], seat: int = 1, **fields: Any) -> httpx2.Response:
    body = {"seat": seat, "borrower": "Maria", **fields}
    return await shop.post(f"/{document['type']}/{document['id']}/loan", body)


async def give_back(shop: Shop, document: dict[str, Any], **query: Any) -> httpx2.Response:
    path = shop.path(f"/{document['type']}/{document['id']}/loan")
    return await shop.caller.http.delete(path, params=query)


async def settled(shop: Shop, document: dict[str, Any]) -> None:
    """Waits until no event of a document is open."""
    open_ones = f"from event_filings where document_id = '{document['id']}' and next_action_at is not null"
    await shop.system.until(f"not exists (select {open_ones})")


async def lent_at(shop: Shop, document: dict[str, Any]) -> Any:
    moment = (await shop.read(document))["lentAt"]
    return moment and datetime.fromisoformat(moment)


@pytest.fixture
async def record(shop: Shop) -> dict[str, Any]:
    """An authorized document."""
    return await shop.issue()


class TestUndoing:
    async def test_event_keeps_its_moment_until_it_is_undone(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        assert record["lentAt"] is None
        lent = data_of(await lend(shop, record, lentAt=LENT_AT))
        assert (lent["type"], lent["sequence"]) == ("loan", 1)
        assert await lent_at(shop, record) == datetime.fromisoformat(LENT_AT)
        undone = data_of(await give_back(shop, record))
        assert (undone["type"], undone["status"], undone["sequence"]) == ("loanReturn", "authorized", 1)
        assert await lent_at(shop, record) is None

    async def test_event_without_a_moment_has_that_of_its_registration(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        data_of(await lend(shop, record))
        moment = await lent_at(shop, record)
        assert datetime.fromisoformat(record["authorizedAt"]) <= moment <= datetime.now(UTC)

    async def test_undoing_names_the_protocol_of_the_undone_event(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        lent = data_of(await lend(shop, record))
        undone = data_of(await give_back(shop, record))
        file = await shop.get(f"/toy/{record['id']}/events/{undone['id']}/xml")
        assert f"<words>{lent['protocol']}</words>" in file.text

    async def test_same_request_after_an_undoing_is_a_new_event(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        first = data_of(await lend(shop, record))
        data_of(await give_back(shop, record))
        second = data_of(await lend(shop, record))
        assert (second["id"] != first["id"], second["sequence"]) == (True, 2)
        assert data_of(await give_back(shop, record))["sequence"] == 2

    async def test_repeated_undoing_returns_the_registered_one(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        lent = data_of(await lend(shop, record))
        undone = data_of(await give_back(shop, record))
        assert data_of(await give_back(shop, record))["id"] == undone["id"]
        assert data_of(await give_back(shop, record, eventId=lent["id"]))["id"] == undone["id"]

    async def test_nothing_is_undone_without_an_event(self, shop: Shop, record: dict[str, Any]) -> None:
        answer = await give_back(shop, record)
        assert error_of(answer, 409, "INVALID_STATE") == {"currentStatus": "authorized", "allowed": []}
        assert answer.json()["error"]["message"] == "O documento não está emprestado."

    async def test_unknown_event_is_not_undone(self, shop: Shop, record: dict[str, Any]) -> None:
        data_of(await lend(shop, record))
        details = error_of(await give_back(shop, record, eventId=str(uuid4())), 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [("866", "eventId")]

    async def test_fact_of_an_event_forbids_others_until_it_is_undone(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        data_of(await lend(shop, record))
        assert (await shop.read(record))["cancelableUntil"] is None
        error_of(await cancel(shop, record), 409, "INVALID_STATE")
        data_of(await give_back(shop, record))
        assert data_of(await cancel(shop, record))["status"] == "canceled"

    async def test_undone_events_count_for_the_maximum(self, shop: Shop, record: dict[str, Any]) -> None:
        for _ in range(MAX_LOANS):
            data_of(await lend(shop, record))
            data_of(await give_back(shop, record))
        details = error_of(await lend(shop, record), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["594"]


class TestSeveralEvents:
    async def test_the_newest_event_is_undone_and_a_repeated_request_undoes_no_other(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        first = data_of(await lend(shop, record, 1, lentAt=LENT_AT))
        data_of(await lend(shop, record, 2))
        undone = data_of(await give_back(shop, record))
        assert data_of(await give_back(shop, record))["id"] == undone["id"]
        # The fact is again that of the first event.
        assert await lent_at(shop, record) == datetime.fromisoformat(LENT_AT)
        data_of(await give_back(shop, record, eventId=first["id"]))
        assert await lent_at(shop, record) is None

    async def test_named_event_is_undone(self, shop: Shop, record: dict[str, Any]) -> None:
        first = data_of(await lend(shop, record, 1))
        data_of(await lend(shop, record, 2))
        data_of(await give_back(shop, record, eventId=first["id"]))
        assert data_of(await lend(shop, record, 1))["sequence"] == 3

    async def test_rule_about_earlier_events_ignores_undone_ones(
        self, shop: Shop, record: dict[str, Any]
    ) -> None:
        data_of(await lend(shop, record))
        details = error_of(await lend(shop, record, borrower="João"), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["LENT_ALREADY"]
        data_of(await give_back(shop, record))
        data_of(await lend(shop, record, borrower="João"))

    async def test_rule_about_the_request_of_the_document(self, shop: Shop) -> None:
        record = await shop.issue(amount=MAX_LENT_AMOUNT + 1)
        details = error_of(await lend(shop, record), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["TOO_PRECIOUS"]


class TestSimultaneousRequests:
    async def test_only_one_of_several_events_is_registered(self, shop: Shop, record: dict[str, Any]) -> None:
        borrowers = [f"Pessoa {number}" for number in range(6)]
        answers = await asyncio.gather(*(lend(shop, record, borrower=name) for name in borrowers))
        codes = [answer.status_code for answer in answers]
        assert codes.count(200) == 1
        assert set(codes) <= {200, 409, 422}
        assert [event["status"] for event in await shop.events(record) if event["type"] == "loan"] == [
            "authorized"
        ]

    async def test_simultaneous_undoings_are_one(self, shop: Shop, record: dict[str, Any]) -> None:
        data_of(await lend(shop, record))
        answers = await asyncio.gather(*(give_back(shop, record) for _ in range(6)))
        assert len({data_of(answer)["id"] for answer in answers}) == 1

    @pytest.mark.usefixtures("short_wait")
    async def test_undoing_waits_for_an_open_event_and_an_event_for_an_open_undoing(
        self, shop: Shop, record: dict[str, Any], register: Register
    ) -> None:
        with register.out_of_service():
            assert (await lend(shop, record)).status_code == 202
            error_of(await give_back(shop, record), 409, "INVALID_STATE")
        await settled(shop, record)
        with register.out_of_service():
            undoing = await give_back(shop, record)
            assert undoing.status_code == 202
            assert undoing.json()["data"]["loanReturn"]["status"] == "processing"
            assert (await give_back(shop, record)).json() == undoing.json()
            error_of(await lend(shop, record, 2), 409, "INVALID_STATE")
            error_of(await lend(shop, record), 409, "INVALID_STATE")
        await settled(shop, record)
        assert await lent_at(shop, record) is None


class TestLostAnswers:
    async def test_undoing_whose_answer_is_lost_is_registered_once(
        self, shop: Shop, record: dict[str, Any], register: Register
    ) -> None:
        data_of(await lend(shop, record))
        register.losing.add(await tax_id_of(shop))
        data_of(await give_back(shop, record))
        assert await lent_at(shop, record) is None
        calls = [service for service, _ in await codes_of(shop, record)]
        assert calls == ["send", "register_event", "register_event", "consult_event"]

    async def test_undoing_that_did_not_arrive_is_sent_again_with_the_same_bytes(
        self, worker: ScriptedWorker
    ) -> None:
        shop = worker.shop
        worker.script.begin(authorizing(), registering(), LOST, NOT_THERE, registering())
        document = await worker.advance(await shop.create())
        lending = asyncio.create_task(lend(shop, document))
        await worker.advance_row(WorkKind.EVENT, await queued(worker, document))
        data_of(await lending)
        undoing = asyncio.create_task(give_back(shop, document))
        await worker.advance_row(WorkKind.EVENT, await queued(worker, document))
        data_of(await undoing)
        _, *sent = worker.script.filed
        assert (len(sent), len(set(sent))) == (2, 1)
        assert (await last_event(shop, document))["type"] == "loanReturn"
