"""Cells of CSV files, as spreadsheets of Brazil read them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from carimbo.fiscal.identity.access_key import shown_access_key
from carimbo.service.exports.csv_lines import Cell, cell_text, csv_lines

EVENING_OF_THE_LAST_DAY = datetime(2026, 12, 1, 2, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        ("", ""),
        (True, "Sim"),
        (False, "Não"),
        (-3, "-3"),
        (Decimal("1234.5"), "1234,50"),
        (Decimal("-5"), "-5,00"),
        (Decimal("29.9000000000"), "29,90"),
        (Decimal("0.12345"), "0,12345"),
        (Decimal("1E+3"), "1000,00"),
        (date(2026, 11, 9), "09/11/2026"),
        ("Maria; \"a\" & 'b'", "Maria; \"a\" & 'b'"),
        ("007", "'007"),
        ("0", "0"),
        ("123456789012345", "123456789012345"),
        ("1234567890123456", "'1234567890123456"),
        ("1e5", "'1e5"),
        ("2E10", "'2E10"),
        ("1,5e-3", "'1,5e-3"),
        ("1-2", "'1-2"),
        ("12/2026", "'12/2026"),
        ("1/2/26", "'1/2/26"),
        ("2026-11-19", "'2026-11-19"),
        ("1e5f", "1e5f"),
        ("529.982.247-25", "529.982.247-25"),
        ("01310-100", "01310-100"),
        ("1-2-3-4", "1-2-3-4"),
        ("nº 12/2026", "nº 12/2026"),
    ],
)
def test_cell_is_written_as_in_brazil(cell: Cell, text: str) -> None:
    assert cell_text(cell) == text


@pytest.mark.parametrize("beginning", [*"=+-@\t\r\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_text_that_a_spreadsheet_would_run_begins_with_an_apostrophe(beginning: str) -> None:
    assert cell_text(f"{beginning}cmd|' /C calc'!A0") == f"'{beginning}cmd|' /C calc'!A0"


@pytest.mark.parametrize(
    ("state", "text"),
    [("SP", "30/11/2026 23:30"), ("AC", "30/11/2026 21:30"), (None, "30/11/2026 23:30")],
)
def test_moment_is_that_of_the_company_s_state(state: str | None, text: str) -> None:
    assert cell_text(EVENING_OF_THE_LAST_DAY, state) == text


def test_moment_at_the_end_of_the_calendar_is_written_as_it_is() -> None:
    assert cell_text(datetime.min.replace(tzinfo=UTC), "SP").startswith("01/01/")


def test_line_is_quoted_only_where_it_must_be() -> None:
    assert csv_lines([("a;b", 'c"d', "e\nf", "g h")], None) == b'"a;b";"c""d";"e\nf";g h\r\n'


def test_access_key_is_no_number_for_a_spreadsheet() -> None:
    shown = shown_access_key("35261111222333000181550010000000011000000017")
    assert cell_text(shown) == "3526 1111 2223 3300 0181 5500 1000 0000 0110 0000 0017"
