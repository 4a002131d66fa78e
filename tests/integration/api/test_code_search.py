"""Looking official codes up."""

import pytest

from support import Caller, code_of, data_of


class TestSearch:
    @pytest.mark.parametrize("under", ["utils", "nfe"])
    @pytest.mark.parametrize(
        ("table", "search", "code"),
        [
            ("ncm", "6912", "69120000"),
            ("ncm", "6912.00.00", "69120000"),
            ("cfop", "VENDA de mercadoria ADQUIRIDA", "5102"),
            ("cfop", "5.102", "5102"),
            ("cest", "protetores cacamba", "0100300"),
        ],
    )
    async def test_finds_codes_by_their_beginning_or_by_words(
        self, caller: Caller, under: str, table: str, search: str, code: str
    ) -> None:
        answer = await caller.http.get(f"/v1/{under}/{table}", params={"search": search, "pageSize": 100})
        found = {one["code"]: one["description"] for one in data_of(answer)}
        assert found[code]

    async def test_tells_all_of_a_table_page_by_page(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/utils/cfop", params={"page": 2, "pageSize": 5})
        body = answer.json()
        assert (len(body["data"]), body["pageInfo"]["page"]) == (5, 2)
        assert body["pageInfo"]["total"] > 600
        codes = [one["code"] for one in body["data"]]
        assert codes == sorted(codes)

    async def test_finds_nothing_for_words_that_no_code_has(self, caller: Caller) -> None:
        assert data_of(await caller.http.get("/v1/utils/ncm", params={"search": "xyzzy"})) == []

    async def test_refuses_a_search_that_is_too_long(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/utils/ncm", params={"search": "x" * 101})
        assert (answer.status_code, code_of(answer)) == (422, "VALIDATION_ERROR")
