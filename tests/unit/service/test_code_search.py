"""Searches for official codes in the tables in force."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from carimbo.fiscal.tables.goods_codes import CESTS, CFOPS, NCMS
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.service.catalog.code_lookups import (
    CEST_LOOKUP,
    CFOP_LOOKUP,
    COUNTRY_LOOKUP,
    LOOKUPS,
    MUNICIPALITY_LOOKUP,
    NCM_LOOKUP,
    PAYMENT_METHOD_LOOKUP,
    SERVICE_LOOKUP,
    PaymentMethodRecord,
)
from carimbo.service.catalog.code_search import Lookup, words_of
from carimbo.service.listing import PageRequest

ALL = PageRequest(1, 20_000)
SAMPLE = 60

Provide = Callable[[str, str], None]


@pytest.fixture
def provide(tmp_path: Path) -> Iterator[Provide]:
    """Puts a table of the operator in force."""

    def write(name: str, rows: str) -> None:
        (tmp_path / f"{name}.csv").write_text(f"# source: x\n# date: 2099-01-01\n{rows}", encoding="utf-8")
        use_tables_of(tmp_path)

    yield write
    use_tables_of(None)


def codes(lookup: Lookup[Any, Any], search: str, request: PageRequest = ALL) -> list[str]:
    return [record.code for record in lookup.search(search, request).items]


def searched_text(record: Any) -> str:
    """Returns the texts that are searched for a record."""
    words = record.words if isinstance(record, PaymentMethodRecord) else []
    return " ".join((record.description, *words))


class TestByCode:
    def test_service_item_is_found_by_the_code_as_the_law_writes_it(self) -> None:
        assert codes(SERVICE_LOOKUP, "1.05") == codes(SERVICE_LOOKUP, "01.05") == ["010501"]

    @pytest.mark.parametrize("search", ["6911", "69.11", " 6911. ", "６９１１"])
    def test_code_prefix_finds_codes_in_their_order(self, search: str) -> None:
        assert codes(NCM_LOOKUP, search) == [code for code in sorted(NCMS) if code.startswith("6911")]

    @pytest.mark.parametrize("search", ["69120000", "6912.00.00", "6912.00", "6912"])
    def test_punctuation_of_a_code_is_optional(self, search: str) -> None:
        assert codes(NCM_LOOKUP, search) == ["69120000"]

    @pytest.mark.parametrize("search", ["", " ", "."])
    def test_empty_search_finds_every_code(self, search: str) -> None:
        assert codes(CFOP_LOOKUP, search) == sorted(CFOPS)

    @pytest.mark.parametrize("search", ["99", "691200001", "4"])
    def test_unknown_prefix_finds_nothing(self, search: str) -> None:
        assert codes(CFOP_LOOKUP, search) == []

    @pytest.mark.parametrize("lookup", LOOKUPS, ids=lambda lookup: lookup.path)
    def test_every_code_is_the_first_result_of_its_own_search(self, lookup: Lookup[Any, Any]) -> None:
        every = codes(lookup, "")
        assert [codes(lookup, code, PageRequest(1, 1)) for code in every] == [[code] for code in every]


class TestByWords:
    def test_items_are_found_by_the_words_of_their_heading(self) -> None:
        assert "09011110" in codes(NCM_LOOKUP, "cafe em grao")
        assert set(codes(NCM_LOOKUP, "café")[:6]) == {code for code in NCMS if code.startswith("0901")}

    @pytest.mark.parametrize("search", ["protetores caçamba", "CACAMBA protetor", "tetores cacam"])
    def test_words_match_in_any_order_and_case_and_in_part(self, search: str) -> None:
        assert codes(CEST_LOOKUP, search)[0] == "0100300"

    @pytest.mark.parametrize(
        ("lookup", "search", "first"),
        [
            (NCM_LOOKUP, "cerveja", "22030000"),
            (NCM_LOOKUP, "camiseta algodão", "61091000"),
            (CFOP_LOOKUP, "venda de mercadoria adquirida", "7102"),
            (CEST_LOOKUP, "cerveja", "0302103"),
        ],
    )
    def test_shortest_text_that_begins_with_the_word_comes_first(
        self, lookup: Lookup[Any, Any], search: str, first: str
    ) -> None:
        assert codes(lookup, search)[0] == first

    @pytest.mark.parametrize(
        ("lookup", "search", "code"),
        [
            (MUNICIPALITY_LOOKUP, "bom jesus pi", "2201903"),
            (COUNTRY_LOOKUP, "us", "2496"),
            (PAYMENT_METHOD_LOOKUP, "creditCard", "03"),
            (PAYMENT_METHOD_LOOKUP, "credit_card", "03"),
        ],
    )
    def test_municipality_country_and_payment_are_found_by_their_other_names(
        self, lookup: Lookup[Any, Any], search: str, code: str
    ) -> None:
        assert codes(lookup, search)[0] == code

    @pytest.mark.parametrize("lookup", LOOKUPS, ids=lambda lookup: lookup.path)
    def test_documented_example_search_finds_something(self, lookup: Lookup[Any, Any]) -> None:
        assert lookup.search(lookup.example, ALL).total

    def test_equal_matches_are_sorted_by_code(self) -> None:
        records = NCM_LOOKUP.search("outros", ALL).items
        same = [record.code for record in records if record.description == "Outros"]
        assert len(same) > 1
        assert [record.code for record in records[: len(same)]] == sorted(same)

    @pytest.mark.parametrize("lookup", LOOKUPS, ids=lambda lookup: lookup.path)
    def test_codes_are_found_by_the_words_of_their_description(self, lookup: Lookup[Any, Any]) -> None:
        records = lookup.search("", ALL).items
        for record in Random(1).sample(records, min(SAMPLE, len(records))):
            words = words_of(record.description)
            with_letters = next(word for word in words if word.isalpha())
            some = Random(record.code).sample(words, min(4, len(words)))
            assert record.code in codes(lookup, " ".join([*some, with_letters]))

    @pytest.mark.parametrize("lookup", LOOKUPS, ids=lambda lookup: lookup.path)
    def test_records_that_lack_a_searched_word_are_not_found(self, lookup: Lookup[Any, Any]) -> None:
        vocabulary = words_of(" ".join(map(searched_text, lookup.search("", ALL).items)))
        letters = [word for word in vocabulary if word.isalpha() and len(word) > 3]
        for word in Random(2).sample(letters, min(SAMPLE, len(letters))):
            part = word[1:]
            records = lookup.search(part, ALL).items
            assert records
            assert all(any(part in own for own in words_of(searched_text(record))) for record in records)


class TestPages:
    def test_pages_split_the_results_and_have_the_total(self) -> None:
        whole = codes(NCM_LOOKUP, "de algodão")
        pages = [NCM_LOOKUP.search("de algodão", PageRequest(number, 7)) for number in (1, 2, 3)]
        assert [record.code for page in pages for record in page.items] == whole[:21]
        assert {page.total for page in pages} == {len(whole)}

    def test_pages_after_the_last_are_empty(self) -> None:
        page = CFOP_LOOKUP.search("5102", PageRequest(2, 20))
        assert (page.items, page.total) == ([], 1)


class TestRecord:
    def test_record_of_goods_has_the_unit(self) -> None:
        (record,) = NCM_LOOKUP.search("69120000", ALL).items
        assert (record.unit, record.description) == ("KG", NCMS["69120000"].description)

    def test_record_of_tax_substitution_has_the_goods(self) -> None:
        (record,) = CEST_LOOKUP.search("0100100", ALL).items
        assert record.ncms == ["38151210", "3815129"] == list(CESTS["0100100"].ncm_prefixes)

    def test_record_has_no_validity_where_the_table_has_none(self) -> None:
        (record,) = CFOP_LOOKUP.search("5102", ALL).items
        assert (record.valid_from, record.valid_until) == (None, None)

    def test_record_has_the_validity_of_the_table_in_force(self, provide: Provide) -> None:
        assert codes(CEST_LOOKUP, "aparelho novo") == []
        provide(
            "cest",
            "code,ncm_prefixes,since,until,description\n9900100,84,2026-01-01,2026-12-31,Aparelho novo\n",
        )
        (record,) = CEST_LOOKUP.search("aparelho novo", ALL).items
        assert (record.valid_from, record.valid_until) == (date(2026, 1, 1), date(2026, 12, 31))
        assert codes(CEST_LOOKUP, "") == ["9900100"]
