"""PATCH and emit of a stored or refused document, and transmit of a stored document."""

import asyncio
import json
from collections import Counter
from typing import Any
from uuid import UUID

import httpx2
import pytest

from integration.issuing.actions import text_in_xml
from integration.issuing.shop import Shop, accepted, error_of, own_number
from integration.issuing.system import System
from support import ABSENT, data_of, fields_of
from toy.codes import REFUSAL_CODE, REFUSED, UNANSWERED
from toy.shop import KINDS, RECIPIENT, codes_of
from toy.xml import MAX_AMOUNT

of_every_type = pytest.mark.parametrize("document_type", KINDS)


def statuses(answers: list[httpx2.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


@pytest.fixture
async def refused(shop: Shop) -> dict[str, Any]:
    """A document that the authority refused for its note."""
    return await shop.issue(notes=REFUSED, externalId="pedido-1")


@pytest.fixture
async def pending(shop: Shop) -> dict[str, Any]:
    return await shop.create(transmit="later")


@of_every_type
@pytest.mark.usefixtures("document_type")
class TestPatch:
    @pytest.fixture
    async def refused(self, shop: Shop, document_type: str) -> dict[str, Any]:
        return await shop.issue(document_type, notes=REFUSED, externalId="pedido-1")

    async def test_patch_returns_the_record_with_the_next_version(
        self, shop: Shop, refused: dict[str, Any]
    ) -> None:
        changed = data_of(await shop.patch(refused, notes="Obrigado"))
        assert changed == refused | {"version": 2}
        assert await shop.read(refused) == changed

    async def test_patch_with_null_removes_a_field(
        self, shop: Shop, refused: dict[str, Any], document_type: str
    ) -> None:
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        assert record["status"] == "authorized"
        assert REFUSED not in (await text_in_xml(shop, record, "notes") or "")

    async def test_patch_with_many_unknown_fields_gets_a_short_answer(
        self, shop: Shop, refused: dict[str, Any]
    ) -> None:
        wrong = {f"campo{place}": 1 for place in range(20_000)}
        assert set(fields_of(await shop.patch(refused, **wrong))) == {"body"}
        assert await shop.read(refused) == refused

    async def test_patch_needs_a_version(self, shop: Shop, refused: dict[str, Any]) -> None:
        path = shop.path(f"/invoices/{refused['id']}")
        assert set(fields_of(await shop.caller.http.patch(path, json={"notes": "x"}))) == {"version"}

    async def test_patch_may_repeat_the_external_id(self, shop: Shop, refused: dict[str, Any]) -> None:
        assert data_of(await shop.patch(refused, externalId="pedido-1"))["version"] == 2

    async def test_patch_with_an_old_version_is_a_conflict(self, shop: Shop, refused: dict[str, Any]) -> None:
        data_of(await shop.patch(refused, notes="a"))
        details = error_of(await shop.patch(refused, notes="b"), 409, "VERSION_CONFLICT")
        assert details == {"currentVersion": 2}

    async def test_concurrent_patches_change_the_document_once(
        self, shop: Shop, refused: dict[str, Any]
    ) -> None:
        answers = await asyncio.gather(*(shop.patch(refused, notes=f"nota {place}") for place in range(8)))
        assert statuses(answers) == {200: 1, 409: 7}
        assert (await shop.read(refused))["version"] == 2


class TestMerging:
    async def test_patch_accepts_the_media_type_of_a_merge_patch(
        self, shop: Shop, refused: dict[str, Any]
    ) -> None:
        headers = {"Content-Type": "application/merge-patch+json; charset=utf-8"}
        content = json.dumps({"version": 1, "notes": None, "recipient": {"name": "João"}})
        path = shop.path(f"/invoices/{refused['id']}")
        data_of(await shop.caller.http.patch(path, content=content, headers=headers))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        assert record["status"] == "authorized"
        assert await text_in_xml(shop, record, "recipient") == "João"

    async def test_patch_merges_objects(self, shop: Shop, refused: dict[str, Any]) -> None:
        data_of(await shop.patch(refused, recipient={"name": "João da Silva"}))
        read = data_of(await shop.get(f"/toy/{refused['id']}", include="request"))
        assert read["request"]["recipient"] == RECIPIENT | {"name": "João da Silva"}

    async def test_patch_keeps_the_exact_value_of_unchanged_numbers(self, shop: Shop) -> None:
        refused = await shop.issue(amount=810044.24, notes=REFUSED)
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        assert await text_in_xml(shop, await shop.settled(refused), "amount") == "810044.24"

    async def test_successive_patches_add_up(self, shop: Shop, refused: dict[str, Any]) -> None:
        second = data_of(await shop.patch(refused, notes=None))
        third = data_of(await shop.patch(second, amount=12.34))
        accepted(await shop.emit(third))
        record = await shop.settled(third)
        assert (record["status"], record["version"]) == ("authorized", 3)
        assert await text_in_xml(shop, record, "amount") == "12.34"

    async def test_patch_of_a_stored_document_changes_what_is_sent(
        self, shop: Shop, pending: dict[str, Any]
    ) -> None:
        changed = data_of(await shop.patch(pending, amount=10, transmit="now"))
        assert (changed["status"], changed["amount"], changed["version"]) == ("pending", 10, 2)
        accepted(await shop.post(f"/toy/{pending['id']}/transmit"))
        record = await shop.settled(pending)
        assert (record["status"], record["amount"]) == ("authorized", 10)
        assert await text_in_xml(shop, record, "amount") == "10.00"

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"cor": "azul"}, "cor"),
            ({"recipient": {"cor": "azul"}}, "recipient.cor"),
            ({"amount": None}, "amount"),
            ({"amount": "2"}, "amount"),
            ({"recipient": None}, "recipient"),
            ({"externalId": "pedido-2"}, "externalId"),
            ({"externalId": None}, "externalId"),
            ({"version": "1"}, "version"),
            ({"version": None}, "version"),
            ({"version": 0}, "version"),
        ],
        ids=str,
    )
    async def test_patch_that_makes_the_body_invalid_changes_nothing(
        self, shop: Shop, refused: dict[str, Any], changes: dict[str, Any], field: str
    ) -> None:
        assert set(fields_of(await shop.patch(refused, **changes))) == {field}
        assert await shop.read(refused) == refused

    async def test_patch_that_breaks_a_rule_changes_nothing(
        self, shop: Shop, refused: dict[str, Any]
    ) -> None:
        answer = await shop.patch(refused, amount=MAX_AMOUNT + 1)
        details = error_of(answer, 422, "FISCAL_RULE_VIOLATION")
        assert [rule["field"] for rule in details["rules"]] == ["amount"]
        assert await shop.read(refused) == refused

    async def test_patch_ignores_spaces_around_the_external_id(self, shop: Shop) -> None:
        document = await shop.create(transmit="later", externalId=" pedido-1 ")
        changed = data_of(await shop.patch(document, notes="Obrigado"))
        assert (changed["externalId"], changed["version"]) == (document["externalId"], 2)

    @of_every_type
    async def test_authorized_document_can_not_be_patched(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type)
        details = error_of(await shop.patch(record, notes="x"), 409, "INVALID_STATE")
        assert details == {"currentStatus": "authorized", "allowed": ["pending", "rejected"]}

    @of_every_type
    async def test_document_in_process_can_not_be_patched(self, shop: Shop, document_type: str) -> None:
        document = await shop.create(document_type, notes=UNANSWERED)
        details = error_of(await shop.patch(document, notes=None), 409, "INVALID_STATE")
        assert details["currentStatus"] == "processing"

    async def test_patch_of_an_unknown_document_is_not_found(self, shop: Shop) -> None:
        error_of(await shop.patch({"id": ABSENT, "version": 1}), 404, "NOT_FOUND")


