"""Correction letters of an authorized NF-e."""

import asyncio
from datetime import timedelta

import pytest

from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from integration.issuing.actions import LETTER, cancel, correct, out_of_service
from integration.issuing.shop import Shop, error_of
from support import data_of
from xmlsec1 import xmlsec1_accepts


class TestCorrection:
    async def test_is_registered_as_the_first_event_of_its_kind(self, shop: Shop) -> None:
        document = await shop.issue()
        told = data_of(await correct(shop, document))
        assert (told["type"], told["status"], told["sequence"]) == ("correction", "authorized", 1)
        assert (told["authorityCode"], len(told["protocol"])) == ("135", 15)
        last = (await shop.events(document))[-1]
        assert (last["id"], last["type"], last["sequence"]) == (told["id"], "correction", 1)
        assert (await shop.read(document))["status"] == "authorized"

    async def test_has_its_xml(self, shop: Shop) -> None:
        document = await shop.issue()
        told = data_of(await correct(shop, document))
        answer = await shop.get(f"/nfe/{document['id']}/events/{told['id']}/xml")
        root = read_xml(answer.content)
        assert Schemas().problems(Schema.NFE_CORRECTION_REGISTERED, root) == ()
        assert root.findtext(".//{*}xCorrecao") == LETTER
        assert xmlsec1_accepts(answer.content, "infEvento")

    async def test_replaces_the_one_before_it(self, shop: Shop) -> None:
        document = await shop.issue()
        first = data_of(await correct(shop, document))
        second = data_of(await correct(shop, document, f"{LETTER}, e o bairro é Centro"))
        assert [first["sequence"], second["sequence"]] == [1, 2]

    async def test_that_says_the_same_again_is_the_one_that_there_is(self, shop: Shop) -> None:
        document = await shop.issue()
        answers = [data_of(await correct(shop, document)) for _ in range(3)]
        assert {one["id"] for one in answers} == {answers[0]["id"]}
        together = await asyncio.gather(*(correct(shop, document, f"{LETTER} B") for _ in range(5)))
        assert {data_of(one)["sequence"] for one in together} == {2}

    async def test_is_the_last_after_twenty(self, shop: Shop) -> None:
        document = await shop.issue()
        for number in range(1, 21):
            assert data_of(await correct(shop, document, f"{LETTER} {number}"))["sequence"] == number
        (rule,) = error_of(await correct(shop, document), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["code"] == "594"

    @pytest.mark.usefixtures("short_wait")
    async def test_waits_for_the_one_before_it(self, shop: Shop) -> None:
        document = await shop.issue()
        async with out_of_service(shop.floor, "SP"):
            answer = await correct(shop, document)
            assert answer.status_code == 202
            under_way = answer.json()["data"]
            assert under_way["status"] == "authorized"
            assert under_way["correction"]["status"] == "processing"
            error_of(await correct(shop, document, f"{LETTER} B"), 409, "INVALID_STATE")
        await shop.floor.until(
            f"(select state = 'registered' from event_filings where document_id = '{document['id']}')"
        )
        told = data_of(await correct(shop, document))
        assert told["id"] == under_way["correction"]["id"]

    async def test_is_too_late_after_thirty_days(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.floor.fetch(
            "update emissions set authorized_at = authorized_at - $2::interval where document_id = $1",
            document["id"], timedelta(hours=721),
        )  # fmt: skip
        (rule,) = error_of(await correct(shop, document), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert "720 horas" in rule["message"]

    async def test_has_from_15_to_1000_letters(self, shop: Shop) -> None:
        document = await shop.issue()
        for text in ("x" * 14, "x" * 1001):
            error_of(await correct(shop, document, text), 422, "VALIDATION_ERROR")
        assert data_of(await correct(shop, document, "x" * 1000))["sequence"] == 1

    async def test_is_for_authorized_invoices_alone(self, shop: Shop) -> None:
        document = await shop.issue()
        data_of(await cancel(shop, document))
        details = error_of(await correct(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == "canceled"
        receipt = await shop.issue("nfce")
        answer = await shop.post(f"/nfce/{receipt['id']}/correction", {"correction": LETTER})
        error_of(answer, 404, "NOT_FOUND")
