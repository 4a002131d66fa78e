"""Every table of the library: complete, dated, and correct where the right values are published."""

import re
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.fiscal.tables.geography import COUNTRIES, STATES
from carimbo.fiscal.tables.goods_codes import CESTS, CFOPS, NCMS, Cest
from carimbo.fiscal.tables.ibs_cbs import (
    IBS_CBS_CLASSES,
    IBS_CBS_SITUATIONS,
    IbsCbsGroup,
    IbsCbsRates,
    ibs_cbs_rates_on,
)
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS
from carimbo.fiscal.tables.table import Table
from carimbo.fiscal.tables.taxes import ICMS_RATES, TAX_SITUATIONS, Tax, internal_icms

ROOT = Path(__file__).parents[4]
FILES = ROOT / "src" / "carimbo" / "fiscal" / "tables"
COUNTS = {
    "states": 27,
    "municipalities": 5571,
    "countries": 237,
    "authorizers": 5 * 27,
    "endpoints": 460,
    "nfce_addresses": 68,
    "cte_qr_addresses": 8 * 2,
    "cancellation_terms": 5 * 27,
    "payment_methods": 23,
    "cfop": 619,
    "ncm": 10453,
    "cest": 1043,
    "tax_situations": 72,
    "icms_rates": 27,
    "icms_bases": 27,
    "ibs_cbs_situations": 18,
    "ibs_cbs_classes": 173,
    "ibs_cbs_rates": 6,
    "calendar": 29,
    "national_services": 342,
    "nbs": 920,
    "cnae": 1331,
    "operation_indicators": 44,
    "service_indicators": 1513,
    "nfe_statuses": 1021,
    "cte_statuses": 392,
    "mdfe_statuses": 260,
    "nfse_statuses": 505,
}


class TestAllTables:
    @pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
    def test_every_table_can_be_read_and_names_its_source(self, table: Table[Any, Any]) -> None:
        about = table.about
        assert (about.name, about.rows, len(table)) == (table.name, COUNTS[table.name], COUNTS[table.name])
        assert (about.file, about.older_file) == (None, None)
        assert len(about.source) > 10
        assert about.date > date(2025, 1, 1)

    @pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
    def test_every_table_has_tidy_texts(self, table: Table[Any, Any]) -> None:
        for row in table.values():
            texts = [value for name in table.row.__slots__ if isinstance(value := getattr(row, name), str)]
            assert [text for text in texts if text != " ".join(text.split()) or not text.isprintable()] == []

    def test_every_file_is_a_table(self) -> None:
        assert {table.name for table in ALL_TABLES} == {file.stem for file in FILES.glob("*.csv")}
        assert len({table.name for table in ALL_TABLES}) == len(ALL_TABLES)

    def test_every_table_is_in_the_how_to_with_its_columns(self) -> None:
        page = (ROOT / "docs" / "howto" / "newer-tables.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+)\.csv` \|.*\| (.*) \|$", page, re.MULTILINE)
        documented = [(name, tuple(re.findall(r"`(\w+)`", columns))) for name, columns in rows]
        assert documented == [(table.name, table.columns) for table in ALL_TABLES]


class TestCountries:
    def test_countries_have_the_code_of_the_central_bank(self) -> None:
        assert (COUNTRIES["1058"].name, COUNTRIES["1058"].iso2) == ("Brasil", "BR")
        assert (COUNTRIES["2496"].name, COUNTRIES["0639"].name) == ("Estados Unidos", "Argentina")

    def test_countries_have_letters_and_names_of_their_own(self) -> None:
        assert len({country.iso2 for country in COUNTRIES.values()}) == len(COUNTRIES)
        assert len({country.name for country in COUNTRIES.values()}) == len(COUNTRIES)


class TestPaymentMethods:
    def test_nfce_does_not_accept_two_payment_methods(self) -> None:
        refused = {method.code for method in PAYMENT_METHODS.values() if not method.is_for_nfce}
        assert refused == {"14", "90"}

    def test_three_payment_methods_have_a_card_group(self) -> None:
        assert {method.code for method in PAYMENT_METHODS.values() if method.has_card} == {"03", "04", "17"}


