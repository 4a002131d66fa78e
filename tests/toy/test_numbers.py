"""Numbers and environments: each series of each type has its own, without gap or twin."""

import asyncio
from itertools import groupby
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.module_settings import LAST_NUMBER
from integration.issuing.actions import switch_environment, text_in_xml
from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop, accepted, own_number, own_place
from support import data_of, fields_of
from toy.codes import REFUSED
from toy.shop import KINDS, body_of

HALF = 30
of_every_type = pytest.mark.parametrize("kind", KINDS)


async def numbers(shop: Shop) -> dict[tuple[str, str, int], list[int]]:
    """Every number that a company has taken, by type, environment and series."""
    rows = await shop.floor.fetch(
        "select document_type, environment, series, number from emissions where company_id = $1"
        " order by document_type, environment, series, number",
        UUID(shop.id),
    )
    grouped = groupby(rows, key=lambda row: (row["document_type"], row["environment"], row["series"]))
    return {place: [row["number"] for row in taken] for place, taken in grouped}


async def give_up(shop: Shop, kind: str, first: int, last: int, **changes: str) -> None:
    """Ask for numbers to be void, and wait for the outcome, whatever it is."""
    reason = {"justification": "Numeração pulada por falha de sistema"} | changes
    body = {"series": 1, "numberStart": first, "numberEnd": last} | reason
    await shop.post(f"/{kind}/inutilizations", body)


async def next_number(shop: Shop, kind: str) -> Any:
    return data_of(await shop.get("/settings"))[kind]["number"]


