"""Lists of a company's customers, and the search in them."""

import pytest

from integration.api.customer_book import JOHN, MARIA, WHOLE, CustomerApi
from support import data_of, fields_of

CUSTOMERS = {"maria": MARIA, "john": JOHN, "acai": WHOLE}


class TestList:
    async def test_list_is_newest_first_in_pages(self, customers: CustomerApi) -> None:
        for number in range(5):
            await customers.upsert({"name": f"Cliente {number}", "email": f"{number}@example.com"})
        assert await customers.names() == [f"Cliente {number}" for number in (4, 3, 2, 1, 0)]
        assert await customers.names(page=2, pageSize=2) == ["Cliente 2", "Cliente 1"]
        answer = await customers.listed(page=3, pageSize=2)
        assert answer.json()["pageInfo"] == {"page": 3, "pageSize": 2, "total": 5}

    async def test_page_has_twenty_customers_by_default(self, customers: CustomerApi) -> None:
        for number in range(21):
            await customers.upsert({"name": f"Cliente {number}", "email": f"{number}@example.com"})
        answer = await customers.listed()
        assert [record["name"] for record in data_of(answer)] == [f"Cliente {at}" for at in range(20, 0, -1)]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 21}

    async def test_list_shows_each_customer_as_it_is_read(self, customers: CustomerApi) -> None:
        records = [await customers.upsert(body) for body in (JOHN, WHOLE)]
        assert data_of(await customers.listed()) == records[::-1]

    async def test_page_size_is_100_at_most(self, customers: CustomerApi) -> None:
        assert list(fields_of(await customers.listed(pageSize=101))) == ["pageSize"]


class TestSearch:
    @pytest.mark.parametrize(
        ("search", "expected"),
        [
            ("", ["acai", "john", "maria"]),
            ("  ", ["acai", "john", "maria"]),
            ("maria", ["maria"]),
            ("MARIA SILVA", ["maria"]),
            ("silva maria", ["maria"]),
            ("maria smith", []),
            ("sil", ["maria"]),
            ("acai", ["acai"]),
            ("AÇAÍ & CIA", ["acai"]),
            ("açai", ["acai"]),
            ("maria@example.com", ["maria"]),
            ("Example.COM", ["john", "maria"]),
            ("529.982.247-25", ["maria"]),
            ("52998224725", ["maria"]),
            ("982.247", ["maria"]),
            ("12.abc.345/01de-35", ["acai"]),
            ("ab-123", ["john"]),
            ("silvamaria", []),
            ("ana@example.com", []),
            ("%", []),
            ("_", []),
            ("m%r", []),
            ("m_ria", []),
            ("\\", []),
            ("maria %", ["maria"]),
            ("-./", []),
            ("&", []),
        ],
    )
    async def test_search_finds_every_word_in_name_email_or_document(
        self, customers: CustomerApi, search: str, expected: list[str]
    ) -> None:
        names = {(await customers.upsert(body))["name"]: short_name for short_name, body in CUSTOMERS.items()}
        answer = await customers.listed(search=search)
        assert sorted(names[record["name"]] for record in data_of(answer)) == expected
        assert answer.json()["pageInfo"]["total"] == len(expected)

    async def test_search_counts_all_matches_and_shows_a_page(self, customers: CustomerApi) -> None:
        for number in range(3):
            await customers.upsert({"name": f"Cliente {number}", "email": f"{number}@example.com"})
        await customers.upsert()
        answer = await customers.listed(search="cliente", page=2, pageSize=2)
        assert [record["name"] for record in data_of(answer)] == ["Cliente 0"]
        assert answer.json()["pageInfo"]["total"] == 3

    async def test_search_skips_other_companies_and_deleted_customers(
        self, customers: CustomerApi, other_customers: CustomerApi
    ) -> None:
        await other_customers.upsert()
        await customers.delete((await customers.upsert())["id"])
        assert await customers.names(search="maria") == []

    @pytest.mark.parametrize("search", ["\0", "maria\n", "a" * 101])
    async def test_malformed_search_is_refused(self, customers: CustomerApi, search: str) -> None:
        assert list(fields_of(await customers.listed(search=search))) == ["search"]
