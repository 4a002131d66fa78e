"""The list of a catalog: newest first, by pages, by type, and by words of name, id or SKU."""

import pytest

from integration.api.product_shelf import COURSE, MUG, Shelf, new_shelf
from support import OTHER_CNPJ, data_of, fields_of

CUP = {**MUG, "name": "Xícara D'água 100%_Azul (grande)", "sku": "XIC-01/A_b"}
BREAKFAST = {**COURSE, "name": "Café da Manhã", "sku": "café"}


class TestList:
    async def test_is_newest_first_and_by_pages(self, shelf: Shelf) -> None:
        made = [await shelf.add(COURSE, sku=f"curso-{number}") for number in range(5)]
        answer = await shelf.get(page=2, pageSize=2)
        assert data_of(answer) == [made[2], made[1]]
        assert answer.json()["pageInfo"] == {"page": 2, "pageSize": 2, "total": 5}

    async def test_has_twenty_on_a_page_unless_told(self, shelf: Shelf) -> None:
        made = [await shelf.add(COURSE, sku=f"curso-{number}") for number in range(21)]
        answer = await shelf.get()
        assert data_of(answer) == made[:0:-1]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 21}

    async def test_has_no_more_than_100_on_a_page(self, shelf: Shelf) -> None:
        assert list(fields_of(await shelf.get(pageSize=101))) == ["pageSize"]
        assert (await shelf.get(pageSize=100)).status_code == 200

    async def test_is_of_one_type_if_asked(self, shelf: Shelf) -> None:
        await shelf.split()
        assert await shelf.found() == ["kit", "caneca", "curso"]
        for asked, sku in (("service", "curso"), ("product", "caneca"), ("split", "kit")):
            answer = await shelf.get(type=asked)
            assert [one["sku"] for one in data_of(answer)] == [sku]
            assert answer.json()["pageInfo"]["total"] == 1

    async def test_refuses_a_type_that_there_is_not(self, shelf: Shelf) -> None:
        assert fields_of(await shelf.get(type="bundle")) == {
            "type": "Valor inválido: use 'service', 'product' ou 'split'."
        }

    async def test_has_nothing_of_another_company(self, shelf: Shelf) -> None:
        await shelf.add(COURSE)
        assert await (await new_shelf(shelf.caller, OTHER_CNPJ)).found() == []


class TestSearch:
    @pytest.mark.parametrize(
        ("search", "found"),
        [
            ("xicara", ["XIC-01/A_b"]),
            ("XÍCARA", ["XIC-01/A_b"]),
            ("dagua", ["XIC-01/A_b"]),
            ("grande azul", ["XIC-01/A_b"]),
            ("azul - xícara", ["XIC-01/A_b"]),
            ("xic01ab", ["XIC-01/A_b"]),
            ("xic-01", ["XIC-01/A_b"]),
            ("manha CAFE", ["café"]),
            ("cafe\u0301", ["café"]),
            ("a", ["caneca", "café", "XIC-01/A_b"]),
            ("porcelana azul", []),
            ("%", []),
            ("_", []),
            ("c_neca", []),
            # Of letters that no ULID has.
            ("i%u", []),
            ("\\", []),
            ("--- ...", []),
            ("", ["caneca", "café", "XIC-01/A_b"]),
            ("  ", ["caneca", "café", "XIC-01/A_b"]),
            # The end of a name and the beginning of what follows it make no word.
            ("porcelana0", []),
        ],
    )
    async def test_is_by_all_words_whatever_case_accents_and_punctuation(
        self, shelf: Shelf, search: str, found: list[str]
    ) -> None:
        for body in (CUP, BREAKFAST, MUG):
            await shelf.add(body)
        answer = await shelf.get(search=search)
        assert [one["sku"] for one in data_of(answer)] == found
        assert answer.json()["pageInfo"]["total"] == len(found)

    async def test_is_by_the_id_too(self, shelf: Shelf) -> None:
        item = await shelf.add(COURSE)
        await shelf.add(MUG)
        for written in (item["id"], item["id"].lower(), item["id"][-10:]):
            assert await shelf.found(search=written) == ["curso"]

    async def test_goes_with_the_type(self, shelf: Shelf) -> None:
        for body in (CUP, BREAKFAST, MUG):
            await shelf.add(body)
        assert await shelf.found(search="a", type="service") == ["café"]

    @pytest.mark.parametrize(
        ("search", "error"),
        [
            ("a\0", "Formato inválido: informe um texto sem caracteres de controle, e não “a\0”."),
            ("x" * 101, "Deve ter no máximo 100 caracteres."),
        ],
        ids=["control", "long"],
    )
    async def test_refuses_what_no_item_has(self, shelf: Shelf, search: str, error: str) -> None:
        assert fields_of(await shelf.get(search=search)) == {"search": error}
