"""Giving up numbers that never became documents."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from integration.issuing.shop import REFUSED, UNANSWERED, NewShop, Shop, error_of
from integration.issuing.test_cancel import out_of_service
from support import data_of, fields_of
from xmlsec1 import xmlsec1_accepts

REASON = "Numeração pulada por falha de sistema"


async def void(shop: Shop, first: int, last: int, kind: str = "nfe", **changes: Any) -> httpx2.Response:
    body = {"series": 1, "numberStart": first, "numberEnd": last, "justification": REASON, **changes}
    return await shop.post(f"/{kind}/inutilizations", body)


class TestInutilization:
    @pytest.mark.parametrize("kind", ["nfe", "nfce"])
    async def test_is_registered(self, shop: Shop, kind: str) -> None:
        await shop.put_settings(**{kind: {"number": 10}})
        told = data_of(await void(shop, 3, 9, kind))
        assert (told["status"], told["type"], told["series"]) == ("authorized", kind, 1)
        assert (told["numberStart"], told["numberEnd"], told["authorityCode"]) == (3, 9, "102")
        assert (told["year"], len(told["protocol"])) == (local_moment(datetime.now(UTC), "SP").year, 15)
        assert data_of(await shop.get(f"/{kind}/inutilizations/{told['id']}")) == told
        listed = await shop.get(f"/{kind}/inutilizations")
        assert listed.json()["data"] == [told]
        assert listed.json()["pageInfo"]["total"] == 1

    async def test_has_its_xml(self, shop: Shop) -> None:
        told = data_of(await void(shop, 1, 2))
        answer = await shop.get(f"/nfe/inutilizations/{told['id']}/xml")
        assert Schemas().problems(Schema.NFE_INUTILIZATION_REGISTERED, read_xml(answer.content)) == ()
        assert xmlsec1_accepts(answer.content, "infInut")

    async def test_moves_the_counter_past_what_is_given_up(self, shop: Shop) -> None:
        data_of(await void(shop, 1, 3))
        assert (await shop.issue())["number"] == 4

    async def test_does_not_begin_beyond_the_counter(self, shop: Shop) -> None:
        details = error_of(await void(shop, 5, 6), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "numberStart"

    async def test_of_the_same_range_again_is_the_one_that_there_is(self, shop: Shop) -> None:
        answers = await asyncio.gather(*(void(shop, 1, 3) for _ in range(8)))
        assert len({data_of(one)["id"] for one in answers}) == 1

    async def test_of_numbers_that_are_given_up_already_is_refused(self, shop: Shop) -> None:
        first = data_of(await void(shop, 1, 3))
        details = error_of(await void(shop, 2, 4), 409, "NUMBER_ALREADY_USED")
        assert details == {"number": 2, "inutilizationId": first["id"]}

    async def test_of_an_authorized_number_is_refused(self, shop: Shop) -> None:
        await shop.put_settings(nfe={"number": 5})
        document = await shop.issue()
        details = error_of(await void(shop, 3, 7), 409, "NUMBER_ALREADY_USED")
        assert details == {"number": 5, "documentId": document["id"]}

    async def test_of_a_number_in_flight_or_of_unknown_fate_is_refused(self, shop: Shop) -> None:
        document = await shop.create(notes=UNANSWERED)
        await shop.floor.until(f"exists (select from emissions where document_id = '{document['id']}')")
        details = error_of(await void(shop, 1, 1), 409, "NUMBER_ALREADY_USED")
        assert details["documentId"] == document["id"]

    async def test_of_a_rejected_documents_number_gives_it_another(self, shop: Shop) -> None:
        document = await shop.issue(notes="SIMULA:REJEICAO:528")
        data_of(await void(shop, 1, 1))
        changed = data_of(await shop.patch(document, notes=None))
        await shop.emit(changed)
        settled = await shop.settled(document)
        assert (settled["status"], settled["number"]) == ("authorized", 2)

    async def test_that_the_authority_refuses_is_told_with_its_words(self, shop: Shop) -> None:
        answer = await void(shop, 1, 1, justification=REFUSED)
        assert error_of(answer, 422, "AUTHORITY_REJECTED")["authorityCode"] == "528"
        (listed,) = (await shop.get("/nfe/inutilizations")).json()["data"]
        assert (listed["status"], listed["authorityCode"]) == ("rejected", "528")

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

    @pytest.mark.parametrize("years_away", [-1, 0])
    async def test_may_be_of_a_year_that_has_begun(self, shop: Shop, years_away: int) -> None:
        year = local_moment(datetime.now(UTC), "SP").year + years_away
        assert data_of(await void(shop, 1, 1, year=year))["year"] == year

    async def test_of_a_year_to_come_is_refused(self, shop: Shop) -> None:
        answer = await void(shop, 1, 1, year=local_moment(datetime.now(UTC), "SP").year + 1)
        assert set(fields_of(answer)) == {"year"}

    async def test_whose_answer_was_lost_is_sent_again(self, shop: Shop) -> None:
        await shop.floor.switch(lostAnswers=1)
        asking = asyncio.create_task(void(shop, 1, 4))
        await shop.floor.until(
            f"exists (select from inutilizations where company_id = '{shop.id}' and tries > 0)"
        )
        await shop.floor.switch(lostAnswers=None)
        told = data_of(await asking)
        assert (told["status"], told["authorityCode"]) == ("authorized", "563")
        assert len(told["protocol"]) == 15

    @pytest.mark.usefixtures("short_wait")
    async def test_leaves_the_caller_with_a_202_while_the_authority_is_out(self, shop: Shop) -> None:
        async with out_of_service(shop.floor, "SP"):
            answer = await void(shop, 1, 1)
            assert (answer.status_code, answer.json()["data"]["status"]) == (202, "processing")
        await shop.floor.until(
            f"(select state = 'registered' from inutilizations where company_id = '{shop.id}')"
        )

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"numberStart": 3, "numberEnd": 2}, "numberEnd"),
            ({"numberEnd": 1001}, "numberEnd"),
            ({"justification": "curta"}, "justification"),
            ({"series": 890}, "series"),
            ({"year": 2005}, "year"),
        ],
    )
    async def test_refuses_a_range_that_is_none(
        self, idle_shop: Shop, changes: dict[str, Any], field: str
    ) -> None:
        answer = await void(idle_shop, 1, 1, **changes)
        assert answer.status_code == 422
        assert list(fields_of(answer)) == [field]

    async def test_of_another_company_is_not_found(self, shop: Shop, new_shop: NewShop) -> None:
        told = data_of(await void(shop, 1, 1))
        error_of(await (await new_shop()).get(f"/nfe/inutilizations/{told['id']}"), 404, "NOT_FOUND")
        error_of(await shop.get(f"/nfce/inutilizations/{told['id']}"), 404, "NOT_FOUND")
