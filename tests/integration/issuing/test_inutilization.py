"""Answers of the authorities to inutilizations of NF-e and NFC-e numbers."""

import asyncio

import pytest

from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from integration.issuing.number_ledger import inutilize_numbers
from integration.issuing.shop import GOODS, Shop, error_of
from support import data_of
from xmlsec1 import xmlsec1_accepts


class TestInutilization:
    @pytest.mark.parametrize("document_type", GOODS)
    async def test_inutilization_has_a_signed_and_valid_xml(self, shop: Shop, document_type: str) -> None:
        inutilization = data_of(await inutilize_numbers(shop, 1, 2, document_type))
        assert (inutilization["authorityCode"], len(inutilization["protocol"])) == ("102", 15)
        answer = await shop.get(f"/{document_type}/inutilizations/{inutilization['id']}/xml")
        assert Schemas().problems(Schema.NFE_INUTILIZATION_REGISTERED, read_xml(answer.content)) == ()
        assert xmlsec1_accepts(answer.content, "infInut")

    @pytest.mark.parametrize("code", ["206", "256"])
    async def test_range_with_a_number_that_is_already_void_must_be_requested_in_parts(
        self, shop: Shop, code: str
    ) -> None:
        refused = await inutilize_numbers(shop, 1, 3, justification=f"SIMULA:REJEICAO:{code}")
        details = error_of(refused, 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == code
        assert "um a um ou em faixas menores" in details["hint"]

    @pytest.mark.parametrize("code", ["206", "256"])
    async def test_single_number_that_is_already_void_counts_as_done(self, shop: Shop, code: str) -> None:
        inutilization = data_of(await inutilize_numbers(shop, 1, 1, justification=f"SIMULA:REJEICAO:{code}"))
        assert (inutilization["status"], inutilization["authorityCode"]) == ("authorized", code)

    async def test_inutilization_of_another_type_is_not_found(self, shop: Shop) -> None:
        inutilization = data_of(await inutilize_numbers(shop, 1, 1))
        error_of(await shop.get(f"/nfce/inutilizations/{inutilization['id']}"), 404, "NOT_FOUND")

    async def test_inutilization_whose_answer_was_lost_is_sent_again(self, shop: Shop) -> None:
        await shop.system.switch(lostAnswers=1)
        asking = asyncio.create_task(inutilize_numbers(shop, 1, 4))
        await shop.system.until(
            f"exists (select from inutilizations where company_id = '{shop.id}' and tries > 0)"
        )
        await shop.system.switch(lostAnswers=None)
        inutilization = data_of(await asking)
        assert (inutilization["status"], inutilization["authorityCode"]) == ("authorized", "563")