class TestCfop:
    def test_cfop_distinguishes_sales_returns_and_shipments(self) -> None:
        sale, back, sent = CFOPS["5102"], CFOPS["5202"], CFOPS["5915"]
        assert sale.name.startswith("Venda de mercadoria adquirida ou recebida de terceiros")
        assert [(row.is_for_nfe, row.is_return, row.is_shipment) for row in (sale, back, sent)] == [
            (True, False, False),
            (True, True, False),
            (True, False, True),
        ]

    def test_cfop_recognizes_services_that_have_documents_of_their_own(self) -> None:
        assert (CFOPS["5301"].is_communication, CFOPS["5301"].is_for_nfe) == (True, False)
        assert (CFOPS["6353"].is_transport, CFOPS["6353"].is_for_nfe) == (True, False)

    def test_cfop_recognizes_fuel_substitution_and_annulment(self) -> None:
        assert CFOPS["5656"].is_fuel
        assert CFOPS["5405"].is_tax_substitution
        assert CFOPS["1206"].is_annulment


def _chapters() -> set[str]:
    return {code[:2] for code in NCMS}


class TestNcm:
    def test_ncm_has_whole_descriptions(self) -> None:
        ncm = NCMS["69120000"]
        assert ncm.unit == "KG"
        assert ncm.description.startswith("Serviços de mesa, artigos de cozinha")
        assert ncm.description.endswith("de cerâmica, exceto de porcelana.")

    def test_ncm_has_no_codes_that_ended(self) -> None:
        assert [code for code in ("94013090", "94013010", "04031000") if code in NCMS] == []

    def test_ncm_has_the_chapters_of_the_tariff(self) -> None:
        assert _chapters() == {f"{number:02}" for number in range(98)} - {"77"}


def _begins_a_code(prefix: str) -> bool:
    return any(code.startswith(prefix) for code in NCMS)


def _cests_of_ncm(ncm: str) -> list[Cest]:
    return [cest for cest in CESTS.values() if any(map(ncm.startswith, cest.ncm_prefixes))]


class TestCest:
    def test_cest_is_found_by_the_longest_and_the_shortest_prefix(self) -> None:
        assert CESTS["0100100"].ncm_prefixes == ("38151210", "3815129")
        assert "0100100" in {cest.code for cest in _cests_of_ncm("38151290")}
        assert "0100100" not in {cest.code for cest in _cests_of_ncm("38151220")}
        assert "0100200" in {cest.code for cest in _cests_of_ncm("39172300")}

    @pytest.mark.parametrize("ncm", ["", "0", "00000000", "x"])
    def test_cest_is_not_found_for_other_codes(self, ncm: str) -> None:
        assert _cests_of_ncm(ncm) == []

    def test_cest_covers_goods_that_exist_or_existed(self) -> None:
        prefixes, chapters = {prefix for cest in CESTS.values() for prefix in cest.ncm_prefixes}, _chapters()
        assert all(re.fullmatch(r"[0-9]{2,8}", prefix) and prefix[:2] in chapters for prefix in prefixes)

    def test_cest_of_food_keeps_the_first_zero_of_its_codes(self) -> None:
        food = [cest for cest in CESTS.values() if cest.code.startswith("17")]
        prefixes = {prefix for cest in food for prefix in cest.ncm_prefixes}
        # 0210.99.00 was split up.
        assert {prefix for prefix in prefixes if not _begins_a_code(prefix)} == {"02109900"}
        assert [prefix for prefix in prefixes if len(prefix) == len("090")] == []

    @pytest.mark.parametrize(
        ("ncm", "cest"),
        [("09012100", "1709600"), ("04011010", "1701600"), ("04061010", "1702401"), ("09093100", "1711600")],
        ids=["coffee", "milk", "cheese", "cumin"],
    )
    def test_cest_is_found_for_food(self, ncm: str, cest: str) -> None:
        assert cest in {row.code for row in _cests_of_ncm(ncm)}