class TestNumbers:
    async def test_of_sixty_documents_at_once_have_no_gap_and_no_twin(self, floor: Floor, shop: Shop) -> None:
        kinds = KINDS * (HALF // len(KINDS))
        first = await asyncio.gather(*(shop.create(kind) for kind in kinds))
        await floor.until(f"1 < (select count(*) from emissions where company_id = '{shop.id}')")
        await shop.put_settings(**{kind: {"series": 2} for kind in KINDS})
        second = await asyncio.gather(*(shop.create(kind) for kind in kinds))
        settled = [await shop.settled(document) for document in (*first, *second)]
        assert {document["status"] for document in settled} == {"authorized"}
        taken = await numbers(shop)
        assert {place[2] for place in taken} == {1, 2}
        assert all(run == list(range(1, len(run) + 1)) for run in taken.values())
        assert sum(map(len, taken.values())) == 2 * HALF
        shown = {(record["type"], *own_place(record)) for record in settled}
        assert len(shown) == len({record["accessKey"] for record in settled}) == 2 * HALF
        listed = await shop.get("/invoices", status="authorized", pageSize=1)
        assert listed.json()["pageInfo"]["total"] == 2 * HALF

    async def test_of_a_refused_document_stay_with_it(self, shop: Shop) -> None:
        refused, other = await shop.issue(notes=REFUSED), await shop.issue()
        assert (refused["status"], refused["number"], other["number"]) == ("rejected", 1, 2)
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        assert (await shop.settled(refused))["number"] == 1
        assert (await shop.issue())["number"] == 3
        assert await numbers(shop) == {("toy", "production", 1): [1, 2, 3]}

    async def test_stay_with_a_refused_document_when_the_series_changes(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        await shop.put_settings(toy={"series": 5})
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        assert (record["status"], record["series"], record["number"]) == ("authorized", 1, 1)

    async def test_of_types_do_not_depend_on_each_other(self, shop: Shop) -> None:
        issued = [await shop.issue(kind) for kind in KINDS * 2]
        assert [own_number(record) for record in issued] == [1, 1, 2, 2]

    async def test_of_companies_do_not_depend_on_each_other(self, shop: Shop, new_shop: NewShop) -> None:
        other = await new_shop(shop.caller)
        assert [(await company.issue())["number"] for company in (shop, other)] == [1, 1]

    async def test_are_taken_by_a_stored_document_when_it_is_sent(self, shop: Shop) -> None:
        stored = await shop.create(transmit="later")
        assert (await shop.issue())["number"] == 1
        accepted(await shop.post(f"/toy/{stored['id']}/transmit"))
        assert (await shop.settled(stored))["number"] == 2

    @of_every_type
    async def test_begin_where_the_settings_say(self, shop: Shop, kind: str) -> None:
        await shop.put_settings(**{kind: {"series": 3, "number": 500}})
        records = [await shop.issue(kind) for _ in range(2)]
        assert [own_place(record) for record in records] == [(3, 500), (3, 501)]
        assert await next_number(shop, kind) == 502

    @of_every_type
    async def test_that_are_used_can_not_be_set_as_next(self, shop: Shop, kind: str) -> None:
        for _ in range(2):
            await shop.issue(kind)
        for used in (1, 2):
            answer = await shop.caller.http.put(shop.path("/settings"), json={kind: {"number": used}})
            assert set(fields_of(answer)) == {f"{kind}.number"}
        assert await next_number(shop, kind) == 3
        await shop.put_settings(**{kind: {"number": 3}})
        assert own_number(await shop.issue(kind)) == 3

    async def test_that_are_given_up_can_not_be_set_as_next(self, shop: Shop) -> None:
        kind = "toy"
        await give_up(shop, kind, 1, 3)
        for number in (1, 3):
            answer = await shop.caller.http.put(shop.path("/settings"), json={kind: {"number": number}})
            assert "3 da série já foi usado ou inutilizado" in fields_of(answer)[f"{kind}.number"]
        await shop.put_settings(**{kind: {"number": 4}})
        assert (await shop.issue(kind))["number"] == 4

    async def test_that_are_given_up_in_another_series_do_not_count(self, shop: Shop) -> None:
        await give_up(shop, "toy", 1, 3)
        await shop.put_settings(toynote={"number": 2}, toy={"series": 2, "number": 2})
        await switch_environment(shop, "homologation")
        await shop.put_settings(toy={"series": 1, "number": 2})

    async def test_that_the_authority_refused_to_give_up_are_free(self, shop: Shop) -> None:
        await give_up(shop, "toy", 1, 3, justification=REFUSED)
        await shop.put_settings(toy={"number": 2})
        assert (await shop.issue())["number"] == 2

    @of_every_type
    async def test_come_to_an_end_which_is_a_refusal(self, shop: Shop, kind: str) -> None:
        last = LAST_NUMBER
        await shop.put_settings(**{kind: {"number": last}})
        assert own_number(await shop.issue(kind)) == last
        assert (await shop.get("/settings")).status_code == 200
        again = await shop.caller.http.put(shop.path("/settings"), json={kind: {"number": last}})
        assert "escolha outra série" in fields_of(again)[f"{kind}.number"]
        beyond = await shop.issue(kind)
        assert (beyond["status"], beyond["number"]) == ("rejected", None)
        await shop.put_settings(**{kind: {"series": 2}})
        accepted(await shop.emit(beyond))
        record = await shop.settled(beyond)
        assert (record["status"], own_place(record)) == ("authorized", (2, 1))


class TestHomologation:
    @of_every_type
    async def test_has_a_numbering_of_its_own(self, shop: Shop, kind: str) -> None:
        records = [await shop.issue(kind)]
        await switch_environment(shop, "homologation")
        records += [await shop.issue(kind) for _ in range(2)]
        await switch_environment(shop, "production")
        records += [await shop.issue(kind)]
        assert [(record["environment"], own_number(record)) for record in records] == [
            ("production", 1), ("homologation", 1), ("homologation", 2), ("production", 2),
        ]  # fmt: skip
        assert {record["status"] for record in records} == {"authorized"}

    async def test_is_written_in_the_document_and_has_the_same_history(self, shop: Shop) -> None:
        produced = await shop.issue()
        await switch_environment(shop, "homologation")
        tried = await shop.issue()
        assert [await text_in_xml(shop, record, "tpAmb") for record in (produced, tried)] == ["1", "2"]
        histories = [[event["type"] for event in await shop.events(record)] for record in (produced, tried)]
        assert histories[0] == histories[1]

    @pytest.mark.parametrize("name", ["homologation", "test"])
    async def test_of_a_module_goes_before_the_companys(self, shop: Shop, name: str) -> None:
        await shop.put_settings(toy={"environment": name})
        assert (await shop.issue("toy"))["environment"] == "homologation"
        assert (await shop.issue("toynote"))["environment"] == "production"
        await shop.put_settings(toy={"environment": None})
        assert (await shop.issue("toy"))["environment"] == "production"

    async def test_of_a_company_does_not_move_a_module_in_production(self, shop: Shop) -> None:
        await shop.put_settings(toy={"environment": "production"})
        await switch_environment(shop, "homologation")
        assert (await shop.issue("toy"))["environment"] == "production"
        assert (await shop.issue("toynote"))["environment"] == "homologation"

    async def test_does_not_change_documents_that_were_created_before(self, floor: Floor, shop: Shop) -> None:
        stored = await shop.create(transmit="later")
        async with floor.standstill():
            accepted_before = accepted(await shop.post("/toy", body_of()))
            await switch_environment(shop, "homologation")
        accepted(await shop.post(f"/toy/{stored['id']}/transmit"))
        for document in (stored, accepted_before):
            record = await shop.settled(document)
            assert (record["status"], record["environment"]) == ("authorized", "production")
            assert await text_in_xml(shop, record, "tpAmb") == "1"
