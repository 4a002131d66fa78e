"""Numbers and environments: each series of each type is numbered without gaps or duplicates."""

import asyncio
from itertools import groupby
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.module_settings import LAST_NUMBER
from integration.issuing.actions import switch_environment, text_in_xml
from integration.issuing.shop import NewShop, Shop, accepted, own_number, own_series_and_number
from integration.issuing.system import System
from support import data_of, fields_of
from toy.codes import REFUSED
from toy.shop import KINDS, body_of

HALF = 30
of_every_type = pytest.mark.parametrize("document_type", KINDS)


async def numbers(shop: Shop) -> dict[tuple[str, str, int], list[int]]:
    """Returns every number that a company has used, by type, environment and series."""
    rows = await shop.system.fetch(
        "select document_type, environment, series, number from emissions where company_id = $1"
        " order by document_type, environment, series, number",
        UUID(shop.id),
    )
    grouped = groupby(rows, key=lambda row: (row["document_type"], row["environment"], row["series"]))
    return {series: [row["number"] for row in taken] for series, taken in grouped}


async def request_inutilization(
    shop: Shop, document_type: str, first: int, last: int, **changes: str
) -> None:
    """Requests an inutilization and waits for its outcome, whatever it is."""
    reason = {"justification": "Numeração pulada por falha de sistema"} | changes
    body = {"series": 1, "numberStart": first, "numberEnd": last} | reason
    await shop.post(f"/{document_type}/inutilizations", body)


async def next_number(shop: Shop, document_type: str) -> Any:
    return data_of(await shop.get("/settings"))[document_type]["number"]


