"""Lists of documents: pages, filters and totals."""

from typing import Any
from uuid import UUID

import pytest

from integration.issuing.shop import NewShop, Shop
from integration.issuing.system import System
from support import ABSENT, data_of, fields_of
from toy.codes import REFUSED
from toy.shop import KINDS

COLLECTIONS = ["/toy", "/toynote", "/invoices"]
of_every_list = pytest.mark.parametrize("path", COLLECTIONS)


async def stored(shop: Shop, count: int) -> list[dict[str, Any]]:
    """Stores documents that are not sent, newest first."""
    documents = [await shop.create(transmit="later", externalId=f"pedido-{place}") for place in range(count)]
    return documents[::-1]


async def listed(shop: Shop, path: str, **query: Any) -> tuple[list[str], int]:
    """Returns the ids of a list, and the total."""
    answer = await shop.get(path, **query)
    return [record["id"] for record in data_of(answer)], answer.json()["pageInfo"]["total"]


async def date_back(system: System, document: dict[str, Any], moment: str) -> None:
    """Changes the time at which a document was created."""
    query = f"update documents set created_at = '{moment}' where id = $1"
    await system.fetch(query, UUID(document["id"]))


class TestPages:
    async def test_page_has_twenty_documents_by_default_newest_first(self, shop: Shop) -> None:
        documents = await stored(shop, 23)
        answer = await shop.get("/toy")
        assert data_of(answer) == documents[:20]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 23}

    async def test_pages_follow_each_other_without_gap_or_overlap(self, shop: Shop) -> None:
        documents = [record["id"] for record in await stored(shop, 7)]
        pages = [await listed(shop, "/invoices", page=page, pageSize=3) for page in (1, 2, 3, 4)]
        assert pages == [(documents[:3], 7), (documents[3:6], 7), (documents[6:], 7), ([], 7)]

    @of_every_list
    async def test_list_without_documents_is_empty(self, idle_shop: Shop, path: str) -> None:
        answer = await idle_shop.get(path)
        assert data_of(answer) == []
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 0}

    @of_every_list
    @pytest.mark.parametrize(
        ("name", "value"),
        [("pageSize", 101), ("pageSize", 0), ("pageSize", "x"), ("page", 0), ("page", -1), ("page", 1.5)],
    )
    async def test_page_outside_of_the_limits_is_invalid(
        self, idle_shop: Shop, path: str, name: str, value: Any
    ) -> None:
        assert set(fields_of(await idle_shop.get(path, **{name: value}))) == {name}

    @of_every_list
    async def test_page_may_have_a_hundred_documents(self, idle_shop: Shop, path: str) -> None:
        assert (await idle_shop.get(path, pageSize=100)).json()["pageInfo"]["pageSize"] == 100

    @of_every_list
    async def test_unknown_query_parameter_is_invalid(self, idle_shop: Shop, path: str) -> None:
        assert set(fields_of(await idle_shop.get(path, pagesize=5))) == {"pagesize"}

    async def test_list_has_only_documents_of_its_company(self, shop: Shop, new_shop: NewShop) -> None:
        other = await new_shop(shop.caller)
        (own,), (others,) = await stored(shop, 1), await stored(other, 1)
        assert await listed(shop, "/invoices") == ([own["id"]], 1)
        assert await listed(other, "/invoices") == ([others["id"]], 1)


class TestRecords:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_listed_record_is_the_same_as_the_read_one(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type, externalId="pedido-1")
        paths = (f"/{document_type}", "/invoices")
        assert [data_of(await shop.get(path)) for path in paths] == [[record], [record]]
        assert data_of(await shop.get(f"/invoices/{record['id']}")) == record
        assert data_of(await shop.get(f"/{document_type}/{record['id']}")) == record

    async def test_document_can_not_be_read_as_another_type(self, shop: Shop) -> None:
        (record,) = await stored(shop, 1)
        for rest in ("", "/xml", "/events", "/rejection-xml"):
            assert (await shop.get(f"/toynote/{record['id']}{rest}")).status_code == 404

    @of_every_list
    async def test_unknown_document_is_not_found(self, idle_shop: Shop, path: str) -> None:
        answer = await idle_shop.get(f"{path}/{ABSENT}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")

    @of_every_list
    async def test_malformed_id_is_invalid(self, idle_shop: Shop, path: str) -> None:
        assert set(fields_of(await idle_shop.get(f"{path}/1"))) == {"id"}


