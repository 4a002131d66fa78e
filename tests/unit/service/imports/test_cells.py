"""Cells as people in Brazil write them."""

from decimal import Decimal

import pytest

from carimbo.service.imports.cells import (
    CellReader,
    UnreadableCell,
    choice,
    code,
    day,
    flag,
    number,
    tax_id,
    whole_number,
)


def refusal_of(read: CellReader, cell: str) -> str:
    with pytest.raises(UnreadableCell) as refusal:
        read(cell)
    return str(refusal.value)


class TestNumber:
    @pytest.mark.parametrize(
        ("cell", "value"),
        [
            ("1.234,56", "1234.56"),
            ("1.234.567,8", "1234567.8"),
            ("1.234.567", "1234567"),
            ("12,5", "12.5"),
            ("12,500", "12.5"),
            ("1234,56", "1234.56"),
            ("1234.56", "1234.56"),
            ("0.5", "0.5"),
            ("12.3456", "12.3456"),
            ("1234", "1234"),
            ("-3,10", "-3.10"),
            (" R$ 1.234,56 ", "1234.56"),
            ("R$\u00a010", "10"),
        ],
    )
    def test_number_with_one_meaning_is_read(self, cell: str, value: str) -> None:
        assert number(cell) == Decimal(value)

    @pytest.mark.parametrize("cell", ["1.234", "0.500", "12.345", "R$ 1.000"])
    def test_point_before_three_digits_is_refused_because_it_has_two_meanings(self, cell: str) -> None:
        assert "milhares" in refusal_of(number, cell)

    @pytest.mark.parametrize(
        "cell", ["1,234.56", "12,", ",5", "1.23,4", "1.2345,6", "dez", "1 000", "1e5", "--1", "R$", "٣"]
    )
    def test_anything_else_is_no_number(self, cell: str) -> None:
        assert "Não é um número" in refusal_of(number, cell)


class TestWholeNumber:
    def test_digits_are_read(self) -> None:
        assert whole_number(" 30 ") == 30

    @pytest.mark.parametrize("cell", ["30,5", "1.000", "trinta", "9" * 5000])
    def test_anything_else_is_refused(self, cell: str) -> None:
        assert refusal_of(whole_number, cell)


class TestCode:
    @pytest.mark.parametrize(
        ("cell", "value"),
        [
            ("1310100", "01310100"),
            (" 01310-100 ", "01310-100"),
            ("123", "123"),
            ("69120000", "69120000"),
            ("6912.00", "6912.00"),
        ],
    )
    def test_only_the_zero_that_a_spreadsheet_removes_is_added(self, cell: str, value: str) -> None:
        assert code(8)(cell) == value

    @pytest.mark.parametrize(
        ("cell", "value"),
        [
            ("52998224725", 52998224725),
            ("01234567890", "01234567890"),
            (" 529.982.247-25 ", "529.982.247-25"),
            ("12ABC34501DE35", "12ABC34501DE35"),
            ("9" * 5000, "9" * 5000),
        ],
    )
    def test_tax_id_of_digits_alone_is_a_number(self, cell: str, value: object) -> None:
        assert tax_id(cell) == value


class TestDay:
    @pytest.mark.parametrize("cell", ["14/11/2026", " 14/11/2026 ", "2026-11-14"])
    def test_day_is_read_in_both_formats(self, cell: str) -> None:
        assert day(cell) == "2026-11-14"

    def test_day_before_month(self) -> None:
        assert day("1/2/2026") == "2026-02-01"

    @pytest.mark.parametrize("cell", ["31/02/2026", "2026-02-30", "11/14/2026", "00/00/0000"])
    def test_day_that_does_not_exist_is_refused(self, cell: str) -> None:
        assert "não existe" in refusal_of(day, cell)

    @pytest.mark.parametrize("cell", ["14/11/26", "14-11-2026", "14/11/2026 10:00", "amanhã", "46340"])
    def test_anything_else_is_no_day(self, cell: str) -> None:
        assert "Não é uma data" in refusal_of(day, cell)


class TestWords:
    READ = staticmethod(choice({"product": "Produto", "after_guarantee": "Depois da garantia"}))

    @pytest.mark.parametrize("cell", ["Produto", " PRODUTO ", "product", "Product"])
    def test_value_is_read_by_its_word_and_by_its_name(self, cell: str) -> None:
        assert self.READ(cell) == "product"

    @pytest.mark.parametrize("cell", ["depois  da garantia", "after_guarantee", "afterGuarantee"])
    def test_spaces_and_case_do_not_matter(self, cell: str) -> None:
        assert self.READ(cell) == "after_guarantee"

    def test_other_words_are_refused_with_the_right_ones(self) -> None:
        assert refusal_of(self.READ, "Prodto") == "Escreva um destes: Produto, Depois da garantia."

    @pytest.mark.parametrize(
        ("cell", "value"), [("Sim", True), ("s", True), ("TRUE", True), ("Não", False), ("nao", False)]
    )
    def test_yes_and_no_are_read(self, cell: str, value: bool) -> None:
        assert flag(cell) is value

    def test_neither_yes_nor_no_is_refused(self) -> None:
        assert refusal_of(flag, "talvez") == "Escreva Sim ou Não."
