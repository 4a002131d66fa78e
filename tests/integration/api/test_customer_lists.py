"""Lists of a company's customers, and the search in them."""

import pytest

from integration.api.customer_book import JOHN, MARIA, WHOLE, Book
from support import data_of, fields_of

KNOWN = {"maria": MARIA, "john": JOHN, "acai": WHOLE}


class TestList:
    async def test_is_newest_first_in_pages(self, book: Book) -> None:
        for number in range(5):
            await book.tell({"name": f"Cliente {number}", "email": f"{number}@example.com"})
        assert await book.names() == [f"Cliente {number}" for number in (4, 3, 2, 1, 0)]
        assert await book.names(page=2, pageSize=2) == ["Cliente 2", "Cliente 1"]
        answer = await book.listed(page=3, pageSize=2)
        assert answer.json()["pageInfo"] == {"page": 3, "pageSize": 2, "total": 5}

    async def test_has_twenty_on_a_page_unless_told(self, book: Book) -> None:
        for number in range(21):
            await book.tell({"name": f"Cliente {number}", "email": f"{number}@example.com"})
        answer = await book.listed()
        assert [record["name"] for record in data_of(answer)] == [f"Cliente {at}" for at in range(20, 0, -1)]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 21}

    async def test_shows_each_as_it_is_read(self, book: Book) -> None:
        records = [await book.tell(told) for told in (JOHN, WHOLE)]
        assert data_of(await book.listed()) == records[::-1]

    async def test_has_no_more_than_100_on_a_page(self, book: Book) -> None:
        assert list(fields_of(await book.listed(pageSize=101))) == ["pageSize"]


class TestSearch:
    @pytest.mark.parametrize(
        ("search", "found"),
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
    async def test_finds_by_every_word_in_name_e_mail_or_document(
        self, book: Book, search: str, found: list[str]
    ) -> None:
        names = {(await book.tell(told))["name"]: who for who, told in KNOWN.items()}
        answer = await book.listed(search=search)
        assert sorted(names[record["name"]] for record in data_of(answer)) == found
        assert answer.json()["pageInfo"]["total"] == len(found)

    async def test_counts_all_that_is_found_and_shows_a_page(self, book: Book) -> None:
        for number in range(3):
            await book.tell({"name": f"Cliente {number}", "email": f"{number}@example.com"})
        await book.tell()
        answer = await book.listed(search="cliente", page=2, pageSize=2)
        assert [record["name"] for record in data_of(answer)] == ["Cliente 0"]
        assert answer.json()["pageInfo"]["total"] == 3

    async def test_finds_nobody_of_another_company_and_nobody_who_is_deleted(
        self, book: Book, other_book: Book
    ) -> None:
        await other_book.tell()
        await book.delete((await book.tell())["id"])
        assert await book.names(search="maria") == []

    @pytest.mark.parametrize("search", ["\0", "maria\n", "a" * 101])
    async def test_refuses_what_nothing_could_be_found_by(self, book: Book, search: str) -> None:
        assert list(fields_of(await book.listed(search=search))) == ["search"]
