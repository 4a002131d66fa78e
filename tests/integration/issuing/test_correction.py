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
    async def test_correction_is_registered_as_an_event_with_sequence_one(self, shop: Shop) -> None:
        document = await shop.issue()
        event = data_of(await correct(shop, document))
        assert (event["type"], event["status"], event["sequence"]) == ("correction", "authorized", 1)
        assert (event["authorityCode"], len(event["protocol"])) == ("135", 15)
        last = (await shop.events(document))[-1]
        assert (last["id"], last["type"], last["sequence"]) == (event["id"], "correction", 1)
        assert (await shop.read(document))["status"] == "authorized"

    async def test_correction_has_a_signed_and_valid_xml(self, shop: Shop) -> None:
        document = await shop.issue()
        event = data_of(await correct(shop, document))
        answer = await shop.get(f"/nfe/{document['id']}/events/{event['id']}/xml")
        root = read_xml(answer.content)
        assert Schemas().problems(Schema.NFE_CORRECTION_REGISTERED, root) == ()
        assert root.findtext(".//{*}xCorrecao") == LETTER
        assert xmlsec1_accepts(answer.content, "infEvento")

    async def test_second_correction_has_the_next_sequence(self, shop: Shop) -> None:
        document = await shop.issue()
        first = data_of(await correct(shop, document))
        second = data_of(await correct(shop, document, f"{LETTER}, e o bairro é Centro"))
        assert [first["sequence"], second["sequence"]] == [1, 2]

    async def test_correction_with_the_same_text_returns_the_existing_one(self, shop: Shop) -> None:
        document = await shop.issue()
        answers = [data_of(await correct(shop, document)) for _ in range(3)]
        assert {answer["id"] for answer in answers} == {answers[0]["id"]}
        together = await asyncio.gather(*(correct(shop, document, f"{LETTER} B") for _ in range(5)))
        assert {data_of(answer)["sequence"] for answer in together} == {2}

    async def test_twenty_first_correction_is_a_rule_violation(self, shop: Shop) -> None:
        document = await shop.issue()
        for number in range(1, 21):
            assert data_of(await correct(shop, document, f"{LETTER} {number}"))["sequence"] == number
        (rule,) = error_of(await correct(shop, document), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["code"] == "594"

    @pytest.mark.usefixtures("short_wait")
    async def test_correction_is_refused_while_another_is_in_process(self, shop: Shop) -> None:
        document = await shop.issue()
        async with out_of_service(shop.system, "SP"):
            answer = await correct(shop, document)
            assert answer.status_code == 202
            under_way = answer.json()["data"]
            assert under_way["status"] == "authorized"
            assert under_way["correction"]["status"] == "processing"
            error_of(await correct(shop, document, f"{LETTER} B"), 409, "INVALID_STATE")
        await shop.system.until(
            f"(select state = 'registered' from event_filings where document_id = '{document['id']}')"
        )
        event = data_of(await correct(shop, document))
        assert event["id"] == under_way["correction"]["id"]

    async def test_correction_after_thirty_days_is_a_rule_violation(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.system.fetch(
            "update emissions set authorized_at = authorized_at - $2::interval where document_id = $1",
            document["id"], timedelta(hours=721),
        )  # fmt: skip
        (rule,) = error_of(await correct(shop, document), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert "720 horas" in rule["message"]

    async def test_correction_has_from_15_to_1000_characters(self, shop: Shop) -> None:
        document = await shop.issue()
        for text in ("x" * 14, "x" * 1001):
            error_of(await correct(shop, document, text), 422, "VALIDATION_ERROR")
        assert data_of(await correct(shop, document, "x" * 1000))["sequence"] == 1

    async def test_correction_is_only_for_authorized_nfe(self, shop: Shop) -> None:
        document = await shop.issue()
        data_of(await cancel(shop, document))
        details = error_of(await correct(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == "canceled"
        receipt = await shop.issue("nfce")
        answer = await shop.post(f"/nfce/{receipt['id']}/correction", {"correction": LETTER})
        error_of(answer, 404, "NOT_FOUND")
