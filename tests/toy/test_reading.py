"""Reading documents: their original body, the filters of lists, and unreadable rows."""

import json
from typing import Any
from uuid import UUID

import pytest
import structlog

from integration.issuing.actions import listed_ids
from integration.issuing.shop import Shop, accepted, error_of
from integration.issuing.system import System
from support import ABSENT, data_of, fields_of
from toy.codes import REFUSED
from toy.shop import BODY, KINDS, LATER, RECIPIENT

OTHER_RECIPIENT = RECIPIENT | {"taxId": "12345678909", "name": "João D'Ávila"}


class TestRequest:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_include_request_returns_the_body_as_posted(self, shop: Shop, document_type: str) -> None:
        record = await shop.create(document_type, notes="Pedido 7")
        for path in (f"/{document_type}", "/invoices"):
            read = data_of(await shop.get(f"{path}/{record['id']}", include="request"))
            assert read["request"]["notes"] == "Pedido 7"
            assert "request" not in data_of(await shop.get(f"{path}/{record['id']}"))
        assert "request" not in data_of(await shop.get(f"/{document_type}"))[0]

    async def test_numbers_of_the_request_keep_their_digits(self, shop: Shop) -> None:
        body = json.dumps(LATER).replace('"amount": 59.8', '"amount": 59.800')
        headers = {"Content-Type": "application/json"}
        record = accepted(await shop.caller.http.post(shop.path("/toy"), content=body, headers=headers))
        answer = await shop.get(f"/toy/{record['id']}", include="request")
        assert '"amount":59.800' in answer.text
        assert data_of(answer)["request"] == json.loads(body)
        path = shop.path(f"/toy/{record['id']}?include=request")
        other_form = await shop.caller.http.get(path, headers={"X-Envelope": "ok"})
        assert '"amount":59.800' in other_form.text
        assert other_form.json() == {"ok": True, "data": data_of(answer)}

    async def test_corrected_document_includes_the_merged_request(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED, externalId="pedido-1")
        changed = data_of(await shop.patch(refused, notes="Agora sim", externalId="pedido-1"))
        read = data_of(await shop.get(f"/toy/{refused['id']}", include="request"))
        assert read.pop("request") == BODY | {"notes": "Agora sim", "externalId": "pedido-1"}
        assert read == changed

    @pytest.mark.parametrize("path", ["/toy", "/toynote", "/invoices"])
    async def test_unknown_include_is_invalid(self, idle_shop: Shop, path: str) -> None:
        answer = await idle_shop.get(f"{path}/{ABSENT}", include="xml")
        assert answer.json()["error"]["code"] == "VALIDATION_ERROR"
        assert set(fields_of(answer)) == {"include"}


