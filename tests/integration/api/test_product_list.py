"""The list of a catalog: newest first, in pages, by type, and by words of name, id or SKU."""

import pytest

from integration.api.product_api import COURSE, MUG, ProductApi, new_product_api
from support import OTHER_CNPJ, data_of, fields_of

CUP = {**MUG, "name": "Xícara D'água 100%_Azul (grande)", "sku": "XIC-01/A_b"}
BREAKFAST = {**COURSE, "name": "Café da Manhã", "sku": "café"}


class TestList:
    async def test_list_is_newest_first_and_in_pages(self, products: ProductApi) -> None:
        items = [await products.add(COURSE, sku=f"curso-{number}") for number in range(5)]
        answer = await products.get(page=2, pageSize=2)
        assert data_of(answer) == [items[2], items[1]]
        assert answer.json()["pageInfo"] == {"page": 2, "pageSize": 2, "total": 5}

    async def test_page_has_twenty_items_by_default(self, products: ProductApi) -> None:
        items = [await products.add(COURSE, sku=f"curso-{number}") for number in range(21)]
        answer = await products.get()
        assert data_of(answer) == items[:0:-1]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 21}

    async def test_page_size_is_100_at_most(self, products: ProductApi) -> None:
        assert list(fields_of(await products.get(pageSize=101))) == ["pageSize"]
        assert (await products.get(pageSize=100)).status_code == 200

    async def test_list_is_filtered_by_type(self, products: ProductApi) -> None:
        await products.split()
        assert await products.skus() == ["kit", "caneca", "curso"]
        for item_type, sku in (("service", "curso"), ("product", "caneca"), ("split", "kit")):
            answer = await products.get(type=item_type)
            assert [item["sku"] for item in data_of(answer)] == [sku]
            assert answer.json()["pageInfo"]["total"] == 1

    async def test_unknown_type_is_refused(self, products: ProductApi) -> None:
        assert fields_of(await products.get(type="bundle")) == {
            "type": "Valor inválido: use 'service', 'product' ou 'split'."
        }

    async def test_list_has_no_items_of_another_company(self, products: ProductApi) -> None:
        await products.add(COURSE)
        assert await (await new_product_api(products.caller, OTHER_CNPJ)).skus() == []


class TestSearch:
    @pytest.mark.parametrize(
        ("search", "skus"),
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
    async def test_search_matches_all_words_in_any_case_and_punctuation(
        self, products: ProductApi, search: str, skus: list[str]
    ) -> None:
        for body in (CUP, BREAKFAST, MUG):
            await products.add(body)
        answer = await products.get(search=search)
        assert [item["sku"] for item in data_of(answer)] == skus
        assert answer.json()["pageInfo"]["total"] == len(skus)

    async def test_search_matches_the_id(self, products: ProductApi) -> None:
        item = await products.add(COURSE)
        await products.add(MUG)
        for written in (item["id"], item["id"].lower(), item["id"][-10:]):
            assert await products.skus(search=written) == ["curso"]

    async def test_search_combines_with_the_type(self, products: ProductApi) -> None:
        for body in (CUP, BREAKFAST, MUG):
            await products.add(body)
        assert await products.skus(search="a", type="service") == ["café"]

    @pytest.mark.parametrize(
        ("search", "error"),
        [
            ("a\0", "Formato inválido: informe um texto sem caracteres de controle, e não “a\0”."),
            ("x" * 101, "Deve ter no máximo 100 caracteres."),
        ],
        ids=["control", "long"],
    )
    async def test_malformed_search_is_refused(self, products: ProductApi, search: str, error: str) -> None:
        assert fields_of(await products.get(search=search)) == {"search": error}