class TestNumbers:
    async def test_sixty_concurrent_documents_have_no_gap_and_no_duplicate_number(
        self, system: System, shop: Shop
    ) -> None:
        document_types = KINDS * (HALF // len(KINDS))
        first = await asyncio.gather(*(shop.create(document_type) for document_type in document_types))
        await system.until(f"1 < (select count(*) from emissions where company_id = '{shop.id}')")
        await shop.put_settings(**{document_type: {"series": 2} for document_type in KINDS})
        second = await asyncio.gather(*(shop.create(document_type) for document_type in document_types))
        settled = [await shop.settled(document) for document in (*first, *second)]
        assert {document["status"] for document in settled} == {"authorized"}
        taken = await numbers(shop)
        assert {series[2] for series in taken} == {1, 2}
        assert all(run == list(range(1, len(run) + 1)) for run in taken.values())
        assert sum(map(len, taken.values())) == 2 * HALF
        shown = {(record["type"], *own_series_and_number(record)) for record in settled}
        assert len(shown) == len({record["accessKey"] for record in settled}) == 2 * HALF
        listed = await shop.get("/invoices", status="authorized", pageSize=1)
        assert listed.json()["pageInfo"]["total"] == 2 * HALF

    async def test_refused_document_keeps_its_number(self, shop: Shop) -> None:
        refused, other = await shop.issue(notes=REFUSED), await shop.issue()
        assert (refused["status"], refused["number"], other["number"]) == ("rejected", 1, 2)
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        assert (await shop.settled(refused))["number"] == 1
        assert (await shop.issue())["number"] == 3
        assert await numbers(shop) == {("toy", "production", 1): [1, 2, 3]}

    async def test_refused_document_keeps_its_number_when_the_series_changes(self, shop: Shop) -> None:
        refused = await shop.issue(notes=REFUSED)
        await shop.put_settings(toy={"series": 5})
        data_of(await shop.patch(refused, notes=None))
        accepted(await shop.emit(refused))
        record = await shop.settled(refused)
        assert (record["status"], record["series"], record["number"]) == ("authorized", 1, 1)

    async def test_types_are_numbered_independently(self, shop: Shop) -> None:
        issued = [await shop.issue(document_type) for document_type in KINDS * 2]
        assert [own_number(record) for record in issued] == [1, 1, 2, 2]

    async def test_companies_are_numbered_independently(self, shop: Shop, new_shop: NewShop) -> None:
        other = await new_shop(shop.caller)
        assert [(await company.issue())["number"] for company in (shop, other)] == [1, 1]

    async def test_stored_document_gets_its_number_when_it_is_sent(self, shop: Shop) -> None:
        stored = await shop.create(transmit="later")
        assert (await shop.issue())["number"] == 1
        accepted(await shop.post(f"/toy/{stored['id']}/transmit"))
        assert (await shop.settled(stored))["number"] == 2

    @of_every_type
    async def test_numbers_begin_with_that_of_the_settings(self, shop: Shop, document_type: str) -> None:
        await shop.put_settings(**{document_type: {"series": 3, "number": 500}})
        records = [await shop.issue(document_type) for _ in range(2)]
        assert [own_series_and_number(record) for record in records] == [(3, 500), (3, 501)]
        assert await next_number(shop, document_type) == 502

    @of_every_type
    async def test_used_number_can_not_be_set_as_next(self, shop: Shop, document_type: str) -> None:
        for _ in range(2):
            await shop.issue(document_type)
        for used in (1, 2):
            answer = await shop.caller.http.put(
                shop.path("/settings"), json={document_type: {"number": used}}
            )
            assert set(fields_of(answer)) == {f"{document_type}.number"}
        assert await next_number(shop, document_type) == 3
        await shop.put_settings(**{document_type: {"number": 3}})
        assert own_number(await shop.issue(document_type)) == 3

    async def test_voided_number_can_not_be_set_as_next(self, shop: Shop) -> None:
        document_type = "toy"
        await request_inutilization(shop, document_type, 1, 3)
        for number in (1, 3):
            answer = await shop.caller.http.put(
                shop.path("/settings"), json={document_type: {"number": number}}
            )
            assert "3 da série já foi usado ou inutilizado" in fields_of(answer)[f"{document_type}.number"]
        await shop.put_settings(**{document_type: {"number": 4}})
        assert (await shop.issue(document_type))["number"] == 4

    async def test_number_that_is_void_in_another_series_can_be_set_as_next(self, shop: Shop) -> None:
        await request_inutilization(shop, "toy", 1, 3)
        await shop.put_settings(toynote={"number": 2}, toy={"series": 2, "number": 2})
        await switch_environment(shop, "homologation")
        await shop.put_settings(toy={"series": 1, "number": 2})

    async def test_number_whose_inutilization_was_refused_is_free(self, shop: Shop) -> None:
        await request_inutilization(shop, "toy", 1, 3, justification=REFUSED)
        await shop.put_settings(toy={"number": 2})
        assert (await shop.issue())["number"] == 2

    @of_every_type
    async def test_document_after_the_last_number_is_rejected(self, shop: Shop, document_type: str) -> None:
        last = LAST_NUMBER
        await shop.put_settings(**{document_type: {"number": last}})
        assert own_number(await shop.issue(document_type)) == last
        assert (await shop.get("/settings")).status_code == 200
        again = await shop.caller.http.put(shop.path("/settings"), json={document_type: {"number": last}})
        assert "escolha outra série" in fields_of(again)[f"{document_type}.number"]
        beyond = await shop.issue(document_type)
        assert (beyond["status"], beyond["number"]) == ("rejected", None)
        await shop.put_settings(**{document_type: {"series": 2}})
        accepted(await shop.emit(beyond))
        record = await shop.settled(beyond)
        assert (record["status"], own_series_and_number(record)) == ("authorized", (2, 1))


class TestHomologation:
    @of_every_type
    async def test_homologation_has_its_own_numbers(self, shop: Shop, document_type: str) -> None:
        records = [await shop.issue(document_type)]
        await switch_environment(shop, "homologation")
        records += [await shop.issue(document_type) for _ in range(2)]
        await switch_environment(shop, "production")
        records += [await shop.issue(document_type)]
        assert [(record["environment"], own_number(record)) for record in records] == [
            ("production", 1), ("homologation", 1), ("homologation", 2), ("production", 2),
        ]  # fmt: skip
        assert {record["status"] for record in records} == {"authorized"}

    async def test_document_contains_its_environment_and_has_the_same_history(self, shop: Shop) -> None:
        produced = await shop.issue()
        await switch_environment(shop, "homologation")
        tried = await shop.issue()
        assert [await text_in_xml(shop, record, "tpAmb") for record in (produced, tried)] == ["1", "2"]
        histories = [[event["type"] for event in await shop.events(record)] for record in (produced, tried)]
        assert histories[0] == histories[1]

    @pytest.mark.parametrize("name", ["homologation", "test"])
    async def test_environment_of_a_module_overrides_that_of_the_company(self, shop: Shop, name: str) -> None:
        await shop.put_settings(toy={"environment": name})
        assert (await shop.issue("toy"))["environment"] == "homologation"
        assert (await shop.issue("toynote"))["environment"] == "production"
        await shop.put_settings(toy={"environment": None})
        assert (await shop.issue("toy"))["environment"] == "production"

    async def test_environment_of_a_company_does_not_change_a_module_in_production(self, shop: Shop) -> None:
        await shop.put_settings(toy={"environment": "production"})
        await switch_environment(shop, "homologation")
        assert (await shop.issue("toy"))["environment"] == "production"
        assert (await shop.issue("toynote"))["environment"] == "homologation"

    async def test_change_of_the_environment_does_not_affect_earlier_documents(
        self, system: System, shop: Shop
    ) -> None:
        stored = await shop.create(transmit="later")
        async with system.worker_stopped():
            accepted_before = accepted(await shop.post("/toy", body_of()))
            await switch_environment(shop, "homologation")
        accepted(await shop.post(f"/toy/{stored['id']}/transmit"))
        for document in (stored, accepted_before):
            record = await shop.settled(document)
            assert (record["status"], record["environment"]) == ("authorized", "production")
            assert await text_in_xml(shop, record, "tpAmb") == "1"
