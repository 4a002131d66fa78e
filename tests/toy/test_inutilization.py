"""Inutilization of numbers that never became documents."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from carimbo.fiscal.emission import local_moment
from integration.issuing.number_ledger import inutilize_numbers
from integration.issuing.shop import NewShop, Shop, error_of
from support import data_of, fields_of
from toy.authority import Register
from toy.codes import REFUSED, UNANSWERED
from toy.shop import tax_id_of


class TestInutilization:
    async def test_inutilization_is_registered_and_listed(self, shop: Shop) -> None:
        document_type = "toy"
        await shop.put_settings(**{document_type: {"number": 10}})
        record = data_of(await inutilize_numbers(shop, 3, 9, document_type))
        assert (record["status"], record["type"], record["series"]) == ("authorized", document_type, 1)
        assert (record["numberStart"], record["numberEnd"], record["authorityCode"]) == (3, 9, "102")
        assert (record["year"], len(record["protocol"])) == (local_moment(datetime.now(UTC), "SP").year, 15)
        assert data_of(await shop.get(f"/{document_type}/inutilizations/{record['id']}")) == record
        listed = await shop.get(f"/{document_type}/inutilizations")
        assert listed.json()["data"] == [record]
        assert listed.json()["pageInfo"]["total"] == 1

    async def test_inutilization_moves_the_counter_past_the_range(self, shop: Shop) -> None:
        data_of(await inutilize_numbers(shop, 1, 3))
        assert (await shop.issue())["number"] == 4

    async def test_range_beyond_the_counter_is_invalid(self, shop: Shop) -> None:
        details = error_of(await inutilize_numbers(shop, 5, 6), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "numberStart"

    async def test_repeated_range_returns_the_first_inutilization(self, shop: Shop) -> None:
        answers = await asyncio.gather(*(inutilize_numbers(shop, 1, 3) for _ in range(8)))
        assert len({data_of(answer)["id"] for answer in answers}) == 1

    async def test_voided_number_can_not_be_voided_again(self, shop: Shop) -> None:
        first = data_of(await inutilize_numbers(shop, 1, 3))
        details = error_of(await inutilize_numbers(shop, 2, 4), 409, "NUMBER_ALREADY_USED")
        assert details == {"number": 2, "inutilizationId": first["id"]}

    async def test_number_of_an_authorized_document_can_not_be_voided(self, shop: Shop) -> None:
        await shop.put_settings(toy={"number": 5})
        document = await shop.issue()
        details = error_of(await inutilize_numbers(shop, 3, 7), 409, "NUMBER_ALREADY_USED")
        assert details == {"number": 5, "documentId": document["id"]}

    async def test_number_of_a_document_in_process_can_not_be_voided(self, shop: Shop) -> None:
        document = await shop.create(notes=UNANSWERED)
        await shop.system.until(f"exists (select from emissions where document_id = '{document['id']}')")
        details = error_of(await inutilize_numbers(shop, 1, 1), 409, "NUMBER_ALREADY_USED")
        assert details["documentId"] == document["id"]

    async def test_rejected_document_gets_another_number_after_its_number_is_voided(self, shop: Shop) -> None:
        document = await shop.issue(notes=REFUSED)
        data_of(await inutilize_numbers(shop, 1, 1))
        changed = data_of(await shop.patch(document, notes=None))
        await shop.emit(changed)
        settled = await shop.settled(document)
        assert (settled["status"], settled["number"]) == ("authorized", 2)

    async def test_refused_inutilization_is_answered_with_the_authoritys_code(self, shop: Shop) -> None:
        answer = await inutilize_numbers(shop, 1, 1, justification=REFUSED)
        assert error_of(answer, 422, "AUTHORITY_REJECTED")["authorityCode"] == "528"
        (listed,) = (await shop.get("/toy/inutilizations")).json()["data"]
        assert (listed["status"], listed["authorityCode"]) == ("rejected", "528")

    @pytest.mark.parametrize("years_away", [-1, 0])
    async def test_inutilization_may_be_of_this_or_an_earlier_year(self, shop: Shop, years_away: int) -> None:
        year = local_moment(datetime.now(UTC), "SP").year + years_away
        assert data_of(await inutilize_numbers(shop, 1, 1, year=year))["year"] == year

    async def test_inutilization_of_a_future_year_is_invalid(self, shop: Shop) -> None:
        answer = await inutilize_numbers(shop, 1, 1, year=local_moment(datetime.now(UTC), "SP").year + 1)
        assert set(fields_of(answer)) == {"year"}

    async def test_inutilization_whose_answer_was_lost_is_sent_again(
        self, shop: Shop, register: Register
    ) -> None:
        register.losing.add(await tax_id_of(shop))
        record = data_of(await inutilize_numbers(shop, 1, 4))
        assert (record["status"], record["authorityCode"]) == ("authorized", "563")
        assert len(record["protocol"]) == 15

    @pytest.mark.usefixtures("short_wait")
    async def test_inutilization_is_answered_202_while_the_authority_is_out(
        self, shop: Shop, register: Register
    ) -> None:
        with register.out_of_service():
            answer = await inutilize_numbers(shop, 1, 1)
            assert (answer.status_code, answer.json()["data"]["status"]) == (202, "processing")
        await shop.system.until(
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
    async def test_impossible_range_is_invalid(
        self, idle_shop: Shop, changes: dict[str, Any], field: str
    ) -> None:
        answer = await inutilize_numbers(idle_shop, 1, 1, **changes)
        assert answer.status_code == 422
        assert list(fields_of(answer)) == [field]

    async def test_inutilization_of_another_company_is_not_found(self, shop: Shop, new_shop: NewShop) -> None:
        record = data_of(await inutilize_numbers(shop, 1, 1))
        error_of(await (await new_shop()).get(f"/toy/inutilizations/{record['id']}"), 404, "NOT_FOUND")