class TestIcms:
    def test_every_state_has_a_rate_of_icms(self) -> None:
        assert set(ICMS_RATES) == set(STATES)
        assert all(Decimal(17) <= rate.rate <= Decimal(23) for rate in ICMS_RATES.values())

    def test_rate_of_rio_de_janeiro_has_its_fund(self) -> None:
        rio = internal_icms("RJ")
        assert rio is not None
        assert (rio.rate, rio.fcp) == (Decimal(20), Decimal(2))
        assert internal_icms("XX") is None


class TestTaxSituations:
    def test_each_tax_has_as_many_situations_as_the_law(self) -> None:
        counted = Counter(tax for tax, _ in TAX_SITUATIONS)
        assert counted == {Tax.ICMS: 15, Tax.ICMS_SIMPLES: 10, Tax.IPI: 14, Tax.PIS_COFINS: 33}

    def test_situations_are_distinguished_by_their_tax(self) -> None:
        assert TAX_SITUATIONS["icms", "00"].name == "Tributada integralmente"
        assert TAX_SITUATIONS["ipi", "00"].name == "Entrada com recuperação de crédito"
        assert TAX_SITUATIONS["icmssn", "102"].name == "Tributada sem permissão de crédito"


class TestIbsCbs:
    def test_each_class_belongs_to_a_situation(self) -> None:
        assert {tax_class.cst for tax_class in IBS_CBS_CLASSES.values()} == set(IBS_CBS_SITUATIONS)
        assert all(tax_class.code.startswith(tax_class.cst) for tax_class in IBS_CBS_CLASSES.values())

    def test_classes_have_reductions_where_their_situation_does(self) -> None:
        for tax_class in IBS_CBS_CLASSES.values():
            reduces = IBS_CBS_SITUATIONS[tax_class.cst].has_reduction
            assert (tax_class.ibs_reduction is not None, tax_class.cbs_reduction is not None) == (
                reduces,
                reduces,
            )

    def test_reductions_of_ibs_and_cbs_are_those_of_the_law(self) -> None:
        medicines, books = IBS_CBS_CLASSES["200032"], IBS_CBS_CLASSES["200025"]
        assert (medicines.ibs_reduction, medicines.cbs_reduction) == (Decimal(60), Decimal(60))
        assert (books.ibs_reduction, books.cbs_reduction) == (Decimal(60), Decimal(100))
        assert IBS_CBS_CLASSES["000001"].ibs_reduction is None
        assert {"55", "65", "57", "67", "nfse"} < set(IBS_CBS_CLASSES["000001"].models)

    def test_situations_require_one_group(self) -> None:
        groups = {code: situation.group for code, situation in IBS_CBS_SITUATIONS.items()}
        assert [code for code, group in groups.items() if group is IbsCbsGroup.NONE] == ["400", "410", "820"]
        assert (groups["000"], groups["620"], groups["800"]) == ("rate", "single_phase", "credit_transfer")
        assert (groups["810"], groups["811"]) == ("free_zone_credit", "period_adjustment")
        assert [code for code, situation in IBS_CBS_SITUATIONS.items() if situation.has_deferral] == [
            "510",
            "515",
        ]

    @pytest.mark.parametrize("day", [date(2026, 1, 1), date(2026, 12, 31)])
    def test_rates_of_2026_are_the_same_all_the_year(self, day: date) -> None:
        assert ibs_cbs_rates_on(day) == IbsCbsRates(Decimal("0.1"), Decimal(0), Decimal("0.9"))

    @pytest.mark.parametrize("day", [date(2027, 1, 1), date(2028, 12, 31)])
    def test_ibs_of_2027_is_fixed_and_cbs_is_unknown(self, day: date) -> None:
        assert ibs_cbs_rates_on(day) == IbsCbsRates(Decimal("0.05"), Decimal("0.05"), None)

    @pytest.mark.parametrize("day", [date(2025, 12, 31), date(2029, 1, 1)])
    def test_rates_of_other_years_are_unknown(self, day: date) -> None:
        assert ibs_cbs_rates_on(day) == IbsCbsRates(None, None, None)
