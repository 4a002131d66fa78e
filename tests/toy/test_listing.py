"""Lists of documents: pages, filters and totals."""

from typing import Any
from uuid import UUID

import pytest

from integration.issuing.floor import Floor
from integration.issuing.shop import NewShop, Shop
from support import ABSENT, data_of, fields_of
from toy.codes import REFUSED
from toy.shop import KINDS

COLLECTIONS = ["/toy", "/toynote", "/invoices"]
of_every_list = pytest.mark.parametrize("path", COLLECTIONS)


async def stored(shop: Shop, count: int) -> list[dict[str, Any]]:
    """Stores documents that are not sent, newest first."""
    made = [await shop.create(transmit="later", externalId=f"pedido-{place}") for place in range(count)]
    return made[::-1]


async def listed(shop: Shop, path: str, **query: Any) -> tuple[list[str], int]:
    """The ids of a list, and how many there are in all."""
    answer = await shop.get(path, **query)
    return [record["id"] for record in data_of(answer)], answer.json()["pageInfo"]["total"]


async def date_back(floor: Floor, document: dict[str, Any], moment: str) -> None:
    """Let a document have been created at some moment."""
    query = f"update documents set created_at = '{moment}' where id = $1"
    await floor.fetch(query, UUID(document["id"]))


class TestPages:
    async def test_have_twenty_documents_by_default_newest_first(self, shop: Shop) -> None:
        made = await stored(shop, 23)
        answer = await shop.get("/toy")
        assert data_of(answer) == made[:20]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 23}

    async def test_follow_each_other_without_gap_or_overlap(self, shop: Shop) -> None:
        made = [record["id"] for record in await stored(shop, 7)]
        pages = [await listed(shop, "/invoices", page=page, pageSize=3) for page in (1, 2, 3, 4)]
        assert pages == [(made[:3], 7), (made[3:6], 7), (made[6:], 7), ([], 7)]

    @of_every_list
    async def test_without_documents_are_empty(self, idle_shop: Shop, path: str) -> None:
        answer = await idle_shop.get(path)
        assert data_of(answer) == []
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 0}

    @of_every_list
    @pytest.mark.parametrize(
        ("name", "value"),
        [("pageSize", 101), ("pageSize", 0), ("pageSize", "x"), ("page", 0), ("page", -1), ("page", 1.5)],
    )
    async def test_outside_of_the_limits_are_invalid(
        self, idle_shop: Shop, path: str, name: str, value: Any
    ) -> None:
        assert set(fields_of(await idle_shop.get(path, **{name: value}))) == {name}

    @of_every_list
    async def test_may_have_a_hundred_documents(self, idle_shop: Shop, path: str) -> None:
        assert (await idle_shop.get(path, pageSize=100)).json()["pageInfo"]["pageSize"] == 100

    @of_every_list
    async def test_refuse_an_unknown_parameter(self, idle_shop: Shop, path: str) -> None:
        assert set(fields_of(await idle_shop.get(path, pagesize=5))) == {"pagesize"}

    async def test_have_documents_of_their_company_alone(self, shop: Shop, new_shop: NewShop) -> None:
        other = await new_shop(shop.caller)
        (own,), (others,) = await stored(shop, 1), await stored(other, 1)
        assert await listed(shop, "/invoices") == ([own["id"]], 1)
        assert await listed(other, "/invoices") == ([others["id"]], 1)


class TestRecords:
    @pytest.mark.parametrize("kind", KINDS)
    async def test_are_those_that_a_read_gives(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, externalId="pedido-1")
        ways = (f"/{kind}", "/invoices")
        assert [data_of(await shop.get(path)) for path in ways] == [[record], [record]]
        assert data_of(await shop.get(f"/invoices/{record['id']}")) == record
        assert data_of(await shop.get(f"/{kind}/{record['id']}")) == record

    async def test_are_not_read_as_another_type(self, shop: Shop) -> None:
        (record,) = await stored(shop, 1)
        for rest in ("", "/xml", "/events", "/rejection-xml"):
            assert (await shop.get(f"/toynote/{record['id']}{rest}")).status_code == 404

    @of_every_list
    async def test_that_do_not_exist_are_not_found(self, idle_shop: Shop, path: str) -> None:
        answer = await idle_shop.get(f"{path}/{ABSENT}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")

    @of_every_list
    async def test_with_a_malformed_id_are_invalid(self, idle_shop: Shop, path: str) -> None:
        assert set(fields_of(await idle_shop.get(f"{path}/1"))) == {"id"}


