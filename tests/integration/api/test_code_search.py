"""Search in the tables of official codes."""

from pathlib import Path

import pytest

from carimbo.fiscal.tables.table import use_tables_of
from support import Caller, code_of, data_of


class TestSearch:
    @pytest.mark.parametrize("prefix", ["utils", "nfe"])
    @pytest.mark.parametrize(
        ("table", "search", "code"),
        [
            ("ncm", "6912", "69120000"),
            ("ncm", "6912.00.00", "69120000"),
            ("ncm", "em GRÃO cafe", "09011110"),
            ("cfop", "VENDA de mercadoria ADQUIRIDA", "5102"),
            ("cfop", "5.102", "5102"),
            ("cest", "protetores cacamba", "0100300"),
        ],
    )
    async def test_search_finds_codes_by_prefix_or_by_words(
        self, caller: Caller, prefix: str, table: str, search: str, code: str
    ) -> None:
        answer = await caller.http.get(f"/v1/{prefix}/{table}", params={"search": search, "pageSize": 100})
        descriptions = {record["code"]: record["description"] for record in data_of(answer)}
        assert descriptions[code]

    @pytest.mark.parametrize("prefix", ["utils", "nfe"])
    @pytest.mark.parametrize(
        ("table", "code", "also"),
        [
            ("ncm", "69120000", {"unit": "KG"}),
            ("cfop", "5102", {}),
            ("cest", "0100300", {"ncms": ["39181000"]}),
        ],
    )
    async def test_search_shows_all_fields_of_a_code(
        self, caller: Caller, prefix: str, table: str, code: str, also: dict[str, object]
    ) -> None:
        (record,) = data_of(await caller.http.get(f"/v1/{prefix}/{table}", params={"search": code}))
        assert record.pop("description")
        assert record == {"code": code, "validFrom": None, "validUntil": None, **also}

    @pytest.mark.parametrize(
        ("table", "search", "record"),
        [
            (
                "services",
                "01.05.01",
                {
                    "code": "010501",
                    "description": "Licenciamento ou cessão de direito de uso de programas de computação.",
                    "item": "01.05",
                    "incidence": "provider",
                    "requiredGroup": None,
                },
            ),
            (
                "nbs",
                "1.0101.11.00",
                {
                    "code": "101011100",
                    "description": "Serviços de construção de edificações residenciais"
                    " de um e dois pavimentos",
                },
            ),
            ("cnae", "6201-5/02", {"code": "6201502", "description": "Web design"}),
            ("municipalities", "3550308", {"code": "3550308", "description": "São Paulo", "state": "SP"}),
            ("countries", "2496", {"code": "2496", "description": "Estados Unidos", "countryCode": "US"}),
            (
                "payment-methods",
                "03",
                {
                    "code": "03",
                    "description": "Cartão de crédito",
                    "words": ["creditCard", "credit", "cartaoDeCredito", "cartaoCredito", "credito"],
                    "hasCard": True,
                    "isForNfce": True,
                },
            ),
        ],
    )
    async def test_other_tables_are_shown_with_their_own_fields(
        self, caller: Caller, table: str, search: str, record: dict[str, object]
    ) -> None:
        assert data_of(await caller.http.get(f"/v1/utils/{table}", params={"search": search})) == [record]

    async def test_search_shows_the_validity_of_the_operators_table(
        self, caller: Caller, tmp_path: Path
    ) -> None:
        row = "code,unit,description,since,until\n77010000,UN,Novidade,2026-04-01,2027-03-31\n"
        (tmp_path / "ncm.csv").write_text(f"# source: x\n# date: 2099-01-01\n{row}", encoding="utf-8")
        use_tables_of(tmp_path)
        try:
            (record,) = data_of(await caller.http.get("/v1/utils/ncm", params={"search": "novidade"}))
        finally:
            use_tables_of(None)
        assert (record["validFrom"], record["validUntil"]) == ("2026-04-01", "2027-03-31")

    @pytest.mark.parametrize(
        ("table", "search", "first"),
        [("ncm", "cerveja", "22030000"), ("cest", "cerveja", "0302103"), ("cfop", "51", "5101")],
    )
    async def test_search_shows_the_best_match_first(
        self, caller: Caller, table: str, search: str, first: str
    ) -> None:
        answer = await caller.http.get(f"/v1/utils/{table}", params={"search": search, "pageSize": 1})
        assert [record["code"] for record in data_of(answer)] == [first]
        assert answer.json()["pageInfo"]["total"] > 1

    async def test_list_without_a_search_shows_the_table_page_by_page(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/utils/cfop", params={"page": 2, "pageSize": 5})
        body = answer.json()
        assert (len(body["data"]), body["pageInfo"]["page"]) == (5, 2)
        assert body["pageInfo"]["total"] > 600
        codes = [record["code"] for record in body["data"]]
        assert codes == sorted(codes)

    async def test_search_with_unknown_words_finds_nothing(self, caller: Caller) -> None:
        assert data_of(await caller.http.get("/v1/utils/ncm", params={"search": "xyzzy"})) == []

    async def test_search_that_is_too_long_is_refused(self, caller: Caller) -> None:
        answer = await caller.http.get("/v1/utils/ncm", params={"search": "x" * 101})
        assert (answer.status_code, code_of(answer)) == (422, "VALIDATION_ERROR")