class TestEmit:
    @of_every_type
    async def test_emitted_correction_keeps_its_number(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        refused = await shop.issue(document_type, notes=REFUSED)
        data_of(await shop.patch(refused, notes=None))
        started = accepted(await shop.emit(refused))
        assert (started["status"], started["rejection"]) == ("processing", None)
        record = await shop.settled(refused)
        kept = ("id", "saleId", "series", "dps", "createdAt")
        assert (record["status"], own_number(record)) == ("authorized", own_number(refused))
        assert [record[name] for name in kept] == [refused[name] for name in kept]
        # The authority assigns the key of a note.
        assert refused["accessKey"] == (None if document_type == "toynote" else record["accessKey"])
        types = [event["type"] for event in await shop.events(record)]
        assert types[5:] == ["rejected", "changed", "queued", "signed", "transmitted", "authorized"]
        (row,) = await system.fetch(
            "select count(*) from emissions where document_id = $1", UUID(record["id"])
        )
        assert row["count"] == 1

    @of_every_type
    async def test_unchanged_document_is_refused_again_when_emitted(
        self, shop: Shop, document_type: str
    ) -> None:
        refused = await shop.issue(document_type, notes=REFUSED)
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        assert (record["status"], own_number(record)) == ("rejected", own_number(refused))
        assert record["rejection"] == refused["rejection"]

    async def test_emit_sends_a_stored_document(self, shop: Shop, pending: dict[str, Any]) -> None:
        assert accepted(await shop.emit(pending))["status"] == "processing"
        record = await shop.settled(pending)
        assert (record["status"], record["number"]) == ("authorized", 1)

    @of_every_type
    async def test_concurrent_emits_send_the_document_once(self, shop: Shop, document_type: str) -> None:
        refused = await shop.issue(document_type, notes=REFUSED)
        corrected = data_of(await shop.patch(refused, notes=None))
        answers = await asyncio.gather(*(shop.emit(corrected) for _ in range(8)))
        assert statuses(answers) == {202: 1, 409: 7}
        record = await shop.settled(refused)
        assert await codes_of(shop, record) == [("send", REFUSAL_CODE), ("send", "100")]

    @of_every_type
    async def test_authorized_document_can_not_be_emitted(self, shop: Shop, document_type: str) -> None:
        details = error_of(await shop.emit(await shop.issue(document_type)), 409, "INVALID_STATE")
        assert details == {"currentStatus": "authorized", "allowed": ["pending", "rejected"]}

    async def test_document_in_process_can_not_be_emitted(self, shop: Shop) -> None:
        details = error_of(await shop.emit(await shop.create(notes=UNANSWERED)), 409, "INVALID_STATE")
        assert details["currentStatus"] == "processing"

    async def test_emit_of_an_unknown_document_is_not_found(self, shop: Shop) -> None:
        error_of(await shop.emit({"id": ABSENT}), 404, "NOT_FOUND")


class TestTransmit:
    async def test_transmit_later_stores_the_document_without_a_number(
        self, shop: Shop, pending: dict[str, Any]
    ) -> None:
        assert (pending["status"], pending["number"], pending["accessKey"]) == ("pending", None, None)
        events = await shop.events(pending)
        assert [(event["type"], event["status"]) for event in events] == [("created", "pending")]

    async def test_transmit_sends_a_stored_document(self, shop: Shop, pending: dict[str, Any]) -> None:
        started = accepted(await shop.post(f"/toy/{pending['id']}/transmit"))
        assert (started["id"], started["status"]) == (pending["id"], "processing")
        record = await shop.settled(pending)
        assert (record["status"], record["number"]) == ("authorized", 1)
        types = [event["type"] for event in await shop.events(record)]
        assert types == ["created", "queued", "numbered", "signed", "transmitted", "authorized"]

    async def test_second_transmit_is_refused(self, shop: Shop, pending: dict[str, Any]) -> None:
        answers = await asyncio.gather(*(shop.post(f"/toy/{pending['id']}/transmit") for _ in range(8)))
        assert statuses(answers) == {202: 1, 409: 7}
        record = await shop.settled(pending)
        details = error_of(await shop.post(f"/toy/{record['id']}/transmit"), 409, "INVALID_STATE")
        assert details == {"currentStatus": "authorized", "allowed": ["pending"]}

    async def test_refused_document_can_not_be_transmitted(self, shop: Shop) -> None:
        record = await shop.issue(notes=REFUSED)
        error_of(await shop.post(f"/toy/{record['id']}/transmit"), 409, "INVALID_STATE")

    async def test_transmit_needs_a_ready_company(self, shop: Shop, pending: dict[str, Any]) -> None:
        await shop.put_settings(toy={"active": False})
        details = error_of(await shop.post(f"/toy/{pending['id']}/transmit"), 422, "COMPANY_NOT_READY")
        assert details == {"missing": ["toy.active"]}
        assert await shop.read(pending) == pending

    async def test_transmit_of_a_document_of_another_type_is_not_found(self, shop: Shop) -> None:
        record = await shop.issue()
        error_of(await shop.post(f"/toynote/{record['id']}/transmit"), 404, "NOT_FOUND")