class TestFilters:
    async def test_by_type(self, shop: Shop) -> None:
        made = {kind: (await shop.create(kind))["id"] for kind in KINDS}
        for kind, document_id in made.items():
            assert await listed(shop, f"/{kind}") == ([document_id], 1)
            assert await listed(shop, "/invoices", type=kind) == ([document_id], 1)
        assert await listed(shop, "/invoices") == ([*made.values()][::-1], len(KINDS))

    async def test_by_a_type_without_documents(self, shop: Shop) -> None:
        await stored(shop, 1)
        assert await listed(shop, "/invoices", type="toynote") == ([], 0)

    async def test_by_a_type_that_does_not_exist_are_invalid(self, idle_shop: Shop) -> None:
        assert set(fields_of(await idle_shop.get("/invoices", type="nota"))) == {"type"}

    async def test_by_status(self, floor: Floor, shop: Shop) -> None:
        pending = await shop.create(transmit="later")
        authorized, refused = await shop.issue(), await shop.issue(notes=REFUSED)
        async with floor.standstill():
            processing = await shop.create()
            named = {"pending": pending, "authorized": authorized, "rejected": refused}
            for status, document in (named | {"processing": processing}).items():
                assert await listed(shop, "/invoices", status=status) == ([document["id"]], 1)
            assert await listed(shop, "/toynote", status="pending") == ([], 0)
            assert await listed(shop, "/invoices", status="rejected", type="toy") == ([refused["id"]], 1)
            assert await listed(shop, "/invoices", status="canceled") == ([], 0)
        await shop.settled(processing)
        assert await listed(shop, "/toy", status="processing") == ([], 0)
        assert await listed(shop, "/toy", status="authorized") == ([processing["id"], authorized["id"]], 2)

    async def test_by_status_of_one_type(self, shop: Shop) -> None:
        authorized = await shop.issue("toynote")
        refused = await shop.issue("toynote", notes=REFUSED)
        await shop.issue()
        assert await listed(shop, "/toynote", status="authorized") == ([authorized["id"]], 1)
        assert await listed(shop, "/toynote", status="rejected") == ([refused["id"]], 1)
        assert await listed(shop, "/toynote", status="processing") == ([], 0)

    @of_every_list
    async def test_by_a_status_that_does_not_exist_are_invalid(self, idle_shop: Shop, path: str) -> None:
        assert set(fields_of(await idle_shop.get(path, status="pronta"))) == {"status"}

    @of_every_list
    async def test_by_external_id(self, shop: Shop, path: str) -> None:
        made = await stored(shop, 3)
        expected = [] if path == "/toynote" else [made[1]["id"]]
        assert await listed(shop, path, externalId="pedido-1") == (expected, len(expected))
        assert await listed(shop, path, externalId="pedido") == ([], 0)

    @of_every_list
    async def test_by_an_external_id_that_no_document_can_have_find_nothing(
        self, idle_shop: Shop, path: str
    ) -> None:
        answer = await idle_shop.get(path, externalId="a\0")
        assert answer.status_code in (200, 422), answer.text

    async def test_by_days_of_brasilia(self, floor: Floor, shop: Shop) -> None:
        newest, middle, oldest = await stored(shop, 3)
        await date_back(floor, oldest, "2026-03-10T02:59:59Z")
        await date_back(floor, middle, "2026-03-10T03:00:00Z")
        await date_back(floor, newest, "2026-03-11T02:59:59Z")
        tenth = [newest["id"], middle["id"]]
        days = {"startDate": "2026-03-10", "endDate": "2026-03-10"}
        assert await listed(shop, "/toy", **days) == (tenth, 2)
        assert await listed(shop, "/toy", startDate="2026-03-10") == (tenth, 2)
        assert await listed(shop, "/toy", endDate="2026-03-09") == ([oldest["id"]], 1)
        assert await listed(shop, "/invoices", startDate="2026-03-11") == ([], 0)
        assert await listed(shop, "/invoices", **days, externalId="pedido-1") == ([middle["id"]], 1)
        assert await listed(shop, "/invoices", **days, status="authorized") == ([], 0)
        assert await listed(shop, "/invoices", **days, page=2, pageSize=1) == ([middle["id"]], 2)

    @of_every_list
    @pytest.mark.parametrize("name", ["startDate", "endDate"])
    @pytest.mark.parametrize("value", ["10/03/2026", "2026-02-30", "hoje", "0"])
    async def test_by_a_malformed_day_are_invalid(
        self, idle_shop: Shop, path: str, name: str, value: str
    ) -> None:
        assert set(fields_of(await idle_shop.get(path, **{name: value}))) == {name}

    async def test_by_the_whole_calendar(self, shop: Shop) -> None:
        (record,) = await stored(shop, 1)
        expected = await listed(shop, "/toy", startDate="0001-01-01", endDate="9999-12-31")
        assert expected == ([record["id"]], 1)
