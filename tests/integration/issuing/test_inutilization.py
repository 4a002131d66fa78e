"""What the authorities of goods say of numbers that are given up."""

import asyncio

import pytest

from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from integration.issuing.number_ledger import void
from integration.issuing.shop import GOODS, Shop, error_of
from support import data_of
from xmlsec1 import xmlsec1_accepts


class TestInutilization:
    @pytest.mark.parametrize("kind", GOODS)
    async def test_has_its_xml(self, shop: Shop, kind: str) -> None:
        told = data_of(await void(shop, 1, 2, kind))
        assert (told["authorityCode"], len(told["protocol"])) == ("102", 15)
        answer = await shop.get(f"/{kind}/inutilizations/{told['id']}/xml")
        assert Schemas().problems(Schema.NFE_INUTILIZATION_REGISTERED, read_xml(answer.content)) == ()
        assert xmlsec1_accepts(answer.content, "infInut")

    @pytest.mark.parametrize("code", ["206", "256"])
    async def test_of_which_a_number_is_void_already_is_to_be_asked_for_in_parts(
        self, shop: Shop, code: str
    ) -> None:
        refused = await void(shop, 1, 3, justification=f"SIMULA:REJEICAO:{code}")
        details = error_of(refused, 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == code
        assert "um a um ou em faixas menores" in details["hint"]

    @pytest.mark.parametrize("code", ["206", "256"])
    async def test_of_a_single_number_that_is_void_already_is_done(self, shop: Shop, code: str) -> None:
        told = data_of(await void(shop, 1, 1, justification=f"SIMULA:REJEICAO:{code}"))
        assert (told["status"], told["authorityCode"]) == ("authorized", code)

    async def test_of_another_type_is_not_found(self, shop: Shop) -> None:
        told = data_of(await void(shop, 1, 1))
        error_of(await shop.get(f"/nfce/inutilizations/{told['id']}"), 404, "NOT_FOUND")

    async def test_whose_answer_was_lost_is_sent_again(self, shop: Shop) -> None:
        await shop.floor.switch(lostAnswers=1)
        asking = asyncio.create_task(void(shop, 1, 4))
        await shop.floor.until(
            f"exists (select from inutilizations where company_id = '{shop.id}' and tries > 0)"
        )
        await shop.floor.switch(lostAnswers=None)
        told = data_of(await asking)
        assert (told["status"], told["authorityCode"]) == ("authorized", "563")