class TestFilters:
    async def test_documents_are_filtered_by_type(self, shop: Shop) -> None:
        documents = {document_type: (await shop.create(document_type))["id"] for document_type in KINDS}
        for document_type, document_id in documents.items():
            assert await listed(shop, f"/{document_type}") == ([document_id], 1)
            assert await listed(shop, "/invoices", type=document_type) == ([document_id], 1)
        assert await listed(shop, "/invoices") == ([*documents.values()][::-1], len(KINDS))

    async def test_filter_by_a_type_without_documents_finds_nothing(self, shop: Shop) -> None:
        await stored(shop, 1)
        assert await listed(shop, "/invoices", type="toynote") == ([], 0)

    async def test_filter_by_an_unknown_type_is_invalid(self, idle_shop: Shop) -> None:
        assert set(fields_of(await idle_shop.get("/invoices", type="nota"))) == {"type"}

    async def test_documents_are_filtered_by_status(self, system: System, shop: Shop) -> None:
        pending = await shop.create(transmit="later")
        authorized, refused = await shop.issue(), await shop.issue(notes=REFUSED)
        async with system.worker_stopped():
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

    async def test_documents_of_a_type_are_filtered_by_status(self, shop: Shop) -> None:
        authorized = await shop.issue("toynote")
        refused = await shop.issue("toynote", notes=REFUSED)
        await shop.issue()
        assert await listed(shop, "/toynote", status="authorized") == ([authorized["id"]], 1)
        assert await listed(shop, "/toynote", status="rejected") == ([refused["id"]], 1)
        assert await listed(shop, "/toynote", status="processing") == ([], 0)

    @of_every_list
    async def test_filter_by_an_unknown_status_is_invalid(self, idle_shop: Shop, path: str) -> None:
        assert set(fields_of(await idle_shop.get(path, status="pronta"))) == {"status"}

    @of_every_list
    async def test_documents_are_filtered_by_external_id(self, shop: Shop, path: str) -> None:
        documents = await stored(shop, 3)
        expected = [] if path == "/toynote" else [documents[1]["id"]]
        assert await listed(shop, path, externalId="pedido-1") == (expected, len(expected))
        assert await listed(shop, path, externalId="pedido") == ([], 0)

    @of_every_list
    async def test_filter_by_an_impossible_external_id_is_no_internal_error(
        self, idle_shop: Shop, path: str
    ) -> None:
        answer = await idle_shop.get(path, externalId="a\0")
        assert answer.status_code in (200, 422), answer.text

    async def test_documents_are_filtered_by_days_of_brasilia(self, system: System, shop: Shop) -> None:
        newest, middle, oldest = await stored(shop, 3)
        await date_back(system, oldest, "2026-03-10T02:59:59Z")
        await date_back(system, middle, "2026-03-10T03:00:00Z")
        await date_back(system, newest, "2026-03-11T02:59:59Z")
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
    async def test_filter_by_a_malformed_day_is_invalid(
        self, idle_shop: Shop, path: str, name: str, value: str
    ) -> None:
        assert set(fields_of(await idle_shop.get(path, **{name: value}))) == {name}

    async def test_filter_by_the_whole_calendar_finds_everything(self, shop: Shop) -> None:
        (record,) = await stored(shop, 1)
        expected = await listed(shop, "/toy", startDate="0001-01-01", endDate="9999-12-31")
        assert expected == ([record["id"]], 1)