class TestFilters:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_documents_are_filtered_by_key_number_and_series(
        self, shop: Shop, document_type: str
    ) -> None:
        documents = [await shop.issue(document_type) for _ in range(2)]
        for document in documents:
            key = document["accessKey"]
            spaced = " ".join(key[place : place + 4] for place in range(0, len(key), 4))
            for path in (f"/{document_type}", "/invoices"):
                assert await listed_ids(shop, path, accessKey=key) == [document["id"]]
                assert await listed_ids(shop, path, accessKey=spaced) == [document["id"]]
                assert await listed_ids(shop, path, number=document["number"]) == [document["id"]]
        newest_first = [document["id"] for document in documents[::-1]]
        series = (documents[0]["dps"] or documents[0])["series"]
        assert await listed_ids(shop, series=series) == newest_first
        assert await listed_ids(shop, series=series + 1) == []
        assert await listed_ids(shop, number=999) == []
        assert (
            await listed_ids(shop, f"/{document_type}", number=documents[0]["number"], series=series + 1)
            == []
        )

    @pytest.mark.parametrize("tax_id", ["12345678909", "123.456.789-09"])
    async def test_documents_are_filtered_by_the_tax_id_of_their_recipient(
        self, shop: Shop, tax_id: str
    ) -> None:
        toy, note = [await shop.create(document_type, recipient=OTHER_RECIPIENT) for document_type in KINDS]
        await shop.create()
        assert await listed_ids(shop, recipientTaxId=tax_id) == [note["id"], toy["id"]]
        assert await listed_ids(shop, "/toy", recipientTaxId=tax_id) == [toy["id"]]

    async def test_corrected_recipient_is_filtered_by_the_new_tax_id(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        data_of(await shop.patch(refused, recipient=OTHER_RECIPIENT))
        assert await listed_ids(shop, recipientTaxId=OTHER_RECIPIENT["taxId"]) == [refused["id"]]
        assert await listed_ids(shop, recipientTaxId=RECIPIENT["taxId"]) == []
        assert await listed_ids(shop, search="joao") == [refused["id"]]

    @pytest.mark.parametrize(
        "search", ["joão", "JOAO", "avi", "d'avila", "joão d", "  joao davila ", "12345678909", "pedido-9"]
    )
    async def test_search_finds_names_and_identifiers(self, shop: Shop, search: str) -> None:
        wanted = await shop.create(recipient=OTHER_RECIPIENT, externalId="pedido-9")
        await shop.create(externalId="pedido-90")
        expected = [] if search == "avi" else [wanted["id"]]
        assert await listed_ids(shop, search=search) == expected

    async def test_search_finds_numbers_and_keys(self, shop: Shop) -> None:
        first, second = await shop.issue(), await shop.issue()
        assert await listed_ids(shop, search=str(first["number"])) == [first["id"]]
        assert await listed_ids(shop, search=second["accessKey"]) == [second["id"]]

    @pytest.mark.parametrize(
        "search", ["silva 'a':*", "\\", "%", "zé", "9" * 20, pytest.param("\ufdfa" * 100, id="long")]
    )
    async def test_search_for_anything_else_finds_nothing(self, shop: Shop, search: str) -> None:
        await shop.create()
        assert await listed_ids(shop, search=search) == []

    @pytest.mark.parametrize(
        ("name", "value"), [("number", "x"), ("number", 0), ("series", -1), ("saleId", "1")]
    )
    async def test_impossible_filter_value_is_invalid(self, idle_shop: Shop, name: str, value: Any) -> None:
        assert set(fields_of(await idle_shop.get("/invoices", **{name: value}))) == {name}


class TestDates:
    async def test_time_without_an_offset_is_in_the_companys_time_zone(
        self, system: System, shop: Shop
    ) -> None:
        document = await shop.create(transmit="later")
        moment = "2026-03-10T15:00:00Z"
        await system.fetch(
            f"update documents set created_at = '{moment}' where id = $1", UUID(document["id"])
        )
        address = {"zipcode": "69900-064", "street": "Rua", "number": "1", "district": "Centro"}
        acre = address | {"city": "Rio Branco", "state": "AC"}
        data_of(await shop.caller.http.put(shop.path(), json={"address": acre}))
        expectations = {
            # It is ten o'clock in Rio Branco, five hours behind UTC.
            "10:00:00": (True, True),
            "09:59:59": (True, False),
            "10:00:01": (False, True),
            "15:00:00Z": (True, True),
            "12:00:01-03:00": (False, True),
        }
        for time, (starts, ends) in expectations.items():
            moment = f"2026-03-10T{time}"
            assert bool(await listed_ids(shop, startDate=moment)) is starts, moment
            assert bool(await listed_ids(shop, endDate=moment)) is ends, moment

    async def test_day_begins_at_midnight_of_the_companys_time_zone(self, system: System, shop: Shop) -> None:
        document = await shop.create(transmit="later")
        await system.fetch(
            "update documents set created_at = '2026-03-10T04:59:59Z' where id = $1", UUID(document["id"])
        )
        address = {"zipcode": "69900-064", "street": "Rua", "number": "1", "district": "Centro"}
        acre = address | {"city": "Rio Branco", "state": "AC"}
        data_of(await shop.caller.http.put(shop.path(), json={"address": acre}))
        assert await listed_ids(shop, startDate="2026-03-10") == []
        assert await listed_ids(shop, endDate="2026-03-09") == [document["id"]]

    async def test_date_at_the_end_of_the_calendar_includes_all_or_nothing(self, shop: Shop) -> None:
        document = await shop.create(transmit="later")
        earliest, latest = "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-03:00"
        assert await listed_ids(shop, startDate=latest) == []
        assert await listed_ids(shop, endDate=earliest) == []
        assert await listed_ids(shop, startDate=earliest, endDate=latest) == [document["id"]]


class TestUnreadableRows:
    async def damage_key(self, system: System, document: dict[str, Any], key: str) -> None:
        await system.fetch(
            "update emissions set access_key = $2 where document_id = $1", UUID(document["id"]), key
        )

    async def test_damaged_key_does_not_hide_the_other_documents(self, system: System, shop: Shop) -> None:
        bad, good = await shop.issue(), await shop.issue()
        key = bad["accessKey"][:-1] + str((int(bad["accessKey"][-1]) + 1) % 10)
        await self.damage_key(system, bad, key)
        with structlog.testing.capture_logs() as logs:
            second, first = data_of(await shop.get("/toy"))
        assert second == good
        (warning,) = first["warnings"][len(bad["warnings"]) :]
        assert "não pôde ser lida" in warning
        changed = {"accessKey": key, "cancelableUntil": None, "warnings": first["warnings"]}
        assert first == bad | changed
        (line,) = [line for line in logs if line["event"] == "row_unreadable"]
        assert (line["table"], line["id"], line["log_level"]) == ("documents", bad["id"], "error")
        assert data_of(await shop.get(f"/toy/{bad['id']}")) == first

    async def test_rejection_of_another_version_is_left_out(self, system: System, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        await system.fetch(
            "update documents set rejection = '{\"cStat\": 528}' where id = $1", UUID(refused["id"])
        )
        (read,) = data_of(await shop.get("/invoices"))
        assert (read["id"], read["status"], read["rejection"]) == (refused["id"], "rejected", None)

    async def test_request_of_another_version_is_returned_as_it_is(self, system: System, shop: Shop) -> None:
        stored = await shop.create(transmit="later")
        await system.fetch("update documents set request = '{\"old\": 1}' where id = $1", UUID(stored["id"]))
        assert await listed_ids(shop) == [stored["id"]]
        read = data_of(await shop.get(f"/toy/{stored['id']}", include="request"))
        assert read["request"] == {"old": 1}

    @pytest.mark.parametrize("request_text", ["[", '{"amount": "x"}'])
    async def test_document_with_an_unreadable_body_can_not_be_emitted_or_corrected(
        self, system: System, shop: Shop, request_text: str
    ) -> None:
        draft = await shop.create(transmit="later")
        await system.fetch("update documents set request = $2 where id = $1", UUID(draft["id"]), request_text)
        for answer in (await shop.emit(draft), await shop.patch(draft, notes="Obrigado")):
            assert error_of(answer, 409, "INVALID_STATE") == {"currentStatus": "pending", "allowed": []}
            assert "não pôde ser lido" in answer.json()["error"]["message"]
